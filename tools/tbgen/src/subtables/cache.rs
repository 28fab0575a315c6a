//! Sets that were made not long ago, and may be wanted again.

use std::sync::{Arc, Mutex, PoisonError};

use lru::LruCache;
use tbindex::{Color, Material, Piece};

use crate::subtables::library::SolveError;
use crate::table::code_sets::CodeSets;

/// Codes of a part of a table with a side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    /// The material of the table, and the part's number.
    pub(crate) material: Material,
    pub(crate) part: usize,
    /// The side to move, and whether the table has the colours exchanged.
    pub(crate) side: Color,
    pub(crate) swapped: bool,
    /// Whether it is the codes of moves to the positions.
    pub(crate) moved: bool,
    /// Whether it is what promotions lead to, for each file.
    pub(crate) promotions: Option<Promotions>,
}

/// Promotions to a piece that lead to a part, or to its mirror image, for all files at once.
///
/// A part that promotions lead to is 64 times as large as what one of them leads to, the positions with the new piece on one
/// square. Placements of pawns that differ in the file of the pawn that promotes lead to the same part, so it is read
/// once for all files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Promotions {
    pub(crate) mirrored: bool,
    pub(crate) piece: Piece,
}

/// How much is kept.
#[derive(Clone, Copy, Debug)]
pub struct CacheSize {
    /// The bytes of all values together.
    pub all: u64,
    /// The most bytes of a value.
    pub largest: u64,
}

impl CacheSize {
    /// The codes of smaller tables that are at hand while entries of files of another kind are made.
    pub(crate) const ENTRIES: CacheSize = CacheSize::new(64 << 20);

    /// So many bytes, of which no value takes more than a quarter.
    #[must_use]
    pub const fn new(all: u64) -> CacheSize {
        CacheSize {
            all,
            largest: all / 4,
        }
    }
}

/// Codes that take up to so many bytes together. The least recently used are dropped.
#[derive(Debug)]
pub(crate) struct Recent {
    size: CacheSize,
    kept: Mutex<Contents>,
}

#[derive(Debug)]
struct Contents {
    bytes: u64,
    values: LruCache<Key, (u64, Arc<Vec<CodeSets>>)>,
}

impl Recent {
    pub(crate) fn new(size: CacheSize) -> Recent {
        let kept = Contents {
            bytes: 0,
            values: LruCache::unbounded(),
        };
        Recent {
            size,
            kept: Mutex::new(kept),
        }
    }

    /// Whether values that take so many bytes are kept.
    pub(crate) fn keeps(&self, bytes: u64) -> bool {
        bytes <= self.size.largest
    }

    /// The value of a key, made if it is not kept. It takes so many bytes; what takes too many is not kept. Two threads may make
    /// the same value at the same time.
    pub(crate) fn get(
        &self,
        key: Key,
        bytes: u64,
        make: impl FnOnce() -> Result<Vec<CodeSets>, SolveError>,
    ) -> Result<Arc<Vec<CodeSets>>, SolveError> {
        if !self.keeps(bytes) {
            return Ok(Arc::new(make()?));
        }
        let lock = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, value)) = lock().values.get(&key) {
            return Ok(Arc::clone(value));
        }
        lock().drop_above(self.size.all.saturating_sub(bytes));
        // No lock is held meanwhile: what is made may itself run on several threads.
        let value = Arc::new(make()?);
        let mut kept = lock();
        let old = kept.values.push(key, (bytes, Arc::clone(&value)));
        kept.bytes += bytes;
        kept.bytes -= old.map_or(0, |(_, (bytes, _))| bytes);
        kept.drop_above(self.size.all);
        Ok(value)
    }
}

impl Contents {
    /// Drops values until the others take no more than so many bytes.
    fn drop_above(&mut self, limit: u64) {
        while self.bytes > limit {
            let Some((_, (bytes, _))) = self.values.pop_lru() else {
                break;
            };
            self.bytes -= bytes;
        }
    }
}
