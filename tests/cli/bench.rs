//! `tbindex bench`: what its JSON promises, and that the chart is a picture. No time is asserted.

use std::process::Command;

use serde_json::Value;

#[test]
fn json_rows_have_what_they_promise() {
    let folder = tempfile::tempdir().unwrap();
    let chart = folder.path().join("chart.svg");
    let run = || {
        Command::new(env!("CARGO_BIN_EXE_tbindex"))
            .args([
                "bench",
                "--json",
                "--size",
                "l1",
                "--seconds",
                "0",
                "--pieces",
                "3",
            ])
            .arg("--svg")
            .arg(&chart)
            .output()
            .unwrap()
    };
    let output = run();
    assert!(output.status.success(), "{output:?}");
    let object: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(object["machine"]["cpu"].is_string());
    let rows = object["rows"].as_array().unwrap();
    let backends = object["machine"]["backends"].as_array().unwrap().len();
    // Nine operations in place and out of place, encoding and decoding only out of place; under
    // both numberings, in both words.
    assert_eq!(rows.len(), (9 * 2 + 2) * 2 * 2 * backends);
    for row in rows {
        for text in ["operation", "numbering", "backend", "size_class"] {
            assert!(row[text].is_string(), "{text} in {row}");
        }
        assert_eq!(row["pieces"], 3);
        assert!(row["word"] == 32 || row["word"] == 64);
        assert!(row["in_place"].is_boolean());
        for number in ["indices_per_second", "vs_memcpy", "vs_xor", "vs_table"] {
            assert!(row[number].as_f64().unwrap() > 0.0, "{number} in {row}");
        }
    }
    let svg = std::fs::read_to_string(&chart).unwrap();
    assert!(svg.starts_with("<svg"));
    for text in ["flip_diagonal alternate", "look-up", "portable", "memcpy"] {
        assert!(svg.contains(text), "{text}");
    }

    let again = run();
    assert_eq!(again.status.code(), Some(1), "an existing chart is kept");
    let message = String::from_utf8(again.stderr).unwrap();
    assert!(message.contains("chart.svg"), "{message}");
}

#[test]
fn words_too_small_are_refused_as_usage() {
    let output = Command::new(env!("CARGO_BIN_EXE_tbindex"))
        .args(["bench", "--pieces", "6", "--word", "32"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
}
