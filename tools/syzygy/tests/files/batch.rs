//! Batches give the answers of single probes, and these are the plain prober's.

use std::sync::LazyLock;

use cozy_chess::{Board, Color};
use syzygy_tables::batch::{Answer, BatchProber, Failure, PackedBoard, Positions};
use syzygy_tables::numbering::{PackedSquares, square_of};
use syzygy_tables::writer::{
    Control, Distances, DtzEntry, MemorySource, WdlEntry, write_dtz, write_wdl,
};
use syzygy_tables::{Dtz, Error, Kind, Material, TableFile, Tables, Wdl};

use crate::support::{published, random_boards, reference};
use crate::thorough::one_in;

/// The least memory that a prober takes.
const LITTLE: usize = 0;

/// Numbers without sense, the same for positions that are images of each other.
fn hash(material: Material, side: Color, position: PackedSquares) -> u64 {
    let mut sum = side as u64 + 1;
    for slot in 1..material.len() {
        let [a, b] = [slot - 1, slot].map(|slot| i32::from(square_of(position, slot)));
        let (files, ranks) = ((a % 8 - b % 8).abs(), (a / 8 - b / 8).abs());
        // Like pieces may be in any order, and only the first two pieces of a material have none like them.
        let step = if slot == 1 {
            files * ranks + files + ranks
        } else {
            0
        };
        sum = sum.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ step as u64;
    }
    (sum ^ material.to_string().len() as u64).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 17
}

/// A source of values without sense, of these outcomes.
fn noise(material: Material, outcomes: &'static [Wdl]) -> MemorySource {
    MemorySource::try_new(material, move |side, position| {
        let hash = hash(material, side, position);
        let value = outcomes[hash as usize % outcomes.len()];
        let wdl = WdlEntry::new(value, Some(Wdl::Loss).filter(|_| hash >> 8 & 3 == 0));
        let plies = 1 + (hash >> 12 & 15) as u16;
        let dtz = match value {
            Wdl::CursedWin | Wdl::BlessedLoss => DtzEntry::new(value, 100 + plies),
            _ => DtzEntry::new(value, plies),
        };
        (wdl, dtz)
    })
    .unwrap()
}

/// Values without sense, of all outcomes, of two pawns. They take a second.
static OF_PAWNS: LazyLock<MemorySource> =
    LazyLock::new(|| noise("KPvKP".parse().unwrap(), &Wdl::ALL));

/// Tables of values without sense.
fn tables(names: &[&str], outcomes: &'static [Wdl], distances: Option<Distances>) -> Tables {
    let mut tables = Tables::new();
    for name in names {
        let new;
        let source = match *name {
            "KPvKP" => &*OF_PAWNS,
            _ => {
                new = noise(name.parse().unwrap(), outcomes);
                &new
            }
        };
        tables.add_file(
            TableFile::from_bytes(name, write_wdl(source, Control::default()).unwrap()).unwrap(),
        );
        if let Some(distances) = distances {
            let bytes = write_dtz(source, distances, Control::default()).unwrap();
            tables.add_file(TableFile::from_bytes(name, bytes).unwrap());
        }
    }
    tables
}

fn boards(tables: &Tables, names: &[&str], count: usize) -> Vec<Board> {
    let mut materials: Vec<Material> = match names {
        [] => tables.materials().collect(),
        _ => names.iter().map(|name| name.parse().unwrap()).collect(),
    };
    materials.sort();
    let mut boards = Vec::new();
    random_boards(tables, &materials, count, |board| boards.push(board));
    boards
}

fn packed(boards: &[Board]) -> Vec<PackedBoard> {
    let packed = boards
        .iter()
        .map(|board| PackedBoard::try_from(board).unwrap());
    packed.collect()
}

