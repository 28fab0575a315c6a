//! Positions of a material as indices.

use rayon::prelude::*;
use syzygy_tables::batch::PieceOrder;
use syzygy_tables::numbering::PackedSquares;
use tbindex::batch::{Backend, BatchWord};
use tbindex::{Layout, Material};

/// The positions whose squares are turned at a time.
const PART: usize = 1 << 11;

/// The order of the pieces in a material's indices, and in rows of their squares.
///
/// # Errors
/// If the material has no tables: these are of 3 to 7 pieces.
pub fn index_order(material: Material) -> Result<PieceOrder, syzygy_tables::Error> {
    let letters: String = material.index_order().map(char::from).collect();
    PieceOrder::of_letters(&letters)
}

/// Writes the squares of indices as [`Positions::Squares`](syzygy_tables::batch::Positions::Squares) has them. Several threads
/// share the work.
///
/// ```
/// use tbgen::{index_order, pack_indices};
/// use tbindex::{Layout, Numbering};
///
/// let order = index_order("KQvKR".parse()?)?;
/// let layout = Layout::<u32>::try_new(4, Numbering::Natural)?;
/// let mut packed = [0];
/// pack_indices(&order, &layout, &[0o00270327], &mut packed);
/// assert_eq!(packed[0].to_le_bytes(), [0, 18, 3, 63, 0, 0, 0, 0]); // K a1, Q c3, k d1, r h8
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
/// If there is not one index for each result, or the layout is of more or fewer pieces.
pub fn pack_indices<W: BatchWord>(
    order: &PieceOrder,
    layout: &Layout<W>,
    indices: &[W],
    out: &mut [PackedSquares],
) {
    assert_eq!(indices.len(), out.len(), "one index for each");
    let pieces = layout.pieces();
    let parts = indices.par_chunks(PART).zip(out.par_chunks_mut(PART));
    parts.for_each_init(
        || vec![0; PART * pieces],
        |rows, (indices, out)| {
            let rows = &mut rows[..indices.len() * pieces];
            Backend::detect().decode_rows(layout, indices, rows);
            order.pack(rows, out);
        },
    );
}
