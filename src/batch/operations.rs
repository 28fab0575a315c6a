//! The operations on slices, as methods of a [`Backend`], and the words that they are compiled for.

use super::backend::Backend;
use super::out_of_range::OutOfRange;
use super::run::{self, Map};
use super::scans;
use super::schemes::{self, DenseScheme};
use super::squares::{columns, rows};
use crate::board::{Group, Symmetry};
use crate::checks::check_length;
use crate::dispatch;
use crate::index::{Equivalence, Layout, Numbering, Word};
use crate::word::word_trait;

/// The number of words that are copied at a time where an operation works in place on a copy.
const PART: usize = 512;

/// # Symmetries, numberings, canonical forms
///
/// Every method applies the method of [`Layout`] or [`Equivalence`] of the same name to each index of a
/// slice. Indices must be valid, which [`check_indices`](Backend::check_indices) checks. The answer for an invalid one is
/// unspecified, and does not affect the others. Slices may begin anywhere and have any length. Nothing is allocated.
///
/// # Panics
/// If two slices that belong together differ in length.
impl Backend {
    /// Replaces every index by its image under a symmetry ([`Layout::flip`]).
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::{Layout, Numbering, Symmetry};
    /// let mut indices = [0o123_456, 0o000_777];
    /// let layout = Layout::<u32>::new(3, Numbering::Natural);
    /// Backend::detect().flip_in_place(&layout, Symmetry::FlipDiagonal, &mut indices);
    /// assert_eq!(indices, [0o456_123, 0o777_000]);
    /// ```
    pub fn flip_in_place<W: BatchWord>(
        self,
        layout: &Layout<W>,
        symmetry: Symmetry,
        indices: &mut [W],
    ) {
        W::map(self, &Map::Flip(layout, symmetry), None, indices);
    }

    /// Writes the image of every index under a symmetry ([`Layout::flip`]).
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::{Layout, Numbering, Symmetry};
    /// let mut images = [0; 2];
    /// let layout = Layout::<u32>::new(3, Numbering::Natural);
    /// Backend::detect().flip_into(&layout, Symmetry::FlipHorizontal, &[0o123_456, 0o000_777], &mut images);
    /// assert_eq!(images, [0o123_321, 0o000_000]);
    /// ```
    #[track_caller]
    pub fn flip_into<W: BatchWord>(
        self,
        layout: &Layout<W>,
        symmetry: Symmetry,
        from: &[W],
        to: &mut [W],
    ) {
        check_length("flip_into", to.len(), from.len());
        W::map(self, &Map::Flip(layout, symmetry), Some(from), to);
    }

    /// Changes every index from the layout's numbering to another ([`Layout::convert`]).
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::{Layout, Numbering};
    /// // The squares of the diagonal have the high digits 6 and 7.
    /// let mut squares = [0o00, 0o11, 0o22, 0o33];
    /// let natural = Layout::<u32>::new(1, Numbering::Natural);
    /// Backend::detect().convert_in_place(&natural, Numbering::Alternate, &mut squares);
    /// assert_eq!(squares, [0o60, 0o61, 0o70, 0o71]);
    /// ```
    pub fn convert_in_place<W: BatchWord>(
        self,
        layout: &Layout<W>,
        numbering: Numbering,
        indices: &mut [W],
    ) {
        W::map(self, &Map::Convert(layout, numbering), None, indices);
    }

    /// Writes the index of every position under another numbering ([`Layout::convert`]).
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::{Layout, Numbering};
    /// let mut natural = [0; 2];
    /// let alternate = Layout::<u32>::new(1, Numbering::Alternate);
    /// Backend::detect().convert_into(&alternate, Numbering::Natural, &[0o60, 0o71], &mut natural);
    /// assert_eq!(natural, [0o00, 0o33]);
    /// ```
    #[track_caller]
    pub fn convert_into<W: BatchWord>(
        self,
        layout: &Layout<W>,
        numbering: Numbering,
        from: &[W],
        to: &mut [W],
    ) {
        check_length("convert_into", to.len(), from.len());
        W::map(self, &Map::Convert(layout, numbering), Some(from), to);
    }

