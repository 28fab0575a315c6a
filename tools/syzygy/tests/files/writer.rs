//! The reader reads back all that the writer has written.

use std::sync::Mutex;

use crate::support::{board, compare, entries, other_prober, published};
use crate::thorough::one_in;
use cozy_chess::Color;
use syzygy_tables::numbering::{PackedSquares, square_of};
use syzygy_tables::writer::{
    Control, Distances, DtzEntry, MemorySource, Source, WdlEntry, publish, write_dtz, write_wdl,
};
use syzygy_tables::{Error, Kind, Material, SubTable, TableFile, Tables, Wdl, writer};

/// Checks that a file says the same when it is unpacked: all of it, and some 40 000 places one by one.
fn check_unpacked(bytes: &[u8]) {
    let file = TableFile::from_bytes("packed", bytes.to_vec()).unwrap();
    let mut unpacked = TableFile::from_bytes("unpacked", bytes.to_vec()).unwrap();
    unpacked.unpack().unwrap();
    for (packed, plain) in file.sub_tables().iter().zip(unpacked.sub_tables()) {
        let values = file.decode(packed).unwrap();
        assert!(unpacked.decode(plain).unwrap() == values);
        for (place, &value) in (0..).zip(&values).step_by((values.len() / 40_000) | 1) {
            assert_eq!(
                unpacked.value(plain, place).unwrap(),
                value,
                "place {place}"
            );
        }
    }
}

/// Checks every place of both files of a source: the number that is there must be one that the source allows.
fn check_files(source: &MemorySource, distances: Distances) -> (TableFile, TableFile) {
    let bytes = write_wdl(source, Control::default()).unwrap();
    check_unpacked(&bytes);
    let wdl = TableFile::from_bytes("wdl", bytes).unwrap();
    wdl.verify().unwrap();
    for sub_table in wdl.sub_tables() {
        let values = wdl.decode(sub_table).unwrap();
        for (place, (position, &value)) in
            sub_table.numbering().positions(0).zip(&values).enumerate()
        {
            let entry = source.wdl_of(sub_table.side(), position);
            assert!(
                entry.allows(value as u8),
                "place {place}: {value}, {entry:?}"
            );
        }
    }
    let bytes = write_dtz(source, distances, Control::default()).unwrap();
    check_unpacked(&bytes);
    let dtz = TableFile::from_bytes("dtz", bytes).unwrap();
    dtz.verify().unwrap();
    for sub_table in dtz.sub_tables() {
        let values = dtz.decode(sub_table).unwrap();
        for (position, &value) in sub_table.numbering().positions(0).zip(&values) {
            let Some((class, plies)) = source.dtz_of(sub_table.side(), position).distance() else {
                continue;
            };
            let found = dtz.distance(sub_table, class, value).unwrap();
            let plies = u32::from(plies).max(1);
            let exact = sub_table.is_exact(class);
            assert!(
                found == plies || !exact && found + 1 == plies,
                "{found} for {plies}"
            );
        }
    }
    for file in [&wdl, &dtz] {
        assert_eq!(differences(file, source), []);
    }
    (wdl, dtz)
}

/// The positions of a file that have a number that the source does not allow, with the side to move.
fn differences(file: &TableFile, source: &dyn Source) -> Vec<(u8, PackedSquares)> {
    let found = Mutex::new(Vec::new());
    let places = writer::compare(file, source, |side, position| {
        found.lock().unwrap().push((side as u8, position));
        Ok::<(), Error>(())
    });
    let sub_tables = file.sub_tables().iter();
    assert_eq!(
        places.unwrap(),
        sub_tables.map(|own| own.numbering().len()).sum::<u64>()
    );
    let mut found = found.into_inner().unwrap();
    found.sort_unstable();
    found
}