/// Compares answers with those of single probes, and with those of the plain prober where it has any; returns how many it has.
fn compare<T: PartialEq + std::fmt::Debug>(
    boards: &[Board],
    answers: Vec<Result<T, Failure>>,
    single: impl Fn(&Board) -> Result<T, Error>,
    plain: impl Fn(&Board) -> Result<T, Error>,
) -> usize {
    assert_eq!(boards.len(), answers.len());
    let mut answered = 0;
    for (board, answer) in boards.iter().zip(answers) {
        let answer = answer.ok();
        match single(board) {
            // A batch that decodes a whole sub-table doesn't look into its index.
            Err(Error::Damaged { .. }) => {}
            single => assert_eq!(answer, single.ok(), "{board}"),
        }
        if let Ok(expected) = plain(board) {
            assert_eq!(answer, Some(expected), "{board}");
            answered += 1;
        }
    }
    answered
}

fn pair(answer: Answer) -> (Wdl, Dtz) {
    (answer.wdl, answer.dtz)
}

fn compare_wdl(tables: &Tables, prober: &BatchProber<&Tables>, boards: &[Board]) -> usize {
    let answers = prober.probe_wdl(&packed(boards));
    let plain = |board: &Board| reference::probe_wdl(tables, board);
    compare(boards, answers, |board| tables.probe_wdl(board), plain)
}

fn compare_both(tables: &Tables, prober: &BatchProber<&Tables>, boards: &[Board]) -> usize {
    compare_wdl(tables, prober, boards);
    let answers = prober.probe(&packed(boards)).into_iter();
    let answers = answers.map(|answer| answer.map(pair)).collect();
    let plain = |board: &Board| reference::probe(tables, board);
    compare(boards, answers, |board| tables.probe(board), plain)
}

const THREE: [&str; 5] = ["KQvK", "KRvK", "KBvK", "KNvK", "KPvK"];
const FOUR: [&str; 2] = ["KPvKP", "KRRvK"];
const DECIDED: [Wdl; 3] = [Wdl::Loss, Wdl::Draw, Wdl::Win];
const CURSED: [Wdl; 3] = [Wdl::BlessedLoss, Wdl::Draw, Wdl::CursedWin];

#[test]
fn outcomes_are_those_of_the_plain_prober() {
    let names = [&THREE[..], &FOUR].concat();
    let tables = tables(&names, &Wdl::ALL, None);
    let prober = BatchProber::new(&tables, LITTLE);
    // Few look-ups go into blocks, and many into decoded tables, which keep what was found.
    let many = 40_000 / one_in(4);
    for count in [1, 1_000, many, many] {
        let boards = boards(&tables, &[], count);
        assert_eq!(compare_wdl(&tables, &prober, &boards), count);
    }
    assert!(prober.failures().is_empty());
    let passing = boards(&tables, &["KPvKP"], 1_000);
    assert!(
        passing
            .iter()
            .filter(|board| board.en_passant().is_some())
            .count()
            > 20
    );
}

#[test]
fn distances_are_those_of_the_plain_prober() {
    for (outcomes, distances) in [
        (&DECIDED, Distances::Exact),
        (&CURSED, Distances::Exact),
        (&CURSED, Distances::Rounded),
        (&DECIDED, Distances::Rounded),
    ]
    .into_iter()
    .step_by(one_in(2))
    {
        let tables = tables(&THREE, outcomes, Some(distances));
        let prober = BatchProber::new(&tables, LITTLE);
        for count in [500, 10_000] {
            let boards = boards(&tables, &[], count);
            assert_eq!(compare_both(&tables, &prober, &boards), count);
        }
    }
}

#[test]
fn distances_of_pawns_of_both_sides_are_those_of_the_plain_prober() {
    let tables = tables(&["KPvKP", "KPvK"], &Wdl::ALL, Some(Distances::Exact));
    let prober = BatchProber::new(&tables, LITTLE);
    let count = 10_000 / one_in(10);
    let boards = boards(&tables, &["KPvKP"], count);
    let answered = compare_both(&tables, &prober, &boards);
    assert!(answered > count / 4, "{answered}");
}

#[test]
fn published_tables_give_the_same_answers() {
    let Some(folder) = published() else { return };
    let tables = Tables::open(folder).unwrap();
    let prober = BatchProber::new(&tables, 100 << 20);
    let boards = boards(&tables, &[], 20_000);
    let answered = compare_both(&tables, &prober, &boards);
    assert!(answered > 10_000, "{answered}");
}

