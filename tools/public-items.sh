#!/usr/bin/env bash
# Counts the public interface of the library, by rustdoc's JSON: each name that a user can write, of modules, items,
# re-exports, methods and constants. Hidden items, fields, variants and implementations of traits do not count. With LIST=1
# it lists them. With EXAMPLES=1 it lists the functions of index, batch, bitbase, order and store that have no example, and
# fails if there are any.
# Needs nightly Rust, and jq.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo +nightly rustdoc -q -p tbindex -- -Z unstable-options --output-format json --cap-lints allow
jq -r --arg list "${LIST:-}" --arg examples "${EXAMPLES:-}" '
    .index as $all
    | def item: $all[tostring] // empty;
    def example: (.inner.function | not) or ((.docs // "") | contains("```"))
        or (.span.filename | test("^src/(index|batch|bitbase|order|store)/") | not);
    # A name, and whether it has an example if it needs one.
    def named:
        (.inner.use // .).name as $name
        | (if .inner.use then .inner.use.id | item else . end)
        | [$name, example],
          (.inner
              | if .module then .module.items[] | item | select(.inner.impl | not) | named
                elif .trait then .trait.items[] | item | [.name, example]
                else (.struct // .enum // .union // {impls: []}).impls[] | item.inner.impl | select(.trait == null)
                    | .items[] | item | select(.visibility == "public") | [.name, example]
                end
              | [$name + "::" + .[0], .[1]]);
    [.root | item | named] | unique
    | if $examples != "" then map(select(.[1] | not)[0]) | .[], if . == [] then empty else "" | halt_error(1) end
      else map(.[0]) | unique | if $list == "" then length else .[] end end
' "${CARGO_TARGET_DIR:-target}/doc/tbindex.json"
