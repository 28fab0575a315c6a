#!/usr/bin/env bash
# Builds tbgen-mpi and shows that it makes the same files as tbgen: with several processes, after kills, over TCP
# between network namespaces, and not with processes that differ. Installs Open MPI and libclang by apt-get where it
# may; where MPI is missing, says SKIPPED and does nothing.
#     FULL=1 tools/cluster/check.sh     tables of 5 pieces, 20 kills of each of two, and the times and bytes of each job
#     TABLES=DIR FULL=1 …               also KRRvKRB, whose smaller tables are in DIR
#     PROGRAM=FILE …                    with a program that was built before, with the feature tbindex/failpoints, and tbgen
#                                       beside it
set -euo pipefail
cd "$(dirname "$0")"

# libclang reads the headers of MPI.
has() {
    command -v mpicc >/dev/null && command -v mpirun >/dev/null || return 1
    [ -n "${LIBCLANG_PATH:-}" ] || ldconfig -p | grep -q 'libclang\(-[0-9]*\)\?\.so'
}
if ! has && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    install() { apt-get install -y -q --no-install-recommends libopenmpi-dev openmpi-bin libclang-dev; }
    (install || { apt-get update -q && install; }) >/dev/null 2>&1 || true
fi
if ! has; then
    echo "tools/cluster: SKIPPED, as there is no MPI (Debian: libopenmpi-dev openmpi-bin libclang-dev)"
    exit 0
fi