    /// Replaces every index by its canonical form ([`Equivalence::canonical`]).
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::{Equivalence, Numbering, Symmetry};
    /// let same = Equivalence::<u32>::try_new("KRvK".parse()?, Numbering::Natural)?;
    /// let mut images = Symmetry::ALL.map(|symmetry| same.layout().flip(symmetry, 0o123_456));
    /// Backend::detect().canonical_in_place(&same, &mut images);
    /// assert_eq!(images, [0o123_321; 8]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn canonical_in_place<W: BatchWord>(self, same: &Equivalence<W>, indices: &mut [W]) {
        W::map(self, &Map::Canonical(same), None, indices);
    }

    /// Writes the canonical form of every index ([`Equivalence::canonical`]).
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::{Equivalence, Numbering};
    /// let same = Equivalence::<u32>::try_new("KRRvK".parse()?, Numbering::Natural)?;
    /// let mut canonical = [0; 2];
    /// Backend::detect().canonical_into(&same, &[0o7700_7700, 0o0077_0077], &mut canonical);
    /// assert_eq!(canonical, [0o0077_0077; 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn canonical_into<W: BatchWord>(self, same: &Equivalence<W>, from: &[W], to: &mut [W]) {
        check_length("canonical_into", to.len(), from.len());
        W::map(self, &Map::Canonical(same), Some(from), to);
    }

    /// Replaces every index by its canonical form and writes the [code](Symmetry) of the
    /// symmetry that leads there ([`Equivalence::canonical_with_symmetry`]).
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::{Equivalence, Numbering, Symmetry};
    /// let same = Equivalence::<u32>::try_new("KRvK".parse()?, Numbering::Natural)?;
    /// let (mut indices, mut codes) = ([0o123_456, 0o123_321], [0; 2]);
    /// Backend::detect().canonical_with_symmetry_in_place(&same, &mut indices, &mut codes);
    /// assert_eq!(indices, [0o123_321; 2]);
    /// assert_eq!(codes.map(Symmetry::from_code), [Symmetry::FlipHorizontal, Symmetry::Identity]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn canonical_with_symmetry_in_place<W: BatchWord>(
        self,
        same: &Equivalence<W>,
        indices: &mut [W],
        symmetries: &mut [u8],
    ) {
        check_length(
            "canonical_with_symmetry_in_place",
            symmetries.len(),
            indices.len(),
        );
        in_vectors(indices, symmetries, |indices, symmetries| {
            W::canonical_with_symmetry(self, same, indices, symmetries);
        });
    }

    /// Writes the canonical form of every index and the [code](Symmetry) of the symmetry that
    /// leads there ([`Equivalence::canonical_with_symmetry`]).
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::{Equivalence, Numbering, Symmetry};
    /// let same = Equivalence::<u32>::try_new("KRvK".parse()?, Numbering::Natural)?;
    /// let (mut canonical, mut codes) = ([0], [0]);
    /// Backend::detect().canonical_with_symmetry_into(&same, &[0o623_456], &mut canonical, &mut codes);
    /// assert_eq!((canonical, codes.map(Symmetry::from_code)), ([0o154_321], [Symmetry::Rotate180]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn canonical_with_symmetry_into<W: BatchWord>(
        self,
        same: &Equivalence<W>,
        from: &[W],
        to: &mut [W],
        symmetries: &mut [u8],
    ) {
        check_length("canonical_with_symmetry_into", to.len(), from.len());
        check_length("canonical_with_symmetry_into", symmetries.len(), from.len());
        // The parts stay in the nearest cache, so the loop in place serves here, too.
        let parts = to.chunks_mut(PART).zip(symmetries.chunks_mut(PART));
        for ((to, symmetries), from) in parts.zip(from.chunks(PART)) {
            to.copy_from_slice(from);
            self.canonical_with_symmetry_in_place(same, to, symmetries);
        }
    }

    /// Writes the size of every index's orbit, which is the number of different indices that the group
    /// makes of it ([`Equivalence::orbit_size`]).
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::{Equivalence, Numbering};
    /// let same = Equivalence::<u32>::try_new("KRvK".parse()?, Numbering::Natural)?;
    /// let mut sizes = [0; 2];
    /// // The second has all pieces on the diagonal.
    /// Backend::detect().orbit_size_into(&same, &[0o125_126, 0o125_125], &mut sizes);
    /// assert_eq!(sizes, [8, 4]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn orbit_size_into<W: BatchWord>(
        self,
        same: &Equivalence<W>,
        from: &[W],
        sizes: &mut [u8],
    ) {
        check_length("orbit_size_into", sizes.len(), from.len());
        if same.group() != Group::D4 {
            return sizes.fill(same.group().order() as u8);
        }
        let layout = &same.layout();
        let mut copy = [W::ZERO; PART];
        for (from, sizes) in from.chunks(PART).zip(sizes.chunks_mut(PART)) {
            let indices = &mut copy[..from.len()];
            indices.copy_from_slice(from);
            in_vectors(indices, sizes, |indices, sizes| {
                W::orbit_size(self, layout, indices, sizes);
            });
        }
    }

    /// Writes whether each index is its own canonical form ([`Equivalence::canonical`]), as a bitmap: bit
    /// `k % 64` of word `k / 64` is the answer for index `k`. Bits past the last index are zero.
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::{Equivalence, Numbering};
    /// let same = Equivalence::<u32>::try_new("KvK".parse()?, Numbering::Natural)?;
    /// let all: Vec<u32> = (0..64 * 64).collect();
    /// let mut bitmap = [0; 64];
    /// Backend::detect().is_canonical_into(&same, &all, &mut bitmap);
    /// // By Burnside's lemma, (64² + 2 · 8²) / 8.
    /// assert_eq!(bitmap.iter().map(|bits| bits.count_ones()).sum::<u32>(), 528);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If the bitmap is not as long as ⌈number of indices / 64⌉.
    #[track_caller]
    pub fn is_canonical_into<W: BatchWord>(
        self,
        same: &Equivalence<W>,
        from: &[W],
        bitmap: &mut [u64],
    ) {
        check_length("is_canonical_into", bitmap.len(), from.len().div_ceil(64));
        let mut canonical = [W::ZERO; PART];
        for (from, bits) in from.chunks(PART).zip(bitmap.chunks_mut(PART / 64)) {
            let canonical = &mut canonical[..from.len()];
            self.canonical_into(same, from, canonical);
            W::equal(self, from, canonical, bits);
        }
    }
}

