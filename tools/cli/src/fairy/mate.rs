//! `tbindex fairy mate`: prints whether king and piece can mate the bare king.

use anyhow::Result;
use serde_json::json;
use tbindex::fairy::Grid;
use tbindex::{Color, Leaper};
use tbindex_fairy::{Board, MatePosition, MateTable, mates_picture};

use super::{BoardArg, PictureArgs, PieceArg, piece_name};
use crate::args::{JsonArg, usage};
use crate::output::{grouped, print, print_json};

/// Print whether king and piece can force mate on a bare king, from how many positions, and the longest line
///
/// White has a king and the piece, Black a king. The piece leaps over whatever stands in between. The black king
/// may take it unless the white king guards it; that is a draw, and so is stalemate. In lines and diagrams K and k are
/// the kings, and X is the piece.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  tbindex fairy mate WfF\n  \
    tbindex fairy mate ND --json\n  tbindex fairy mate WD --svg wd.svg --standing c3,d4")]
pub(crate) struct Args {
    #[command(flatten)]
    piece: PieceArg,
    #[command(flatten)]
    board: BoardArg,
    #[command(flatten)]
    json: JsonArg,
    #[command(flatten)]
    picture: PictureArgs,
    /// Also print a diagram of each position of the longest mate
    #[arg(long)]
    diagrams: bool,
    /// The squares of the white king and the piece in the picture; by default those of the longest mate
    #[arg(long, value_name = "KING,PIECE", requires = "svg")]
    standing: Option<String>,
}

/// The letter of the piece in lines and diagrams.
const LETTER: char = 'X';

pub(crate) fn run(args: &Args) -> Result<()> {
    let grid = &args.board.board;
    let piece = args.piece.piece()?;
    let table = MateTable::new(grid, piece);
    let standing = standing(args, &table)?;
    let picture = || mates_picture(&table, standing);
    if !args.picture.write(args.json.json, picture)? {
        return Ok(());
    }
    let line = table.longest().map(|start| table.line(start));
    let line = line.unwrap_or_default();
    let names: Vec<String> = line
        .windows(2)
        .map(|pair| table.move_name(pair[0], pair[1], LETTER))
        .collect();
    let power = table.power();
    if args.json.json {
        let position = line.first().map(|start| {
            json!({
                "side": start.side.to_string(),
                "white_king": grid.square_name(start.white_king),
                "piece": grid.square_name(start.piece),
                "black_king": grid.square_name(start.black_king),
            })
        });
        return print_json(&json!({
            "piece": piece.to_string(),
            "betza": piece.betza(),
            "board": grid.to_string(),
            "mates": power.mates,
            "legal_white": power.legal_white,
            "wins_white": power.wins_white,
            "legal_black": power.legal_black,
            "losses_black": power.losses_black,
            "longest": power.longest,
            "position": position,
            "line": names,
        }));
    }
    print(&format!(
        "{}{}",
        numbers(grid, &table, piece),
        longest(grid, &table, &line, &names, args.diagrams)
    ))
}

/// Where the white king and the piece stand in the picture.
fn standing(args: &Args, table: &MateTable) -> Result<MatePosition> {
    let grid = &args.board.board;
    let squares = match &args.standing {
        None => {
            let start = table.longest();
            let middle = grid.middle();
            start.map_or((0, middle), |start| (start.white_king, start.piece))
        }
        Some(names) => {
            let (king, piece) = names
                .split_once(',')
                .ok_or_else(|| usage(format!("{names:?}: expected two squares, such as c3,d4")))?;
            let square = |name: &str| {
                let square = grid.square_named(name.trim());
                square.map_err(|error| usage(error.to_string()))
            };
            let (king, piece) = (square(king)?, square(piece)?);
            if king == piece {
                return Err(usage(format!(
                    "both stand on {}: expected two squares",
                    grid.square_name(king)
                )));
            }
            (king, piece)
        }
    };
    Ok(MatePosition {
        side: Color::Black,
        white_king: squares.0,
        piece: squares.1,
        black_king: 0,
    })
}

