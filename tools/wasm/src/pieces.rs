//! Short-range pieces: verdicts, reach, distances, mates.

use serde::Serialize;
use tbindex::fairy::{Grid, NAMED, Verdict, free_atoms_of, masks_of};
use tbindex::{Color, Leaper};
use tbindex_fairy::{Board, MatePosition, MateTable};
use tsify::{Ts, Tsify};
use wasm_bindgen::JsError;
use wasm_bindgen::prelude::wasm_bindgen;

/// A piece, and what it can reach.
#[derive(Serialize, Tsify)]
pub struct PieceFacts {
    /// The number in hexadecimal, `0x` and digits.
    number: String,
    /// As a number below 2²⁴: square `k` of the 5×5 grid is bit `k − 1`.
    bits: u32,
    /// The numbers of the grid's squares that it moves to.
    squares: String,
    betza: Option<String>,
    /// Pairs of files and ranks.
    moves: Vec<(i8, i8)>,
    free: bool,
    /// The verdict on the plane, with its reason.
    reason: String,
    masks: Vec<String>,
    free_atoms: Vec<String>,
    /// The directions that no sequence of moves makes up.
    never_makes: Vec<String>,
    half_plane: bool,
    /// The number of colours that it can't change, if it is finite.
    colours: Option<u32>,
    /// The name of the colouring.
    colouring: Option<String>,
}

/// The moves that a piece takes over a board, a1 first, then b1.
#[derive(Serialize, Tsify)]
pub struct Reach {
    /// The least number of moves to each square, −1 if it is not reached.
    distances: Vec<i16>,
    /// The number of squares that are reached, with that where it begins.
    reached: u32,
    farthest: i16,
    /// The most moves from any square to any other, none if some are never reached.
    diameter: Option<i16>,
    /// For each square a number that it shares with the squares that it leads to and that lead to it.
    components: Vec<u16>,
    /// The number of components.
    component_count: u16,
    /// For each square its colour; none without a finite number of colours.
    colours: Option<Vec<u32>>,
}

/// King and piece against the bare king.
#[derive(Serialize, Tsify)]
pub struct Mates {
    mates: u32,
    legal_white: u32,
    wins_white: u32,
    legal_black: u32,
    losses_black: u32,
    /// The share of positions that White to move wins, 0 to 1.
    share: f64,
    /// The most plies to mate, whichever side is to move.
    longest: u16,
    /// A longest line, from its first position to the mate.
    line: Vec<MateStep>,
}

/// A position of a line, and the move that led to it.
#[derive(Serialize, Tsify)]
pub struct MateStep {
    /// None of the first position.
    san: Option<String>,
    white_king: u8,
    piece: u8,
    black_king: u8,
    black_to_move: bool,
    plies: Option<u16>,
}

/// The pieces that have names.
#[derive(Serialize, Tsify)]
pub struct Named {
    /// Pairs of a name and Betza's notation.
    pieces: Vec<(&'static str, &'static str)>,
}

/// The pieces that have names, each of which stands for its notation.
///
/// # Errors
/// Never.
#[wasm_bindgen(js_name = namedPieces)]
pub fn named() -> Result<Ts<Named>, JsError> {
    let pieces = NAMED.into();
    Ok(Named { pieces }.into_ts()?)
}

fn leaper(text: &str) -> Result<Leaper, JsError> {
    Ok(text.trim().parse()?)
}

fn names(all: impl Iterator<Item = impl ToString>) -> Vec<String> {
    all.map(|name| name.to_string()).collect()
}

/// The facts about a piece, which is written as a number, as squares (`01,02,10,15`), in Betza's notation (`WfF`) or as a name.
///
/// # Errors
/// If it is none of these.
#[wasm_bindgen]
pub fn piece(text: &str) -> Result<Ts<PieceFacts>, JsError> {
    let piece = leaper(text)?;
    let verdict = Verdict::of(piece);
    let lattice = verdict.lattice;
    let found = PieceFacts {
        number: piece.to_string(),
        bits: piece.bits(),
        squares: piece.list().to_string(),
        betza: piece.betza(),
        moves: piece.steps().map(|step| (step.files, step.ranks)).collect(),
        free: verdict.is_free(),
        reason: verdict.to_string(),
        masks: names(masks_of(piece)),
        free_atoms: names(free_atoms_of(piece)),
        never_makes: names(verdict.missing()),
        half_plane: verdict.is_confined(),
        colours: lattice.index(),
        colouring: lattice.name().map(str::to_owned),
    };
    Ok(found.into_ts()?)
}

