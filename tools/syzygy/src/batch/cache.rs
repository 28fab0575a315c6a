//! Decoded sub-tables, and how many bytes they may take.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::file::{Decoded, Decoding, SubTable, TableFile};
use crate::kind::Kind;
use crate::material::Material;

/// A sub-table: the material, the kind and its number, as [`TableFile::sub_table`] has it.
pub(super) type Key = (Material, Kind, usize);

/// The numbers that a small batch decodes of a sub-table, beside those that it looks up. It takes a fraction of a
/// millisecond.
const AT_ONCE: u64 = 1 << 16;

/// A sub-table that is decoded by those who look up numbers in it, a part by each.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// All numbers once they are there, or `None` in it if the sub-table is damaged.
    all: OnceLock<Option<Decoded>>,
    begun: Mutex<Option<Decoding>>,
}

pub(super) type Shared = Arc<Kept>;

impl Kept {
    /// All numbers, if they are there.
    #[inline]
    pub(super) fn get(&self) -> Option<&Decoded> {
        self.all.get()?.as_ref()
    }

    /// Decodes so many numbers more, or all, for which it waits while another thread decodes.
    fn go_on(&self, file: &TableFile, sub_table: &SubTable, count: Option<u64>) {
        let begun = match count {
            None => Some(self.begun.lock().unwrap_or_else(PoisonError::into_inner)),
            Some(_) => self.begun.try_lock().ok(),
        };
        let Some(mut begun) = begun.filter(|_| self.all.get().is_none()) else {
            return;
        };
        let mut decode = || {
            let decoding = match &mut *begun {
                Some(decoding) => decoding,
                None => begun.insert(file.begin(sub_table)?),
            };
            file.go_on(sub_table, decoding, count.unwrap_or(u64::MAX))
        };
        let done = decode();
        if done.as_ref().is_ok_and(|done| !done) {
            return;
        }
        let decoding = begun.take().filter(|_| done.is_ok());
        let _ = self.all.set(decoding.map(|decoding| decoding.decoded));
    }
}

#[derive(Debug, Default)]
struct Slot {
    /// How many numbers could have been decoded in the time of all look-ups since it is not decoded.
    spent: u64,
    decoded: Option<(Shared, u64)>,
    /// How often it was dropped. Each time, decoding it again has to be worth twice as much.
    drops: u32,
    last_use: u64,
}

#[derive(Debug, Default)]
struct Slots {
    slots: HashMap<Key, Slot>,
    bytes: u64,
    uses: u64,
}

/// The decoded sub-tables, the least recently used of which are dropped where there is no more room.
#[derive(Debug)]
pub struct Cache {
    limit: u64,
    slots: Mutex<Slots>,
}

impl Cache {
    /// An empty cache, which may take so many bytes.
    #[must_use]
    pub fn new(limit: u64) -> Cache {
        Cache {
            limit,
            slots: Mutex::default(),
        }
    }

    /// All numbers of a sub-table of which so many are wanted, if they are decoded. That is done if it costs no more than
    /// what was looked up in its blocks since it was last decoded, and it isn't damaged.
    pub(super) fn decoded(
        &self,
        key: Key,
        file: &TableFile,
        sub_table: &SubTable,
        wanted: u64,
    ) -> Option<Shared> {
        let places = sub_table.numbering().len();
        let shared = {
            let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
            slots.uses += 1;
            let now = slots.uses;
            let slot = slots.slots.entry(key).or_default();
            slot.last_use = now;
            slot.spent += sub_table.cost(wanted);
            match &slot.decoded {
                Some((shared, _)) => Arc::clone(shared),
                None if slot.spent >> slot.drops.min(20) < places => return None,
                None => {
                    let bytes = places << u8::from(!sub_table.fits_bytes());
                    slots.take_up(self.limit, key, bytes)?
                }
            }
        };
        // Without the lock. A batch that alone is worth all numbers decodes them, and others share the work, so that none
        // takes long.
        if shared.all.get().is_none() {
            let cost = sub_table.cost(wanted);
            let count = Some(cost.max(AT_ONCE)).filter(|_| cost < places);
            shared.go_on(file, sub_table, count);
        }
        shared.get().is_some().then_some(shared)
    }
}

impl Slots {
    /// Takes up a sub-table that takes so many bytes, unless it doesn't fit.
    fn take_up(&mut self, limit: u64, key: Key, bytes: u64) -> Option<Shared> {
        if bytes > limit {
            return None;
        }
        while self.bytes + bytes > limit {
            let held = self
                .slots
                .values_mut()
                .filter(|slot| slot.decoded.is_some());
            let oldest = held.min_by_key(|slot| slot.last_use)?;
            let (_, freed) = oldest.decoded.take()?;
            oldest.spent = 0;
            oldest.drops += 1;
            self.bytes -= freed;
        }
        self.bytes += bytes;
        let shared = Shared::default();
        let slot = self.slots.get_mut(&key)?;
        slot.decoded = Some((Arc::clone(&shared), bytes));
        Some(shared)
    }
}
