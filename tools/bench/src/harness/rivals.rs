//! The rivals of the batches, which compute the same results by other means. Each is written as well as its
//! kind allows, and is compiled for the backend's instructions. These can make it slower: with AVX-512 the
//! compiler makes gathers of the look-ups, which take longer than single loads. So the harness also times the
//! form of the portable backend, which has none of them, and the faster of the two is the rival.
//!
//! * The *look-up loop* does one table look-up for each piece. Most generators have this code in this form.
//!   The number of pieces is known when it is compiled, and an entry of the table holds both digits where
//!   the index wants them, so a piece costs two shifts, two masks, a load and a shift. The canonical form
//!   looks up which symmetry folds the leading piece, and tries the diagonal flip only where the leading
//!   piece is on a diagonal.
//! * The *plain loop* applies the scalar function to one index after another, vectorised as well as the
//!   compiler can.
//!
//! The rivals that use `pext` and `pdep` are in `bits.rs`.

use tbindex::batch::{Backend, BatchWord};
use tbindex::{Equivalence, Layout, Numbering, Symmetry, dispatch, reference};

/// The look-up loops of one layout.
#[derive(Clone, Debug)]
pub struct Tables<W> {
    pieces: usize,
    /// For each symmetry and each code, the two digits of the code's image in the places of piece 0.
    images: [[W; 64]; 8],
    /// For each code, the digits of the same square's code under the other numbering.
    converted: [W; 64],
    /// For each square, the digits of its code.
    encoded: [W; 64],
    /// The square of a code.
    decoded: [u8; 64],
    /// For each code of a leading piece, the symmetry that folds it.
    folds: [u8; 64],
    /// For each code of a leading piece that is folded, whether it is on the diagonal.
    diagonal: [bool; 64],
}

/// Expands to a call of the function for the number of pieces. Words of 32 bits have up to five, and no more
/// is compiled for them.
macro_rules! for_pieces {
    ($pieces:expr, $function:ident($($argument:expr),*)) => {
        match $pieces {
            1 => $function::<W, 1>($($argument),*),
            2 => $function::<W, 2>($($argument),*),
            3 => $function::<W, 3>($($argument),*),
            4 => $function::<W, 4>($($argument),*),
            5 => $function::<W, 5>($($argument),*),
            _ if const { W::BITS == 32 } => unreachable!("a layout has no more pieces than fit"),
            6 => $function::<W, 6>($($argument),*),
            7 => $function::<W, 7>($($argument),*),
            8 => $function::<W, 8>($($argument),*),
            9 => $function::<W, 9>($($argument),*),
            _ => $function::<W, 10>($($argument),*),
        }
    };
}

impl<W: BatchWord> Tables<W> {
    /// The look-up loops of this layout.
    #[must_use]
    pub fn new(layout: &Layout<W>) -> Tables<W> {
        let (pieces, numbering) = (layout.pieces(), layout.numbering());
        let own = numbering as usize;
        let other = 1 - own;
        let image = |symmetry: usize, code: usize| reference::IMAGE[own][symmetry][code];
        let table = |code_of: &dyn Fn(usize) -> u8| -> [W; 64] {
            std::array::from_fn(|k| place(layout, code_of(k)))
        };
        let square = |code: usize| reference::SQUARE_OF_CODE[own][code];
        let fold = |code: usize| (0..8).min_by_key(|&s| (image(s, code), s)).unwrap_or(0);
        Tables {
            pieces,
            images: std::array::from_fn(|symmetry| table(&|code| image(symmetry, code))),
            converted: table(&|code| reference::CODE_OF_SQUARE[other][usize::from(square(code))]),
            encoded: table(&|k| reference::CODE_OF_SQUARE[own][k]),
            decoded: std::array::from_fn(square),
            folds: std::array::from_fn(|code| fold(code) as u8),
            diagonal: std::array::from_fn(|code| {
                usize::from(image(Symmetry::FlipDiagonal as usize, code)) == code
            }),
        }
    }

    /// Writes the image of every index.
    pub fn flip(&self, backend: Backend, symmetry: Symmetry, from: &[W], to: &mut [W]) {
        let table = &self.images[symmetry as usize];
        dispatch!(backend, _ => for_pieces!(self.pieces, look_up_all(table, from, to)));
    }

    /// Writes every index under the other numbering.
    pub fn convert(&self, backend: Backend, from: &[W], to: &mut [W]) {
        let table = &self.converted;
        dispatch!(backend, _ => for_pieces!(self.pieces, look_up_all(table, from, to)));
    }

    /// Writes the canonical form of every index, for distinct pieces under all eight symmetries.
    pub fn canonical(&self, backend: Backend, from: &[W], to: &mut [W]) {
        dispatch!(backend, _ => for_pieces!(self.pieces, fold_all(self, from, to)));
    }

    /// Writes the index of every row of squares.
    pub fn encode(&self, backend: Backend, rows: &[u8], to: &mut [W]) {
        dispatch!(backend, _ => for_pieces!(self.pieces, encode_all(&self.encoded, rows, to)));
    }

