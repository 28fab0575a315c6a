//! Any bytes as a table file: an error, or a file whose every value can be asked for. The fuzz target has the
//! same law.

use syzygy_tables::{Kind, TableFile, Tables, Wdl};

/// Positions to probe, one for each material that is likely to be in the bytes.
const FENS: [&str; 6] = [
    "8/8/2k5/1r6/8/8/8/2KQ4 b - - 0 1",
    "8/8/8/4k3/8/8/1Q6/K7 b - - 0 1",
    "8/8/8/4k3/8/8/1R6/K7 w - - 0 1",
    "8/8/8/4k3/8/8/1P6/K7 w - - 0 1",
    "8/8/8/4k3/3pP3/8/8/K7 b - e3 0 1",
    "8/8/8/4k3/8/8/1PP5/K7 w - - 0 1",
];

/// Opens the bytes, and where that goes well looks up places all over the sub-tables, decodes small ones, verifies
/// and probes. None of this may panic, or take long. Returns whether the bytes were opened.
pub fn opening_is_safe(bytes: &[u8]) -> bool {
    let Ok(file) = TableFile::from_bytes("any.bytes", bytes.to_vec()) else {
        return false;
    };
    let mut places = 0;
    for sub_table in file.sub_tables() {
        let count = sub_table.numbering().len();
        places += count;
        for i in 0..40 {
            let place = (count - 1) / 39 * i;
            if let Ok(value) = file.value(sub_table, place) {
                match file.kind() {
                    Kind::Wdl => assert!(value < 5),
                    Kind::Dtz => {
                        for outcome in Wdl::DECIDED {
                            let _ = file.distance(sub_table, outcome, value);
                        }
                    }
                }
            }
        }
    }
    if places < 1 << 18 {
        let _ = file.verify();
        for sub_table in file.sub_tables() {
            let _ = file.decode(sub_table);
        }
    }
    let mut tables = Tables::new();
    tables.add_file(file);
    for fen in FENS {
        let board = fen.parse().expect("these are positions");
        let _ = tables.probe_wdl(&board);
        let _ = tables.probe_dtz(&board);
    }
    true
}
