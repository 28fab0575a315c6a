//! The law of any bytes that are opened as a packed file.

use std::path::Path;
use std::sync::LazyLock;

use syzygy_tables::writer::Control;
use tbgen::{GamePosition, Library, Metric, PackedFile, Table, Tables, check_packed, pack};
use tbindex::batch::Backend;
use tbindex::store::{Overwrite, PartialFile};

use super::damage::{damaged, named, number};
use crate::solved::{all_of, material};

/// A table, the bytes of its packed file, and the tables that it leads to, its own included.
struct Whole {
    name: &'static str,
    metric: Metric,
    bytes: Vec<u8>,
    library: Library,
}

/// With one and four sub-tables, and with like pieces.
static WHOLES: LazyLock<[Whole; 4]> = LazyLock::new(|| {
    let tables = [
        ("KRvK", Metric::Dtm),
        ("KQvK", Metric::Dtm),
        ("KPvK", Metric::Dtm),
        ("KBBvK", Metric::Dtm),
    ];
    tables.map(|(name, metric)| {
        let library = all_of(material(name).into(), metric);
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("packed");
        let begun = PartialFile::create(&path, Overwrite::Refuse).expect("a new file");
        let table = library.get(&material(name)).expect("it is the last");
        let packed = pack(
            table,
            &library,
            begun,
            Backend::detect(),
            Control::default(),
        );
        packed.expect("a small table");
        let bytes = std::fs::read(&path).expect("a file");
        Whole {
            name,
            metric,
            bytes,
            library,
        }
    })
});

/// Any bytes as a packed file, or as the changes of one: an error that names the file, or a file of which every position can
/// be asked for. Damage that leaves the checksums as they were is an error or changes no value.
pub fn any_packed_file_is_safe(bytes: &[u8]) {
    let Some((&choice, script)) = bytes.split_first() else {
        return;
    };
    let whole = &WHOLES[usize::from(choice & 3)];
    let blind = choice & 8 != 0;
    let changed = match (blind, choice & 4) {
        (true, _) => damaged(&whole.bytes, script, true),
        (false, 0) => with_right_checksums(&damaged(&whole.bytes, script, false)),
        (false, _) => with_right_checksums(script),
    };
    let folder = tempfile::tempdir().expect("a folder");
    let path = Table::packed_path(folder.path(), material(whole.name), whole.metric);
    let path = path.expect("a metric with packed files");
    std::fs::write(&path, &changed).expect("a new file");
    let is_right = open_and_read(&path, whole);
    assert!(is_right != Some(false) || !blind, "damage is believed");
    let tables = Tables::open(&[folder.path()]).expect("a folder");
    for fen in [
        "8/8/8/8/8/2k5/8/K6R w - -",
        "8/8/8/8/8/2k5/8/K6R b - -",
        "8/8/8/8/8/2k5/6P1/K7 w - -",
        "8/8/8/8/8/2k5/6P1/K7 b - -",
        "6k1/8/8/8/8/8/1Q6/K7 w - -",
        "7k/8/8/8/8/8/1B6/KB6 b - -",
    ] {
        let position = GamePosition::parse(fen, &Default::default()).expect("a position");
        let _ = tables.value(whole.metric, &position);
    }
}

/// Opens a file, decodes it and compares it with its table. Returns whether it has the right values, if it is not refused
/// before.
fn open_and_read(path: &Path, whole: &Whole) -> Option<bool> {
    let file = named(PackedFile::open(path), path)?;
    named(file.check(None), path)?;
    let table = whole.library.get(&material(whole.name))?;
    if file.material() != table.material() || file.metric() != whole.metric {
        return Some(false);
    }
    let checked = check_packed(&file, table, &whole.library, Backend::detect());
    Some(named(checked, path).is_some())
}

/// The bytes of a packed file with every checksum made right that can be found.
pub fn with_right_checksums(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if bytes.len() < 64 {
        return bytes;
    }
    let heads = 64..64usize.saturating_add(number(&bytes, 16, 4));
    let tables = heads.end..heads.end.saturating_add(number(&bytes, 24, 8));
    let count = number(&bytes, 40, 8).div_ceil(65536);
    let pages = tables.end..tables.end.saturating_add(count.saturating_mul(4));
    if pages.end <= bytes.len() {
        let data = bytes[pages.end..].chunks(65536);
        let sums: Vec<u8> = data
            .flat_map(|page| crc32fast::hash(page).to_le_bytes())
            .collect();
        let sums = &sums[..sums.len().min(pages.len())];
        bytes[pages.start..pages.start + sums.len()].copy_from_slice(sums);
    }
    for (range, at) in [(heads, 20), (tables, 32), (pages, 36)] {
        if let Some(sum) = bytes.get(range).map(crc32fast::hash) {
            bytes[at..at + 4].copy_from_slice(&sum.to_le_bytes());
        }
    }
    let sum = crc32fast::hash(&bytes[..60]);
    bytes[60..64].copy_from_slice(&sum.to_le_bytes());
    bytes
}
