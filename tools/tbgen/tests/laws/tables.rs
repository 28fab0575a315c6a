//! The law of any bytes that are opened as a table file.

use std::sync::LazyLock;

use tbgen::{Counting, Endgame, Library, Metric, Sample, Stats, Table, TableFile, verify_moves};
use tbindex::{Color, Position};

use super::damage::{damaged, named, number};
use crate::solved::{all_of, bytes_of, material};

/// A table's file, and the tables that it leads to.
struct Whole {
    bytes: Vec<u8>,
    library: Library,
}

/// Of both metrics, with pawns, like pieces and short-range pieces, and with blocks of both lengths.
static WHOLES: LazyLock<[Whole; 6]> = LazyLock::new(|| {
    let tables = [
        ("KRvK", Metric::Dtz),
        ("KQvK", Metric::Dtm),
        ("KPvK", Metric::Dtz),
        ("KPvK", Metric::Dtm),
        ("K[WD]vK", Metric::Dtm),
        ("KRRvK", Metric::Dtz),
    ];
    tables.map(|(name, metric)| {
        let endgame = match name.contains('[') {
            true => name.parse().expect("an endgame"),
            false => Endgame::from(material(name)),
        };
        let mut library = all_of(endgame, metric);
        let table = library.get(&endgame.material).expect("it is the last");
        let bytes = bytes_of(table).expect("a new file");
        library.retain(|of| *of != endgame.material);
        Whole { bytes, library }
    })
});

/// Any bytes as a table file, or as the changes of one: an error that names the file, or a table whose every value can be
/// asked for. Damage that leaves the checksums as they were is an error or changes no value.
pub fn any_table_is_safe(bytes: &[u8]) {
    let Some((&choice, rest)) = bytes.split_first() else {
        return;
    };
    let number = usize::from(choice & 7);
    let Some(whole) = WHOLES.get(number) else {
        open_and_read(&with_right_checksums(rest), &Library::default(), choice);
        return;
    };
    let blind = choice & 8 != 0;
    let mut changed = damaged(&whole.bytes, rest, blind);
    if !blind {
        changed = with_right_checksums(&changed);
    }
    if let Some(table) = open_and_read(&changed, &whole.library, choice)
        && blind
    {
        let again = bytes_of(&table).expect("a new file");
        assert!(again == whole.bytes, "damage is believed");
    }
}

/// Opens the bytes as a file, and looks up single positions, counts and verifies. Returns the table if it
/// is loaded as a whole; else its slices are decoded when they are wanted.
fn open_and_read(bytes: &[u8], library: &Library, choice: u8) -> Option<Table> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("any.bytes");
    std::fs::write(&path, bytes).expect("a new file");
    let whole = choice & 0x20 == 0;
    let file = named(TableFile::open(&path), &path)?;
    let _ = file.checksum();
    for (k, side) in (0..16).zip(Color::ALL.into_iter().cycle()) {
        let mut board = [None; 64];
        for (man, piece) in file.material().name_order().enumerate() {
            board[(5 * k + (7 + k) * man) % 64] = Some(piece);
        }
        let _ = file.value(&Position { board, side });
    }
    let table = match whole {
        true => named(file.load(None, &false.into()), &path)?,
        false => file.as_it_is(),
    };
    let _ = Stats::of(&table, Counting::Ordered).map(|stats| stats.to_json(&ToString::to_string));
    let sample = Sample::OneIn(table.shape().slots() / 1000);
    let _ = verify_moves(&table, library, sample);
    whole.then_some(table)
}

/// The bytes of a table file with every checksum made right that can be found: of the blocks that pages of the index name,
/// of these pages, of the values, of the header.
pub fn with_right_checksums(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if bytes.len() < 256 {
        return bytes;
    }
    let values = 4 * (number(&bytes, 28, 2) + number(&bytes, 30, 2));
    if let Some(values) = bytes.get(256..256 + values).map(crc32fast::hash) {
        bytes[72..76].copy_from_slice(&values.to_le_bytes());
    }
    let [index, payload] = [48, 56].map(|at| number(&bytes, at, 8).min(bytes.len()));
    let mut pages = crc32fast::Hasher::new();
    for (page, begin) in (index..payload.saturating_sub(12)).step_by(396).enumerate() {
        let end = payload.min(begin + 396);
        let mut at = payload.saturating_add(number(&bytes, begin, 8));
        for entry in (begin + 12..end - 5).step_by(6) {
            let block_end = at.saturating_add(number(&bytes, entry, 2));
            if let Some(checksum) = bytes.get(at..block_end).map(crc32fast::hash) {
                bytes[entry + 2..entry + 6].copy_from_slice(&checksum.to_le_bytes());
            }
            at = block_end;
        }
        let page = (page as u64).to_le_bytes();
        let parts = [&page, &bytes[begin..begin + 8], &bytes[begin + 12..end]];
        let checksum = crc32fast::hash(&parts.concat()).to_le_bytes();
        bytes[begin + 8..begin + 12].copy_from_slice(&checksum);
        pages.update(&checksum);
    }
    bytes[76..80].copy_from_slice(&pages.finalize().to_le_bytes());
    let checksum = crc32fast::hash(&bytes[..252]);
    bytes[252..256].copy_from_slice(&checksum.to_le_bytes());
    bytes
}