/// The numbers of positions, and their meanings.
fn numbers(grid: &Grid, table: &MateTable, piece: Leaper) -> String {
    let power = table.power();
    let share = |part: u32, whole: u32| {
        let percent = 100.0 * f64::from(part) / f64::from(whole.max(1));
        format!(
            "{} of {} positions ({percent:.2} %)",
            grouped(part.into()),
            grouped(whole.into())
        )
    };
    let verdict = if power.mates == 0 {
        "King and piece have no checkmate.".to_owned()
    } else if power.wins_white == 0 {
        "There are checkmates, but White can't force one.".to_owned()
    } else if power.wins_everywhere() {
        "White to move wins from everywhere.".to_owned()
    } else {
        let rest = power.legal_white - power.wins_white;
        format!(
            "White to move wins {} half of the positions, and does not win {}.\n\
             In {} of these, the black king takes the piece at once, or White's other moves give stalemate.",
            if power.share() > 0.5 {
                "more than"
            } else {
                "at most"
            },
            grouped(rest.into()),
            grouped(table.lost_at_once().into())
        )
    };
    format!(
        "{verdict}\n\n\
         {}, {} moves, on the {grid} board\n\
         checkmates           {}\n\
         White to move wins   {}\n\
         Black to move loses  {}\n",
        piece_name(piece),
        piece.steps().len(),
        grouped(power.mates.into()),
        share(power.wins_white, power.legal_white),
        share(power.losses_black, power.legal_black),
    )
}

/// The longest mate as a line of moves, and as diagrams if they are wanted.
fn longest(
    grid: &Grid,
    table: &MateTable,
    line: &[MatePosition],
    names: &[String],
    diagrams: bool,
) -> String {
    let Some(start) = line.first() else {
        return String::new();
    };
    let (plies, moves) = (names.len(), names.len().div_ceil(2));
    let (begins, black_begins) = match start.side {
        Color::White => ("White", 0),
        Color::Black => ("Black", 1),
    };
    let mut text = format!(
        "longest mate         {plies} plies: {moves} move{} of White\n\n\
         {begins} to move: K{} {LETTER}{}, K{}\n",
        if moves == 1 { "" } else { "s" },
        grid.square_name(start.white_king),
        grid.square_name(start.piece),
        grid.square_name(start.black_king),
    );
    // White's moves are counted: 1.Xc4+ Ke5 2.Kd3, and where Black begins, ...Kd5 1.Xc4+ Ke5 2.Kd3. In a line other moves of
    // Black have no number.
    let white = |ply: usize| (ply + 1 - black_begins) / 2 + 1;
    let is_white = |ply: usize| (ply + black_begins).is_multiple_of(2);
    let numbered = |(ply, name): (usize, &String)| match is_white(ply) {
        true => format!("{}.{name}", white(ply)),
        false if ply == 0 => format!("...{name}"),
        false => format!("{}...{name}", white(ply) - 1),
    };
    let mut column = 0;
    for (ply, name) in names.iter().enumerate() {
        let word = match is_white(ply) || ply == 0 {
            true => numbered((ply, name)),
            false => name.clone(),
        };
        if column > 0 {
            let is_full = column + 1 + word.len() > 80;
            text.push(if is_full { '\n' } else { ' ' });
            column = if is_full { 0 } else { column + 1 };
        }
        text += &word;
        column += word.len();
    }
    if column > 0 {
        text.push('\n');
    }
    if !diagrams {
        return text;
    }
    let captions = names.iter().enumerate().map(numbered);
    let captions = std::iter::once("start".to_owned()).chain(captions);
    let diagrams: Vec<(String, String)> = captions
        .zip(line)
        .map(|(caption, &position)| (caption, table.picture(position, LETTER)))
        .collect();
    text + &side_by_side(grid, &diagrams)
}

/// The diagrams in rows, as many beside each other as fit 80 characters.
fn side_by_side(grid: &Grid, diagrams: &[(String, String)]) -> String {
    const GAP: usize = 2;
    let Some((_, first)) = diagrams.first() else {
        return String::new();
    };
    let width = first.lines().map(str::len).max().unwrap_or(0) + GAP;
    let mut text = String::new();
    for row in diagrams.chunks((80 / width).max(1)) {
        text.push('\n');
        let mut lines = vec![String::new(); usize::from(grid.height()) + 2];
        for (caption, picture) in row {
            let cells = std::iter::once(caption.as_str()).chain(picture.lines());
            for (line, cell) in lines.iter_mut().zip(cells) {
                *line += &format!("{cell:<width$}");
            }
        }
        for line in lines {
            text += line.trim_end();
            text.push('\n');
        }
    }
    text
}
