//! Queries against what the moves of single positions say, by the boards of `cozy-chess` and the tables' values.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;
use tbgen::{
    Counting, GamePosition, Hit, Library, Listed, Metric, MineOptions, Mined, Move, Outcome, Query,
    Table, Value, all_up_to, mine, needed_by,
};
use tbindex::batch::Backend;
use tbindex::{Color, Group, Material, Piece, PieceType, Position, Square};

use crate::chains::worths;
use crate::helpmates::{both, helpmate, solved};
use crate::small::{METRICS, small_tables, stats_of, table};
use crate::solved::material;
use crate::thorough::one_in;

static NEVER: AtomicBool = AtomicBool::new(false);

/// The tables of three pieces, and of four if all tables are tested.
fn helpmates() -> &'static Library {
    static HELPMATES: OnceLock<Library> = OnceLock::new();
    HELPMATES.get_or_init(|| solved(&all_up_to(if one_in(2) == 1 { 4 } else { 3 })))
}

fn mined(name: &str, query: &str) -> Mined {
    let (table, library) = (table(name, Metric::Dtm), small_tables(Metric::Dtm));
    let options = MineOptions::new(Backend::detect(), &NEVER);
    mine(table, library, &query.parse().unwrap(), options, |_| Ok(())).unwrap()
}

/// The findings of a query in a table of up to four pieces: the counts, and the positions by their classes, each once.
fn listed(
    table: &Table,
    query: &str,
    helpmates: Option<&Library>,
    backend: Backend,
) -> (Mined, HashMap<u64, Hit>) {
    listed_of(
        table,
        small_tables(table.metric()),
        query,
        helpmates,
        backend,
    )
}

