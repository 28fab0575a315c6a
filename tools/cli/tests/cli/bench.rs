//! `tbindex bench`: what its JSON promises, and that the chart is a picture. No time is asserted.

use crate::program::Folder;
use crate::support::says::says;

#[test]
fn json_rows_have_what_they_promise() {
    let folder = Folder::new();
    let line = "bench --size l1 --seconds 0 --pieces 3 --svg chart.svg";
    let object = folder.json(line);
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
    let svg = folder.text("chart.svg");
    assert!(svg.starts_with("<svg"));
    let parts = ["flip_diagonal alternate", "look-up", "portable", "memcpy"];
    says(&svg, &parts);
    says(folder.run(line).errors, &["chart.svg"]);
    assert_eq!(folder.text("chart.svg"), svg);
}

#[test]
fn tables_are_moved_between_all_orders() {
    let folder = Folder::new();
    let object = folder.json("bench --reindex KQvK");
    let rows = object["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 5 * 5);
    for row in rows {
        for number in ["entries_per_second", "vs_memcpy", "vs_loop"] {
            assert!(row[number].as_f64().unwrap() > 0.0, "{number} in {row}");
        }
    }
}