/// The most words that a vector has.
const VECTOR: usize = 16;

/// Has an operation on words and a byte for each do slices of any length, though it does whole vectors alone.
fn in_vectors<W: BatchWord>(
    words: &mut [W],
    bytes: &mut [u8],
    operation: impl Fn(&mut [W], &mut [u8]),
) {
    let (words, last) = words.as_chunks_mut::<VECTOR>();
    let (bytes, last_bytes) = bytes.as_chunks_mut::<VECTOR>();
    operation(words.as_flattened_mut(), bytes.as_flattened_mut());
    if let Some(&any) = last.first() {
        let (mut words, mut bytes) = ([any; VECTOR], [0; VECTOR]);
        words[..last.len()].copy_from_slice(last);
        operation(&mut words, &mut bytes);
        last.copy_from_slice(&words[..last.len()]);
        last_bytes.copy_from_slice(&bytes[..last.len()]);
    }
}

/// # Squares, one byte each
///
/// A square is its number, a1 = 0 to h8 = 63, whatever the layout's numbering. *Rows* are
/// position-major: the squares of the first position, piece 0 first, then the squares of the second.
/// *Columns* are piece-major: there is one slice for each piece, with its square in every position.
impl Backend {
    /// Writes the index of each row ([`Layout::encode`]).
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::{Layout, Numbering};
    /// let layout = Layout::<u32>::new(2, Numbering::Natural);
    /// let mut indices = [0; 2];
    /// Backend::detect().encode_rows(&layout, &[0o52, 0o46, 0o00, 0o77], &mut indices)?;
    /// assert_eq!(indices, [0o4562, 0o7070]);
    /// let error = Backend::detect().encode_rows(&layout, &[0, 0, 0, 64], &mut indices).unwrap_err();
    /// assert_eq!(error.to_string(), "piece 1 of position 1 stands on 64: squares are 0 to 63");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If a byte is above 63. The error reports the first one, and the contents of the destination are
    /// unspecified.
    ///
    /// # Panics
    /// If there are not exactly as many bytes as all the positions have pieces.
    #[track_caller]
    pub fn encode_rows<W: BatchWord>(
        self,
        layout: &Layout<W>,
        rows: &[u8],
        to: &mut [W],
    ) -> Result<(), OutOfRange> {
        check_length("encode_rows", rows.len(), layout.pieces() * to.len());
        W::encode_rows(self, layout, rows, to)
    }

    /// Writes the index of each position ([`Layout::encode`]).
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::{Layout, Numbering};
    /// let layout = Layout::<u32>::new(2, Numbering::Natural);
    /// let (rooks, kings, mut indices) = ([0o52, 0o00], [0o46, 0o77], [0; 2]);
    /// Backend::detect().encode_columns(&layout, &[&rooks, &kings], &mut indices)?;
    /// assert_eq!(indices, [0o4562, 0o7070]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If a byte is above 63. The error reports the first position that has one, and the contents of the
    /// destination are unspecified.
    ///
    /// # Panics
    /// If there is not one column for each piece, as long as `to`.
    #[track_caller]
    pub fn encode_columns<W: BatchWord>(
        self,
        layout: &Layout<W>,
        columns: &[&[u8]],
        to: &mut [W],
    ) -> Result<(), OutOfRange> {
        check_length("encode_columns", columns.len(), layout.pieces());
        for column in columns {
            check_length("encode_columns", column.len(), to.len());
        }
        W::encode_columns(self, layout, columns, to)
    }

