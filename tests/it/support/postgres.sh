#!/bin/sh
# A private PostgreSQL for the tests: in a temporary folder, reached by a socket there and by nothing else. Says
# `ready FOLDER` once it accepts connections, and is gone with its folder when the standard input ends, however the
# tests end. The lines `stop`, which is as hard as a crash, and `start` are answered with `done`. The exit code 3 means
# that there is no PostgreSQL here.
set -eu
for bin in /usr/lib/postgresql/*/bin; do PATH=$bin:$PATH; done
command -v initdb >&2 && command -v pg_ctl >&2 || exit 3
# PostgreSQL refuses to run as root.
as=
folder=$(mktemp -d)
if [ "$(id -u)" = 0 ]; then
    user=postgres
    id "$user" >&2 || user=nobody
    chown "$user" "$folder"
    as="setpriv --reuid=$user --regid=$(id -g "$user") --clear-groups --"
fi
cd "$folder"
$as initdb --pgdata="$folder/data" --auth=trust --username=candor --encoding=UTF8 --locale=C --no-sync >&2
start() {
    $as pg_ctl --pgdata="$folder/data" --log="$folder/log" --silent --wait \
        --options="-k '$folder' -c listen_addresses='' -c fsync=off -c full_page_writes=off -c autovacuum=off -c max_connections=300" start >&2
}
stop() {
    $as pg_ctl --pgdata="$folder/data" --silent --mode=immediate stop >&2 || true
}
start
echo "ready $folder"
while read -r order; do
    "$order"
    echo "done"
done
stop
cd /
rm -rf "$folder"