/// A comparison finds just the positions whose values differ.
#[test]
fn a_comparison_finds_what_differs() {
    let draws = |_, _| (WdlEntry::new(Wdl::Draw, None), DtzEntry::new(Wdl::Win, 7));
    let other = |side, position: PackedSquares| match square_of(position, 1) {
        // A square of the queen, and of the pawn, that few positions have.
        27 if side == Color::Black => (WdlEntry::new(Wdl::Loss, None), DtzEntry::new(Wdl::Win, 9)),
        _ => draws(side, position),
    };
    for name in ["KQvK", "KPvK"] {
        let [plain, other] = [
            source_of(material(name), draws),
            source_of(material(name), other),
        ];
        let bytes = [
            write_wdl(&plain, Control::default()).unwrap(),
            write_dtz(&plain, Distances::Exact, Control::default()).unwrap(),
        ];
        for (bytes, name_of) in bytes.into_iter().zip(["wdl", "dtz"]) {
            let file = TableFile::from_bytes(name_of, bytes).unwrap();
            let mut expected = Vec::new();
            for sub_table in file
                .sub_tables()
                .iter()
                .filter(|own| own.side() == Color::Black)
            {
                let positions = sub_table.numbering().positions(0);
                let there = positions.filter(|&position| {
                    other.wdl_of(Color::Black, position) != plain.wdl_of(Color::Black, position)
                });
                expected.extend(there.map(|position| (Color::Black as u8, position)));
            }
            expected.sort_unstable();
            assert_eq!(differences(&file, &plain), []);
            assert_eq!(differences(&file, &other), expected);
            // A file of distances has one side to move.
            assert!(
                expected.len() > 100 || name_of == "dtz",
                "{name}: {}",
                expected.len()
            );
        }
    }
}

fn source_of(
    material: Material,
    entries: impl Fn(Color, PackedSquares) -> (WdlEntry, DtzEntry) + Sync,
) -> MemorySource {
    MemorySource::try_new(material, entries).unwrap()
}

fn hash(side: Color, position: PackedSquares) -> u64 {
    (position ^ side as u64)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .rotate_left(29)
        .wrapping_mul(0xbf58_476d_1ce4_e5b9)
        >> 20
}

fn material(name: &str) -> Material {
    name.parse().unwrap()
}

/// Values of all kinds, without sense, so that nothing can be guessed.
fn noise(side: Color, position: PackedSquares) -> (WdlEntry, DtzEntry) {
    // The image of a position has the same value: only the distance of the first two pieces counts.
    let [a, b] = [square_of(position, 0), square_of(position, 1)].map(i32::from);
    let files = (a % 8 - b % 8).abs();
    let ranks = (a / 8 - b / 8).abs();
    let hash = hash(side, (files + ranks) as u64 * 64 + files.max(ranks) as u64);
    let value = Wdl::ALL[hash as usize % 5];
    let wdl = match hash >> 8 & 3 {
        0 => WdlEntry::ANY,
        1 => WdlEntry::new(value, Some(value)),
        _ => WdlEntry::new(value, Some(Wdl::Loss).filter(|_| value > Wdl::Loss)),
    };
    let plies = match value {
        Wdl::Win => 1 + (hash >> 12 & 63),
        Wdl::Loss => hash >> 12 & 63,
        _ => 101 + (hash >> 12 & 127),
    };
    (wdl, DtzEntry::new(value, plies as u16))
}

#[test]
fn values_of_all_kinds_come_back() {
    for name in ["KQvK", "KPvK"] {
        check_files(&source_of(material(name), noise), Distances::Rounded);
    }
    check_files(&source_of(material("KPvK"), noise), Distances::Exact);
}

/// Every value of two pawns is compared, and is read in other ways, too, if `TBINDEX_THOROUGH` is set.
#[test]
fn like_pieces_and_pawns_of_both_sides_come_back() {
    for name in ["KRRvK", "KPvKP"] {
        let source = source_of(material(name), |side, position| {
            let rank = square_of(position, 1) >> 3;
            noise(side, u64::from(rank) << 8)
        });
        if name == "KRRvK" || one_in(2) == 1 {
            check_files(&source, Distances::Exact);
            continue;
        }
        for bytes in [
            write_wdl(&source, Control::default()).unwrap(),
            write_dtz(&source, Distances::Exact, Control::default()).unwrap(),
        ] {
            let file = TableFile::from_bytes(name, bytes).unwrap();
            file.verify().unwrap();
            assert_eq!(differences(&file, &source), []);
        }
    }
}

