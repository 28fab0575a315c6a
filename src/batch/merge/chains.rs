//! Chains: merges of several pairs of parts at once. The parts are cut from two slices at the same keys.

use super::keeps::{Keeps, step};
use crate::index::Word;

/// The number of steps between two looks at how much is left.
pub(super) const WINDOW: usize = 256;

/// The places that merges which run at once have reached, in both slices and in the output.
#[derive(Debug)]
pub(super) struct Chains<W, const N: usize> {
    /// The place of each in the first slice.
    pub(super) a: [usize; N],
    /// The end of its part of that slice.
    pub(super) a_ends: [usize; N],
    /// The place of each in the second slice.
    pub(super) b: [usize; N],
    /// The end of its part of that slice.
    pub(super) b_ends: [usize; N],
    /// The place of its next word in the output.
    pub(super) out: [usize; N],
    /// The last word that each has taken, if it took any. Its equal in the other slice may come next.
    pub(super) last: Option<[W; N]>,
}

impl<W: Word, const N: usize> Chains<W, N> {
    /// Cuts two slices at the keys that divide the first into equal parts.
    pub(super) fn cut(a: &[W], b: &[W]) -> Chains<W, N> {
        let a_ends: [usize; N] = std::array::from_fn(|k| a.len() * (k + 1) / N);
        let mut end_before = 0;
        let b_ends = a_ends.map(|end| {
            let end = match a.get(end) {
                Some(&key) => b.partition_point(|&x| x < key),
                None => b.len(),
            };
            // The ends ascend by themselves if the slices do.
            end_before = end.max(end_before);
            end_before
        });
        let (a, b) = (starts(a_ends), starts(b_ends));
        Chains {
            a,
            a_ends,
            b,
            b_ends,
            out: std::array::from_fn(|k| a[k] + b[k]),
            last: None,
        }
    }

    /// Merges the rest of each chain, moves the results together at the beginning of `out`, and returns their length.
    /// The rest of one chain may be long when another ends: `combine`, which writes the result for two slices and
    /// returns its length, may cut it again.
    pub(super) fn finish<K: Keeps>(
        self,
        a: &[W],
        b: &[W],
        out: &mut [W],
        combine: impl Fn(&[W], &[W], &mut [W]) -> usize,
    ) -> usize {
        let (a_starts, b_starts) = (starts(self.a_ends), starts(self.b_ends));
        let mut end = 0;
        for k in 0..N {
            let mut a = &a[self.a[k]..self.a_ends[k]];
            let mut b = &b[self.b[k]..self.b_ends[k]];
            let mut to = self.out[k];
            if let Some(last) = self.last.map(|last| last[k]) {
                // Its equal counts as taken already: a union has it, a difference
                // takes the second slice's first.
                let rest = [&mut a, &mut b].into_iter();
                let mut equal = rest.filter(|rest| rest.first() == Some(&last));
                if let Some(rest) = equal.next() {
                    *rest = &rest[1..];
                    let [first, both, _] = K::KEEPS;
                    if both && !first {
                        out[to] = last;
                        to += 1;
                    }
                }
            }
            to += combine(a, b, &mut out[to..]);
            let part = a_starts[k] + b_starts[k]..to;
            let count = part.len();
            if part.start != end {
                out.copy_within(part, end);
            }
            end += count;
        }
        end
    }

    /// Returns whether no chain can reach its end within this many steps.
    pub(super) fn have(&self, steps: usize) -> bool {
        (0..N).all(|k| self.a_ends[k] - self.a[k] >= steps && self.b_ends[k] - self.b[k] >= steps)
    }

    /// Makes as many steps of each chain as a window has places. The windows are arrays whose length is a
    /// power of two, so that places in them need no check.
    pub(super) fn merge_windows<K: Keeps>(&mut self, a: &[W], b: &[W], out: &mut [W]) {
        let window = "there is one";
        let a_windows: [&[W; WINDOW]; N] =
            std::array::from_fn(|k| a[self.a[k]..].first_chunk().expect(window));
        let b_windows: [&[W; WINDOW]; N] =
            std::array::from_fn(|k| b[self.b[k]..].first_chunk().expect(window));
        let (mut rest, mut at) = (out, 0);
        let out_windows: [&mut [W; WINDOW]; N] = std::array::from_fn(|k| {
            let (_, from) = std::mem::take(&mut rest).split_at_mut(self.out[k] - at);
            let (place, after) = from.split_first_chunk_mut().expect(window);
            (rest, at) = (after, self.out[k] + WINDOW);
            place
        });
        let (mut i, mut j, mut to) = ([0; N], [0; N], [0; N]);
        for _ in 0..WINDOW {
            for k in 0..N {
                let (x, y) = (a_windows[k][i[k] % WINDOW], b_windows[k][j[k] % WINDOW]);
                let taken = step::<W, K>(x, y, &mut out_windows[k][to[k] % WINDOW]);
                i[k] += taken[0];
                j[k] += taken[1];
                to[k] += taken[2];
            }
        }
        for k in 0..N {
            self.a[k] += i[k];
            self.b[k] += j[k];
            self.out[k] += to[k];
        }
    }
}

/// Returns the beginnings of parts that have these ends.
fn starts<const N: usize>(ends: [usize; N]) -> [usize; N] {
    std::array::from_fn(|k| if k == 0 { 0 } else { ends[k - 1] })
}
