//! The buffers in which the contenders run, and the code that runs them.

use std::hint::black_box;

use super::Operation;
use super::bits;
use super::rivals::{self, Tables};
use tbindex::batch::{Backend, BatchWord};
use tbindex::{Equivalence, Group, Layout, Numbering, Symmetry};

/// A piece of code whose time is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contender {
    /// memcpy.
    Copy,
    /// The backend's XOR with a constant.
    Xor {
        /// The backend.
        backend: Backend,
        /// Whether in place.
        in_place: bool,
    },
    /// The batch operation.
    Batch {
        /// The backend.
        backend: Backend,
        /// What is done.
        operation: Operation,
        /// The numbering of the indices.
        numbering: Numbering,
        /// Whether in place.
        in_place: bool,
    },
    /// The look-up loop, compiled for the backend's instructions.
    Table {
        /// The backend.
        backend: Backend,
        /// What is done.
        operation: Operation,
        /// The numbering of the indices.
        numbering: Numbering,
    },
    /// The scalar function in a plain loop, compiled for the backend's instructions.
    Plain {
        /// The backend.
        backend: Backend,
        /// What is done.
        operation: Operation,
        /// The numbering of the indices.
        numbering: Numbering,
    },
    /// `pext` or `pdep`.
    Bits {
        /// The backend.
        backend: Backend,
        /// What is done.
        operation: Operation,
    },
}

/// Words that begin at the start of a page, or some bytes after it.
#[derive(Debug)]
struct Aligned<W> {
    words: Vec<W>,
    first: usize,
    len: usize,
}

const PAGE_BYTES: usize = 4096;

impl<W: BatchWord> Aligned<W> {
    fn new(len: usize, skew_bytes: usize) -> Aligned<W> {
        let skew = skew_bytes / size_of::<W>();
        let words = vec![W::ZERO; len + skew + PAGE_BYTES / size_of::<W>()];
        let first = words.as_ptr().align_offset(PAGE_BYTES) + skew;
        Aligned { words, first, len }
    }

    fn slice(&self, len: usize) -> &[W] {
        &self.words[self.first..][..len]
    }

    fn slice_mut(&mut self, len: usize) -> &mut [W] {
        &mut self.words[self.first..][..len]
    }
}

/// The buffers for one size. There are two of half the working set, one of all of it for operations in
/// place, and rows of squares, which come on top.
#[derive(Debug)]
pub(crate) struct Arena<W> {
    layouts: [Layout<W>; 2],
    tables: [Tables<W>; 2],
    from: Aligned<W>,
    to: Aligned<W>,
    rows: Vec<u8>,
}

impl<W: BatchWord> Arena<W> {
    /// Buffers for so many pieces, which together have about `working_set` bytes.
    pub(crate) fn new(pieces: usize, working_set: usize) -> Arena<W> {
        let len = working_set / size_of::<W>();
        let layouts = Numbering::ALL.map(|numbering| Layout::new(pieces, numbering));
        // In a near cache the one buffer of the operations in place is as large as the two of the others.
        // Beyond all caches, the size of one of these is enough.
        let in_place = if working_set > 1 << 24 { len / 2 } else { len };
        let mut from = Aligned::new(in_place, 0);
        let masks = layouts[0].masks();
        let mut state = 1u64;
        for word in from.slice_mut(in_place) {
            // Steele, Lea and Flood's splitmix64.
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let x = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            *word = W::truncate((x ^ x >> 31).into()) & (masks.low | masks.high);
        }
        let mut rows = vec![0; pieces * len / 2];
        Backend::detect().decode_rows(&layouts[0], from.slice(len / 2), &mut rows);
        // Every page of the destination is there before anything is timed.
        // The destination begins half a page off. A load waits for a store shortly before if the lower
        // twelve bits of their addresses are equal, and that must not be left to chance.
        let mut to = Aligned::new(len / 2, PAGE_BYTES / 2);
        to.slice_mut(len / 2).fill(W::ONE);
        Arena {
            tables: [Tables::new(&layouts[0]), Tables::new(&layouts[1])],
            layouts,
            from,
            to,
            rows,
        }
    }

    /// The most indices that a pass can have.
    pub(crate) fn count(&self, in_place: bool) -> usize {
        if in_place { self.from.len } else { self.to.len }
    }