fn board(width: u8, height: u8) -> Result<Grid, JsError> {
    Ok(format!("{width}x{height}").parse()?)
}

/// The squares that a piece reaches from a square of a board of up to 256 squares, at most 64 in a row.
///
/// # Errors
/// If the piece is none, or the board or the square is not there.
#[wasm_bindgen]
pub fn reach(text: &str, width: u8, height: u8, from: u8) -> Result<Ts<Reach>, JsError> {
    let (piece, grid) = (leaper(text)?, board(width, height)?);
    let count = grid.square_count();
    if u32::from(from) >= count {
        return Err(JsError::new(&format!(
            "square {from}: expected one of {count}"
        )));
    }
    let distances = grid.distances(piece, from);
    let components = grid.components(piece);
    let mut component_of = vec![0; count as usize];
    for (number, squares) in (0..).zip(&components) {
        for &square in squares {
            component_of[usize::from(square)] = number;
        }
    }
    let moves = distances.iter();
    let found = Reach {
        reached: distances.reached(),
        farthest: distances.greatest().into(),
        diameter: grid.diameter(piece).map(i16::from),
        distances: moves.map(|moves| moves.map_or(-1, i16::from)).collect(),
        components: component_of,
        component_count: components.len() as u16,
        colours: grid.colours(Verdict::of(piece).lattice, from),
    };
    Ok(found.into_ts()?)
}

fn mate_table(text: &str, width: u8, height: u8) -> Result<(Grid, MateTable), JsError> {
    let (piece, grid) = (leaper(text)?, board(width, height)?);
    if grid.square_count() > 64 {
        return Err(JsError::new(&format!(
            "{grid}: expected a board of at most 64 squares"
        )));
    }
    Ok((grid, MateTable::new(&grid, piece)))
}

/// The mates of king and piece against the bare king, on a board of up to 64 squares.
///
/// # Errors
/// If the piece is none, or the board is larger.
#[wasm_bindgen]
pub fn mates(text: &str, width: u8, height: u8) -> Result<Ts<Mates>, JsError> {
    let (_, table) = mate_table(text, width, height)?;
    let line = table
        .longest()
        .map(|start| table.line(start))
        .unwrap_or_default();
    let step = |(ply, position): (usize, &MatePosition)| MateStep {
        san: (ply > 0).then(|| table.move_name(line[ply - 1], *position, 'X')),
        white_king: position.white_king,
        piece: position.piece,
        black_king: position.black_king,
        black_to_move: position.side == Color::Black,
        plies: table.plies(*position),
    };
    let power = table.power();
    let found = Mates {
        mates: power.mates,
        legal_white: power.legal_white,
        wins_white: power.wins_white,
        legal_black: power.legal_black,
        losses_black: power.losses_black,
        share: power.share(),
        longest: power.longest,
        line: line.iter().enumerate().map(step).collect(),
    };
    Ok(found.into_ts()?)
}

/// The plies to mate with Black to move for each square of the black king; −1 where it is not mated, and −2 where it can't
/// stand.
///
/// # Errors
/// As of `mates`, or if the squares are not on the board.
#[wasm_bindgen(js_name = mateMap)]
pub fn mate_map(
    text: &str,
    width: u8,
    height: u8,
    white_king: u8,
    piece: u8,
) -> Result<Vec<i16>, JsError> {
    let (grid, table) = mate_table(text, width, height)?;
    let count = grid.square_count() as u8;
    if white_king >= count || piece >= count || white_king == piece {
        return Err(JsError::new("expected two different squares of the board"));
    }
    let plies = |black_king: u8| {
        let side = Color::Black;
        let position = MatePosition {
            side,
            white_king,
            piece,
            black_king,
        };
        let apart = black_king != white_king && black_king != piece;
        match apart && table.is_legal(position) {
            true => table.plies(position).map_or(-1, |plies| plies as i16),
            false => -2,
        }
    };
    Ok((0..count).map(plies).collect())
}
