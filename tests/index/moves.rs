//! Moves against an independent generator (`cozy-chess`), and moves against moves taken back.

use std::collections::{BTreeMap, BTreeSet};

use tbindex::{
    Color, Conversion, Equivalence, Fen, Material, MaterialMap, Move, Moves, Numbering, Piece,
    PieceType, PlacementCodec, Position, Square, Stage,
};

use crate::support::counts::enumerated;
use crate::support::kings::king_distance;
use crate::support::random::Random;

/// The board of that generator, if it takes the position for legal.
pub(crate) fn cozy(position: &Position, passed: Option<Square>) -> Option<cozy_chess::Board> {
    let passed = passed.map_or("-".to_owned(), |square| square.to_string());
    let side = &position.side.to_string()[..1];
    let fen = format!("{} {side} - {passed} 0 1", position.placement());
    fen.parse().ok()
}

/// The moves of a board as engines write them.
fn names(board: &cozy_chess::Board) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    board.generate_moves(|moves| {
        all.extend(moves.into_iter().map(|m| m.to_string()));
        false
    });
    all
}

/// Checks everything that is told of so many indices of a material. Returns how many were legal.
fn agrees_with_cozy_chess(name: &str, numbering: Numbering, count: usize) -> usize {
    let material: Material = name.parse().unwrap();
    let moves = Moves::<u64>::try_new(material, numbering).unwrap();
    let codec = PlacementCodec::<u64>::try_new(material, numbering).unwrap();
    let pieces: Vec<Piece> = material.index_order().collect();
    let stands = |&(square, piece): &(Square, &Piece)| {
        piece.kind != PieceType::Pawn || (8..56).contains(&square.number())
    };
    let mut known = Known {
        numbering,
        materials: BTreeMap::new(),
    };
    let mut legal = 0;
    for index in Random::new(1).numbers::<u64>(count, 6 * pieces.len() as u32) {
        let squares: Vec<Square> = moves.layout().decode(index).collect();
        let placed: BTreeSet<Square> = squares.iter().copied().collect();
        let is_placement = placed.len() == pieces.len()
            && squares.iter().copied().zip(&pieces).all(|on| stands(&on));
        for side in Color::ALL {
            // That generator allows kings that touch.
            let [.., black, white] = squares[..] else {
                panic!("two kings lead");
            };
            let touch = king_distance(white, black) < 2;
            if !is_placement || touch {
                assert!(!moves.is_legal(index, side), "{index:#o}");
                continue;
            }
            let position = codec.decode(index, side).unwrap();
            let fen = format!("{} {side:?}", position.placement());
            let board = cozy(&position, None);
            assert_eq!(moves.is_legal(index, side), board.is_some(), "{fen}");
            let Some(board) = board else { continue };
            legal += 1;
            let check = moves.is_check(index, side);
            assert_eq!(check, !board.checkers().is_empty(), "{fen}");
            let found: Vec<Move<u64>> = moves.moves(index, side, None).collect();
            let found_names: BTreeSet<String> = found.iter().map(Move::to_string).collect();
            assert_eq!(found.len(), found_names.len(), "{fen}: a move twice");
            assert_eq!(found_names, names(&board), "{fen}");
            for m in found {
                follows(&board, &m, &mut known, &fen);
            }
        }
    }
    legal
}

/// The moves and the codecs of materials that were reached.
struct Known {
    numbering: Numbering,
    materials: BTreeMap<Material, (Moves<u64>, PlacementCodec<u64>)>,
}

