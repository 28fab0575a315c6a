//! The lines of the board, for men whose squares number slabs.

use std::sync::LazyLock;

use crate::board::Square;

/// Lines as lists of squares. Of each pair the first part is for files and ranks, the second for diagonals.
#[derive(Debug)]
pub(super) struct SquareLines {
    /// All lines of two squares and more, from end to end.
    pub(super) whole: [Vec<Vec<u8>>; 2],
    /// The squares from each square in each of the four directions, nearest first.
    pub(super) rays: Vec<[[Vec<u8>; 4]; 2]>,
}

static LINES: LazyLock<SquareLines> = LazyLock::new(|| {
    const STEPS: [[(i8, i8); 4]; 2] = [
        [(1, 0), (0, 1), (-1, 0), (0, -1)],
        [(1, 1), (-1, 1), (-1, -1), (1, -1)],
    ];
    let ray = |from: Square, (files, ranks): (i8, i8)| -> Vec<u8> {
        std::iter::successors(from.offset(files, ranks), |at| at.offset(files, ranks))
            .map(Square::number)
            .collect()
    };
    SquareLines {
        // A line starts at a square from which one step back leaves the board.
        whole: STEPS.map(|steps| {
            let starts = steps[..2].iter().flat_map(|&(files, ranks)| {
                let starts = Square::all().filter(move |at| at.offset(-files, -ranks).is_none());
                starts.map(move |from| (from, (files, ranks)))
            });
            starts
                .map(|(from, step)| [vec![from.number()], ray(from, step)].concat())
                .filter(|line| line.len() > 1)
                .collect()
        }),
        rays: Square::all()
            .map(|from| STEPS.map(|steps| steps.map(|step| ray(from, step))))
            .collect(),
    }
});

impl SquareLines {
    pub(super) fn get() -> &'static SquareLines {
        &LINES
    }
}