    /// Writes the squares of each index as a row ([`Layout::decode`]).
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::{Layout, Numbering};
    /// let layout = Layout::<u32>::new(2, Numbering::Natural);
    /// let mut rows = [0; 4];
    /// Backend::detect().decode_rows(&layout, &[0o4562, 0o7070], &mut rows);
    /// assert_eq!(rows, [0o52, 0o46, 0o00, 0o77]);
    /// ```
    ///
    /// # Panics
    /// If there are not exactly as many bytes as all the positions have pieces.
    #[track_caller]
    pub fn decode_rows<W: BatchWord>(self, layout: &Layout<W>, from: &[W], rows: &mut [u8]) {
        check_length("decode_rows", rows.len(), layout.pieces() * from.len());
        W::decode_rows(self, layout, from, rows);
    }

    /// Writes the squares of each index into columns ([`Layout::decode`]).
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::{Layout, Numbering};
    /// let layout = Layout::<u32>::new(2, Numbering::Natural);
    /// let (mut rooks, mut kings) = ([0; 2], [0; 2]);
    /// let columns = &mut [&mut rooks[..], &mut kings[..]];
    /// Backend::detect().decode_columns(&layout, &[0o4562, 0o7070], columns);
    /// assert_eq!((rooks, kings), ([0o52, 0o00], [0o46, 0o77]));
    /// ```
    ///
    /// # Panics
    /// If there is not one column for each piece, as long as `from`.
    #[track_caller]
    pub fn decode_columns<W: BatchWord>(
        self,
        layout: &Layout<W>,
        from: &[W],
        columns: &mut [&mut [u8]],
    ) {
        check_length("decode_columns", columns.len(), layout.pieces());
        for column in columns.iter() {
            check_length("decode_columns", column.len(), from.len());
        }
        W::decode_columns(self, layout, from, columns);
    }
}

word_trait! {
    /// Words that batches are made of: `u32` for up to five pieces and `u64` for up to ten. The trait is
    /// sealed as [`Word`] is; `u128` stays scalar.
    ///
    /// Call the methods of [`Backend`], which are made of those here.
    pub trait BatchWord: Word;
    fn map(backend: Backend, map: &Map<'_, Self>, from: Option<&[Self]>, to: &mut [Self]) =
        run::map(backend, map, from, to);
    fn canonical_with_symmetry(
        backend: Backend, same: &Equivalence<Self>, indices: &mut [Self], symmetries: &mut [u8]
    ) = dispatch!(@token backend, isa => run::canonical_with_symmetry_on(isa, same, indices, symmetries));
    fn orbit_size(backend: Backend, layout: &Layout<Self>, indices: &mut [Self], sizes: &mut [u8]) =
        dispatch!(@token backend, isa => run::orbit_size_on(isa, layout, indices, sizes));
    fn equal(backend: Backend, a: &[Self], b: &[Self], bitmap: &mut [u64]) =
        dispatch!(@token backend, isa => run::equal_on(isa, a, b, bitmap));
    fn encode_rows(
        backend: Backend, layout: &Layout<Self>, rows: &[u8], to: &mut [Self]
    ) -> Result<(), OutOfRange> = rows::encode_rows(backend, layout, rows, to);
    fn encode_columns(
        backend: Backend, layout: &Layout<Self>, columns: &[&[u8]], to: &mut [Self]
    ) -> Result<(), OutOfRange> = columns::encode_columns(backend, layout, columns, to);
    fn decode_rows(backend: Backend, layout: &Layout<Self>, from: &[Self], rows: &mut [u8]) =
        rows::decode_rows(backend, layout, from, rows);
    fn decode_columns(backend: Backend, layout: &Layout<Self>, from: &[Self], columns: &mut [&mut [u8]]) =
        columns::decode_columns(backend, layout, from, columns);
    fn scan(backend: Backend, words: &[Self], distinct: bool) -> (Self, bool) =
        scans::scan(backend, words, distinct);
    fn any_bits(backend: Backend, words: &[Self]) -> Self = scans::any_bits(backend, words);
    fn greatest(backend: Backend, words: &[Self]) -> Self = scans::greatest(backend, words);
    fn differing_bits(backend: Backend, words: &[Self], others: &[Self]) -> Self =
        scans::differing_bits(backend, words, others);
    fn close_gap(backend: Backend, words: &mut [Self], low: Self, shift: u32) =
        scans::close_gap(backend, words, low, shift);
    fn open_gap(backend: Backend, words: &mut [Self], low: Self, shift: u32) =
        scans::open_gap(backend, words, low, shift);
    fn rank(backend: Backend, scheme: DenseScheme<'_, Self>, indices: &[Self], slots: &mut [Self]) =
        schemes::rank(backend, scheme, indices, slots);
    fn unrank(backend: Backend, scheme: DenseScheme<'_, Self>, slots: &[Self], indices: &mut [Self]) =
        schemes::unrank(backend, scheme, slots, indices);
}
