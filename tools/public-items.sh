#!/usr/bin/env bash
# Counts the public interface of the library, by rustdoc's JSON: each name that a user can write, of modules, items,
# re-exports, methods and constants. Hidden items, fields, variants and implementations of traits do not count. With LIST=1
# it lists them.
# Needs nightly Rust, and jq.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo +nightly rustdoc -q -p tbindex -- -Z unstable-options --output-format json --cap-lints allow
jq -r --arg list "${LIST:-}" '
    .index as $all
    | def item: $all[tostring] // empty;
    def named:
        (.inner.use // .).name as $name
        | $name,
          ((if .inner.use then .inner.use.id | item else . end).inner
              | if .module then .module.items[] | item | select(.inner.impl | not) | named
                elif .trait then .trait.items[] | item.name
                else (.struct // .enum // .union // {impls: []}).impls[] | item.inner.impl | select(.trait == null)
                    | .items[] | item | select(.visibility == "public").name
                end
              | "\($name)::\(.)");
    [.root | item | named] | unique
    | if $list == "" then length else .[] end
' "${CARGO_TARGET_DIR:-target}/doc/tbindex.json"