    /// Makes one pass over `count` indices.
    ///
    /// # Panics
    /// If the backend lacks the contender's instructions.
    pub(crate) fn run(&mut self, contender: Contender, count: usize) {
        let pieces = self.layouts[0].pieces();
        match contender {
            Contender::Copy => {
                let count = count.min(self.to.len);
                let from = black_box(self.from.slice(count));
                self.to.slice_mut(count).copy_from_slice(from);
            }
            Contender::Xor {
                backend,
                in_place: false,
            } => {
                let from = self.from.slice(count);
                let layout = &self.layouts[0];
                backend.flip_into(layout, Symmetry::Rotate180, from, self.to.slice_mut(count));
            }
            Contender::Xor {
                backend,
                in_place: true,
            } => {
                let layout = &self.layouts[0];
                backend.flip_in_place(layout, Symmetry::Rotate180, self.from.slice_mut(count));
            }
            Contender::Batch {
                backend,
                operation,
                numbering,
                in_place,
            } => {
                let layout = &self.layouts[numbering as usize];
                let rows = &mut self.rows[..pieces * count.min(self.to.len)];
                if in_place {
                    batch_in_place(backend, operation, layout, self.from.slice_mut(count));
                } else {
                    let (from, to) = (self.from.slice(count), self.to.slice_mut(count));
                    batch_into(backend, operation, layout, from, to, rows);
                }
            }
            Contender::Table {
                backend,
                operation,
                numbering,
            } => {
                let count = count.min(self.to.len);
                let (from, to) = (self.from.slice(count), self.to.slice_mut(count));
                let tables = &self.tables[numbering as usize];
                let rows = &mut self.rows[..pieces * count];
                match operation {
                    Operation::Flip(symmetry) => tables.flip(backend, symmetry, from, to),
                    Operation::Canonical => tables.canonical(backend, from, to),
                    Operation::Convert => tables.convert(backend, from, to),
                    Operation::Encode => tables.encode(backend, rows, to),
                    Operation::Decode => tables.decode(backend, from, rows),
                }
            }
            Contender::Plain {
                backend,
                operation,
                numbering,
            } => {
                let count = count.min(self.to.len);
                let (from, to) = (self.from.slice(count), self.to.slice_mut(count));
                let layout = &self.layouts[numbering as usize];
                match operation {
                    Operation::Flip(symmetry) => {
                        rivals::plain_flip(backend, layout, symmetry, from, to);
                    }
                    Operation::Canonical => {
                        let same = Equivalence::distinct(*layout, Group::D4);
                        rivals::plain_canonical(backend, &same, from, to);
                    }
                    _ => rivals::plain_convert(backend, layout, from, to),
                }
            }
            Contender::Bits { backend, operation } => {
                let count = count.min(self.to.len);
                let rows = &mut self.rows[..pieces * count];
                let layout = &self.layouts[0];
                let done = if operation == Operation::Encode {
                    bits::extract_encode(backend, layout, rows, self.to.slice_mut(count))
                } else {
                    bits::deposit_decode(backend, layout, self.from.slice(count), rows)
                };
                assert!(done, "the backend has the instructions");
            }
        }
    }

    /// Compares a contender's result with that of the look-up loop, over `count` indices. Only the
    /// destination buffer changes.
    ///
    /// # Panics
    /// If they differ.
    pub(crate) fn check(&mut self, contender: Contender, count: usize) {
        let count = count.min(self.to.len);
        let (operation, numbering) = match contender {
            Contender::Copy | Contender::Xor { .. } => return,
            Contender::Batch {
                operation,
                numbering,
                ..
            }
            | Contender::Table {
                operation,
                numbering,
                ..
            }
            | Contender::Plain {
                operation,
                numbering,
                ..
            } => (operation, numbering),
            Contender::Bits { operation, .. } => (operation, Numbering::Natural),
        };
        let pieces = self.layouts[0].pieces();
        let indices = self.from.slice(count).to_vec();
        let rows = self.rows[..pieces * count].to_vec();
        self.to.slice_mut(count).fill(W::ZERO);
        if operation == Operation::Decode {
            self.rows[..pieces * count].fill(0);
        }
        self.run(contender, count);
        let in_place = matches!(contender, Contender::Batch { in_place: true, .. });
        let words = if in_place {
            self.from.slice(count)
        } else {
            self.to.slice(count)
        };
        let (found, found_rows) = (words.to_vec(), self.rows[..pieces * count].to_vec());
        self.from.slice_mut(count).copy_from_slice(&indices);
        self.rows[..pieces * count].copy_from_slice(&rows);

        let backend = Backend::available()
            .next()
            .expect("portable is always there");
        let mut expected = vec![W::ZERO; count];
        let mut expected_rows = rows.clone();
        let tables = &self.tables[numbering as usize];
        match operation {
            Operation::Flip(symmetry) => {
                tables.flip(backend, symmetry, &indices, &mut expected);
            }
            Operation::Canonical => tables.canonical(backend, &indices, &mut expected),
            Operation::Convert => tables.convert(backend, &indices, &mut expected),
            Operation::Encode => tables.encode(backend, &rows, &mut expected),
            Operation::Decode => tables.decode(backend, &indices, &mut expected_rows),
        }
        if operation == Operation::Decode {
            assert!(
                found_rows == expected_rows,
                "{contender:?} has wrong results"
            );
        } else {
            assert!(found == expected, "{contender:?} has wrong results");
        }
    }
}

fn batch_in_place<W: BatchWord>(
    backend: Backend,
    operation: Operation,
    layout: &Layout<W>,
    indices: &mut [W],
) {
    match operation {
        Operation::Flip(symmetry) => backend.flip_in_place(layout, symmetry, indices),
        Operation::Canonical => {
            backend.canonical_in_place(&Equivalence::distinct(*layout, Group::D4), indices);
        }
        _ => backend.convert_in_place(layout, other(layout), indices),
    }
}

fn batch_into<W: BatchWord>(
    backend: Backend,
    operation: Operation,
    layout: &Layout<W>,
    from: &[W],
    to: &mut [W],
    rows: &mut [u8],
) {
    match operation {
        Operation::Flip(symmetry) => backend.flip_into(layout, symmetry, from, to),
        Operation::Canonical => {
            backend.canonical_into(&Equivalence::distinct(*layout, Group::D4), from, to);
        }
        Operation::Convert => backend.convert_into(layout, other(layout), from, to),
        Operation::Encode => backend
            .encode_rows(layout, rows, to)
            .expect("the rows hold squares"),
        Operation::Decode => backend.decode_rows(layout, from, rows),
    }
}

fn other<W: BatchWord>(layout: &Layout<W>) -> Numbering {
    match layout.numbering() {
        Numbering::Natural => Numbering::Alternate,
        Numbering::Alternate => Numbering::Natural,
    }
}
