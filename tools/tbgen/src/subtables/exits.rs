//! The positions of a part that have conversions of one kind.

use tbindex::bitbase::{Accumulator, Bitbase, Captures, Domain, Slice};

use crate::subtables::library::SolveError;
use crate::table::sparse::Stored;

/// The positions of a part that have conversions of one kind.
#[derive(Default)]
pub(crate) struct Exits {
    /// Captures by kings and men.
    captures: Vec<Captures>,
    /// The positions from which a pawn moves.
    moves: Option<Bitbase>,
    /// By slices the positions that have such conversions, where they were gathered and put aside.
    stored: Vec<Option<Stored>>,
}

impl Exits {
    /// Gathers the positions of a slice that have such a conversion. Illegal ones may be among them.
    pub(crate) fn gather(
        &self,
        slice: &Slice<'_>,
        gathered: &mut Accumulator,
    ) -> Result<(), SolveError> {
        gathered.captures(slice, &self.captures);
        if let Some(moves) = &self.moves {
            gathered.add(moves.slice(slice.number()));
        }
        if let Some(Some(stored)) = self.stored.get(slice.number()) {
            let slabs = gathered.rows().len() / 8;
            stored.for_each_slab(slabs, |slab, these| gathered.add_slab(slab, these))?;
        }
        Ok(())
    }

    pub(crate) fn is_empty(&self) -> bool {
        let stored = self.stored.iter().any(Option::is_some);
        self.captures.is_empty() && self.moves.is_none() && !stored
    }

    /// Adds captures.
    pub(crate) fn capture(&mut self, captures: Captures) {
        if !captures.is_empty() {
            self.captures.push(captures);
        }
    }

    /// Keeps the positions of a slice that were put aside.
    pub(crate) fn store(&mut self, slice: usize, stored: Stored) {
        if self.stored.len() <= slice {
            self.stored.resize(slice + 1, None);
        }
        self.stored[slice] = Some(stored);
    }

    /// The positions from which a pawn moves, to write to.
    pub(crate) fn moves(&mut self, domain: &Domain) -> Result<&mut Bitbase, SolveError> {
        if self.moves.is_none() {
            self.moves = Some(match domain.slices() {
                1 => Bitbase::try_new(domain)?,
                _ => Bitbase::with_few_slices(domain)?,
            });
        }
        Ok(self.moves.as_mut().expect("just made"))
    }

    /// Forgets moves of pawns if no position has any.
    pub(crate) fn drop_if_empty(&mut self) {
        self.moves.take_if(|moves| moves.is_empty());
    }
}
