//! Columns of squares, one byte each, to indices and back: one byte to each word of the index, a piece
//! at a time.

use super::kernels::{Kernel, ToAlternate, ToNatural};
use super::lanes::{Isa, Lanes, Vectors, Work};
use crate::index::{Layout, Numbering};

/// Encodes columns; the output has every bit that any byte has.
pub(super) struct EncodeColumns<'a, 'b, W> {
    pub(super) layout: Layout<W>,
    pub(super) columns: &'a [&'b [u8]],
    pub(super) to: &'a mut [W],
}

impl<W: Vectors> Work for EncodeColumns<'_, '_, W> {
    type Output = u8;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> u8 {
        let count = I::Of::<W>::COUNT;
        let mut all = I::Of::<W>::splat(isa, W::ZERO);
        let mut at = 0;
        let mut vectors = self.to.chunks_exact_mut(count);
        for to in &mut vectors {
            encode_vector::<W, I::Of<W>>(isa, &self.layout, self.columns, at, &mut all).store(to);
            at += count;
        }
        let mut rest = W::ZERO;
        for to in vectors.into_remainder() {
            *to = encode_vector::<W, W>((), &self.layout, self.columns, at, &mut rest);
            at += 1;
        }
        let mut bytes = [0; 64];
        all.store_bytes(&mut bytes);
        bytes.into_iter().fold(rest.low_byte(), |a, b| a | b)
    }
}

/// The indices of the positions from `at` on; `all` gets every bit that any byte has.
#[inline(always)]
fn encode_vector<W: Vectors, V: Lanes<W>>(
    isa: V::Isa,
    layout: &Layout<W>,
    columns: &[&[u8]],
    at: usize,
    all: &mut V,
) -> V {
    let (low, high) = (V::splat(isa, 7.into()), V::splat(isa, 0o70.into()));
    let (next, up) = (V::shift(isa, 3), V::shift(isa, layout.half() - 3));
    let mut index = V::splat(isa, W::ZERO);
    for column in columns.iter().rev() {
        let Some(bytes) = column.get(at..).and_then(|rest| rest.get(..V::COUNT)) else {
            break;
        };
        let squares = V::load_bytes(isa, bytes);
        *all = *all | squares;
        index = index << next | squares & low | (squares & high) << up;
    }
    match layout.numbering() {
        Numbering::Natural => index,
        Numbering::Alternate => ToAlternate::new(layout).map(isa, index),
    }
}

/// Decodes into columns.
pub(super) struct DecodeColumns<'a, 'b, W> {
    pub(super) layout: Layout<W>,
    pub(super) from: &'a [W],
    pub(super) columns: &'a mut [&'b mut [u8]],
}

impl<W: Vectors> Work for DecodeColumns<'_, '_, W> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let count = I::Of::<W>::COUNT;
        let mut at = 0;
        let mut vectors = self.from.chunks_exact(count);
        for from in &mut vectors {
            let indices = I::Of::<W>::load(isa, from);
            decode_vector::<W, I::Of<W>>(isa, &self.layout, indices, self.columns, at);
            at += count;
        }
        for &index in vectors.remainder() {
            decode_vector::<W, W>((), &self.layout, index, self.columns, at);
            at += 1;
        }
    }
}

/// Writes the squares of these indices from position `at` on.
#[inline(always)]
fn decode_vector<W: Vectors, V: Lanes<W>>(
    isa: V::Isa,
    layout: &Layout<W>,
    indices: V,
    columns: &mut [&mut [u8]],
    at: usize,
) {
    let mut lows = match layout.numbering() {
        Numbering::Natural => indices,
        Numbering::Alternate => ToNatural::new(layout).map(isa, indices),
    };
    let mut highs = lows >> V::shift(isa, layout.half() - 3);
    let (low, high) = (V::splat(isa, 7.into()), V::splat(isa, 0o70.into()));
    let next = V::shift(isa, 3);
    for column in columns.iter_mut() {
        let Some(bytes) = column
            .get_mut(at..)
            .and_then(|rest| rest.get_mut(..V::COUNT))
        else {
            break;
        };
        (lows & low | highs & high).store_bytes(bytes);
        (lows, highs) = (lows >> next, highs >> next);
    }
}
