//! Pictures of pieces as SVG: the 5×5 diagram beside a board.

use svg::node::element::{Circle, Group, Rectangle, Text, Title};
use svg::{Document, Node};
use tbindex::Step;
use tbindex::fairy::{Grid, Verdict};
use tbindex::{Color, Leaper};

use crate::{Board, MatePosition, MateTable};

/// The side of a square.
const SIDE: i32 = 36;
/// The margin around everything, which also has the names of files and ranks.
const MARGIN: i32 = 28;
/// The height of the headline.
const HEADLINE: i32 = 30;
/// The height of a line of text below.
const LINE: i32 = 20;

/// The colours of classes. Finitely many classes are never more than eight. People who see no difference between red and
/// green tell them apart, too: these are those of Okabe and Ito, some of them lighter.
const CLASSES: [&str; 8] = [
    "#f0e442", "#56b4e9", "#e69f00", "#5fc9a9", "#d68cb4", "#8fa6d8", "#e88a5a", "#b3b3b3",
];
/// The colour of moves in the diagram, and of marks on the board.
const INK: &str = "#22303c";
/// The colour of the piece itself.
const PIECE: &str = "#a3122a";
const PAPER: &str = "#ffffff";
const EMPTY: &str = "#e3e7ea";
/// The edges of squares.
const EDGE: &str = "#9aa5b1";

/// Draws a piece, its verdict and the board, as the text of an SVG file.
///
/// Squares have the same colour if their difference is in the piece's lattice. The piece stands in the middle of the board,
/// and the squares that it can reach on this board have a dot. Squares of its colour that it can't reach are grey.
#[must_use]
pub fn verdict_picture(verdict: &Verdict, grid: &Grid) -> String {
    let (piece, lattice) = (verdict.piece, verdict.lattice);
    let middle = grid.middle();
    let (file, rank) = grid.file_and_rank(middle);
    let from_middle = |square: u8| {
        let (f, r) = grid.file_and_rank(square);
        let difference = |a: u8, b: u8| i32::from(a) - i32::from(b);
        lattice.reduce(difference(f, file), difference(r, rank))
    };
    // The classes that occur, the piece's own first.
    let mut classes = vec![(0, 0)];
    for square in grid.squares() {
        let class = from_middle(square);
        if !classes.contains(&class) {
            classes.push(class);
        }
    }
    let distances = grid.distances(piece, middle);
    let moves = &*distances;
    let cell = |square: u8| {
        let class = from_middle(square);
        let number = classes.iter().position(|&known| known == class);
        let colour = CLASSES[number.unwrap_or(0) % CLASSES.len()].to_owned();
        match moves[usize::from(square)] {
            Some(0) => (colour, Mark::Piece),
            Some(_) => (colour, Mark::Dot),
            None if number == Some(0) => (EMPTY.to_owned(), Mark::None),
            None => (colour, Mark::None),
        }
    };
    let below = format!(
        "{verdict} Dots: the {} squares that it reaches on the {grid} board. Grey: squares of its colour that it never reaches.",
        distances.reached() - 1
    );
    picture(piece, grid, cell, &below)
}

