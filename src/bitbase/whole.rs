//! Operations on whole sets and slices that need no memory of their own.

use super::add_moves::{Sink, add_man_moves};
use super::eight_boards::{EightBoards, HasBoards};
use super::man::Way;
use super::row::Row;
use super::set::Bitbase;
use super::slice::{Slice, is_empty, load_slab};
use crate::batch::Backend;
use crate::board::Color;
use crate::dispatch;

impl Bitbase {
    /// Adds the positions that moves of one man lead to from those of another set, or come from, captures left
    /// out. As with [`Gathered`](super::Gathered), the man may have moved onto another: to keep positions alone,
    /// intersect with the [legal](Bitbase::legal) ones.
    ///
    /// # Panics
    /// If there is no such man, or the sets are of two domains.
    pub fn unite_man_moves(&mut self, man: usize, way: Way, from: &Bitbase, backend: Backend) {
        assert!(self.domain() == from.domain(), "sets of two domains");
        assert!(man < self.domain().men().len(), "a man of the domain");
        let domain = self.domain().clone();
        let mut dirty = vec![0; domain.slabs()];
        let view = from.view();
        for (number, rows) in self.slices_mut().enumerate() {
            let slice = Slice::new(&domain, number);
            let mut sink = Sink {
                rows,
                dirty: &mut dirty,
            };
            dispatch!(backend, token => add_man_moves(token, &slice, man, way, view, &mut sink));
        }
    }
}

impl Slice<'_> {
    /// Removes from rows of the slice the positions that are not *confined* to a set: those from which a move
    /// of `side`, other than a capture, leads to a placement outside of it.
    ///
    /// The set must have all illegal placements with the other side to move, as moves to these are no moves.
    /// The rows should have legal positions with `side` to move alone.
    ///
    /// ```
    /// use tbindex::batch::Backend;
    /// use tbindex::bitbase::{Bitbase, Domain, LikeMen, Slice};
    /// use tbindex::Color::{Black, White};
    /// // Black's king has no legal move in these positions, except perhaps that it takes the rook.
    /// let domain = Domain::try_new("KRvK".parse()?)?;
    /// let backend = Backend::detect();
    /// let illegal = Bitbase::illegal(&domain, White, backend)?;
    /// let mut stuck = Bitbase::legal(&domain, Black, backend)?;
    /// for (number, rows) in stuck.slices_mut().enumerate() {
    ///     Slice::new(&domain, number).confine(Black, &illegal, rows, backend);
    /// }
    /// assert_eq!(stuck.count_classes(LikeMen::Apart), 90);
    /// // In check it is mated, or it takes.
    /// stuck.intersect(&illegal, backend);
    /// assert_eq!(stuck.count_classes(LikeMen::Apart), 41);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If there are not as many rows as in a slice, or the set is of another domain.
    pub fn confine(&self, side: Color, set: &Bitbase, rows: &mut [Row], backend: Backend) {
        assert_eq!(rows.len(), self.slabs * 8, "the rows of a slice");
        assert!(
            set.domain().has_parts(self.parts),
            "a set of the same domain"
        );
        let set = set.rows();
        dispatch!(backend, token => confine(token, self, side, set, rows));
    }
}

#[inline(always)]
fn confine<T: HasBoards>(isa: T, slice: &Slice<'_>, side: Color, set: &[Row], rows: &mut [Row]) {
    for slab in 0..slice.slabs {
        let rows = &mut rows[slab * 8..slab * 8 + 8];
        let mut x: [T::Boards; 8] = load_slab(isa, rows);
        if !is_empty(&x) {
            slice.confine_slab(isa, side, set, slab, &mut x);
            for r in 0..8 {
                x[r].store(&mut rows[r]);
            }
        }
    }
}
