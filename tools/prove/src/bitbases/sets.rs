//! Sets of inputs, each of which is kept once, so that equal sets have equal numbers.

use std::cell::RefCell;

/// The set without members.
pub(crate) const EMPTY: u32 = 0;

/// The place of no set in a table.
const NONE: u32 = u32::MAX;

/// All sets of a thread. The members of a set are numbers of inputs, ascending.
pub(crate) struct Sets {
    /// Where the members of each set end in `members`.
    ends: Vec<usize>,
    members: Vec<u32>,
    /// The numbers of the sets by the hash of their members. At most half of the places are taken.
    table: Vec<u32>,
    /// Unions that were made lately.
    unions: Vec<[u32; 3]>,
    scratch: Vec<u32>,
}

thread_local! {
    static SETS: RefCell<Sets> = RefCell::new(Sets::new());
}

/// Calls a function with the sets of this thread.
pub(crate) fn with<R>(f: impl FnOnce(&mut Sets) -> R) -> R {
    SETS.with_borrow_mut(f)
}

/// The number of unions that are remembered.
const UNIONS: usize = 1 << 16;

impl Sets {
    fn new() -> Sets {
        let mut sets = Sets {
            ends: Vec::new(),
            members: Vec::new(),
            table: vec![NONE; 1 << 16],
            unions: vec![[NONE; 3]; UNIONS],
            scratch: Vec::new(),
        };
        assert_eq!(sets.of(&[]), EMPTY);
        sets
    }

    /// Forgets all sets if they take much memory. Numbers from before mean nothing afterwards.
    pub(crate) fn forget_many(&mut self) {
        if self.members.len() > 1 << 24 {
            *self = Sets::new();
        }
    }

    /// The members of a set.
    pub(crate) fn members(&self, set: u32) -> &[u32] {
        let set = set as usize;
        let start = if set == 0 { 0 } else { self.ends[set - 1] };
        &self.members[start..self.ends[set]]
    }

    /// The set with these members, which ascend.
    pub(crate) fn of(&mut self, members: &[u32]) -> u32 {
        let mut at = hash(members) & (self.table.len() - 1);
        while self.table[at] != NONE {
            if self.members(self.table[at]) == members {
                return self.table[at];
            }
            at = (at + 1) & (self.table.len() - 1);
        }
        let set = self.ends.len() as u32;
        assert!(set < NONE >> 2, "few enough sets");
        self.members.extend_from_slice(members);
        self.ends.push(self.members.len());
        self.table[at] = set;
        if 2 * self.ends.len() > self.table.len() {
            self.grow();
        }
        set
    }

    fn grow(&mut self) {
        let mut table = vec![NONE; 2 * self.table.len()];
        for set in 0..self.ends.len() as u32 {
            let mut at = hash(self.members(set)) & (table.len() - 1);
            while table[at] != NONE {
                at = (at + 1) & (table.len() - 1);
            }
            table[at] = set;
        }
        self.table = table;
    }

    /// The union of two sets.
    pub(crate) fn union(&mut self, a: u32, b: u32) -> u32 {
        if a == b || b == EMPTY {
            return a;
        }
        if a == EMPTY {
            return b;
        }
        let (a, b) = (a.min(b), a.max(b));
        let key = u64::from(a) << 32 | u64::from(b);
        let at = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48) as usize % UNIONS;
        if self.unions[at][..2] == [a, b] {
            return self.unions[at][2];
        }
        let mut both = std::mem::take(&mut self.scratch);
        both.clear();
        both.extend_from_slice(self.members(a));
        both.extend_from_slice(self.members(b));
        both.sort_unstable();
        both.dedup();
        let union = self.of(&both);
        self.scratch = both;
        self.unions[at] = [a, b, union];
        union
    }
}

fn hash(members: &[u32]) -> usize {
    let hash = members.iter().fold(members.len() as u64, |hash, &member| {
        (hash ^ u64::from(member))
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(29)
    });
    (hash ^ hash >> 32) as usize
}
