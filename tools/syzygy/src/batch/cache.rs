//! Decoded sub-tables, and how many bytes they may take.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::error::Error;
use crate::file::{SubTable, TableFile};
use crate::kind::Kind;
use crate::material::Material;

/// All numbers of a sub-table. Those of WDL files are replaced by the true outcomes once these are known.
#[derive(Debug)]
pub(super) enum Decoded {
    Bytes(Vec<AtomicU8>),
    Words(Vec<u16>),
}

impl Decoded {
    fn new(file: &TableFile, sub_table: &SubTable) -> Result<Decoded, Error> {
        let count = sub_table.numbering().len() as usize;
        if sub_table.fits_bytes() {
            let mut bytes = Vec::with_capacity(count);
            file.decode_in_parts(sub_table, |part| {
                bytes.extend(part.iter().map(|&number| AtomicU8::new(number as u8)));
            })?;
            Ok(Decoded::Bytes(bytes))
        } else {
            let mut words = Vec::with_capacity(count);
            file.decode_in_parts(sub_table, |part| words.extend_from_slice(part))?;
            Ok(Decoded::Words(words))
        }
    }

    #[inline]
    pub(super) fn get(&self, place: usize) -> u16 {
        match self {
            Decoded::Bytes(bytes) => bytes[place].load(Ordering::Relaxed).into(),
            Decoded::Words(words) => words[place],
        }
    }

    /// Replaces a number of a WDL file.
    #[inline]
    pub(super) fn set(&self, place: usize, number: u8) {
        if let Decoded::Bytes(bytes) = self {
            bytes[place].store(number, Ordering::Relaxed);
        }
    }
}

/// A sub-table: the material, the kind and its number in the file.
pub(super) type Key = (Material, Kind, usize);

/// A sub-table that some thread decodes, or `None` in it if it is damaged.
pub(super) type Shared = Arc<OnceLock<Option<Decoded>>>;

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
pub(super) struct Cache {
    limit: u64,
    slots: Mutex<Slots>,
}

impl Cache {
    pub(super) fn new(limit: u64) -> Cache {
        Cache {
            limit,
            slots: Mutex::default(),
        }
    }

    /// All numbers of a sub-table of which so many are wanted, if decoding it costs no more than what was looked up in
    /// its blocks since it was last decoded, and it isn't damaged.
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
        // Decoded without the lock, by one thread; others that need it wait.
        let decoded = shared.get_or_init(|| Decoded::new(file, sub_table).ok());
        decoded.is_some().then(|| Arc::clone(&shared))
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