#[test]
fn squares_of_a_material_are_checked_and_answered() {
    let tables = tables(&["KRvK", "KPvK", "KQvK"], &DECIDED, Some(Distances::Exact));
    let prober = BatchProber::new(&tables, LITTLE);
    let all: Vec<PackedSquares> = (0..65 * 65 * 65)
        .map(|n: u64| (n % 65) | ((n / 65 % 65) << 8) | ((n / 65 / 65) << 16))
        .collect();
    let sides = [Color::White, Color::Black];
    // There are so many of KRvK that every placement is probed once.
    for (name, side) in ["KPvK", "KRvK"]
        .into_iter()
        .flat_map(|name| sides.map(|side| (name, side)))
    {
        let material: Material = name.parse().unwrap();
        let outcomes = prober.probe_wdl(Positions::Squares(material, side, &all));
        let answers = prober.probe(Positions::Squares(material, side, &all));
        let mut legal = 0;
        for ((&position, outcome), answer) in all.iter().zip(outcomes).zip(answers) {
            let on_board = (0..3).all(|slot| square_of(position, slot) < 64);
            let distinct = (0..3).all(|slot| {
                (0..slot).all(|other| square_of(position, slot) != square_of(position, other))
            });
            let is_board = on_board && distinct;
            let board = is_board.then(|| crate::support::board(material, side, position));
            match board.flatten() {
                None => {
                    let failure = outcome.unwrap_err();
                    assert!(matches!(prober.reason(failure), Error::Illegal(_)));
                    assert!(answer.is_err());
                }
                Some(board) => {
                    legal += 1;
                    if legal % one_in(7) != 0 {
                        continue;
                    }
                    let expected = reference::probe_wdl(&tables, &board);
                    assert_eq!(outcome, Ok(expected.unwrap()), "{board}");
                    // Two promotions have no tables.
                    if let Ok(expected) = reference::probe(&tables, &board) {
                        assert_eq!(answer.map(pair), Ok(expected), "{board}");
                    }
                }
            }
        }
        assert!(legal > 100_000);
    }
}

#[test]
fn checkmates_are_told_from_losses_in_one() {
    let material: Material = "KQvK".parse().unwrap();
    let source = MemorySource::try_new(material, |_, _| {
        (WdlEntry::new(Wdl::Loss, None), DtzEntry::new(Wdl::Loss, 1))
    })
    .unwrap();
    let mut tables = Tables::new();
    for bytes in [
        write_wdl(&source, Control::default()).unwrap(),
        write_dtz(&source, Distances::Exact, Control::default()).unwrap(),
    ] {
        tables.add_file(TableFile::from_bytes("KQvK", bytes).unwrap());
    }
    let prober = BatchProber::new(&tables, LITTLE);
    let boards: Vec<Board> = [
        "k7/1Q6/1K6/8/8/8/8/8 b - - 0 1",
        "k7/8/1K6/8/8/8/8/1Q6 b - - 0 1",
    ]
    .map(|fen| fen.parse().unwrap())
    .into();
    let answers = prober.probe(&packed(&boards));
    let mated: Vec<bool> = answers
        .iter()
        .map(|answer| answer.unwrap().checkmate)
        .collect();
    assert_eq!(mated, [true, false]);
    // A mate on the board stands, whatever the counter is.
    let mate = answers[0].unwrap();
    assert_eq!(mate.with_counter(100), (Wdl::Loss, true));
    assert_eq!(mate.with_counter(101), (Wdl::Loss, true));
    assert_eq!(
        answers[1].unwrap().with_counter(140),
        (Wdl::BlessedLoss, true)
    );
}

