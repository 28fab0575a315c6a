#!/usr/bin/env bash
# Makes, packs and compares all 145 tables of 3 to 5 pieces by the distance to mate: every value of a packed file with its
# table. A table that was compared is a line of DIR/checked, and is left out when the script runs again after a stop. Prints
# the bytes of the packed files; the exit status is 1 if a value differs.
# Needs at most 3 GiB of memory, and in DIR 20 GB of disk, of which the packed files stay.
#
#     tools/packed.sh DIR
set -euo pipefail
folder=$(realpath -m "$1")
cd "$(dirname "$0")/.."
cargo build --release --locked --quiet -p tbgen-cli
tbgen="${CARGO_TARGET_DIR:-$PWD/target}/release/tbgen"

# Materials of one side: so many of Q, R, B, N and P, the first ones first.
sides() { # pieces
    local kinds=QRBNP
    for ((a = 0; a < 5; a++)); do
        if (($1 == 1)); then echo "${kinds:a:1}"; continue; fi
        for ((b = a; b < 5; b++)); do
            if (($1 == 2)); then echo "${kinds:a:1}${kinds:b:1}"; continue; fi
            for ((c = b; c < 5; c++)); do echo "${kinds:a:1}${kinds:b:1}${kinds:c:1}"; done
        done
    done
}
materials() {
    local one two three
    one=$(sides 1) two=$(sides 2) three=$(sides 3)
    for white in $one $two; do echo "K${white}vK"; done
    for white in $one; do for black in $one; do
        [[ QRBNP == *$white*$black* || $white == "$black" ]] && echo "K${white}vK$black"
    done; done
    for white in $three; do echo "K${white}vK"; done
    for white in $two; do for black in $one; do echo "K${white}vK$black"; done; done
}

mkdir -p "$folder"
checked="$folder/checked"
touch "$checked"
for material in $(materials); do
    grep -qx "$material" "$checked" && continue
    "$tbgen" generate "$material" --metric dtm -o "$folder/tables" --memory 3G
    "$tbgen" export --tables "$folder/tables" --packed "$folder/packed" --check --metric dtm --table "$material" --memory 3G
    echo "$material" >> "$checked"
done
[[ $(wc -l < "$checked") == 145 ]]
rm -f "$folder"/tables/*.tbm
echo "$(cat "$folder"/packed/*.tbmp | wc -c) bytes of 145 packed files"
