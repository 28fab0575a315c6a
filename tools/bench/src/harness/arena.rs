//! The buffers in which the contenders run, and the code that runs them.

use std::hint::black_box;

use super::bits;
use super::rivals::{self, Tables};
use super::{Code, Contender, Operation, portable};
use tbindex::batch::{Backend, BatchWord};
use tbindex::{Equivalence, Group, Layout, LikePieces, Numbering};

/// Words with room for a page more, so that they can begin at any place of a page.
#[derive(Debug)]
struct Words<W> {
    all: Vec<W>,
    first: usize,
    len: usize,
}

const PAGE_BYTES: usize = 4096;

impl<W: BatchWord> Words<W> {
    /// Words at the beginning of a vector, where the allocator puts it.
    fn new(len: usize) -> Words<W> {
        let all = vec![W::ZERO; len + PAGE_BYTES / size_of::<W>()];
        Words { all, first: 0, len }
    }

    /// Moves the beginning to so many bytes after the beginning of a page.
    fn place(&mut self, bytes: usize) {
        let page = PAGE_BYTES / size_of::<W>();
        self.first = (self.all.as_ptr().align_offset(PAGE_BYTES) + bytes / size_of::<W>()) % page;
    }

    fn slice(&self, len: usize) -> &[W] {
        &self.all[self.first..][..len]
    }

    fn slice_mut(&mut self, len: usize) -> &mut [W] {
        &mut self.all[self.first..][..len]
    }
}

/// The buffers for one size. There are two of half the working set, one of all of it for operations in
/// place, and rows of squares, which come on top.
#[derive(Debug)]
pub(crate) struct Arena<W> {
    layouts: [Layout<W>; 2],
    same: [Equivalence<W>; 2],
    tables: [Tables<W>; 2],
    from: Words<W>,
    to: Words<W>,
    rows: Vec<u8>,
}

impl<W: BatchWord> Arena<W> {
    /// Buffers for so many pieces, which together have about `working_set` bytes.
    pub(crate) fn new(pieces: usize, working_set: usize) -> Arena<W> {
        let len = working_set / size_of::<W>();
        let layouts = Numbering::ALL.map(|numbering| Layout::new(pieces, numbering));
        // In a near cache the one buffer of the operations in place is as large as the two of the others.
        // Beyond all caches, the size of one of these is enough.
        let near = working_set <= 1 << 24;
        let in_place = if near { len } else { len / 2 };
        let mut from = Words::new(in_place);
        if near {
            from.place(0);
        }
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
        let mut to = Words::new(len / 2);
        to.all.fill(W::ONE);
        // In a near cache the destination begins half a page off. A load waits for a store shortly before if the lower
        // twelve bits of their addresses are equal, and of few pages that must not be left to chance. Beyond the caches
        // both are where the allocator puts two vectors, and all offsets are measured besides.
        if near {
            to.place(PAGE_BYTES / 2);
        }
        Arena {
            same: layouts.map(|layout| Equivalence::new(layout, Group::D4, LikePieces::default())),
            tables: [Tables::new(&layouts[0]), Tables::new(&layouts[1])],
            layouts,
            from,
            to,
            rows,
        }
    }

    /// Has the destination begin so many bytes after the source, not counting whole pages.
    pub(crate) fn place(&mut self, offset: usize) {
        let from = self.from.slice(1).as_ptr().addr() % PAGE_BYTES;
        self.to.place((from + offset) % PAGE_BYTES);
    }

    /// The most indices that a pass can have.
    pub(crate) fn count(&self, in_place: bool) -> usize {
        if in_place { self.from.len } else { self.to.len }
    }

