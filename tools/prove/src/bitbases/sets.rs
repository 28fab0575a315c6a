//! Sets of inputs, each of which is kept once, so that equal sets have equal numbers.

use std::cell::RefCell;
use std::collections::HashMap;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// The set without members.
pub(crate) const EMPTY: u32 = 0;

/// All sets of a thread. The members of a set are numbers of inputs, ascending.
pub(crate) struct Sets {
    all: IndexSet<Box<[u32]>, FxBuildHasher>,
    /// The unions that were made.
    unions: HashMap<[u32; 2], u32, FxBuildHasher>,
    /// The number of members of all sets.
    members: usize,
}

thread_local! {
    static SETS: RefCell<Sets> = RefCell::new(Sets::new());
}

/// Calls a function with the sets of this thread.
pub(crate) fn with<R>(f: impl FnOnce(&mut Sets) -> R) -> R {
    SETS.with_borrow_mut(f)
}

impl Sets {
    fn new() -> Sets {
        let mut sets = Sets {
            all: IndexSet::default(),
            unions: HashMap::default(),
            members: 0,
        };
        assert_eq!(sets.of(&[]), EMPTY);
        sets
    }

    /// Forgets all sets if they take much memory. Numbers from before mean nothing afterwards.
    pub(crate) fn forget_many(&mut self) {
        if self.members + self.unions.len() > 1 << 24 {
            *self = Sets::new();
        }
    }

    /// The members of a set.
    pub(crate) fn members(&self, set: u32) -> &[u32] {
        &self.all[set as usize]
    }

    /// The set with these members, which ascend.
    pub(crate) fn of(&mut self, members: &[u32]) -> u32 {
        let known = self.all.get_index_of(members);
        let set = known.unwrap_or_else(|| {
            self.members += members.len();
            self.all.insert_full(members.into()).0
        });
        assert!(set < 1 << 30, "few enough sets");
        set as u32
    }

    /// The union of two sets.
    pub(crate) fn union(&mut self, a: u32, b: u32) -> u32 {
        if a == b || b == EMPTY {
            return a;
        }
        if a == EMPTY {
            return b;
        }
        let key = [a.min(b), a.max(b)];
        if let Some(&union) = self.unions.get(&key) {
            return union;
        }
        let mut both = [self.members(a), self.members(b)].concat();
        both.sort_unstable();
        both.dedup();
        let union = self.of(&both);
        self.unions.insert(key, union);
        union
    }
}
