//! Queries against what the moves of single positions say, by the boards of `cozy-chess` and the tables' values.

use std::collections::HashSet;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rayon::prelude::*;
use tbgen::{
    Board, Counting, GamePosition, HelpTables, HelpValue, Hit, Metric, MineOptions, Options,
    Outcome, Query, Shape, Stats, Value, all_up_to, dead, mine,
};
use tbindex::batch::Backend;
use tbindex::{Color, Group, Material, Piece, PieceType, Position, Square};

use crate::small::{METRICS, small_materials, small_tables, table};
use crate::thorough::one_in;

static NEVER: AtomicBool = AtomicBool::new(false);

/// Those of three pieces, and of four if all tables are tested.
fn helpmates() -> &'static HelpTables {
    static HELPMATES: OnceLock<HelpTables> = OnceLock::new();
    HELPMATES.get_or_init(|| {
        let mut tables = HelpTables::default();
        let options = Options::new(Metric::HelpWhite, Backend::detect(), &NEVER);
        for material in all_up_to(if one_in(2) == 1 { 4 } else { 3 }) {
            let shape = Shape::new(material).unwrap();
            tables.solve(&shape, options).unwrap();
        }
        tables
    })
}

fn mined(name: &str, query: &str, metric: Metric) -> tbgen::Mined {
    let table = crate::small::table(name, metric);
    let query: Query = query.parse().unwrap();
    let options = MineOptions::new(Backend::detect(), &NEVER);
    mine(table, small_tables(metric), &query, options, |_| Ok(())).unwrap()
}

/// One number for all positions that are the same up to symmetry and the exchange of like pieces.
pub(crate) fn class(position: &Position, group: Group) -> u64 {
    let images = group.members().iter().map(|symmetry| {
        let mut men: Vec<u64> = (position.occupied())
            .map(|(piece, square)| {
                let square = symmetry.apply(square).index() as u64;
                (piece.color as u64) << 9 | (piece.kind as u64) << 6 | square
            })
            .collect();
        men.sort_unstable();
        men.iter()
            .fold(position.side as u64, |all, man| all << 10 | man)
    });
    images.min().unwrap()
}

/// A move, and what it leads to for the side that makes it.
struct Made {
    piece: PieceType,
    underpromotion: bool,
    capture: bool,
    en_passant: bool,
    result: Outcome,
}

fn made(board: &Board, metric: Metric) -> Vec<Made> {
    let (library, before) = (small_tables(metric), board.position());
    let moves = board.moves().into_iter().map(|step| {
        let value = step.after.value(metric, |after| library.value(after));
        let onto_nothing = before.board[step.to.index()].is_none();
        Made {
            piece: step.piece,
            underpromotion: step.promotion.is_some_and(|kind| kind != PieceType::Queen),
            capture: step.capture,
            en_passant: step.capture && onto_nothing,
            result: result(metric.after_move(value.unwrap(), step.zeroing)),
        }
    });
    moves.collect()
}

/// What single positions say.
struct Facts {
    value: Value,
    result: Outcome,
    /// The result with the other side to move, if that is legal.
    other: Option<Outcome>,
    check: bool,
    moves: Vec<Made>,
    /// Whether a pawn may have made two steps such that captures of it en passant alone keep a win or a draw.
    only_en_passant: bool,
    /// The shortest helpmates in which white and in which black is checkmated, where they are known.
    helpmates: Option<[Option<HelpValue>; 2]>,
    position: Position,
}

/// Win, draw or loss: what the fifty-move rule draws is a draw.
fn result(value: Value) -> Outcome {
    match value.outcome {
        Outcome::CursedWin | Outcome::BlessedLoss => Outcome::Draw,
        outcome => outcome,
    }
}

fn facts(position: Position, metric: Metric) -> Option<Facts> {
    let library = small_tables(metric);
    let board = Board::new(&position, None)?;
    let value = library.value(&position).unwrap();
    let turned = Position {
        side: !position.side,
        ..position
    };
    let other = Board::new(&turned, None).map(|_| result(library.value(&turned).unwrap()));
    let moves = made(&board, metric);
    let passed = Square::all().filter(|&square| {
        // The square behind, on which the pawn began.
        let start = square.offset(0, if position.side == Color::White { 1 } else { -1 });
        start.is_some_and(|start| position.board[start.index()].is_none())
    });
    let passed = passed.filter_map(|square| Board::new(&position, Some(square)));
    let only_en_passant = |board: Board| {
        let moves = made(&board, metric);
        let best = moves.iter().map(|step| step.result).max();
        let mut best_moves = moves.iter().filter(|step| Some(step.result) == best);
        best.is_some_and(|best| best > Outcome::Loss) && best_moves.all(|step| step.en_passant)
    };
    let material = position.material().unwrap().normal();
    let has_helpmates = helpmates().libraries()[0].get(&material).is_some();
    Some(Facts {
        value,
        result: result(value),
        // With the other side to move it could take the king.
        check: other.is_none(),
        other,
        moves,
        only_en_passant: passed.into_iter().any(only_en_passant),
        helpmates: has_helpmates.then(|| {
            let position = GamePosition::from(board.clone());
            Color::ALL.map(|victim| helpmates().value(&position, victim).unwrap())
        }),
        position,
    })
}

