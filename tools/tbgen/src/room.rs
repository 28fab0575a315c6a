//! The memory in which a part is solved.

use std::sync::{Mutex, PoisonError};

use tbindex::batch::Backend;
use tbindex::bitbase::{Bitbase, Domain, Frontier, Gathered};

use crate::library::SolveError;

/// The memory in which one half of the solution works. The second half takes it over from the first,
/// because fresh memory costs more than cleaning up.
pub(crate) struct Room {
    /// The positions that the winner has won, and those that are no positions with the winner to move.
    pub(crate) won: Bitbase,
    /// The positions that the loser can't lose or has lost, and those that are no positions.
    pub(crate) done: Bitbase,
    pub(crate) won_new: Frontier,
    pub(crate) lost_new: Frontier,
    pub(crate) lost_next: Frontier,
    pub(crate) threads: Threads,
}

/// The working memory of threads, which is lent to whoever works on a slice.
pub(crate) struct Threads {
    domain: Domain,
    backend: Backend,
    free: Mutex<Vec<Gathered>>,
}

impl Threads {
    pub(crate) fn lend(&self) -> Lent<'_> {
        let free = self
            .free
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop();
        Lent {
            from: self,
            gathered: Some(free.unwrap_or_else(|| Gathered::new(&self.domain, self.backend))),
        }
    }
}

/// What goes back when it is dropped.
pub(crate) struct Lent<'a> {
    from: &'a Threads,
    gathered: Option<Gathered>,
}

impl Lent<'_> {
    pub(crate) fn get(&mut self) -> &mut Gathered {
        self.gathered.as_mut().expect("there until it is dropped")
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        let mut free = self
            .from
            .free
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        free.extend(self.gathered.take());
    }
}

impl Room {
    pub(crate) fn new(domain: &Domain, backend: Backend) -> Result<Room, SolveError> {
        Ok(Room {
            won: Bitbase::new(domain)?,
            done: Bitbase::new(domain)?,
            won_new: Frontier::new(domain)?,
            lost_new: Frontier::new(domain)?,
            lost_next: Frontier::new(domain)?,
            threads: Threads {
                domain: domain.clone(),
                backend,
                free: Mutex::default(),
            },
        })
    }
}
