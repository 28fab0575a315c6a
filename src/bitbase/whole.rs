//! Confinement of the rows of a slice.

use super::eight_boards::{EightBoards, HasBoards};
use super::row::Row;
use super::set::Bitbase;
use super::slice::{Slice, is_empty, load_slab};
use crate::batch::Backend;
use crate::board::Color;
use crate::dispatch;

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
