//! Laws of every batch operation: it does to each index of a slice what the scalar
//! function does to one, and touches nothing else.

use tbindex::batch::{Backend, BatchWord};
use tbindex::{Color, Equivalence, Group, Layout, Material, Moves, Numbering, Symmetry};

use crate::support::equivalence::equivalence;

/// A slice of `len` words that begins `start` words after a cache line's beginning, in a buffer
/// whose other words must not change.
struct Guarded<W> {
    words: Vec<W>,
    start: usize,
    len: usize,
}

const LINE_BYTES: usize = 64;

impl<W: BatchWord> Guarded<W> {
    fn new(start: usize, content: &[W]) -> Guarded<W> {
        let line = LINE_BYTES / size_of::<W>();
        let words = vec![W::truncate(GUARD); content.len() + 3 * line];
        let first = words.as_ptr().align_offset(LINE_BYTES);
        let mut guarded = Guarded {
            words,
            start: first + start,
            len: content.len(),
        };
        guarded.slice().copy_from_slice(content);
        guarded
    }

    fn slice(&mut self) -> &mut [W] {
        &mut self.words[self.start..][..self.len]
    }

    fn check(&mut self, expected: &[W], what: &dyn Fn() -> String) {
        if let Some(at) = (0..self.len).find(|&k| self.slice()[k] != expected[k]) {
            let found = self.slice()[at];
            panic!("{}: {found:#o} at {at}, not {:#o}", what(), expected[at]);
        }
        let guard = W::truncate(GUARD);
        let outside = self.words[..self.start]
            .iter()
            .chain(&self.words[self.start + self.len..]);
        assert!(outside.into_iter().all(|&word| word == guard), "{}", what());
    }
}

const GUARD: u128 = 0x5a5a_5a5a_5a5a_5a5a_5a5a_5a5a_5a5a_5a5a;

fn check_map<W: BatchWord>(
    start: usize,
    indices: &[W],
    expected: &[W],
    in_place: impl Fn(&mut [W]),
    into: impl Fn(&[W], &mut [W]),
    what: &dyn Fn() -> String,
) {
    let mut slice = Guarded::new(start, indices);
    in_place(slice.slice());
    slice.check(expected, what);
    // Out of place, source and destination begin at different offsets.
    let mut to = Guarded::new(start, &vec![W::ZERO; indices.len()]);
    let from = Guarded::new(start / 2 + 1, indices);
    into(&from.words[from.start..][..from.len], to.slice());
    to.check(expected, what);
}

/// The bytes that an operation writes, so many. Bytes before and behind stay.
fn written(len: usize, operation: impl FnOnce(&mut [u8])) -> Vec<u8> {
    let mut bytes = vec![0xff; len + 2];
    operation(&mut bytes[1..=len]);
    assert_eq!((bytes[0], bytes[len + 1]), (0xff, 0xff));
    bytes[1..=len].to_vec()
}

/// Every map on indices, in place and out of place, with the slice `start` words behind the
/// beginning of a cache line.
pub fn maps_equal_scalar<W: BatchWord>(
    backend: Backend,
    same: &Equivalence<W>,
    start: usize,
    indices: &[W],
) {
    let layout = same.layout();
    for symmetry in Symmetry::ALL {
        flip_equals_scalar(backend, &layout, symmetry, start, indices);
    }
    for to in Numbering::ALL {
        conversion_equals_scalar(backend, &layout, to, start, indices);
    }
}

/// A flip, in place and out of place.
pub fn flip_equals_scalar<W: BatchWord>(
    backend: Backend,
    layout: &Layout<W>,
    symmetry: Symmetry,
    start: usize,
    indices: &[W],
) {
    let expected: Vec<W> = indices.iter().map(|&x| layout.flip(symmetry, x)).collect();
    let in_place = |slice: &mut [W]| backend.flip_in_place(layout, symmetry, slice);
    let into = |from: &[W], to: &mut [W]| backend.flip_into(layout, symmetry, from, to);
    check_map(start, indices, &expected, in_place, into, &|| {
        format!("{symmetry} from word {start}, {backend}, {layout:?}")
    });
}

fn conversion_equals_scalar<W: BatchWord>(
    backend: Backend,
    layout: &Layout<W>,
    to: Numbering,
    start: usize,
    indices: &[W],
) {
    let expected: Vec<W> = indices.iter().map(|&x| layout.convert(to, x)).collect();
    let in_place = |slice: &mut [W]| backend.convert_in_place(layout, to, slice);
    let into = |from: &[W], into: &mut [W]| backend.convert_into(layout, to, from, into);
    check_map(start, indices, &expected, in_place, into, &|| {
        format!("conversion to {to} from word {start}, {backend}, {layout:?}")
    });
}

