//! The solver of slices of pieces.

use std::fmt;

use tbindex::Leaper;
use tbindex::batch::Backend;
use tbindex::fairy::Grid;

use super::{MatingPower, fast, plain};

/// Solves king and piece against king, for one piece or for slices of them, on one board.
///
/// ```
/// use tbindex::Leaper;
/// use tbindex::batch::Backend;
/// use tbindex::fairy::Grid;
/// use tbindex_fairy::{MateSolver, MatingPower};
/// let solver = MateSolver::new(Grid::CHESS, Backend::detect());
/// let mut powers = [MatingPower::default(); 2];
/// solver.solve_into(&[Leaper::KING, Leaper::KNIGHT], &mut powers);
/// // The commoner, a king that is not royal, wins from everywhere, in 18 moves at the latest.
/// assert!(powers[0].wins_everywhere());
/// assert_eq!((powers[0].mates, powers[0].longest), (108, 36));
/// // The knight can't give mate.
/// assert_eq!(powers[1].mates, 0);
/// ```
pub struct MateSolver {
    pub(super) grid: Grid,
    backend: Backend,
    /// `None` if the board is too wide or too high for the fast solver.
    tables: Option<fast::Tables>,
}

impl MateSolver {
    /// The solver for a board. Boards of at most eight files and eight ranks are solved with the vectors of
    /// the backend, others by the plain solver, which takes many times as long.
    ///
    /// # Panics
    /// If the board has more than 64 squares.
    #[must_use]
    pub fn new(grid: Grid, backend: Backend) -> MateSolver {
        assert!(
            grid.square_count() <= 64,
            "expected a board of at most 64 squares"
        );
        MateSolver {
            tables: fast::Tables::new(&grid),
            grid,
            backend,
        }
    }

    /// Writes what each piece achieves to the same place of `powers`.
    ///
    /// # Panics
    /// If the slices have different lengths.
    pub fn solve_into(&self, pieces: &[Leaper], powers: &mut [MatingPower]) {
        assert_eq!(pieces.len(), powers.len(), "as many powers as pieces");
        match &self.tables {
            Some(tables) => fast::solve_all(self.backend, tables, pieces, powers),
            None => {
                for (power, &piece) in powers.iter_mut().zip(pieces) {
                    *power = MateSolver::plain(&self.grid, piece);
                }
            }
        }
    }

    /// The power of the piece, by the plain solver: one piece at a time, in scalar code, one word for each
    /// pair of squares of the white king and the piece. It is the reference that the fast solver is checked
    /// against, and that its speed is compared with.
    #[doc(hidden)]
    #[must_use]
    pub fn plain(grid: &Grid, piece: Leaper) -> MatingPower {
        plain::solve(grid, piece, |_, _, _, _| {})
    }
}

impl fmt::Debug for MateSolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MateSolver")
            .field("grid", &self.grid)
            .field("backend", &self.backend)
            .finish_non_exhaustive()
    }
}
