//! The 462 pairs of kings, and where king moves lead.
//!
//! Without pawns a position may be turned and mirrored until the white king stands in the triangle
//! a1–d1–d4, and, where that leaves a choice, the black king on or below the long diagonal. That
//! leaves 462 pairs of kings that do not touch; each pair is a *slice* of every table. A king's move
//! may leave the domain: then the symmetry that leads back comes with the slice it leads to.

use std::sync::LazyLock;

use tbindex::{Color, File, Rank, Square, Symmetry};

/// How many slices a table has.
pub const SLICES: usize = 462;

/// A king's move, seen from a slice.
#[derive(Clone, Copy, Debug)]
pub struct KingMove {
    /// The square it goes to, in the slice's own orientation.
    pub to: Square,
    /// The slice of the two kings after the move.
    pub slice: usize,
    /// What takes the position after the move to that slice's orientation.
    pub symmetry: Symmetry,
}

/// A slice's kings and their moves.
#[derive(Clone, Debug)]
pub struct KingPair {
    /// The squares of the white and the black king.
    pub squares: [Square; 2],
    /// The moves of either king that leave the kings apart.
    pub moves: [Vec<KingMove>; 2],
    /// Whether both kings stand on the long diagonal, so that a position and its mirror image are
    /// both in the slice.
    pub mirrored: bool,
}

/// All pairs of kings in the domain, and the way there.
#[derive(Debug)]
pub struct Kings {
    pairs: Vec<KingPair>,
    home: Vec<Option<(usize, Symmetry)>>,
}

static KINGS: LazyLock<Kings> = LazyLock::new(Kings::build);

fn touch(a: Square, b: Square) -> bool {
    (a.file() as i32 - b.file() as i32).abs() <= 1 && (a.rank() as i32 - b.rank() as i32).abs() <= 1
}

fn in_domain(white: Square, black: Square) -> bool {
    let (file, rank) = (white.file() as u8, white.rank() as u8);
    white.file() <= File::D
        && rank <= file
        && (rank < file || black.rank() as u8 <= black.file() as u8)
}

fn king_steps(from: Square) -> impl Iterator<Item = Square> {
    (-1..=1)
        .flat_map(|files| (-1..=1).map(move |ranks| (files, ranks)))
        .filter(|&step| step != (0, 0))
        .filter_map(move |(files, ranks)| from.offset(files, ranks))
}

impl Kings {
    /// The one table of king pairs.
    #[must_use]
    pub fn get() -> &'static Kings {
        &KINGS
    }

    fn build() -> Kings {
        let mut pairs = Vec::with_capacity(SLICES);
        let mut home = vec![None; 64 * 64];
        for white in Square::all() {
            for black in Square::all() {
                if in_domain(white, black) && !touch(white, black) {
                    home[white.index() * 64 + black.index()] =
                        Some((pairs.len(), Symmetry::Identity));
                    let on_diagonal = |s: Square| s.file() as u8 == s.rank() as u8;
                    pairs.push(KingPair {
                        squares: [white, black],
                        moves: [Vec::new(), Vec::new()],
                        mirrored: on_diagonal(white) && on_diagonal(black),
                    });
                }
            }
        }
        for white in Square::all() {
            for black in Square::all().filter(|&black| !touch(white, black)) {
                let folded = Symmetry::ALL
                    .into_iter()
                    .find(|g| in_domain(g.apply(white), g.apply(black)));
                if let Some(symmetry) = folded {
                    let at = symmetry.apply(white).index() * 64 + symmetry.apply(black).index();
                    let slice = home[at].map(|(slice, _)| slice);
                    home[white.index() * 64 + black.index()] = slice.map(|slice| (slice, symmetry));
                }
            }
        }
        let mut kings = Kings { pairs, home };
        for k in 0..kings.pairs.len() {
            let [white, black] = kings.pairs[k].squares;
            let to = |to, found: Option<(usize, Symmetry)>| {
                found.map(|(slice, symmetry)| KingMove {
                    to,
                    slice,
                    symmetry,
                })
            };
            kings.pairs[k].moves = [
                king_steps(white)
                    .filter_map(|s| to(s, kings.home(s, black)))
                    .collect(),
                king_steps(black)
                    .filter_map(|s| to(s, kings.home(white, s)))
                    .collect(),
            ];
        }
        kings
    }

    /// A slice's kings.
    ///
    /// # Panics
    /// If `slice` is not below [`SLICES`].
    #[must_use]
    pub fn pair(&self, slice: usize) -> &KingPair {
        &self.pairs[slice]
    }

    /// The slice of two kings anywhere on the board and the symmetry that leads there, or `None` if
    /// they touch.
    #[must_use]
    pub fn home(&self, white: Square, black: Square) -> Option<(usize, Symmetry)> {
        self.home[white.index() * 64 + black.index()]
    }

    /// The slice's moves of the king of one side.
    #[must_use]
    pub fn moves(&self, slice: usize, side: Color) -> &[KingMove] {
        &self.pairs[slice].moves[side as usize]
    }
}

/// Whether a square is on the long diagonal a1–h8.
#[must_use]
pub fn on_diagonal(square: Square) -> bool {
    square.file() as u8 == square.rank() as u8
}

/// The square at a file and a rank given as numbers.
#[must_use]
pub fn square_at(file: usize, rank: usize) -> Square {
    Square::at(File::new(file as u8), Rank::new(rank as u8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_462_pairs_and_each_pair_of_kings_apart_has_a_home() {
        let kings = Kings::get();
        assert_eq!(kings.pairs.len(), SLICES);
        for white in Square::all() {
            for black in Square::all() {
                match kings.home(white, black) {
                    None => assert!(touch(white, black)),
                    Some((slice, g)) => {
                        let expected = [g.apply(white), g.apply(black)];
                        assert_eq!(kings.pair(slice).squares, expected);
                    }
                }
            }
        }
    }

    #[test]
    fn king_moves_can_be_taken_back() {
        let kings = Kings::get();
        for slice in 0..SLICES {
            for side in Color::ALL {
                for step in kings.moves(slice, side) {
                    assert!(
                        kings
                            .moves(step.slice, side)
                            .iter()
                            .any(|back| back.slice == slice)
                    );
                }
            }
        }
        assert_eq!((0..SLICES).filter(|&s| kings.pair(s).mirrored).count(), 21);
    }
}