/// Checks the position that a move leads to, and the moves there, en passant included.
fn follows(board: &cozy_chess::Board, m: &Move<u64>, known: &mut Known, fen: &str) {
    let mut after = board.clone();
    after.play(m.to_string().parse().unwrap());
    let material = m.after.material;
    let (next, codec) = known.materials.entry(material).or_insert_with(|| {
        let moves = Moves::try_new(material, known.numbering).unwrap();
        let codec = PlacementCodec::try_new(material, known.numbering).unwrap();
        (moves, codec)
    });
    let reached = codec.decode(m.after.index, m.after.side).unwrap();
    // The board after the move, with exchanged colours if the material is.
    let text = after.to_string();
    let fields: Vec<&str> = text.split(' ').collect();
    let expected: Fen = format!("{} {} - -", fields[0], fields[1]).parse().unwrap();
    let mut expected = expected.position;
    if reached.side != expected.side {
        expected = expected.swap_colors();
    }
    assert_eq!(reached, expected, "{fen} {m}");
    if let Some(passed) = m.en_passant {
        let board = cozy(&reached, Some(passed)).expect("it was reached");
        let found = next.moves(m.after.index, m.after.side, Some(passed));
        let found: BTreeSet<String> = found.map(|m| m.to_string()).collect();
        assert_eq!(found, names(&board), "{fen} {m}, en passant");
    }
}

#[test]
fn all_positions_of_three_pieces_agree_with_an_independent_generator() {
    for name in ["KQvK", "KRvK", "KBvK", "KNvK", "KPvK", "KvKP"] {
        for numbering in Numbering::ALL {
            assert!(
                agrees_with_cozy_chess(name, numbering, 3000) > 1800,
                "{name}"
            );
        }
    }
}

#[test]
fn positions_of_more_pieces_agree_with_an_independent_generator() {
    for name in ["KPvKP", "KQvKR", "KPPvKP", "KRPvKNP", "KPPvKPP", "KBNvKBB"] {
        let legal = agrees_with_cozy_chess(name, Numbering::Natural, 3000);
        assert!(legal > 300, "{name}: {legal}");
    }
}

#[test]
fn en_passant_is_taken_unless_it_uncovers_a_check() {
    // The pawns leave the rank of king and rook together.
    for (placement, can_take) in [
        ("8/8/8/K2pP2r/8/8/8/7k", false),
        ("8/8/8/K2pP3/8/8/8/7k", true),
    ] {
        let fen: Fen = format!("{placement} w - -").parse().unwrap();
        let material = fen.position.material().unwrap();
        let moves = Moves::<u64>::try_new(material, Numbering::Natural).unwrap();
        let codec = PlacementCodec::<u64>::try_new(material, Numbering::Natural).unwrap();
        let index = codec.encode(&fen.position).unwrap();
        let d6: Square = "d6".parse().unwrap();
        for (passed, can_take) in [(Some(d6), can_take), (None, false)] {
            let mut all = moves.moves(index, Color::White, passed);
            let takes = all.any(|m| m.to_string() == "e5d6");
            assert_eq!(takes, can_take, "{placement}");
        }
    }
}

/// Placements with the kings apart.
const APART: (Stage, Color) = (Stage::KingsApart, Color::White);

/// A legal move leads from one index to another exactly if it is found when it is taken back.
#[test]
fn moves_and_moves_taken_back_are_each_others_inverse() {
    for name in ["KPvK", "KRvKN", "KPvKP", "KPPvK"] {
        let material: Material = name.parse().unwrap();
        let numbering = Numbering::Alternate;
        let moves = Moves::<u32>::try_new(material, numbering).unwrap();
        let (_, all) = enumerated(name, numbering, APART, false);
        let every = if name.len() < 5 { 7 } else { 2111 };
        for index in all.into_iter().step_by(every) {
            for side in Color::ALL {
                if !moves.is_legal(index, side) {
                    continue;
                }
                let all = moves.moves(index, side, None);
                for m in all.filter(|m| m.after.material == material) {
                    let mut back = moves.unmoves(m.after.index, m.after.side);
                    assert!(back.any(|before| before == index), "{name} {index:#o} {m}");
                }
                for before in moves.unmoves(index, side) {
                    let mut forth = moves.moves(before, !side, None);
                    assert!(
                        forth.any(|m| m.after.material == material && m.after.index == index),
                        "{name} {index:#o} from {before:#o}"
                    );
                }
            }
        }
    }
}

