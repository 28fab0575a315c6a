//! Known counts, as the program finds them.

use std::fs;

use serde_json::Value;
use tbindex::{Color, Numbering};

use crate::program::json;
use crate::skipped::skipped;

/// The program's answer agrees with every row of the counts that come with the project's data. Either
/// numbering with one side to move: the library's tests count both.
#[test]
fn the_program_counts_what_is_known() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/counts.json");
    let Ok(text) = fs::read_to_string(path) else {
        skipped("the_program_counts_what_is_known", &format!("no {path}"));
        return;
    };
    let known: Value = serde_json::from_str(&text).unwrap();
    let rows = known["counts"].as_object().unwrap();
    assert!(rows.len() >= 12);
    for (material, row) in rows {
        for (numbering, side) in Numbering::ALL.into_iter().zip(Color::ALL) {
            let found = json(&format!(
                "enumerate {material} --stage legal --reduce --side {side} --numbering {numbering}"
            ));
            for key in ["all", "distinct", "kings_apart"] {
                assert_eq!(found[key], row[key], "{material} {key} {numbering}");
            }
            let legal = &row[format!("legal_{side}")];
            assert_eq!(&found["legal"], legal, "{material} {numbering}");
            assert_eq!(&found["count"], legal, "{material} {numbering}");
        }
    }
}
