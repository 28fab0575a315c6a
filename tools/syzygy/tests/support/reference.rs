//! A plain prober, with which the other is compared: it plays every capture, and for a distance every move.

use cozy_chess::{Board, Color, Piece};
use syzygy_tables::numbering::leading_file;
use syzygy_tables::{ColoredPiece, Dtz, Error, Kind, Material, SubTable, TableFile, Tables, Wdl};

/// The least and the most plies.
type Plies = (i32, i32);

/// A position after a move.
struct Moved {
    board: Board,
    capture: bool,
    en_passant: bool,
    pawn: bool,
}

pub(crate) fn probe_wdl(tables: &Tables, board: &Board) -> Result<Wdl, Error> {
    Ok(outcome(tables, board)?.0)
}

pub(crate) fn probe(tables: &Tables, board: &Board) -> Result<(Wdl, Dtz), Error> {
    let found = outcome(tables, board)?;
    let (sign, (least, most)) = match found.0 {
        Wdl::Draw => (0, (0, 0)),
        value if value > Wdl::Draw => (1, distance(tables, board, found)?),
        _ => (-1, distance(tables, board, found)?),
    };
    let dtz = Dtz {
        plies: sign * least,
        exact: least == most,
    };
    Ok((found.0, dtz))
}

fn moves(board: &Board) -> Vec<Moved> {
    let theirs = board.colors(!board.side_to_move());
    let mut all = Vec::new();
    board.generate_moves(|moves| {
        let pawn = moves.piece == Piece::Pawn;
        all.extend(moves.into_iter().map(|one| {
            let mut after = board.clone();
            after.play_unchecked(one);
            let en_passant = pawn && one.from.file() != one.to.file() && !theirs.has(one.to);
            Moved {
                board: after,
                capture: en_passant || theirs.has(one.to),
                en_passant,
                pawn,
            }
        }));
        false
    });
    all
}

/// The number that a file has of a position, or nothing if it doesn't have the side to move.
fn stored<'t>(
    tables: &'t Tables,
    kind: Kind,
    board: &Board,
) -> Result<Option<(&'t TableFile, &'t SubTable, u16)>, Error> {
    let (material, exchanged) = Material::of(board);
    let exchanged = exchanged || material.is_symmetric() && board.side_to_move() == Color::Black;
    let (mirror, side) = match exchanged {
        true => (56, !board.side_to_move()),
        false => (0, board.side_to_move()),
    };
    let squares = |piece: ColoredPiece| -> Vec<u8> {
        let color = if exchanged {
            !piece.color()
        } else {
            piece.color()
        };
        let squares = board.colored_pieces(color, piece.piece()).into_iter();
        squares.map(|square| square as u8 ^ mirror).collect()
    };
    let pawn = |color| ColoredPiece::new(color, Piece::Pawn);
    let leading = material.leading_color();
    let leading = leading.map(|color| leading_file(&squares(pawn(color))));
    let file = tables.file(material, kind)?;
    let mut sub_tables = file.sub_tables().iter();
    let found = sub_tables.find(|sub_table| {
        sub_table.side() == side && sub_table.numbering().leading_file() == leading
    });
    let Some(sub_table) = found else {
        return Ok(None);
    };
    let mut pieces: Vec<ColoredPiece> = sub_table.numbering().pieces().collect();
    pieces.dedup();
    let squares: Vec<u8> = pieces.into_iter().flat_map(squares).collect();
    let number = file.value(sub_table, sub_table.numbering().index(&squares))?;
    Ok(Some((file, sub_table, number)))
}

/// The best outcome by moves, which is known if it is the one that is sought, or no move fails.
fn best<'m>(
    tables: &Tables,
    moves: impl Iterator<Item = &'m Moved>,
    sought: Wdl,
) -> Result<Option<Wdl>, Error> {
    let (mut best, mut failure) = (None, None);
    for moved in moves {
        match outcome(tables, &moved.board) {
            Ok((value, _)) if -value == sought => return Ok(Some(sought)),
            Ok((value, _)) => best = best.max(Some(-value)),
            Err(error) => failure = Some(error),
        }
    }
    failure.map_or(Ok(best), Err)
}

/// The outcome, and whether a capture has it.
fn outcome(tables: &Tables, board: &Board) -> Result<(Wdl, bool), Error> {
    if board.occupied().len() == 2 {
        return Ok((Wdl::Draw, false));
    }
    let moves = moves(board);
    let captures = moves.iter().filter(|moved| moved.capture);
    let best = best(tables, captures, Wdl::Win)?;
    // A file doesn't know of captures en passant.
    let forced = moves.iter().all(|moved| moved.en_passant);
    if let Some(value) = best
        && (forced || value == Wdl::Win)
    {
        return Ok((value, true));
    }
    let (.., number) = stored(tables, Kind::Wdl, board)?.expect("it has both sides");
    let value = Wdl::ALL[usize::from(number)];
    Ok(match best {
        Some(best) if best >= value => (best, true),
        _ => (value, false),
    })
}

/// The distance of a position from which a capture or pawn move keeps the outcome.
fn before_zeroing(value: Wdl) -> Plies {
    match value {
        Wdl::CursedWin | Wdl::BlessedLoss => (101, 101),
        _ => (1, 1),
    }
}

/// The distance of a position that isn't drawn.
fn distance(tables: &Tables, board: &Board, found: (Wdl, bool)) -> Result<Plies, Error> {
    let (value, by_capture) = found;
    let won = value > Wdl::Draw;
    let moves = moves(board);
    let pawn_moves = moves.iter().filter(|moved| moved.pawn && !moved.capture);
    if won && (by_capture || best(tables, pawn_moves, value)? == Some(value)) {
        return Ok(before_zeroing(value));
    }
    // A file's distance of a lost position leaves captures en passant out.
    if (won || board.en_passant().is_none())
        && let Some((file, sub_table, number)) = stored(tables, Kind::Dtz, board)?
    {
        let least = file.distance(sub_table, value, number)? as i32;
        return Ok((least, least + i32::from(!sub_table.is_exact(value))));
    }
    let mut best: Option<Plies> = None;
    for moved in &moves {
        let after = outcome(tables, &moved.board)?;
        if after.0 == Wdl::Draw || won != (after.0 < Wdl::Draw) {
            continue;
        }
        let mates = || !moved.board.checkers().is_empty() && self::moves(&moved.board).is_empty();
        let (least, most) = match moved.pawn || moved.capture {
            true => before_zeroing(-after.0),
            false if won && mates() => (1, 1),
            false => {
                let (least, most) = distance(tables, &moved.board, after)?;
                (least + 1, most + 1)
            }
        };
        best = Some(match best {
            None => (least, most),
            Some(best) if won => (best.0.min(least), best.1.min(most)),
            Some(best) => (best.0.max(least), best.1.max(most)),
        });
    }
    // Without a move the side is checkmated.
    Ok(best.unwrap_or(before_zeroing(value)))
}
