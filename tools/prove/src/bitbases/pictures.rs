//! How pieces move, read from pictures, square by square.
//!
//! This shares nothing with the library. A square is its number, 0 for a1, 1 for b1, to 63 for h8, and a set of
//! squares is a word with a bit for each.

use tbindex::Step;
use tbindex::bitbase::{Man, Walk};
use tbindex::{Color, Leaper, Piece, PieceType, Symmetry};

use crate::definition::image;

/// A piece and the squares around it, rank by rank from above. It goes on in the directions of `*` until
/// something is in its way, and leaps to `o`.
type Picture = [&'static str; 5];

const QUEEN: Picture = [
    ". . . . .", //
    ". * * * .", //
    ". * Q * .", //
    ". * * * .", //
    ". . . . .",
];
const ROOK: Picture = [
    ". . . . .", //
    ". . * . .", //
    ". * R * .", //
    ". . * . .", //
    ". . . . .",
];
const BISHOP: Picture = [
    ". . . . .", //
    ". * . * .", //
    ". . B . .", //
    ". * . * .", //
    ". . . . .",
];
const KNIGHT: Picture = [
    ". o . o .", //
    "o . . . o", //
    ". . N . .", //
    "o . . . o", //
    ". o . o .",
];
const KING: Picture = [
    ". . . . .", //
    ". o o o .", //
    ". o K o .", //
    ". o o o .", //
    ". . . . .",
];
/// A leaper whose moves back are not its moves forth: it goes like a gold general, and far to one side.
const CRAB: Picture = [
    ". . . . o", //
    ". o o o .", //
    "o o C o .", //
    ". . o . .", //
    ". o . . .",
];

/// The moves of a piece, as steps of files and ranks.
#[derive(Clone, Debug)]
pub(crate) struct Gait {
    slides: Vec<[i32; 2]>,
    leaps: Vec<[i32; 2]>,
}

impl Gait {
    fn of(picture: Picture) -> Gait {
        let steps = |mark: char| {
            let mut steps = Vec::new();
            for (row, ranks) in picture.iter().zip((-2..=2).rev()) {
                for (square, files) in row.split(' ').zip(-2..=2) {
                    if square == mark.to_string() {
                        steps.push([files, ranks]);
                    }
                }
            }
            steps
        };
        Gait {
            slides: steps('*'),
            leaps: steps('o'),
        }
    }

    /// The squares that the piece goes to from a square if others are on these: on each way, all up to the first
    /// that is occupied, and that one, too.
    pub(crate) fn reach(&self, from: usize, others: u64) -> u64 {
        let mut all = 0;
        for &step in &self.leaps {
            if let Some(to) = stepped(from, step) {
                all |= 1 << to;
            }
        }
        for &step in &self.slides {
            let mut at = from;
            while let Some(to) = stepped(at, step) {
                all |= 1 << to;
                if others >> to & 1 == 1 {
                    break;
                }
                at = to;
            }
        }
        all
    }
}

/// The square that a step leads to, unless it leaves the board.
fn stepped(from: usize, [files, ranks]: [i32; 2]) -> Option<usize> {
    let (file, rank) = (from as i32 % 8 + files, from as i32 / 8 + ranks);
    let on_board = (0..8).contains(&file) && (0..8).contains(&rank);
    on_board.then_some((file + 8 * rank) as usize)
}

/// A kind of piece: its name, its moves by picture, and how the library calls it.
#[derive(Clone, Debug)]
pub(crate) struct Kind {
    pub(crate) name: String,
    pub(crate) gait: Gait,
    walk: Walk,
}

impl Kind {
    fn chess(kind: PieceType, picture: Picture) -> Kind {
        Kind {
            name: kind.to_string(),
            gait: Gait::of(picture),
            walk: Walk::Chess(kind),
        }
    }

    fn leaper(name: String, gait: Gait) -> Kind {
        let steps = gait.leaps.iter();
        let leaper: Leaper = steps
            .map(|&[files, ranks]| Step::new(files as i8, ranks as i8))
            .collect();
        Kind {
            name,
            gait,
            walk: Walk::Leaper(leaper),
        }
    }

    pub(crate) fn man(&self, color: Color) -> Man {
        Man {
            walk: self.walk,
            color,
        }
    }
}

pub(crate) fn queen() -> Kind {
    Kind::chess(PieceType::Queen, QUEEN)
}

pub(crate) fn rook() -> Kind {
    Kind::chess(PieceType::Rook, ROOK)
}

pub(crate) fn bishop() -> Kind {
    Kind::chess(PieceType::Bishop, BISHOP)
}

pub(crate) fn knight() -> Kind {
    Kind::chess(PieceType::Knight, KNIGHT)
}

pub(crate) fn crab() -> Kind {
    Kind::leaper("crab".to_owned(), Gait::of(CRAB))
}

/// A queen, a rook, a bishop, a knight and the crab.
pub(crate) const KINDS: [fn() -> Kind; 5] = [queen, rook, bishop, knight, crab];

/// The moves of a king.
pub(crate) fn king() -> Gait {
    Gait::of(KING)
}

/// The moves of a fixed piece, a queen or a knight.
pub(crate) fn gait_of(piece: Piece) -> Gait {
    match piece.kind {
        PieceType::Queen => Gait::of(QUEEN),
        PieceType::Knight => Gait::of(KNIGHT),
        kind => panic!("no picture of a fixed {kind}"),
    }
}

/// The 24 leapers that have one step each.
pub(crate) fn single_steps() -> Vec<Kind> {
    let steps = (-2..=2).flat_map(|ranks| (-2..=2).map(move |files| [files, ranks]));
    steps
        .filter(|&step| step != [0, 0])
        .map(|[files, ranks]| {
            let gait = Gait {
                slides: Vec::new(),
                leaps: vec![[files, ranks]],
            };
            Kind::leaper(format!("leaper by {files} files and {ranks} ranks"), gait)
        })
        .collect()
}

/// The images of a square under the symmetries of the board: the first one alone, the first two, or all eight are
/// a group.
pub(crate) fn images(square: usize) -> [usize; 8] {
    std::array::from_fn(|code| {
        let symmetry = Symmetry::from_code(code as u8);
        let (file, rank) = image(symmetry, square as u8 % 8, square as u8 / 8);
        usize::from(8 * rank + file)
    })
}