/// A blue of hue 205° and saturation 55 % as `#rrggbb`, which every renderer of SVG knows: the darker the nearer
/// the number is to the greatest. Even the darkest leaves the text on it a contrast of 4.5 : 1.
fn blue(number: i32, greatest: i32) -> String {
    let light = f64::from(94 - 34 * number / greatest.max(1)) / 100.0;
    let chroma = (1.0 - (2.0 * light - 1.0).abs()) * 0.55;
    // At 180° of hue green is as strong as blue, and at 240° there is none.
    let green = chroma * (240.0 - 205.0) / 60.0;
    let least = light - chroma / 2.0;
    let [red, green, blue] =
        [0.0, green, chroma].map(|more| (255.0 * (least + more)).round() as u8);
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Draws a piece and its distances from a square, as the text of an SVG file.
///
/// Each square has the number of moves on it, and is the darker the greater this number is.
///
/// # Panics
/// If `from` is not a square of the board.
#[must_use]
pub fn distances_picture(piece: Leaper, grid: &Grid, from: u8) -> String {
    let distances = grid.distances(piece, from);
    let greatest = distances.greatest().into();
    let cell = |square: u8| match distances[usize::from(square)] {
        None => (EMPTY.to_owned(), Mark::None),
        Some(0) => (PAPER.to_owned(), Mark::Piece),
        Some(moves) => (blue(moves.into(), greatest), Mark::Text(moves.to_string())),
    };
    let from = grid.square_name(from);
    let reached = distances.reached();
    let below = format!(
        "The numbers of moves from {from}, the darker the more. {reached} of {} squares are reached, the farthest in {}; grey \
         ones never.",
        grid.square_count(),
        distances.greatest()
    );
    picture(piece, grid, cell, &below)
}

/// Draws a piece and the plies to mate for every square of the black king, Black to move, as the text of an
/// SVG file. The white king and the piece stand where the position has them.
///
/// Each square on which Black loses has the number of plies on it, and is the darker the greater this number
/// is. Squares on which Black draws are white, and squares where the black king can't stand are grey.
///
/// # Panics
/// If a square of the position is not one of the board's.
#[must_use]
pub fn mates_picture(table: &MateTable, position: MatePosition) -> String {
    let with_king_on = |black_king: u8| MatePosition {
        side: Color::Black,
        black_king,
        ..position
    };
    let cell = |square: u8| {
        if square == position.piece {
            return (PAPER.to_owned(), Mark::Piece);
        }
        if square == position.white_king {
            return (PAPER.to_owned(), Mark::King);
        }
        match table.plies(with_king_on(square)) {
            Some(plies) => {
                let colour = blue(plies.into(), table.power().longest.into());
                (colour, Mark::Text(plies.to_string()))
            }
            None if table.is_legal(with_king_on(square)) => (PAPER.to_owned(), Mark::None),
            None => (EMPTY.to_owned(), Mark::None),
        }
    };
    let squares = table.grid.squares();
    let lost = squares.filter(|&square| table.plies(with_king_on(square)).is_some());
    let below = format!(
        "White: king {} (K), piece {}. Plies to mate with the black king on each square and Black to move, who loses on {}, \
         and draws on white squares; on grey ones it can't stand. The longest mate of all takes {} plies.",
        table.grid.square_name(position.white_king),
        table.grid.square_name(position.piece),
        lost.count(),
        table.power().longest,
    );
    picture(table.piece, &table.grid, cell, &below)
}

/// A mark on a square.
enum Mark {
    None,
    Dot,
    Piece,
    King,
    Text(String),
}

/// Draws the whole picture: headline, diagram, board, and a sentence.
fn picture(piece: Leaper, grid: &Grid, cell: impl Fn(u8) -> (String, Mark), below: &str) -> String {
    let headline = match piece.betza() {
        Some(betza) => format!("{betza}  ({piece})"),
        None => piece.to_string(),
    };
    let (columns, rows) = (i32::from(grid.width()), i32::from(grid.height()));
    let board_left = 2 * MARGIN + 5 * SIDE + MARGIN;
    let width = board_left + columns * SIDE + MARGIN;
    let top = MARGIN + HEADLINE;
    let bottom = top + rows.max(5) * SIDE + MARGIN + 8;
    // A letter is at most eight units wide, in wide fonts too.
    let lines = wrapped(below, ((width - 2 * MARGIN) / 8).max(24) as usize);
    let height = bottom + LINE * lines.len() as i32 + MARGIN / 2;

    let mut document = page(width, height, &headline);
    document.append(diagram(piece, MARGIN, top));
    document.append(board(grid, cell, board_left, top));
    for (line, at) in lines.iter().zip(0..) {
        document.append(text_at(MARGIN, bottom + LINE * at + LINE / 2, line));
    }
    format!("{document}\n")
}

/// A page with a headline, and nothing else yet.
pub(crate) fn page(width: i32, height: i32, headline: &str) -> Document {
    // A bold letter of size 18 is at most eleven units wide.
    let is_long = 11 * headline.chars().count() as i32 > width - 2 * MARGIN;
    Document::new()
        .set("viewBox", (0, 0, width, height))
        .set("width", width)
        .set("height", height)
        .set("font-family", "sans-serif")
        .set("font-size", 14)
        .set("fill", INK)
        .add(Title::new(headline))
        .add(rectangle(0, 0, width, height, PAPER))
        .add(
            text_at(MARGIN, MARGIN + 4, headline)
                .set("font-size", if is_long { 13 } else { 18 })
                .set("font-weight", "bold"),
        )
}

/// The 5×5 diagram.
fn diagram(piece: Leaper, left: i32, top: i32) -> Group {
    let mut group = Group::new();
    for (files, ranks) in (-2..=2).flat_map(|files| (-2..=2).map(move |ranks| (files, ranks))) {
        let (x, y) = (
            left + SIDE * i32::from(files + 2),
            top + SIDE * i32::from(2 - ranks),
        );
        group.append(rectangle(x, y, SIDE, SIDE, EMPTY).set("stroke", EDGE));
        if (files, ranks) == (0, 0) {
            group.append(circle_in(x, y, 12, PIECE));
        } else if piece.steps().any(|step| step == Step::new(files, ranks)) {
            group.append(circle_in(x, y, 8, INK));
        }
    }
    group
}

/// The board with the names of files and ranks.
fn board(grid: &Grid, cell: impl Fn(u8) -> (String, Mark), left: i32, top: i32) -> Group {
    let mut group = Group::new().set("text-anchor", "middle");
    let height = i32::from(grid.height());
    for square in grid.squares() {
        let (file, rank) = grid.file_and_rank(square);
        let x = left + SIDE * i32::from(file);
        let y = top + SIDE * (height - 1 - i32::from(rank));
        let (colour, mark) = cell(square);
        group.append(rectangle(x, y, SIDE, SIDE, &colour).set("stroke", EDGE));
        match mark {
            Mark::None => {}
            Mark::Dot => group.append(circle_in(x, y, 4, INK)),
            Mark::Piece => group.append(circle_in(x, y, 12, PIECE)),
            Mark::King => {
                group.append(circle_in(x, y, 14, INK));
                let letter = text_at(x + SIDE / 2, y + SIDE / 2 + 6, "K").set("fill", PAPER);
                group.append(letter.set("font-weight", "bold").set("font-size", 17));
            }
            Mark::Text(text) => {
                group.append(text_at(x + SIDE / 2, y + SIDE / 2 + 5, &text));
            }
        }
    }
    for file in 0..grid.width() {
        let name = grid.square_name(file);
        let name = name.trim_end_matches('1');
        let x = left + SIDE * i32::from(file) + SIDE / 2;
        group.append(text_at(x, top + SIDE * height + 16, name));
    }
    for rank in 0..grid.height() {
        let y = top + SIDE * (height - 1 - i32::from(rank)) + SIDE / 2 + 5;
        group.append(text_at(left - 12, y, &(rank + 1).to_string()));
    }
    group
}

pub(crate) fn rectangle(x: i32, y: i32, width: i32, height: i32, colour: &str) -> Rectangle {
    Rectangle::new()
        .set("x", x)
        .set("y", y)
        .set("width", width)
        .set("height", height)
        .set("fill", colour)
}

/// A disc in the middle of the square that has its corner here.
fn circle_in(x: i32, y: i32, radius: i32, colour: &str) -> Circle {
    Circle::new()
        .set("cx", x + SIDE / 2)
        .set("cy", y + SIDE / 2)
        .set("r", radius)
        .set("fill", colour)
}

pub(crate) fn text_at(x: i32, y: i32, text: &str) -> Text {
    Text::new(text).set("x", x).set("y", y)
}

/// The text in lines of at most so many letters; only a longer word makes a longer line.
fn wrapped(text: &str, letters: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= letters => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