impl Facts {
    fn keeping(&self) -> Vec<&Made> {
        let moves = self.moves.iter();
        moves.filter(|step| step.result == self.result).collect()
    }

    fn loses(&self) -> bool {
        self.moves.iter().any(|step| step.result == Outcome::Loss)
    }

    /// Whether the outcome is kept, and only by such moves.
    fn only_by(&self, such: impl Fn(&Made) -> bool) -> bool {
        let keeping = self.keeping();
        self.result != Outcome::Loss && !keeping.is_empty() && keeping.iter().all(|step| such(step))
    }

    fn zugzwang(&self) -> Option<(Outcome, Outcome)> {
        let mine = self.result;
        let theirs = self.other?;
        // What each side has if it is to move: less than if it were the other's turn.
        let without = match theirs {
            Outcome::Win => Outcome::Loss,
            Outcome::Loss => Outcome::Win,
            other => other,
        };
        (mine < without).then_some((mine, theirs))
    }
}

type Law = (&'static str, fn(&Facts) -> bool);

const LAWS: [Law; 21] = [
    ("zugzwang", |f| f.zugzwang().is_some()),
    ("full zugzwang", |f| {
        f.zugzwang() == Some((Outcome::Loss, Outcome::Loss))
    }),
    ("half zugzwang", |f| {
        f.zugzwang().is_some_and(|(a, b)| a != b)
    }),
    ("win", |f| f.result == Outcome::Win),
    ("draw and check", |f| f.result == Outcome::Draw && f.check),
    ("not (win or draw)", |f| f.result == Outcome::Loss),
    ("cursed", |f| f.value.outcome == Outcome::CursedWin),
    ("blessed", |f| f.value.outcome == Outcome::BlessedLoss),
    ("mate", |f| f.check && f.moves.is_empty()),
    ("stalemate", |f| !f.check && f.moves.is_empty()),
    ("only-move", |f| {
        let enough = f.result == Outcome::Win || f.result == Outcome::Draw && f.loses();
        enough && f.keeping().len() == 1
    }),
    ("only-move and draw", |f| {
        f.result == Outcome::Draw && f.loses() && f.keeping().len() == 1
    }),
    ("only-underpromotion", |f| {
        f.only_by(|step| step.underpromotion)
    }),
    ("only-en-passant", |f| f.only_en_passant),
    ("dead", |f| f.helpmates == Some([None, None])),
    (
        "black helpmate <= 4 and not white unique-helpmate and black unique-helpmate",
        |f| {
            let [white, black] = f.helpmates.unwrap();
            black.is_some_and(|black| black.plies <= 4 && black.unique)
                && !white.is_some_and(|white| white.unique)
        },
    ),
    ("only-king-move", |f| {
        f.only_by(|step| step.piece == PieceType::King)
    }),
    ("capture-loses", |f| {
        let mut captures = f.moves.iter().filter(|step| step.capture);
        f.result != Outcome::Loss && captures.any(|step| step.result == Outcome::Loss)
    }),
    ("loss and black to move", |f| {
        f.result == Outcome::Loss && f.position.side == Color::Black
    }),
    ("white king on a1-b2,h5 and not black king on c1-e4", |f| {
        let king = |color| {
            let mut pieces = f.position.occupied();
            let (_, at) = pieces
                .find(|(piece, _)| *piece == Piece::new(color, PieceType::King))
                .unwrap();
            at
        };
        let group = f.position.material().unwrap().group();
        group.members().iter().any(|by| {
            let [white, black] = Color::ALL.map(|color| by.apply(king(color)).to_string());
            let is_between = ("c".."f").contains(&&black[..1]) && ("1".."5").contains(&&black[1..]);
            ["a1", "a2", "b1", "b2", "h5"].contains(&&*white) && !is_between
        })
    }),
    ("DISTANCE >= 7 and not check", |f| {
        f.value.outcome != Outcome::Draw && f.value.plies >= 7 && !f.check
    }),
];

fn asks_for_helpmates(query: &str) -> bool {
    ["dead", "helpmate"].iter().any(|word| query.contains(word))
}

/// Positions of a material, one in so many, or all up to symmetry and the exchange of like pieces.
pub(crate) fn positions(material: Material, one_in: u64, mut each: impl FnMut(Position)) {
    let pieces: Vec<Piece> = material.name_order().collect();
    let alike: Vec<usize> = (1..pieces.len())
        .filter(|&k| pieces[k - 1] == pieces[k])
        .collect();
    let repeats = |number: u64| {
        let at = |k: usize| number >> (6 * k) & 63;
        let (file, rank) = (at(0) & 7, at(0) >> 3);
        let turned = file > 3 || !material.has_pawns() && (rank > 3 || rank > file);
        turned || alike.iter().any(|&k| at(k - 1) > at(k))
    };
    for number in (0..1u64 << (6 * pieces.len())).step_by(one_in as usize) {
        if one_in == 1 && repeats(number) {
            continue;
        }
        let mut board = [None; 64];
        let distinct = pieces.iter().enumerate().all(|(k, &piece)| {
            let square = Square::new((number >> (6 * k) & 63) as u8);
            let pawn = piece.kind == PieceType::Pawn && [0, 7].contains(&(square.index() / 8));
            !pawn && board[square.index()].replace(piece).is_none()
        });
        if distinct {
            for side in Color::ALL {
                each(Position { board, side });
            }
        }
    }
}

/// Of tables of four pieces one in twelve, some queries and few positions; all of all if `TBINDEX_THOROUGH` is set, and
/// of the tables that `TBGEN_MATERIALS` names if it is set, such as `KQQvK KPvKP`.
#[test]
fn queries_have_the_positions_that_moves_say() {
    let backends: Vec<Backend> = Backend::available().collect();
    let backend = backends.iter().copied().cycle();
    let tables = small_materials().into_iter().enumerate();
    let tables = tables.filter(|(k, material)| {
        material.piece_count() == 3 || k % one_in(12) == 0 || material.to_string() == "KPvKP"
    });
    let named = std::env::var("TBGEN_MATERIALS").ok();
    let is_named = |material: &Material| {
        (named.iter()).all(|names| names.split(' ').any(|name| name == material.to_string()))
    };
    let tables = tables.filter(|(_, material)| is_named(material));
    let found_of_each = [const { AtomicU64::new(0) }; LAWS.len()];
    let tables: Vec<_> = tables.zip(backend).collect();
    tables.into_par_iter().for_each(|((k, material), backend)| {
        let some = match material.piece_count() {
            3 => 1,
            _ => one_in(6),
        };
        let is_pawns = material.to_string() == "KPvKP";
        let has_helpmates = helpmates().libraries()[0].get(&material).is_some();
        let laws: Vec<usize> = (0..LAWS.len())
            .filter(|law| (k + law) % some == 0 || is_pawns && LAWS[*law].0 == "only-en-passant")
            .filter(|law| !asks_for_helpmates(LAWS[*law].0) || has_helpmates)
            .collect();
        for metric in METRICS {
            let table = small_tables(metric).get(&material).unwrap();
            let group = material.group();
            let mut sets = Vec::new();
            for &law in &laws {
                let text = LAWS[law].0;
                let text = text.replace("DISTANCE", metric.name());
                let options = MineOptions {
                    list: true,
                    helpmates: Some(helpmates()),
                    ..MineOptions::new(backend, &NEVER)
                };
                let mut set = HashSet::new();
                let query: Query = text.parse().unwrap();
                let mined = mine(table, small_tables(metric), &query, options, |hit| {
                    assert_eq!(hit.value, table.value(&hit.position).unwrap());
                    let new = set.insert(class(&hit.position, group));
                    assert!(new, "{material}, {text}: {} twice", hit.position);
                    Ok(())
                });
                let counted: u64 = mined.unwrap().sides.iter().map(|side| side.positions).sum();
                assert_eq!(counted, set.len() as u64, "{material}, {text}");
                sets.push(set);
            }
            let sample = match material.piece_count() {
                3 => one_in(31),
                _ => one_in(12_007),
            };
            positions(material, sample as u64, |position| {
                let Some(facts) = facts(position, metric) else {
                    return;
                };
                let this = class(&position, group);
                for (&number, set) in laws.iter().zip(&sets) {
                    let (text, law) = LAWS[number];
                    let expected = law(&facts);
                    found_of_each[number].fetch_add(expected.into(), Ordering::Relaxed);
                    assert_eq!(
                        set.contains(&this),
                        expected,
                        "{material} by {}: {text}: {position}",
                        metric.name()
                    );
                }
            });
        }
        println!("{material}: {} queries", laws.len());
    });
    println!("positions found of each query: {found_of_each:?}");
}

/// Counts of mutual zugzwangs that are published; those of two pawns once for each colour.
#[test]
fn zugzwangs_are_as_many_as_is_known() {
    for (name, count) in [("KPvK", 80), ("KRvKN", 18), ("KPvKP", 2 * 121)] {
        assert_eq!(
            mined(name, "zugzwang", Metric::Dtm).placements,
            count,
            "{name}"
        );
    }
}

/// Placements of two pawns may be their own mirror images. Each class is counted and listed once.
#[test]
fn outcomes_are_as_many_as_tables_count() {
    for name in ["KPPvK", "KPvKP", "KNNvK"] {
        let table = table(name, Metric::Dtm);
        let stats = Stats::of(table, Counting::Unordered).unwrap();
        for (query, outcome) in [("win", Outcome::Win), ("loss", Outcome::Loss)] {
            let mined = mined(name, query, Metric::Dtm);
            for (mined, stats) in mined.sides.iter().zip(&stats.sides) {
                assert_eq!(mined.positions, stats.count(outcome), "{name}, {query}");
            }
        }
        let options = MineOptions {
            list: true,
            ..MineOptions::new(Backend::detect(), &NEVER)
        };
        let (mut classes, query) = (HashSet::new(), "mate or check and win".parse().unwrap());
        let library = small_tables(Metric::Dtm);
        let counted = mine(table, library, &query, options, |hit| {
            let new = classes.insert(class(&hit.position, table.material().group()));
            assert!(new, "{} twice", hit.position);
            Ok(())
        });
        let sides = counted.unwrap().sides;
        let counted: u64 = sides.iter().map(|side| side.positions).sum();
        assert_eq!(counted, classes.len() as u64, "{name}");
    }
}

/// A bishop and a knight can checkmate either side but for a few positions.
#[test]
fn dead_are_positions_in_which_neither_side_can_mate() {
    let mut tables = HelpTables::default();
    for name in ["KBvK", "KNvK", "KBvKN"] {
        let shape = Shape::new(name.parse().unwrap()).unwrap();
        let options = Options::new(Metric::HelpWhite, Backend::detect(), &NEVER);
        tables.solve(&shape, options).unwrap();
    }
    let table = table("KBvKN", Metric::Dtz);
    let options = MineOptions {
        list: true,
        helpmates: Some(&tables),
        ..MineOptions::new(Backend::detect(), &NEVER)
    };
    let library = small_tables(Metric::Dtz);
    let counts = mine(table, library, &"dead".parse().unwrap(), options, |hit| {
        let position = GamePosition::from(Board::new(&hit.position, None).unwrap());
        assert_eq!(
            tables.can_mate(&position).unwrap(),
            [false; 2],
            "{}",
            hit.position
        );
        Ok(())
    });
    let of_both = (tables.libraries().each_ref()).map(|all| all.get(&table.material()).unwrap());
    let expected = dead(of_both).unwrap().map(|[_, dead]| dead);
    assert_eq!(counts.unwrap().sides.map(|side| side.positions), expected);
    assert!(expected.iter().sum::<u64>() > 0);
}

/// Where a capture en passant is the only way to keep a win or a draw, it is listed with the right to it, as the best move.
#[test]
fn captures_en_passant_are_listed_with_the_right_to_them() {
    for metric in METRICS {
        let (table, library) = (table("KPvKP", metric), small_tables(metric));
        let query: Query = "only-en-passant and white to move".parse().unwrap();
        let options = MineOptions {
            list: true,
            ..MineOptions::new(Backend::detect(), &NEVER)
        };
        let mut hits: Vec<Hit> = Vec::new();
        let counts = mine(table, library, &query, options, |hit| {
            hits.push(hit);
            Ok(())
        });
        let counts = counts.unwrap();
        assert_eq!(counts.sides[0].positions, hits.len() as u64);
        assert!(!hits.is_empty() && counts.sides[1].positions == 0);
        for hit in &hits {
            let listed = table.list(library, hit, true).unwrap();
            assert!(!listed.is_empty(), "{}", hit.position);
            for listed in listed {
                let fen = listed.position.fen();
                let passed = fen.split(' ').nth(3).unwrap();
                let best = listed.best.iter();
                assert!(passed != "-", "{fen}");
                assert!(
                    best.clone()
                        .all(|step| step.contains('x') && step.contains(passed))
                );
                assert!(listed.value.outcome >= Outcome::Draw, "{fen}");
            }
        }
    }
}