/// [`listed`] of a table with other tables that it leads to.
fn listed_of(
    table: &Table,
    library: &Library,
    query: &str,
    helpmates: Option<&Library>,
    backend: Backend,
) -> (Mined, HashMap<u64, Hit>) {
    let options = MineOptions {
        list: true,
        helpmates: helpmates.and_then(|tables| both(tables, &table.material())),
        ..MineOptions::new(backend, &NEVER)
    };
    let material = table.material();
    let parsed: Query = query.parse().unwrap();
    let mut hits = HashMap::new();
    let mined = mine(table, library, &parsed, options, |hit| {
        let before = hits.insert(class(&hit.position, material.group()), hit);
        assert!(
            before.is_none(),
            "{material}, {query}: {} twice",
            hit.position
        );
        Ok(())
    });
    let mined = mined.unwrap();
    let counted: u64 = mined.sides.iter().map(|side| side.positions).sum();
    assert_eq!(counted, hits.len() as u64, "{material}, {query}");
    (mined, hits)
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

/// The results of the moves of a board for the side that makes them.
fn made(board: &GamePosition, library: &Library, metric: Metric) -> Vec<(Outcome, Move)> {
    let worths = worths(board, library, metric).into_iter();
    worths.map(|(value, step)| (result(value), step)).collect()
}

/// The answers of single positions.
struct Facts {
    value: Value,
    result: Outcome,
    /// The result with the other side to move, if that is legal.
    other: Option<Outcome>,
    check: bool,
    moves: Vec<(Outcome, Move)>,
    /// Whether a pawn may have made two steps such that captures of it en passant alone keep a win or a draw.
    only_en_passant: bool,
    /// The shortest helpmates in which white and in which black is checkmated, where they are known.
    helpmates: Option<[Option<Value>; 2]>,
    position: Position,
}

/// Win, draw or loss: what the fifty-move rule draws is a draw.
fn result(value: Value) -> Outcome {
    match value.outcome {
        Outcome::CursedWin | Outcome::BlessedLoss => Outcome::Draw,
        outcome => outcome,
    }
}

fn facts(position: Position, library: &Library, metric: Metric) -> Option<Facts> {
    let board = GamePosition::new(&position, None)?;
    let value = library.probe(metric, &board).unwrap();
    let turned = Position {
        side: !position.side,
        ..position
    };
    let other = GamePosition::new(&turned, None);
    let other = other.map(|other| result(library.probe(metric, &other).unwrap()));
    let moves = made(&board, library, metric);
    let passed = Square::all().filter(|&square| {
        // The square behind, on which the pawn began.
        let start = square.offset(0, if position.side == Color::White { 1 } else { -1 });
        start.is_some_and(|start| position.board[start.index()].is_none())
    });
    let passed = passed.filter_map(|square| GamePosition::new(&position, Some(square)));
    let only_en_passant = |board: GamePosition| {
        let moves = made(&board, library, metric);
        let best = moves.iter().map(|(result, _)| *result).max();
        let mut best_moves = moves.iter().filter(|(result, _)| Some(*result) == best);
        let onto_nothing = |to: Square| position.board[to.index()].is_none();
        let en_passant = |step: &Move| step.capture && onto_nothing(step.to);
        best > Some(Outcome::Loss) && best_moves.all(|(_, step)| en_passant(step))
    };
    let material = position.material().unwrap().normal();
    let has_helpmates = helpmates().of(&material, Some(Color::White)).is_some();
    Some(Facts {
        value,
        result: result(value),
        // With the other side to move it could take the king.
        check: other.is_none(),
        other,
        moves,
        only_en_passant: passed.into_iter().any(only_en_passant),
        helpmates: has_helpmates
            .then(|| Color::ALL.map(|victim| helpmate(helpmates(), &board, victim))),
        position,
    })
}

impl Facts {
    fn keeping(&self) -> Vec<&Move> {
        let keeping = self.moves.iter().filter(|made| made.0 == self.result);
        keeping.map(|(_, step)| step).collect()
    }

    fn loses(&self) -> bool {
        self.moves.iter().any(|made| made.0 == Outcome::Loss)
    }

    /// Whether the outcome is kept, and only by such moves.
    fn only_by(&self, such: impl Fn(&Move) -> bool) -> bool {
        let keeping = self.keeping();
        self.result != Outcome::Loss && !keeping.is_empty() && keeping.iter().all(|step| such(step))
    }

    fn zugzwang(&self) -> Option<(Outcome, Outcome)> {
        let mine = self.result;
        let theirs = self.other?;
        // The worth of each side's turn: less than if it were the other's turn.
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
        f.only_by(|step| step.promotion.is_some_and(|kind| kind != PieceType::Queen))
    }),
    ("only-en-passant", |f| f.only_en_passant),
    ("dead", |f| f.helpmates == Some([None, None])),
    (
        "black helpmate <= 4 and not white unique-helpmate and black unique-helpmate",
        |f| {
            let [white, black] = f.helpmates.unwrap();
            black.is_some_and(|black| black.plies <= 4 && black.is_unique())
                && !white.is_some_and(Value::is_unique)
        },
    ),
    ("only-king-move", |f| {
        f.only_by(|step| step.piece == PieceType::King)
    }),
    ("capture-loses", |f| {
        let mut captures = f.moves.iter().filter(|(_, step)| step.capture);
        f.result != Outcome::Loss && captures.any(|(result, _)| *result == Outcome::Loss)
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

/// The board with pieces on the squares whose numbers are the digits of a number, 64 for each piece, if that can be.
pub(crate) fn placed(pieces: &[Piece], number: u64) -> Option<[Option<Piece>; 64]> {
    let mut board = [None; 64];
    for (k, &piece) in pieces.iter().enumerate() {
        let square = (number >> (6 * k) & 63) as usize;
        let on_last_rank = piece.kind == PieceType::Pawn && matches!(square / 8, 0 | 7);
        if on_last_rank || board[square].replace(piece).is_some() {
            return None;
        }
    }
    Some(board)
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
        if let Some(board) = placed(&pieces, number) {
            for side in Color::ALL {
                each(Position { board, side });
            }
        }
    }
}

/// Of tables of four pieces one in 34, some queries and few positions; all of all if `TBINDEX_THOROUGH` is set, and
/// of the tables that `TBGEN_MATERIALS` names if it is set, such as `KQQvK KPvKP`.
#[test]
fn queries_have_the_positions_that_moves_say() {
    let backends: Vec<Backend> = Backend::available().collect();
    let backend = backends.iter().copied().cycle();
    let tables = all_up_to(4).into_iter().enumerate();
    let tables = tables.filter(|(k, material)| {
        material.piece_count() == 3 || k % one_in(34) == 0 || material.to_string() == "KPvKP"
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
        let has_helpmates = helpmates().of(&material, Some(Color::White)).is_some();
        let laws: Vec<usize> = (0..LAWS.len())
            .filter(|law| (k + law) % some == 0 || is_pawns && LAWS[*law].0 == "only-en-passant")
            .filter(|law| !asks_for_helpmates(LAWS[*law].0) || has_helpmates)
            .collect();
        for metric in METRICS {
            // Each law by one metric or the other.
            let laws: Vec<usize> = (laws.iter().copied())
                .filter(|law| one_in(2) == 1 || (k + law + metric as usize).is_multiple_of(2))
                .collect();
            let table = small_tables(metric).get(&material).unwrap();
            let found = laws.iter().map(|&law| {
                let query = LAWS[law].0.replace("DISTANCE", metric.name());
                let (_, hits) = listed(table, &query, Some(helpmates()), backend);
                for hit in hits.values() {
                    assert_eq!(hit.value, table.value(&hit.position).unwrap());
                }
                hits
            });
            let found: Vec<HashMap<u64, Hit>> = found.collect();
            let sample = match material.piece_count() {
                3 => one_in(61),
                _ => one_in(24_007),
            };
            positions(material, sample as u64, |position| {
                let Some(facts) = facts(position, small_tables(metric), metric) else {
                    return;
                };
                let this = class(&position, material.group());
                for (&number, hits) in laws.iter().zip(&found) {
                    let (text, law) = LAWS[number];
                    let expected = law(&facts);
                    found_of_each[number].fetch_add(expected.into(), Ordering::Relaxed);
                    assert_eq!(
                        hits.contains_key(&this),
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
        assert_eq!(mined(name, "zugzwang").placements, count, "{name}");
    }
}

/// Placements of two pawns may be their own mirror images. Each class is counted and listed once.
#[test]
fn outcomes_are_as_many_as_tables_count() {
    for name in ["KPPvK", "KPvKP", "KNNvK"] {
        let table = table(name, Metric::Dtm);
        let stats = stats_of(table, Counting::Unordered);
        for (query, outcome) in [("win", Outcome::Win), ("loss", Outcome::Loss)] {
            for (mined, stats) in mined(name, query).sides.iter().zip(&stats.sides) {
                assert_eq!(mined.positions, stats.count(outcome), "{name}, {query}");
            }
        }
        listed(table, "mate or check and win", None, Backend::detect());
    }
}

/// A bishop and a knight can checkmate either side but for a few positions.
#[test]
fn dead_are_positions_in_which_neither_side_can_mate() {
    let tables = solved(&needed_by(&material("KBvKN")));
    let table = table("KBvKN", Metric::Dtz);
    let (mined, hits) = listed(table, "dead", Some(&tables), Backend::detect());
    for Hit { position, .. } in hits.values() {
        let game = GamePosition::new(position, None).unwrap();
        let found = Color::ALL.map(|victim| helpmate(&tables, &game, victim));
        assert_eq!(found, [None; 2], "{position}");
    }
    assert!(mined.sides.iter().any(|side| side.positions > 0));
}

/// Where a capture en passant is the only way to keep a win or a draw, it is listed with the right to it, as the best move.
#[test]
fn captures_en_passant_are_listed_with_the_right_to_them() {
    for metric in METRICS {
        let (table, library) = (table("KPvKP", metric), small_tables(metric));
        let query = "only-en-passant and white to move";
        let (mined, hits) = listed(table, query, None, Backend::detect());
        assert!(!hits.is_empty() && mined.sides[1].positions == 0);
        for hit in hits.values() {
            let listed = Listed::all(hit, table, library, true).unwrap();
            assert!(!listed.is_empty(), "{}", hit.position);
            for listed in listed {
                let fen = listed.position.fen();
                let passed = fen.split(' ').nth(3).unwrap();
                let mut best = listed.best.iter();
                assert!(passed != "-", "{fen}");
                assert!(best.all(|step| step.contains('x') && step.contains(passed)));
                assert!(listed.value.outcome >= Outcome::Draw, "{fen}");
            }
        }
    }
}

/// The fifty-move rule makes a difference in tables whose distances were made longer, by so many plies from some on.
#[test]
fn what_the_fifty_move_rule_draws_is_drawn() {
    let mut found = [0; LAWS.len()];
    for (name, least, more) in [("KRvK", 0, 85)] {
        let mut library = Library::default();
        for needed in needed_by(&material(name)) {
            let mut table = small_tables(Metric::Dtz).get(&needed).unwrap().clone();
            for side in table.parts.iter_mut().flat_map(|part| &mut part.sides) {
                let values = side.values.iter().map(|&value| match value.outcome {
                    Outcome::Win if value.plies > least => Value::win(value.plies + more),
                    Outcome::Loss if value.plies > least => Value::loss(value.plies + more / 2 * 2),
                    _ => value,
                });
                side.values = Arc::new(values.collect());
            }
            library.insert(table);
        }
        let table = library.get(&material(name)).unwrap();
        let laws: Vec<usize> = (0..LAWS.len())
            .filter(|&law| !asks_for_helpmates(LAWS[law].0))
            .collect();
        let hits: Vec<HashMap<u64, Hit>> = (laws.iter())
            .map(|&law| LAWS[law].0.replace("DISTANCE", "dtz"))
            .map(|query| listed_of(table, &library, &query, None, Backend::detect()).1)
            .collect();
        let sample = if name == "KRvK" { 7 } else { 503 };
        positions(material(name), sample * one_in(5) as u64, |position| {
            let Some(facts) = facts(position, &library, Metric::Dtz) else {
                return;
            };
            let this = class(&position, table.shape().group());
            for (&law, hits) in laws.iter().zip(&hits) {
                let expected = LAWS[law].1(&facts);
                found[law] += u32::from(expected);
                assert_eq!(
                    hits.contains_key(&this),
                    expected,
                    "{}: {position}",
                    LAWS[law].0
                );
            }
        });
    }
    for query in ["cursed", "blessed", "only-move and draw"] {
        let law = LAWS.iter().position(|law| law.0 == query).unwrap();
        assert!(found[law] > 20, "{query}: {}", found[law]);
    }
}
