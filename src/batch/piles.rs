//! Dealing words into piles by their high bits, in one pass and without counting them first.
//!
//! The nearest cache and the processor's page tables do not keep thousands of places at hand. So each
//! pile gathers its words in one open cache line. The last place of that line says, until a word needs
//! it, where the next word belongs: each word touches one line. Only whole lines go to memory, past the
//! caches. There a pile is a chain of blocks, which are handed out as they are needed.

use std::marker::PhantomData;

use bytemuck::{Zeroable, cast_slice};

use super::backend::Backend;
use crate::dispatch;
use crate::index::Word;
use crate::simd::{Isa, Line, Streaming, line_words};

/// Piles of words. The caller owns their memory, and passes the same lines to all methods.
#[derive(Clone, Debug)]
pub(crate) struct Piles<R> {
    chains: Chains,
    words: PhantomData<R>,
}

/// The piles, whatever their words are.
#[derive(Clone, Debug)]
struct Chains {
    /// The number of bits that are not looked at.
    shift: u32,
    /// The words of a block.
    block: usize,
    /// For each pile its open line: words that fill no line yet, each in the place that it will have in
    /// memory, and in the last place where the next word belongs.
    open: Vec<Line>,
    /// For each block that is not the first of its pile, the block before it.
    before: Vec<u32>,
    /// The number of blocks that are handed out.
    used: usize,
}

impl<R: Word> Piles<R> {
    /// The bytes that piles take beside their blocks, for each pile.
    pub(crate) const BYTES: usize = size_of::<Line>();
    /// The bytes that they take for each block.
    pub(crate) const BYTES_OF_BLOCK: usize = size_of::<u32>();

    /// Returns `piles` empty piles. The bits of a word from `shift` on choose its pile; higher bits must be
    /// zero. There are `blocks` blocks of `block_bytes` bytes, at least one for each pile.
    ///
    /// # Panics
    /// If the number of piles or of bytes is not a power of two, or there are too few blocks.
    pub(crate) fn new(shift: u32, piles: usize, block_bytes: usize, blocks: usize) -> Piles<R> {
        assert!(piles.is_power_of_two() && block_bytes.is_power_of_two());
        assert!(block_bytes >= size_of::<Line>() && blocks >= piles);
        let block = block_bytes / size_of::<R>();
        assert!(u32::try_from(blocks * block).is_ok(), "too large for piles");
        let mut new = Piles {
            chains: Chains {
                shift,
                block,
                open: vec![Line::zeroed(); piles],
                before: vec![0; blocks],
                used: 0,
            },
            words: PhantomData,
        };
        new.clear();
        new
    }

    /// Returns the number of words that fit, whichever piles they fall on.
    pub(crate) fn capacity(&self) -> usize {
        // All blocks are full but the last one of each pile.
        (self.chains.before.len() - self.chains.open.len()) * self.chains.block
    }

    /// Where the next word of a pile belongs.
    fn next(&self, pile: usize) -> usize {
        let words: &[R] = bytemuck::cast_slice(&self.chains.open[pile].0);
        position(words[words.len() - 1])
    }

    /// Removes all words.
    pub(crate) fn clear(&mut self) {
        self.chains.used = self.chains.open.len();
        for (pile, line) in self.chains.open.iter_mut().enumerate() {
            let words: &mut [R] = bytemuck::cast_slice_mut(&mut line.0);
            words[words.len() - 1] = R::truncate((pile * self.chains.block) as u128);
        }
    }