/// The canonical form and what hangs on it: symmetries, bitmap, orbit sizes.
pub fn canonical_equals_scalar<W: BatchWord>(
    backend: Backend,
    same: &Equivalence<W>,
    start: usize,
    indices: &[W],
) {
    let len = indices.len();
    let context = || format!("canonical, {len} from word {start}, {backend}, {same:?}");
    let with_symmetry = indices.iter().map(|&x| same.canonical_with_symmetry(x));
    let with_code = with_symmetry.map(|(x, symmetry)| (x, symmetry as u8));
    let (canonical, by): (Vec<W>, Vec<u8>) = with_code.unzip();
    let in_place = |slice: &mut [W]| backend.canonical_in_place(same, slice);
    let into = |from: &[W], to: &mut [W]| backend.canonical_into(same, from, to);
    check_map(start, indices, &canonical, in_place, into, &context);
    let in_place = |slice: &mut [W]| {
        let codes = written(len, |codes| {
            backend.canonical_with_symmetry_in_place(same, slice, codes);
        });
        assert_eq!(codes, by, "{}", context());
    };
    let into = |from: &[W], to: &mut [W]| {
        let codes = written(len, |codes| {
            backend.canonical_with_symmetry_into(same, from, to, codes);
        });
        assert_eq!(codes, by, "{}", context());
    };
    check_map(start, indices, &canonical, in_place, into, &context);

    let expected: Vec<u8> = indices.iter().map(|&x| same.orbit_size(x) as u8).collect();
    let sizes = written(len, |sizes| backend.orbit_size_into(same, indices, sizes));
    assert_eq!(sizes, expected, "orbits, {}", context());

    let mut bitmap = vec![u64::MAX; len.div_ceil(64)];
    backend.is_canonical_into(same, indices, &mut bitmap);
    let mut expected = vec![0; bitmap.len()];
    for (k, &index) in indices.iter().enumerate() {
        expected[k / 64] |= u64::from(same.canonical(index) == index) << (k % 64);
    }
    assert_eq!(bitmap, expected, "is it? {}", context());
}

/// Rows and columns of squares, to indices and back.
pub fn squares_equal_scalar<W: BatchWord>(backend: Backend, layout: &Layout<W>, indices: &[W]) {
    let (n, len) = (layout.pieces(), indices.len());
    let context = || format!("squares of {len} indices, {backend}, {layout:?}");
    let squares = indices.iter().flat_map(|&x| layout.decode(x));
    let rows: Vec<u8> = squares.map(tbindex::Square::number).collect();
    let column = |k: usize| rows.iter().skip(k).step_by(n).copied().collect();
    let columns: Vec<Vec<u8>> = (0..n).map(column).collect();

    let decoded = written(rows.len(), |to| backend.decode_rows(layout, indices, to));
    assert_eq!(decoded, rows, "{}", context());
    let mut decoded = vec![vec![0xff; len + 1]; n];
    let slices = decoded.iter_mut().map(|column| &mut column[..len]);
    backend.decode_columns(layout, indices, &mut slices.collect::<Vec<_>>());
    for (decoded, column) in decoded.iter().zip(&columns) {
        assert_eq!(decoded[..len], column[..], "{}", context());
        assert_eq!(decoded[len], 0xff);
    }

    let mut to = Guarded::new(1, &vec![W::ZERO; len]);
    assert_eq!(backend.encode_rows(layout, &rows, to.slice()), Ok(()));
    to.check(indices, &context);
    to.slice().fill(W::ZERO);
    let slices: Vec<&[u8]> = columns.iter().map(Vec::as_slice).collect();
    assert_eq!(backend.encode_columns(layout, &slices, to.slice()), Ok(()));
    to.check(indices, &context);
}

/// Legality and checks. The indices need not be valid.
pub fn legality_equals_scalar<W: BatchWord>(backend: Backend, moves: &Moves<W>, indices: &[W]) {
    let words = indices.len().div_ceil(64);
    let bit = |bitmap: &[u64], k: usize| bitmap[k / 64] >> (k % 64) & 1 != 0;
    for side in Color::ALL {
        let context = |k: usize| {
            let (material, numbering) = (moves.material(), moves.layout().numbering());
            let index = indices[k];
            format!("{index:#o} of {material}, {numbering}, {side}, {backend}")
        };
        let (mut legal, mut check) = (vec![u64::MAX; words], vec![u64::MAX; words]);
        backend.is_legal_into(moves, side, indices, &mut legal);
        backend.is_check_into(moves, side, indices, &mut check);
        for (k, &index) in indices.iter().enumerate() {
            let expected = moves.is_legal(index, side);
            assert_eq!(bit(&legal, k), expected, "is {} legal?", context(k));
            // The side that moves can be in check only in a position that may be on a board.
            if expected {
                let expected = moves.is_check(index, side);
                assert_eq!(bit(&check, k), expected, "check in {}?", context(k));
            }
        }
        for k in indices.len()..64 * words {
            assert!(!bit(&legal, k) && !bit(&check, k), "bits past the end");
        }
    }
}

