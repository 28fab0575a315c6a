//! A board on which a piece steps from square to square: it knows no bit, no table and nothing of the library.

/// A board, and the steps of a piece: files to the right, ranks up.
pub(crate) struct Board {
    width: i32,
    height: i32,
    steps: Vec<(i32, i32)>,
}

/// Counts steps off the picture of 5×5 squares.
fn steps(piece: u32) -> Vec<(i32, i32)> {
    let ranks = (-2..=2).rev();
    let around = ranks.flat_map(|ranks| (-2..=2).map(move |files| (files, ranks)));
    let around = around.filter(|&step| step != (0, 0)).enumerate();
    let steps = around.filter(|(k, _)| piece >> k & 1 != 0);
    steps.map(|(_, step)| step).collect()
}

impl Board {
    pub(crate) fn new(width: i32, height: i32, piece: u32) -> Board {
        Board {
            width,
            height,
            steps: steps(piece),
        }
    }

    /// The squares that one step leads to.
    pub(crate) fn targets(&self, square: u8) -> impl Iterator<Item = u8> {
        let (file, rank) = (
            i32::from(square) % self.width,
            i32::from(square) / self.width,
        );
        self.steps.iter().filter_map(move |&(files, ranks)| {
            let (file, rank) = (file + files, rank + ranks);
            let inside = 0 <= file && file < self.width && 0 <= rank && rank < self.height;
            inside.then_some((rank * self.width + file) as u8)
        })
    }
}