    /// Deals words out. A pile keeps of each word the low bits that `R` has room for. Meanwhile the words
    /// `ahead`, which will be dealt out next, are brought nearer.
    ///
    /// # Panics
    /// If there are more words than there is room for.
    pub(crate) fn deal<W: Word>(
        &mut self,
        words: &[W],
        ahead: &[W],
        lines: &mut [Line],
        backend: Backend,
    ) {
        let chains = &mut self.chains;
        match (W::BITS, R::BITS) {
            (32, 32) => deal_u32(backend, cast_slice(words), cast_slice(ahead), chains, lines),
            (64, 32) => deal_narrow(backend, cast_slice(words), cast_slice(ahead), chains, lines),
            (64, 64) => deal_u64(backend, cast_slice(words), cast_slice(ahead), chains, lines),
            (bits, kept) => unreachable!("{kept} bits are kept of words of {bits}"),
        }
    }

    /// Writes the open lines to memory. After that the piles can be read, but not dealt to.
    pub(crate) fn close(&self, lines: &mut [Line]) {
        for (pile, open) in self.chains.open.iter().enumerate() {
            lines[self.next(pile) / line_words::<R>()] = *open;
        }
    }

    /// Returns the words of a pile, in slices.
    pub(crate) fn slices<'a>(
        &'a self,
        pile: usize,
        lines: &'a [Line],
    ) -> impl Iterator<Item = &'a [R]> + Clone {
        let words: &[R] = bytemuck::cast_slice(lines);
        let next = self.next(pile);
        let mut at = Some((next / self.chains.block, next % self.chains.block));
        std::iter::from_fn(move || {
            let (block, count) = at?;
            at = (block >= self.chains.open.len())
                .then(|| (self.chains.before[block] as usize, self.chains.block));
            Some(&words[block * self.chains.block..][..count])
        })
    }
}

/// Returns the place that the last word of an open line tells.
#[inline(always)]
fn position<R: Word>(word: R) -> usize {
    let position: u128 = word.into();
    position as usize
}

/// Defines functions that deal words out, for [`Piles::deal`]. They are compiled here and not with their callers.
macro_rules! deals {
    ($($name:ident: $word:ty => $kept:ty;)*) => {$(
        fn $name(backend: Backend, words: &[$word], ahead: &[$word], chains: &mut Chains, lines: &mut [Line]) {
            dispatch!(backend, isa => deal::<$word, $kept, _>(isa, words, ahead, chains, lines));
        }
    )*};
}

deals! {
    deal_u32: u32 => u32;
    deal_narrow: u64 => u32;
    deal_u64: u64 => u64;
}

#[inline(always)]
fn deal<W: Word, R: Word, I: Isa>(
    isa: I,
    words: &[W],
    ahead: &[W],
    chains: &mut Chains,
    lines: &mut [Line],
) {
    let _streaming = Streaming(isa);
    let per_line = line_words::<R>();
    // The loop's data are read from the structure once: the compiler must expect that stores of words change it.
    let Chains {
        open, before, used, ..
    } = chains;
    let (shift, block) = (chains.shift, chains.block);
    let open = open.as_mut_slice();
    let (last_pile, last_of_block) = (open.len() - 1, block - 1);
    let mut ahead = ahead.chunks(line_words::<W>());
    for words in words.chunks(line_words::<W>()) {
        if let Some(line) = ahead.next() {
            isa.prefetch(line.as_ptr());
        }
        for &word in words {
            let wide: u128 = word.into();
            let pile = (wide as u64 >> shift) as usize & last_pile;
            let line: &mut [R] = bytemuck::cast_slice_mut(&mut open[pile].0);
            let mut at = position(line[per_line - 1]);
            // Overwritten at once by the word that fills the line.
            line[per_line - 1] = R::truncate(at as u128 + 1);
            line[at % per_line] = R::truncate(wide);
            if at % per_line == per_line - 1 {
                isa.stream_line(&open[pile], &mut lines[at / per_line]);
                if at & last_of_block == last_of_block {
                    before[*used] = (at / block) as u32;
                    at = *used * block - 1;
                    *used += 1;
                }
                let line: &mut [R] = bytemuck::cast_slice_mut(&mut open[pile].0);
                line[per_line - 1] = R::truncate(at as u128 + 1);
            }
        }
    }
}