/// A batch, a backend and an operation, of which the first byte chooses the last two: it agrees with the scalar function.
/// A fuzz target that checks one operation tries many more batches.
pub fn laws_of_bytes(bytes: &[u8]) {
    let Some((&choice, bytes)) = bytes.split_first() else {
        return;
    };
    match choice % 2 {
        0 => one_operation_of_word::<u32>(choice / 2, bytes),
        _ => one_operation_of_word::<u64>(choice / 2, bytes),
    }
}

fn one_operation_of_word<W: BatchWord>(choice: u8, bytes: &[u8]) {
    let Some(batch) = batch_of_bytes::<W>(bytes) else {
        return;
    };
    let backends: Vec<Backend> = Backend::available().collect();
    let backend = backends[usize::from(choice) % backends.len()];
    let choice = usize::from(choice) / backends.len() % 16;
    let (layout, start, indices) = (batch.same.layout(), batch.start, &batch.indices[..]);
    match choice {
        0..8 => flip_equals_scalar(backend, &layout, Symmetry::ALL[choice], start, indices),
        8 | 9 => {
            conversion_equals_scalar(backend, &layout, Numbering::ALL[choice - 8], start, indices);
        }
        10..13 => canonical_equals_scalar(backend, &batch.same, start, indices),
        13 | 14 => squares_equal_scalar(backend, &layout, indices),
        _ => {
            if let Some(moves) = &batch.moves() {
                legality_equals_scalar(backend, moves, indices);
            }
        }
    }
}

struct Batch<W: BatchWord> {
    same: Equivalence<W>,
    /// How many words behind the beginning of a cache line the slice begins.
    start: usize,
    indices: Vec<W>,
    /// Which of the materials of so many pieces.
    material: usize,
}

impl<W: BatchWord> Batch<W> {
    /// The moves of the material, if there is one of so few pieces.
    fn moves(&self) -> Option<Moves<W>> {
        let layout = self.same.layout();
        let material = materials(layout.pieces()).nth(self.material)?;
        Moves::try_new(material, layout.numbering()).ok()
    }
}

/// A layout, a group, like pieces, where the slice begins, and indices, from any bytes.
fn batch_of_bytes<W: BatchWord>(bytes: &[u8]) -> Option<Batch<W>> {
    let (&[pieces, kind, start, like_low, like_high], rest) = bytes.split_first_chunk()?;
    let pieces = 1 + usize::from(pieces) % W::MAX_PIECES;
    let numbering = Numbering::ALL[usize::from(kind & 1)];
    let group = Group::ALL[usize::from(kind >> 1) % 3];
    let layout = Layout::<W>::new(pieces, numbering);
    let all = (1u32 << pieces) - 1;
    let like = u32::from(u16::from_le_bytes([like_low, like_high])) & all;
    // The pieces that are not alike by the first set may be by a second.
    let sets = [like, if kind & 0x40 != 0 { all & !like } else { 0 }];
    let same = equivalence(layout, group, &sets);
    let valid = layout.masks().low | layout.masks().high;
    let indices: Vec<W> = rest
        .chunks(size_of::<W>())
        .map(|bytes| {
            bytes
                .iter()
                .fold(W::ZERO, |x, &byte| x << 8 | W::from(byte))
                & valid
        })
        .collect();
    Some(Batch {
        same,
        start: usize::from(start) % (LINE_BYTES / size_of::<W>()),
        indices,
        material: usize::from(like_low) % 3,
    })
}

/// Three materials of so many pieces with all kinds among them, if there are any so small.
pub fn materials(pieces: usize) -> impl Iterator<Item = Material> {
    let names = ["KQRBNPPQvKRBNP", "KNNBBPQRvKQQNPP", "KPPPRBNvKPPQRBN"];
    names.into_iter().filter_map(move |name| {
        let (white, black) = name.split_once('v')?;
        let more = pieces.checked_sub(2)?;
        let (white, black) = (&white[..=more.div_ceil(2)], &black[..=more / 2]);
        format!("{white}v{black}").parse().ok()
    })
}
