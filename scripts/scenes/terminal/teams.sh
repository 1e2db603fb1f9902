# title: Ada sets up a team and adds a task on her machine; on Ben's machine, bugle task claim gives him that task
# columns: 92

# Start a server for this scene. Postgres refuses to run as root.
programs="$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)"
[[ -x "$programs/initdb" ]] || programs="$(dirname "$(command -v initdb)")"
server="$(mktemp -d /tmp/bugle-scene.XXXXXX)"
as_server=()
if ((EUID == 0)); then
  chown 65534 "$server"
  as_server=(setpriv --reuid 65534 --clear-groups)
fi
stop() {
  "${as_server[@]}" "$programs/pg_ctl" --pgdata "$server/data" --mode immediate stop >/dev/null || true
  rm -rf "$server"
}
trap stop EXIT
(
  cd "$server"
  "${as_server[@]}" "$programs/initdb" --pgdata "$server/data" --username ada --auth trust --encoding UTF8 --no-sync
  "${as_server[@]}" "$programs/pg_ctl" --pgdata "$server/data" --wait --log "$server/log" \
    --options "-c listen_addresses='' -c unix_socket_directories=$server -c fsync=off" start
  psql --host "$server" --username ada --dbname postgres --command 'CREATE DATABASE bugle' --command 'CREATE ROLE ben LOGIN'
) >/dev/null 2>&1

# Each person has a home and a clone, as on two machines.
database() { printf 'postgres://%s@/bugle?host=%s' "$1" "$server"; }
git init --quiet --initial-branch main shop
git -C shop remote add origin https://git.example/shop.git
cp -r shop ben-shop
bugle() { BUGLE_HOME="$HOME/.bugle-$person" BUGLE_DATABASE_URL="$(database "$person")" command bugle "$@"; }

person=ada
cd shop
bugle store verify >/dev/null
show 'bugle store init'
show 'bugle team add ben --role member'
show 'bugle task add "Translate the login page"'

person=ben
cd ../ben-shop
show 'bugle task claim --as backend  # on Ben'"'"'s machine'

person=ada
cd ../shop
show 'bugle task list  # on Ada'"'"'s machine'
show 'bugle team list'