    /// Makes one pass over `count` indices.
    ///
    /// # Panics
    /// If the backend lacks the contender's instructions, or the contender does not do the operation.
    pub(crate) fn run(&mut self, contender: Contender, count: usize) {
        let Contender {
            backend, numbering, ..
        } = contender;
        let layout = &self.layouts[numbering as usize];
        let same = &self.same[numbering as usize];
        let other = Numbering::ALL[1 - numbering as usize];
        if contender.in_place {
            let indices = self.from.slice_mut(count);
            return match contender.operation {
                Operation::Flip(symmetry) => backend.flip_in_place(layout, symmetry, indices),
                Operation::Canonical => backend.canonical_in_place(same, indices),
                Operation::Convert => backend.convert_in_place(layout, other, indices),
                Operation::Encode | Operation::Decode => unreachable!("rows are no indices"),
            };
        }
        let count = count.min(self.to.len);
        let (from, to) = (self.from.slice(count), self.to.slice_mut(count));
        let rows = &mut self.rows[..layout.pieces() * count];
        let tables = &self.tables[numbering as usize];
        match (contender.code, contender.operation) {
            (Code::Copy, _) => to.copy_from_slice(black_box(from)),
            (Code::Batch, Operation::Flip(symmetry)) => {
                backend.flip_into(layout, symmetry, from, to);
            }
            (Code::Batch, Operation::Canonical) => backend.canonical_into(same, from, to),
            (Code::Batch, Operation::Convert) => backend.convert_into(layout, other, from, to),
            (Code::Batch, Operation::Encode) => {
                let encoded = backend.encode_rows(layout, rows, to);
                encoded.expect("the rows hold squares");
            }
            (Code::Batch, Operation::Decode) => backend.decode_rows(layout, from, rows),
            (Code::Table, Operation::Flip(symmetry)) => tables.flip(backend, symmetry, from, to),
            (Code::Table, Operation::Canonical) => tables.canonical(backend, from, to),
            (Code::Table, Operation::Convert) => tables.convert(backend, from, to),
            (Code::Table, Operation::Encode) => tables.encode(backend, rows, to),
            (Code::Table, Operation::Decode) => tables.decode(backend, from, rows),
            (Code::Plain, Operation::Flip(symmetry)) => {
                rivals::plain_flip(backend, layout, symmetry, from, to);
            }
            (Code::Plain, Operation::Canonical) => {
                rivals::plain_canonical(backend, same, from, to);
            }
            (Code::Plain, Operation::Convert) => rivals::plain_convert(backend, layout, from, to),
            (Code::Bits, Operation::Encode) => bits::extract_encode(layout, rows, to),
            (Code::Bits, Operation::Decode) => bits::deposit_decode(layout, from, rows),
            (code, operation) => unreachable!("no {code:?} does {operation:?}"),
        }
    }

    /// Compares a contender's result with that of the look-up loop, over `count` indices. Only the
    /// destination buffer changes.
    ///
    /// # Panics
    /// If they differ.
    pub(crate) fn check(&mut self, contender: Contender, count: usize) {
        if contender.code == Code::Copy {
            return;
        }
        let table = Contender {
            code: Code::Table,
            backend: portable(),
            in_place: false,
            ..contender
        };
        let [expected, found] = [table, contender].map(|code| self.result(code, count));
        assert!(found == expected, "{contender:?} has wrong results");
    }

    /// The indices and the rows that a contender makes of the first `count` indices or rows.
    fn result(&mut self, contender: Contender, count: usize) -> (Vec<W>, Vec<u8>) {
        let count = count.min(self.to.len);
        let bytes = self.layouts[0].pieces() * count;
        let (indices, rows) = (self.from.slice(count).to_vec(), self.rows[..bytes].to_vec());
        self.to.slice_mut(count).fill(W::ZERO);
        if contender.operation == Operation::Decode {
            self.rows[..bytes].fill(0);
        }
        self.run(contender, count);
        let words = match contender.in_place {
            true => self.from.slice(count),
            false => self.to.slice(count),
        };
        let result = (words.to_vec(), self.rows[..bytes].to_vec());
        self.from.slice_mut(count).copy_from_slice(&indices);
        self.rows[..bytes].copy_from_slice(&rows);
        result
    }
}
