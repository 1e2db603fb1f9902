# title: bugle task list shows a plan's tasks in order: two are done, one is in progress, the others are waiting
# columns: 88

git init --quiet --initial-branch main shop
cd shop
cat >login.md <<'END'
# Login

## Task 1: Add the user table

With an address and a hash of the password.

## Task 2: Add the login form

## Task 3: Limit failed attempts

Five per address and hour.

## Task 4: Test the login end to end

## Task 5: Document the login

Depends on: Task 2
END

bugle agent register backend >/dev/null
bugle plan import login.md >/dev/null
tasks=($(bugle task list --json | grep -o 't-[a-z0-9]*' | awk '!seen[$0]++'))
bugle task start "${tasks[1]}" --as backend >/dev/null
bugle task done "${tasks[1]}" --as backend --note 'Addresses are stored in lower case.' >/dev/null
bugle task start "${tasks[2]}" --as backend >/dev/null
bugle task done "${tasks[2]}" --as backend >/dev/null
bugle task start "${tasks[3]}" --as backend >/dev/null
show 'bugle task list --all'
