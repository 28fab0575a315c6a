//! Ways over the board, for pieces whose squares are strides of memory.

use std::sync::LazyLock;

use crate::board::Square;

#[derive(Debug)]
pub(super) struct Ways {
    /// The whole files and ranks, and the diagonals, for pieces that slide along them.
    pub(super) lines: [Vec<Vec<u8>>; 2],
    /// The squares from each square in each direction, nearest first. Four directions are straight, and
    /// four diagonal.
    pub(super) rays: Vec<[Vec<u8>; 8]>,
}

static WAYS: LazyLock<Ways> = LazyLock::new(|| {
    const STEPS: [(i8, i8); 8] = [
        (1, 0),
        (0, 1),
        (-1, 0),
        (0, -1),
        (1, 1),
        (-1, 1),
        (-1, -1),
        (1, -1),
    ];
    let walk = |from: Square, (files, ranks): (i8, i8)| -> Vec<u8> {
        std::iter::successors(from.offset(files, ranks), |at| at.offset(files, ranks))
            .map(Square::number)
            .collect()
    };
    let rays = Square::all()
        .map(|from| STEPS.map(|step| walk(from, step)))
        .collect();
    // A line starts at a square from which one step back leaves the board.
    let lines = [[0, 1], [4, 5]].map(|directions| {
        let mut lines = Vec::new();
        for direction in directions {
            let step = STEPS[direction];
            for from in Square::all().filter(|from| from.offset(-step.0, -step.1).is_none()) {
                let mut line = vec![from.number()];
                line.extend(walk(from, step));
                if line.len() > 1 {
                    lines.push(line);
                }
            }
        }
        lines
    });
    Ways { lines, rays }
});

impl Ways {
    pub(super) fn get() -> &'static Ways {
        &WAYS
    }
}
