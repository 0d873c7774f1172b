#!/bin/sh
# Makes the cluster on the volume once, with both extensions, then becomes the server.
#
# POSTGRES_PASSWORD  the superuser's password, needed when the cluster is made
# POSTGRES_USER      the superuser's name (postgres)
# POSTGRES_DB        the database that gets the extensions (postgres)
set -eu

user=${POSTGRES_USER:-postgres}
database=${POSTGRES_DB:-postgres}
new=$(dirname "$PGDATA")/.unfinished

refuse() {
    echo "$1" >&2
    exit 1
}

make_cluster() {
    password=$(mktemp)
    printf '%s\n' "$POSTGRES_PASSWORD" > "$password"
    initdb --pgdata="$new" --username="$user" --pwfile="$password" --auth-local=trust --auth-host=scram-sha-256 \
        --encoding=UTF8 --locale=C.UTF-8 --locale-provider=builtin --builtin-locale=C.UTF-8 --no-instructions
    rm -f "$password"
    echo "host all all all scram-sha-256" >> "$new/pg_hba.conf"
    cat >> "$new/postgresql.conf" <<'SETTINGS'
listen_addresses = '*'
unix_socket_directories = '/tmp'
SETTINGS
}

# Served on the socket alone, so that nobody from outside meets a half-made database.
make_database() {
    pg_ctl --silent --wait --pgdata="$new" --options="-c listen_addresses=" start
    [ "$database" = postgres ] || createdb --host=/tmp --username="$user" "$database"
    # AGE is preloaded in this database alone: where it is loaded without being installed, AGE 1.5 fails every DROP.
    psql --quiet --no-psqlrc --host=/tmp --username="$user" --dbname="$database" --set=ON_ERROR_STOP=1 <<'STATEMENTS'
create extension vector;
create extension age;
select format('alter database %I set session_preload_libraries = age', current_database()) \gexec
STATEMENTS
    pg_ctl --silent --wait --pgdata="$new" --mode=fast stop
}

prepare() {
    [ -n "${POSTGRES_PASSWORD:-}" ] || refuse "Set POSTGRES_PASSWORD: the cluster is made with it."
    for other in "$(dirname "$PGDATA")"/*/PG_VERSION; do
        [ ! -e "$other" ] || refuse "The volume holds a cluster of PostgreSQL $(cat "$other"); this image runs $(basename "$PGDATA"). Move the data over with pg_dump, or mount another volume."
    done
    # What an interrupted start left is not a cluster; a finished one is renamed into place.
    rm -rf "$new"
    make_cluster
    make_database
    mv "$new" "$PGDATA"
}

[ "$1" = postgres ] || exec "$@"
[ -s "$PGDATA/PG_VERSION" ] || prepare
shift
exec postgres -D "$PGDATA" "$@"
