//! The messages of the program at its start: which tables it found, and what it solves itself.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fmt::Display;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use tbgen::{Endgame, GamePosition, all_up_to, at_least, mebibytes, reachable, reachable_memory};
use tbindex::{Color, Material, Piece, PieceType, Position};

/// The kinds of tables, and the extensions of their files.
const KINDS: [(&str, &[&str]); 3] = [
    ("by DTZ", &["tbg"]),
    ("by DTM", &["tbm", "tbmp"]),
    ("of Syzygy", &["rtbw", "rtbz"]),
];

/// The names of the tables of each kind.
type Names = [BTreeSet<String>; 3];

/// Adds the names of a folder's tables.
fn add(folder: &Path, names: &mut Names) -> anyhow::Result<()> {
    let unreadable = || format!("can't read {}", folder.display());
    for entry in folder.read_dir().with_context(unreadable)? {
        let path = entry.with_context(unreadable)?.path();
        let [name, extension] =
            [path.file_stem(), path.extension()].map(|part| part.and_then(OsStr::to_str));
        let (Some(name), Some(extension)) = (name, extension) else {
            continue;
        };
        let is_table = name.parse::<Endgame>().is_ok();
        let kinds = KINDS.iter().zip(&mut *names);
        for (_, names) in
            kinds.filter(|((_, extensions), _)| is_table && extensions.contains(&extension))
        {
            names.insert(name.to_owned());
        }
    }
    Ok(())
}

/// Positions of a material in which all pawns are on the second rank of their side, where most is to be reached.
fn with_far_pawns(material: &Material) -> Vec<GamePosition> {
    let at = |color: Color, rank: usize, file: usize| 8 * [rank, 7 - rank][color as usize] + file;
    let mut board = [None; 64];
    for color in Color::ALL {
        // Kings in corners, and the others beside them, so that no piece attacks the king of the other side.
        let own = (material.name_order())
            .filter(|piece| piece.color == color && piece.kind != PieceType::Pawn);
        for (file, piece) in own.enumerate() {
            board[at(color, 0, file)] = Some(piece);
        }
    }
    let mut boards = vec![board];
    for pawn in (material.name_order()).filter(|piece| piece.kind == PieceType::Pawn) {
        let square = |file| at(pawn.color, 1, file);
        let with = |board: [Option<Piece>; 64]| {
            // Like pawns come in the order of their files.
            let last = (0..8).rposition(|file| board[square(file)].is_some());
            (last.map_or(0, |file| file + 1)..8).map(move |file| {
                let mut board = board;
                board[square(file)] = Some(pawn);
                board
            })
        };
        boards = boards.into_iter().flat_map(with).collect();
    }
    let side = Color::White;
    let boards = boards.into_iter();
    let positions = boards.filter_map(|board| GamePosition::new(&Position { board, side }, None));
    positions.collect()
}

/// The bytes that solving takes, for positions of so many pieces, with pawns or without.
fn needs(pieces: usize, pawns: bool) -> impl Iterator<Item = u64> {
    let all = all_up_to(pieces).into_iter();
    let has = |material: &Material| {
        material
            .name_order()
            .any(|piece| piece.kind == PieceType::Pawn)
    };
    let all = all.filter(move |all| all.piece_count() == pieces && has(all) == pawns);
    let positions = all.flat_map(|material| with_far_pawns(&material));
    positions.filter_map(|position| Some(reachable_memory(&position, &reachable(&position).ok()?)))
}

/// The positions that are solved with so many bytes, or `None` if there are none. Positions of 5 pieces with pawns are not promised,
/// as some take more than 10 GiB.
fn solved(memory: u64) -> Option<String> {
    let fits = |pieces, pawns| needs(pieces, pawns).all(|bytes| bytes <= memory);
    let whole = (3..=4)
        .take_while(|&pieces| fits(pieces, false) && fits(pieces, true))
        .last();
    let next = whole.map_or(3, |pieces| pieces + 1);
    match (whole, fits(next, false)) {
        (None, false) => None,
        (None, true) => Some(format!("positions of {next} pieces without pawns")),
        (Some(whole), false) => Some(format!("all positions of up to {whole} pieces")),
        (Some(whole), true) => Some(format!(
            "all positions of up to {whole} pieces, and those of {next} without pawns"
        )),
    }
}

/// Sentences about the tables in folders, and about what is solved with so many bytes.
///
/// # Errors
/// If a folder can't be read or has no tables, or if there are no folders and the memory is too small to solve anything.
pub fn describe(folders: &[PathBuf], memory: u64) -> anyhow::Result<Vec<String>> {
    let mut names = Names::default();
    for folder in folders {
        let mut own = Names::default();
        add(folder, &mut own)?;
        if own.iter().all(BTreeSet::is_empty) {
            bail!(
                "{} has no tables: expected files of tbgen (.tbg, .tbm, .tbmp) or of Syzygy (.rtbw, .rtbz)",
                folder.display()
            );
        }
        for (names, own) in names.iter_mut().zip(own) {
            names.extend(own);
        }
    }
    let counts = KINDS.iter().zip(&names);
    let counts: Vec<String> = counts
        .map(|((kind, _), names)| format!("{} {kind}", names.len()))
        .collect();
    let found = match folders.is_empty() {
        true => "no folder of tables is given".to_owned(),
        false => format!("tables found: {}", counts.join(", ")),
    };
    let limit = mebibytes(memory);
    let solved = match solved(memory) {
        Some(positions) => format!("solved when asked for, within {limit}: {positions}"),
        None if folders.is_empty() => bail!(
            "{limit} of memory are too little to solve anything, and no folder of tables is given: expected at least {}",
            at_least(needs(3, false).max().unwrap_or(0))
        ),
        None => format!("nothing is solved, as {limit} of memory are too little"),
    };
    Ok(vec![found, solved])
}

/// Writes a sentence to standard error. The server goes on if nobody reads it.
pub fn say(sentence: impl Display) {
    let _ = writeln!(io::stderr(), "tbserve: {sentence}");
}
