# title: bugle top in a terminal: a question for the user, the channels with their agents, and the agents' messages and activity
# columns: 100
# rows: 18
# until: keep the old export

git init --quiet --initial-branch main shop
cd shop
for agent in backend frontend reviewer; do bugle agent register "$agent" >/dev/null; done
bugle say --as backend '@frontend the login endpoint is ready: POST /login' >/dev/null
bugle ask --as frontend '@backend what does it return for a wrong password?' >/dev/null
bugle answer --as backend '401, without saying which part was wrong' >/dev/null
bugle start decision-critic decision='Move the job queue from Redis to Postgres' >/dev/null
bugle say --as reviewer '@backend two findings in the login form; see the run' >/dev/null
bugle ask --as backend '@human do we keep the old export for another month?' >/dev/null

bugle top