/// Captures and promotions are each other's inverse, too, up to the exchange of like pieces.
#[test]
fn conversions_and_conversions_taken_back_are_each_others_inverse() {
    for name in ["KPvKN", "KQPvK", "KPPvK", "KRvKR", "KNvKP"] {
        let material: Material = name.parse().unwrap();
        let numbering = Numbering::Natural;
        let moves = Moves::<u32>::try_new(material, numbering).unwrap();
        let like = |material| Equivalence::<u32>::try_new(material, numbering).unwrap();
        let same = like(material);
        let pieces: Vec<Piece> = material.index_order().collect();
        let (_, all) = enumerated(name, numbering, APART, false);
        for index in all.into_iter().step_by(60_013) {
            for side in Color::ALL
                .into_iter()
                .filter(|&side| moves.is_legal(index, side))
            {
                let all = moves.moves(index, side, None);
                for m in all.filter(|m| m.after.material != material) {
                    let captured = m.captured.map(|k| pieces[k]);
                    let conversion = match m.promotion {
                        Some(to) => Conversion::Promotion {
                            by: side,
                            to,
                            captured: captured.map(|piece| piece.kind),
                        },
                        None => Conversion::Capture {
                            captured: captured.unwrap(),
                        },
                    };
                    let mut back = moves.unconversions(conversion, m.after.index);
                    let sorted = same.sort_like(index);
                    assert!(
                        back.any(|before| same.sort_like(before) == sorted),
                        "{name} {index:#o} {m}"
                    );
                }
            }
        }
        for (conversion, target) in material.conversions() {
            let target = target.normal();
            let mover = match conversion {
                Conversion::Capture { captured } => !captured.color,
                Conversion::Promotion { by, .. } => by,
            };
            let (_, after) = enumerated(&target.to_string(), numbering, APART, false);
            let like_target = like(target);
            for index in after.into_iter().step_by(1009) {
                for before in moves.unconversions(conversion, index) {
                    assert!(moves.is_legal(before, mover));
                    let sorted = like_target.sort_like(index);
                    let leads = moves.moves(before, mover, None).any(|m| {
                        m.after.material == target && like_target.sort_like(m.after.index) == sorted
                    });
                    // A position that is not legal is not reached.
                    let next = Moves::<u32>::try_new(target, numbering).unwrap();
                    let swapped = material.after(conversion) != Some(target);
                    let side = if swapped { mover } else { !mover };
                    assert_eq!(
                        leads,
                        next.is_legal(index, side),
                        "{name} {conversion:?} {index:#o}"
                    );
                }
            }
        }
    }
}

#[test]
fn what_is_no_index_is_not_legal() {
    let moves = Moves::<u32>::try_new("KPvK".parse().unwrap(), Numbering::Natural).unwrap();
    assert!(!moves.is_legal(1 << 18, Color::White));
    assert!(!moves.is_legal(0, Color::White), "all on one square");
}

/// The tests above compare the maps with another generator.
#[test]
fn maps_are_of_captures_and_promotions_alone() {
    for name in ["KRvKQN", "KPvKRP", "KQPPvKPP", "KNPvKQB"] {
        let material: Material = name.parse().unwrap();
        let pieces: Vec<Piece> = material.index_order().collect();
        let is = |k: usize, kind| pieces[k].kind == kind;
        for k in 0..=pieces.len() {
            let map =
                MaterialMap::<u64>::try_new(material, Numbering::Natural, Some(k), None).unwrap();
            assert_eq!(map.is_some(), k < pieces.len() - 2, "{name} {k}");
        }
        for pawn in 0..pieces.len() {
            for taken in std::iter::once(None).chain((0..pieces.len()).map(Some)) {
                let promoted = Some((pawn, PieceType::Queen));
                let map =
                    MaterialMap::<u64>::try_new(material, Numbering::Natural, taken, promoted);
                let takes = taken.is_none_or(|k| {
                    let other = pieces[k].color != pieces[pawn].color;
                    other && !is(k, PieceType::Pawn) && !is(k, PieceType::King)
                });
                let possible = is(pawn, PieceType::Pawn) && takes;
                assert_eq!(map.unwrap().is_some(), possible, "{name} {pawn} {taken:?}");
            }
        }
    }
}