#[test]
fn missing_tables_are_counted() {
    let tables = tables(&["KRvK"], &Wdl::ALL, None);
    let prober = BatchProber::new(&tables, LITTLE);
    let own = boards(&tables, &[], 100);
    let fens = [
        "8/8/2k5/8/8/8/8/2KQ4 b - - 0 1",
        "8/8/2k5/2r5/8/8/8/2KQ4 w - - 0 1",
    ];
    let others = fens.map(|fen| fen.parse::<Board>().unwrap());
    let all = [&own[..], &others, &others].concat();
    let answers = prober.probe_wdl(&packed(&all));
    assert!(answers[..100].iter().all(Result::is_ok));
    assert!(answers[100..].iter().all(Result::is_err));
    let mut counted: Vec<(String, u64)> = prober
        .failures()
        .into_iter()
        .map(|(error, count)| match error {
            Error::Missing {
                material,
                kind: Kind::Wdl,
            } => (material.to_string(), count),
            other => panic!("{other}"),
        })
        .collect();
    counted.sort();
    assert_eq!(counted, [("KQvK".into(), 2), ("KQvKR".into(), 2)]);
    for (board, answer) in all.iter().zip(answers).skip(100) {
        let reason = prober.reason(answer.unwrap_err()).to_string();
        assert_eq!(tables.probe_wdl(board).unwrap_err().to_string(), reason);
    }
    // Two kings need no table.
    let kings = "8/8/2k5/8/8/8/8/2K5 b - - 0 1".parse::<Board>().unwrap();
    assert_eq!(prober.probe_wdl(&packed(&[kings])), [Ok(Wdl::Draw)]);
}

#[test]
fn a_winning_capture_needs_no_other_table() {
    let tables = tables(&["KNvK"], &[Wdl::Loss], None);
    // The pawn takes the rook. Of KPvKR and of what a queen, rook or bishop brings there are no tables.
    let board: Board = "1r6/P7/8/8/8/8/8/2K4k w - - 0 1".parse().unwrap();
    let dtz = Dtz {
        plies: 1,
        exact: true,
    };
    assert_eq!(tables.probe(&board).unwrap(), (Wdl::Win, dtz));
    assert_eq!(tables.probe_wdl(&board).unwrap(), Wdl::Win);
    let after: Board = "1b6/8/8/8/8/8/8/2K4k b - - 0 1".parse().unwrap();
    let error = tables.probe_wdl(&after).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the table KBvK.rtbw is needed, and it isn't there"
    );
}

#[test]
fn damaged_blocks_cost_the_answers_in_them_alone() {
    let source = noise("KRvK".parse().unwrap(), &Wdl::ALL);
    let intact = write_wdl(&source, Control::default()).unwrap();
    let mut failed = 0;
    for byte in (0..intact.len() - 16).step_by(61) {
        let mut bytes = intact.clone();
        bytes[byte] ^= 0x5a;
        let Ok(file) = TableFile::from_bytes("KRvK.rtbw", bytes) else {
            continue;
        };
        let mut tables = Tables::new();
        tables.add_file(file);
        for count in [200, 20_000] {
            let boards = boards(&tables, &[], count);
            let prober = BatchProber::new(&tables, LITTLE);
            compare_wdl(&tables, &prober, &boards);
            failed += prober
                .failures()
                .iter()
                .map(|(_, count)| count)
                .sum::<u64>();
        }
    }
    assert!(failed > 0);
}

/// A wrong index of blocks may lead from a place to one before it in the same block.
#[test]
fn no_wrong_byte_stops_a_batch() {
    let source = noise("KPvK".parse().unwrap(), &Wdl::ALL);
    let intact = write_wdl(&source, Control::default()).unwrap();
    let mut opened = 0;
    for (byte, bit) in (0..intact.len() - 16).flat_map(|byte| [(byte, 1), (byte, 4)]) {
        let mut bytes = intact.clone();
        bytes[byte] ^= bit;
        if let Ok(file) = TableFile::from_bytes("KPvK.rtbw", bytes) {
            let mut tables = Tables::new();
            tables.add_file(file);
            let boards = boards(&tables, &["KPvK"], 200);
            let prober = BatchProber::new(&tables, LITTLE);
            assert_eq!(prober.probe_wdl(&packed(&boards)).len(), boards.len());
            opened += 1;
        }
    }
    assert!(opened > intact.len());
}
