//! The bytes of sets and tables whose values are made up.

use std::sync::Arc;

use tbgen::internals::{
    BadEntry, MOST_CODES, Part, Planes, Side, Slot as Place, StoredSlots, code_of, decode, encode,
};
use tbgen::{FileError, Metric, Shape, Table, TableFile, Value};
use tbindex::batch::Backend;
use tbindex::bitbase::{Bitbase, Domain, Frontier, LikeMen, Row, Slot};
use tbindex::store::Overwrite;
use tbindex::{Color, Piece, PieceType};

use crate::solved::bytes_of;

#[test]
fn entries_come_back() {
    let domain = Domain::try_new("KRBvKR".parse().unwrap(), &[]).unwrap();
    let mut frontier = Frontier::try_new(&domain).unwrap();
    let mut slice = frontier.slices_mut().next().unwrap();
    let row = |at: usize| match at % 1031 {
        3 => Row([0, 1 << (at % 64), 0, 0, 0, 0, 0, u64::MAX]),
        17 if at > 2000 => !Row::EMPTY,
        _ => Row::EMPTY,
    };
    slice.fill(row);
    let mut entry = Vec::new();
    encode(&slice, &mut entry);
    let mut back = vec![Row::EMPTY; domain.rows()];
    decode(&entry, domain.slabs(), |slab, rows| {
        back[slab * 8..slab * 8 + 8].copy_from_slice(rows);
    })
    .unwrap();
    assert!((0..domain.rows()).all(|at| back[at] == row(at)));
    for end in 0..entry.len() {
        // Without its end it is no entry, unless nothing but whole slabs without words are missing.
        assert_eq!(
            decode(&entry[..end], domain.slabs(), |_, _| ()),
            Err(BadEntry)
        );
    }
    slice.clear();
    encode(&slice, &mut entry);
    assert!(entry.is_empty());
}

#[test]
fn words_are_those_of_the_set_of_all() {
    let pawn = Piece::new(Color::White, PieceType::Pawn);
    let fixed = [(pawn, "e7".parse().unwrap())];
    let with_pawn = Domain::try_new("KRRPvK".parse().unwrap(), &fixed).unwrap();
    let with_pawn = with_pawn.with_free_kings();
    let names = ["KQRvK", "KRRvK", "KRRvKR", "KRRvKN", "KRRRvK", "KQQvKQ"];
    let all = names.map(|name| Domain::try_new(name.parse().unwrap(), &[]).unwrap());
    for domain in all.into_iter().chain([with_pawn]) {
        let kept = StoredSlots::new(domain.men());
        let rows = domain.representatives(0, LikeMen::Together);
        let words = rows.iter().flat_map(|row| row.0).enumerate();
        for (number, word) in words.take(domain.slice_slots() as usize / 64) {
            assert_eq!(kept.word(number), word, "{domain:?}, word {number}");
            // A slot of a word that has some is there, or with the squares of the last two men exchanged, or before.
            let is_kept = |word: usize, square: usize| kept.word(word) >> square & 1 == 1;
            for square in (0..64).filter(|_| word != 0) {
                let exchanged = is_kept(number & !63 | square, number & 63);
                let here = is_kept(number, square) || kept.last_two_alike() && exchanged;
                let before = kept.like_in_slabs_before(number) >> square & 1 == 1;
                assert_eq!(here, !before, "{domain:?}, word {number}, {square}");
            }
        }
    }
}

#[test]
fn threads_share_a_table() {
    fn is_shared<T: Send + Sync>() {}
    is_shared::<TableFile>();
}

#[test]
fn more_values_than_a_byte_tells_apart_come_back() {
    comes_back(Metric::Dtz, [MOST_CODES, 257], |_, code| zeroing(code));
}

#[test]
fn more_codes_than_values_come_back() {
    comes_back(Metric::Dtz, [MOST_CODES, 257], |_, code| {
        zeroing(code % 100)
    });
}

/// As few values as a byte tells apart have more codes, and others need more of them.
#[test]
fn mates_have_codes_of_their_own() {
    let mates = |side, number| match side {
        Color::White => Metric::Dtm.win(2 * number - 1),
        Color::Black => Metric::Dtm.loss(2 * number - 2),
    };
    comes_back(Metric::Dtm, [200, 50], mates);
    comes_back(Metric::Dtm, [MOST_CODES / 2, 300], mates);
}

fn zeroing(plies: u16) -> Value {
    match plies.is_multiple_of(2) {
        true => Value::loss(plies),
        false => Value::win(plies),
    }
}