full=${FULL:-}
# In the workspace, and with all of it, so that what `cargo test --workspace` has built is not built again.
profile=debug
[ -z "$full" ] || profile=release
root=$(cd ../.. && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
build() { (cd "$root" && cargo "$@" --workspace --bin tbgen-mpi --bin tbgen --features tbgen-mpi/mpi,tbindex/failpoints --locked --quiet); }
if [ -n "${CLIPPY:-$full}" ]; then
    (cd "$root" && cargo clippy --package tbgen-mpi --features mpi --locked --quiet -- -D warnings)
fi
program=${PROGRAM:-$target/$profile/tbgen-mpi}
alone() { "$(dirname "$program")/tbgen" generate "$1" --threads 2 -o "$2" 2>"$work/log" || fail "$1 can't be made"; }
if [ -z "${PROGRAM:-}" ]; then
    if [ $profile = release ]; then build build --release; else build build --test values; fi
fi

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
work=$(mktemp -d)
finish() {
    local pids
    pids=$(jobs -p)
    [ -z "$pids" ] || kill $pids 2>/dev/null || true
    for k in 1 2; do ip netns del "tbgen-mpi$k" 2>/dev/null || true; done
    rm -rf "$work"
}
trap finish EXIT
fail() {
    echo "tools/cluster: $*" >&2
    [ ! -s "$work/log" ] || tail -n 20 "$work/log" >&2
    exit 1
}
say() { printf '   %s (%d s)\n' "$*" "$SECONDS"; }
# Processes that wait for others look for messages all the time; none keeps a processor from the others.
job() { local n=$1; shift; timeout 900 mpirun --oversubscribe --bind-to none -n "$n" "$program" "$@" >"$work/log" 2>&1; }
# A folder with what a table needs, which is made before.
folder() { rm -rf "$work/run"; mkdir "$work/run"; ln -s "$work"/alone/*.tbg "$work/run/"; rm -f "$work/run/$1.tbg"; }
same() { cmp "$work/alone/$1.tbg" "$work/run/$1.tbg" || fail "$1 is another table $2"; }
nothing_left() { ! ls -A "$work/run" | grep -v 'tbg$' || fail "something is left in the folder"; }
# Makes a table in such a folder, with so many processes and these options, and compares it.
make() {
    local table=$1 how=$2 n=$3
    shift 3
    folder "$table"
    job "$n" "$table" -o "$work/run" "$@" || fail "$table $how"
    same "$table" "$how"
    [ -z "$full" ] || tail -n 2 "$work/log"
}
SECONDS=0

if [ -n "$full" ]; then
    tables="KQvKR KRBvKR KBBvKN KRPvKR" processes="1 2 4" kills=20 to_kill="KBBvKN KRPvKR"
else
    tables="KQvKR KPvKP" processes="2 4" kills=4 to_kill="KQvKR KPvKP"
fi
if [ -n "$full" ] && [ -n "${TABLES:-}" ]; then
    mkdir "$work/alone"
    ln -s "$TABLES"/*.tbg "$work/alone/"
    rm -f "$work/alone/KRRvKRB.tbg"
    tables+=" KRRvKRB"
fi
for table in $tables; do
    alone "$table" "$work/alone"
    for n in $processes; do
        make "$table" "with $n processes" "$n"
        nothing_left
    done
    say "$table: the same with $processes processes"
done

make KQvKR "with short messages" 3 --message-bytes 1000
say "KQvKR: the same with messages of at most 1000 bytes"

# With a byte less than all sets take they have to be in files. Sets of four pieces take less than the rest.
table=KBBvKN
[ -e "$work/alone/$table.tbg" ] || alone "$table" "$work/alone"
needed=$("$program" $table --plan 3 --json | sed -n 's/^  "memory_bytes": \([0-9]*\),$/\1/p')
[ -n "$needed" ] || fail "the plan of $table says nothing of memory"
"$program" $table --plan 3 --memory $((needed - 1)) | grep -q "sets on disk" || fail "the plan has no sets on disk"
mkdir "$work/sets"
make $table "with sets on disk" 3 --memory $((needed - 1)) --sets "$work/sets"
if "$program" $table --plan 3 --memory 1M >"$work/log" 2>&1; then fail "a plan within 1 MiB"; fi
grep -q "needs at least" "$work/log" || fail "nothing says how much memory is needed"
say "$table: the same with sets on disk"

# The winner and the ply of a line of a journal.
ply() { sed 's/.*"winner":"\([a-z]*\)","plies":\([0-9]*\).*/\1 \2/' <<<"$1"; }
# Runs a table with so many processes, of which one ends at a point that it has passed some times, as if it were killed.
killed_job() {
    local table=$1 n=$2 number=$3 point=$4 passes=$5
    local common=("$program" "$table" -o "$work/run" --log "$work/journal") apps=()
    [ "$number" = 0 ] || apps+=(-n "$number" "${common[@]}" :)
    apps+=(-n 1 -x "FAILPOINTS=$point=$passes*off->return(abort)" "${common[@]}")
    [ "$number" = $((n - 1)) ] || apps+=(: -n $((n - number - 1)) "${common[@]}")
    rm -f "$work/journal"
    if timeout 900 mpirun --oversubscribe --bind-to none "${apps[@]}" >"$work/log" 2>&1; then
        fail "$table: process $number of $n did not come to $point"
    fi
    grep -q -i "signal 6\|abort" "$work/log" || fail "$table: nothing says that process $number was killed at $point"
}
# Each run may have another number of processes, any of which is killed; process 0 alone writes the head of a table.
for killed in $to_kill; do
    folder "$killed"
    last_winner=none last_plies=0 count=0
    points="tbgen::records_begun:1:0:0 tbgen::records_begun:2:1:0 tbgen::records_begun:3:1:0"
    recorded=tbgen::ply_recorded
    if [[ "$killed" == *P* ]]; then
        # A placement is recorded as a whole.
        points="tbgen::records_begun:3:2:0" recorded=tbgen::part_recorded
    fi
    for ((k = 0; k < kills; k++)); do
        n=$((k % 4 + 1))
        points+=" $recorded:$n:$((k / 4 % n)):$((k % 3 * 2))"
    done
    points+=" tbgen::blocks_written:3:2:0 tbgen::blocks_written:2:0:1 tbgen::table_before_rename:2:0:0"
    for at in $points; do
        IFS=: read -r area _ point n number passes <<<"$at"
        killed_job "$killed" "$n" "$number" "$area::$point" "$passes"
        count=$((count + 1))
        # The ply in work is lost at most: the journal's last one may be done again, and none before it.
        # With pawns the journal has plies of several placements.
        if [ -s "$work/journal" ] && [[ "$killed" != *P* ]]; then
            read -r winner plies <<<"$(ply "$(head -n 1 "$work/journal")")"
            if [ "$winner" = "$last_winner" ] && [ "$plies" -lt "$last_plies" ]; then
                fail "after a kill in ply $last_plies of the wins of $winner it went on with ply $plies"
            fi
            read -r last_winner last_plies <<<"$(ply "$(tail -n 1 "$work/journal")")"
        fi
    done
    job 2 "$killed" -o "$work/run" || fail "$killed after kills"
    same "$killed" "after kills"
    nothing_left
    say "$killed: the same after $count kills of one process each, at points from its checkpoints to its file, resumed with 1 to 4 processes"
done

folder KQvKR
cp "$program" "$work/other"
printf x >>"$work/other"
if timeout 60 mpirun --oversubscribe -n 1 "$program" KQvKR -o "$work/run" : -n 1 "$work/other" KQvKR -o "$work/run" >"$work/log" 2>&1; then
    fail "another program was not refused"
fi
grep -q "must have the same program" "$work/log" || fail "another program was not refused by name"
rm "$work/run/KRvK.tbg"
cp "$work/alone/KRvK.tbg" "$work/run/KRvK.tbg"
for at in 20000 45000; do # what white and what black has
    printf '\377\377\377\377' | dd of="$work/run/KRvK.tbg" bs=1 seek=$at conv=notrunc 2>/dev/null
done
if job 2 KQvKR -o "$work/run"; then fail "a damaged table was taken"; fi
grep -q "process [01] on .*KRvK.tbg: block [0-9]* is damaged" "$work/log" || fail "nothing says which table is damaged"
say "another program and a damaged table are refused"

# The first job waits after its first ply, until its input ends.
folder KQvKR
coproc first {
    timeout 900 mpirun -n 1 -x "FAILPOINTS=tbgen::ply_recorded=return(wait)" "$program" KQvKR -o "$work/run" 2>&1
}
from=${first[0]} to=${first[1]} pid=$first_PID
while read -r line <&"$from" && [[ "$line" != *"waiting at"* ]]; do :; done
if job 2 KQvKR -o "$work/run" --force; then fail "two jobs made one table"; fi
grep -q "another process is writing this file" "$work/log" || fail "nothing says that another job makes the table"
exec {to}>&-
cat <&"$from" >/dev/null
wait "$pid" || fail "the first job was harmed by the second"
same KQvKR "beside a second job"
say "KQvKR: a second job in the same folder is refused"

# Two machines: namespaces with a network between them, and an agent in place of ssh.
folder KQvKR
net=tbgen-mpi
if ip netns add ${net}1 2>/dev/null && ip netns add ${net}2 &&
    ip link add ${net}1 netns ${net}1 type veth peer name ${net}2 netns ${net}2; then
    for k in 1 2; do
        ip -n $net$k addr add 10.99.0.$k/24 dev $net$k
        ip -n $net$k link set $net$k up
        ip -n $net$k link set lo up
    done
    cat >"$work/agent" <<'AGENT'
#!/bin/sh
host=${1##*.}
shift
exec ip netns exec "tbgen-mpi$host" unshare --uts sh -c "hostname machine$host; $*"
AGENT
    chmod +x "$work/agent"
    ip netns exec ${net}1 unshare --uts sh -c "hostname machine1; timeout 120 mpirun --mca plm_rsh_agent $work/agent \
        --mca btl tcp,self --mca oob_tcp_if_include 10.99.0.0/24 --mca btl_tcp_if_include 10.99.0.0/24 --oversubscribe \
        --bind-to none --host 10.99.0.1:2,10.99.0.2:2 -n 4 $program KQvKR -o $work/run" >"$work/log" 2>&1 ||
        fail "KQvKR on two machines"
    where="on two machines, which are network namespaces"
else
    timeout 120 mpirun --oversubscribe --bind-to none --mca btl tcp,self -n 2 "$program" KQvKR -o "$work/run" >"$work/log" 2>&1 ||
        fail "KQvKR over TCP"
    where="over TCP on one machine"
fi
same KQvKR "$where"
say "KQvKR: the same $where"

plan=$("$program" KRRvKRB --plan 4)
[[ "$plan" == *balance* ]] || fail "there is no plan"
"$program" KRRvKRB --plan 10 | head -n 1 >"$work/log" || fail "a reader that has seen enough ends the plan with an error"
echo "tools/cluster: all checks passed"