    /// Writes the row of squares of every index.
    pub fn decode(&self, backend: Backend, from: &[W], rows: &mut [u8]) {
        dispatch!(backend, _ => for_pieces!(self.pieces, decode_all(&self.decoded, from, rows)));
    }
}

/// The digits of a code in the places of piece 0.
fn place<W: BatchWord>(layout: &Layout<W>, code: u8) -> W {
    W::from(code & 7) | W::from(code >> 3) << (3 * layout.pieces() as u32)
}

#[inline(always)]
fn code<W: BatchWord, const N: usize>(index: W, k: usize) -> usize {
    let high = (index >> (3 * (N + k)) as u32).low_byte() & 7;
    let low = (index >> (3 * k) as u32).low_byte() & 7;
    usize::from(high << 3 | low)
}

#[inline(always)]
fn look_up<W: BatchWord, const N: usize>(table: &[W; 64], index: W) -> W {
    let mut image = W::ZERO;
    for k in 0..N {
        image |= table[code::<W, N>(index, k)] << (3 * k) as u32;
    }
    image
}

#[inline(always)]
fn look_up_all<W: BatchWord, const N: usize>(table: &[W; 64], from: &[W], to: &mut [W]) {
    for (to, &from) in to.iter_mut().zip(from) {
        *to = look_up::<W, N>(table, from);
    }
}

#[inline(always)]
fn fold_all<W: BatchWord, const N: usize>(tables: &Tables<W>, from: &[W], to: &mut [W]) {
    for (to, &from) in to.iter_mut().zip(from) {
        let fold = tables.folds[code::<W, N>(from, N - 1)];
        let folded = look_up::<W, N>(&tables.images[usize::from(fold & 7)], from);
        *to = if tables.diagonal[code::<W, N>(folded, N - 1)] {
            let diagonal = &tables.images[Symmetry::FlipDiagonal as usize];
            Ord::min(folded, look_up::<W, N>(diagonal, folded))
        } else {
            folded
        };
    }
}

#[inline(always)]
fn encode_all<W: BatchWord, const N: usize>(table: &[W; 64], rows: &[u8], to: &mut [W]) {
    for (to, row) in to.iter_mut().zip(rows.chunks_exact(N)) {
        let mut index = W::ZERO;
        for k in 0..N {
            index |= table[usize::from(row[k] & 63)] << (3 * k) as u32;
        }
        *to = index;
    }
}

#[inline(always)]
fn decode_all<W: BatchWord, const N: usize>(table: &[u8; 64], from: &[W], rows: &mut [u8]) {
    for (row, &from) in rows.chunks_exact_mut(N).zip(from) {
        for k in 0..N {
            row[k] = table[code::<W, N>(from, k)];
        }
    }
}

/// Writes the image of every index by the scalar function in a plain loop.
pub fn plain_flip<W: BatchWord>(
    backend: Backend,
    layout: &Layout<W>,
    symmetry: Symmetry,
    from: &[W],
    to: &mut [W],
) {
    // A local copy, as the compiler must assume that the loop may overwrite a value behind a reference.
    let layout = *layout;
    // The formula is chosen once, as in the batch, and the loop has one formula in it.
    macro_rules! choose {
        ($($symmetry:ident),*) => {
            match symmetry {
                $(Symmetry::$symmetry => plain(backend, from, to, move |x| {
                    layout.flip(Symmetry::$symmetry, x)
                }),)*
            }
        };
    }
    choose!(
        Identity,
        FlipHorizontal,
        FlipVertical,
        Rotate180,
        FlipDiagonal,
        FlipAntiDiagonal,
        Rotate90,
        Rotate270
    );
}

/// Writes every index under the other numbering by the scalar function in a plain loop.
pub fn plain_convert<W: BatchWord>(backend: Backend, layout: &Layout<W>, from: &[W], to: &mut [W]) {
    let layout = *layout;
    match layout.numbering() {
        Numbering::Natural => plain(backend, from, to, move |x| {
            layout.convert(Numbering::Alternate, x)
        }),
        Numbering::Alternate => plain(backend, from, to, move |x| {
            layout.convert(Numbering::Natural, x)
        }),
    }
}

/// Writes the canonical form of every index by the scalar function in a plain loop.
pub fn plain_canonical<W: BatchWord>(
    backend: Backend,
    same: &Equivalence<W>,
    from: &[W],
    to: &mut [W],
) {
    let same = same.clone();
    plain(backend, from, to, move |x| same.canonical(x));
}

#[inline(always)]
fn map<W: BatchWord>(from: &[W], to: &mut [W], f: impl Fn(W) -> W) {
    for (to, &from) in to.iter_mut().zip(from) {
        *to = f(from);
    }
}

#[inline(always)]
fn plain<W: BatchWord>(backend: Backend, from: &[W], to: &mut [W], f: impl Fn(W) -> W) {
    dispatch!(backend, _ => map(from, to, f));
}