/// A table with so many values on each side, of which the first are draws, survives being written and read.
fn comes_back(metric: Metric, counts: [usize; 2], value: impl Fn(Color, u16) -> Value) {
    let shape = Shape::new("KRRvK".parse().unwrap()).unwrap();
    let domain = shape.domain(0);
    // Like men are told apart by no code.
    let number = |slot: Slot, count: usize| {
        let rooks = [slot.offset >> 6 & 63, slot.offset & 63];
        let offset = (rooks[0].min(rooks[1]) << 6 | rooks[0].max(rooks[1])) as usize;
        (slot.slice * 31 + offset * 7 + offset / 64) % count
    };
    let sides = Color::ALL.map(|side| {
        let count = counts[side as usize];
        let coded = |number: usize| match (number, metric) {
            (0, _) => (0, Value::DRAW),
            (_, Metric::Dtz) => (number, value(side, number as u16)),
            _ => {
                let value = value(side, number as u16);
                (usize::from(code_of(metric, value, side).unwrap()), value)
            }
        };
        let mut slices = vec![Planes::default(); domain.slices()];
        let legal = Bitbase::legal(&domain, side, Backend::detect()).unwrap();
        for slot in legal.slots() {
            let mut rows = [Row::EMPTY; 8];
            let word = (slot.offset / 64) as usize;
            rows[word / 8 % 8].0[word % 8] = 1 << (slot.offset % 64);
            let (code, _) = coded(number(slot, count));
            slices[slot.slice].add(word / 64, &rows, domain.rows(), code as u16);
        }
        let mut values = vec![Value::DRAW; coded(count - 1).0 + 1];
        for (code, value) in (0..count).map(coded) {
            values[code] = value;
        }
        let values = Arc::new(values);
        Side { values, slices }
    });
    let table = Table {
        shape: shape.clone(),
        metric,
        parts: vec![Part {
            domain: domain.clone(),
            sides,
        }],
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table");
    table.write(&path, Overwrite::Refuse).unwrap();
    let file = TableFile::open(&path).unwrap();
    let loaded = file.load(None, &false.into()).unwrap();
    let mapped = TableFile::open(&path).unwrap().as_it_is();
    let outcomes = (metric == Metric::Dtz).then(|| {
        let file = TableFile::open(&path).unwrap().by_outcomes();
        file.load(None, &false.into()).unwrap()
    });
    for side in Color::ALL {
        let legal = Bitbase::legal(&domain, side, Backend::detect()).unwrap();
        for (k, at) in legal.slots().enumerate() {
            let place = Place { side, part: 0, at };
            let expected = table.value_at(place).unwrap();
            assert_eq!(loaded.value_at(place).unwrap(), expected);
            if let Some(outcomes) = &outcomes {
                let found = outcomes.value_at(place).unwrap();
                assert_eq!(found.outcome, expected.outcome);
            }
            if k % 10_007 == 0 {
                assert_eq!(mapped.value_at(place).unwrap(), expected);
                let position = shape.position(place).unwrap();
                assert_eq!(file.value(&position).unwrap(), expected);
            }
        }
    }
    assert!(std::fs::read(&path).unwrap() == bytes_of(&loaded).unwrap());
}

/// A table that has a value of its own in no position, with the revision of the solver in its header changed.
#[test]
fn a_table_of_a_revision_that_was_wrong_is_refused() {
    let shape = Shape::new("KPPvKP".parse().unwrap()).unwrap();
    let side = Side {
        values: Arc::new(vec![Value::DRAW]),
        slices: vec![Planes::default(); shape.slices()],
    };
    let parts = (0..shape.parts()).map(|number| Part {
        domain: shape.domain(number),
        sides: [side.clone(), side.clone()],
    });
    let table = Table {
        parts: parts.collect(),
        metric: Metric::Dtm,
        shape,
    };
    let mut bytes = bytes_of(&table).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("KPPvKP.tbm");
    std::fs::write(&path, &bytes).unwrap();
    TableFile::open(&path).unwrap();
    bytes[100..102].fill(0);
    let checksum = crc32fast::hash(&bytes[..252]);
    bytes[252..256].copy_from_slice(&checksum.to_le_bytes());
    std::fs::write(&path, &bytes).unwrap();
    let error = TableFile::open(&path).unwrap_err();
    assert!(matches!(error, FileError::Distrusted { .. }), "{error}");
    let error = error.to_string();
    assert!(
        error.contains("KPPvKP.tbm: ") && error.contains("revision 0"),
        "{error}"
    );
}
