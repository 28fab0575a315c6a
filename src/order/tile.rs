//! A tile: the entries of all squares of two pieces.

/// The squares of the board.
pub(super) const BOARD: usize = 64;

/// The entries of all squares of two pieces, 64 rows of 64.
#[derive(Clone, Debug)]
pub(super) struct Tile<T> {
    pub(super) rows: Vec<[T; BOARD]>,
}

impl<T: bytemuck::Pod> Tile<T> {
    pub(super) fn new(fill: T) -> Tile<T> {
        Tile {
            rows: vec![[fill; BOARD]; BOARD],
        }
    }

    /// Writes the columns of another tile as rows.
    #[inline(always)]
    pub(super) fn transpose(&mut self, from: &Tile<T>) {
        match size_of::<T>() {
            1 => transpose_words::<8, 3>(
                bytemuck::cast_slice(&from.rows),
                bytemuck::cast_slice_mut(&mut self.rows),
            ),
            2 => transpose_words::<16, 2>(
                bytemuck::cast_slice(&from.rows),
                bytemuck::cast_slice_mut(&mut self.rows),
            ),
            _ => {
                for (k, row) in self.rows.iter_mut().enumerate() {
                    for (entry, from) in row.iter_mut().zip(&from.rows) {
                        *entry = from[k];
                    }
                }
            }
        }
    }
}

/// Exchanges rows and columns of 64 rows of `WORDS` words, each of which has 2^`STEPS` entries. As many rows are taken at
/// a time as a word has entries: words side by side are blocks, which are transposed together.
#[inline(always)]
fn transpose_words<const WORDS: usize, const STEPS: u32>(from: &[u64], to: &mut [u64]) {
    let height = 1usize << STEPS;
    let bits = 64 >> STEPS;
    for (block, rows) in from.chunks_exact(WORDS * height).enumerate() {
        let mut x = [[0u64; WORDS]; 8];
        for (x, row) in x.iter_mut().zip(rows.chunks_exact(WORDS)) {
            x.copy_from_slice(row);
        }
        for step in (0..STEPS).rev() {
            let far = 1usize << step;
            let shift = bits << step;
            // The lower halves of groups of entries.
            let mask = !0u64 / ((1u64 << shift) + 1);
            for low in (0..height).filter(|low| low & far == 0) {
                let (mut a, mut b) = (x[low], x[low + far]);
                for (a, b) in a.iter_mut().zip(&mut b) {
                    let other = (*a >> shift ^ *b) & mask;
                    *a ^= other << shift;
                    *b ^= other;
                }
                (x[low], x[low + far]) = (a, b);
            }
        }
        for (k, x) in x[..height].iter().enumerate() {
            for (column, &word) in x.iter().enumerate() {
                to[(column * height + k) * WORDS + block] = word;
            }
        }
    }
}