#[test]
fn distances_of_16_bits_come_back() {
    let source = source_of(material("KRvK"), |side, position| {
        let distance = u16::from(square_of(position, 0).abs_diff(square_of(position, 2)) & 7);
        let distances = [103, 901, 905, 1201, 3001, 4001, 103, 4095];
        let outcome = match side {
            Color::Black if distance % 2 == 0 => Wdl::BlessedLoss,
            _ => Wdl::CursedWin,
        };
        (
            WdlEntry::ANY,
            DtzEntry::new(outcome, distances[usize::from(distance)]),
        )
    });
    check_files(&source, Distances::Exact);
}

fn check_single_valued(source: &MemorySource) {
    for file in <[TableFile; 2]>::from(check_files(source, Distances::Exact)) {
        assert!(file.sub_tables().iter().all(SubTable::is_single_valued));
    }
}

#[test]
fn tables_of_one_value_are_short() {
    let source = source_of(material("KBvK"), |_, _| {
        (WdlEntry::new(Wdl::Draw, None), DtzEntry::ANY)
    });
    let wdl = write_wdl(&source, Control::default()).unwrap();
    assert_eq!(wdl.len(), 80);
    check_single_valued(&source);
    // Nothing matters, and a number that may be anything up to a draw.
    let source = source_of(material("KPvK"), |side, _| match side {
        Color::White => (WdlEntry::ANY, DtzEntry::ANY),
        Color::Black => (
            WdlEntry::new(Wdl::Draw, Some(Wdl::Draw)),
            DtzEntry::new(Wdl::Loss, 1),
        ),
    });
    check_single_valued(&source);
}

/// The published tables, written anew with our own orders and symbols.
#[test]
fn tables_written_anew_answer_as_before() {
    let Some(folder) = published() else { return };
    let tables = Tables::open(&folder).unwrap();
    let written = tempfile::tempdir().unwrap();
    let names = ["KQvK", "KRvK", "KBvK", "KNvK", "KPvK"];
    for name in names {
        let own = material(name);
        let source = source_of(own, |side, position| match board(own, side, position) {
            Some(board) => entries(&tables, &board),
            None => (WdlEntry::ANY, DtzEntry::ANY),
        });
        let (wdl, dtz) = (
            write_wdl(&source, Control::default()).unwrap(),
            write_dtz(&source, Distances::Rounded, Control::default()).unwrap(),
        );
        publish(written.path(), own, Kind::Wdl, &wdl).unwrap();
        publish(written.path(), own, Kind::Dtz, &dtz).unwrap();
        for (bytes, kind) in [(wdl, "rtbw"), (dtz, "rtbz")] {
            let published = std::fs::metadata(folder.join(format!("{name}.{kind}"))).unwrap();
            let most = 1.05 * published.len() as f64;
            assert!(
                bytes.len() as f64 <= most,
                "{name}.{kind}: {} bytes",
                bytes.len()
            );
        }
    }
    let ours = Tables::open(written.path()).unwrap();
    let other = other_prober(written.path());
    let mut compared = 0;
    for name in names {
        let own = material(name);
        let all = TableFile::open(&folder.join(format!("{name}.rtbw"))).unwrap();
        for sub_table in all.sub_tables() {
            for position in sub_table.numbering().positions(0).step_by(3) {
                let Some(board) = board(own, sub_table.side(), position) else {
                    continue;
                };
                let answers = [&ours, &tables].map(|tables| {
                    let dtz = tables.probe_dtz(&board).unwrap();
                    (tables.probe_wdl(&board).unwrap(), dtz)
                });
                assert_eq!(answers[0], answers[1], "{board}");
                compared += usize::from(compare(&ours, &other, &board));
            }
        }
    }
    assert!(compared > 20_000, "only {compared} positions compared");
}

#[test]
fn files_replace_those_of_the_same_name_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = publish(folder.path(), material("KBvK"), Kind::Wdl, b"old").unwrap();
    let path2 = publish(folder.path(), material("KBvK"), Kind::Wdl, b"new one").unwrap();
    assert_eq!(
        (path.file_name(), &path),
        (Some("KBvK.rtbw".as_ref()), &path2)
    );
    assert_eq!(std::fs::read(path).unwrap(), b"new one");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    let missing = folder.path().join("missing");
    let error = publish(&missing, material("KBvK"), Kind::Wdl, b"").unwrap_err();
    assert!(error.to_string().contains("KBvK.rtbw"), "{error}");
}
