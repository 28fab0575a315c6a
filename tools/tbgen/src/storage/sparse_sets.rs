//! Sets of positions of a slice by numbers, in memory or put aside in a file.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use super::checkpoint::decode;
use super::sparse::Sparse;
use crate::table::planes::Slab;
use crate::table::temp_file::TempFile;

/// Sets of positions of a slice, by numbers such as codes.
#[derive(Clone, Debug)]
pub(crate) struct SparseSets {
    /// The number of slabs of the slice.
    slabs: usize,
    sets: Vec<Sparse>,
    put_aside: Option<PutAside>,
}

/// The same in a file: where the positions of each set are, compressed by LZ4.
#[derive(Clone, Debug)]
struct PutAside {
    temp_file: Arc<TempFile>,
    /// The place in the file and the length of what is there, decompressed. Sets without positions have none.
    sets: Vec<Option<(Range<u64>, usize)>>,
}

impl SparseSets {
    /// No positions, of a slice of so many slabs.
    pub(crate) fn new(slabs: usize) -> SparseSets {
        SparseSets {
            slabs,
            sets: Vec::new(),
            put_aside: None,
        }
    }

    /// Adds a slab with positions to a set. Its number has to be greater than that of the last one there.
    pub(crate) fn add(&mut self, set: usize, slab: usize, these: &Slab) {
        if self.sets.len() <= set {
            self.sets.resize(set + 1, Sparse::default());
        }
        self.sets[set].add(slab, these);
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.sets.iter_mut().for_each(Sparse::shrink_to_fit);
    }

    /// Puts the sets into a file.
    pub(crate) fn put_aside(&mut self, temp_file: &Arc<TempFile>) -> io::Result<()> {
        let mut places = Vec::new();
        for set in std::mem::take(&mut self.sets) {
            if set.is_empty() {
                places.push(None);
                continue;
            }
            let mut bytes = Vec::new();
            set.write(&mut bytes);
            // Memory is short: the set goes before its bytes are compressed.
            drop(set);
            let place = temp_file.append(&lz4_flex::block::compress(&bytes))?;
            places.push(Some((place, bytes.len())));
        }
        self.put_aside = Some(PutAside {
            temp_file: Arc::clone(temp_file),
            sets: places,
        });
        Ok(())
    }

    /// The number of sets, those that were forgotten included.
    pub(crate) fn len(&self) -> usize {
        match &self.put_aside {
            Some(aside) => aside.sets.len(),
            None => self.sets.len(),
        }
    }

    /// Whether a set has positions.
    pub(crate) fn has(&self, set: usize) -> bool {
        match &self.put_aside {
            Some(aside) => aside.sets.get(set).is_some_and(Option::is_some),
            None => self.sets.get(set).is_some_and(|set| !set.is_empty()),
        }
    }

    /// Hands over the slabs in which a set has positions, with these. Only a file can fail.
    pub(crate) fn for_each_slab(
        &self,
        set: usize,
        each: impl FnMut(usize, &Slab),
    ) -> io::Result<()> {
        let Some(aside) = &self.put_aside else {
            if let Some(set) = self.sets.get(set) {
                set.for_each_slab(each);
            }
            return Ok(());
        };
        let Some(Some((place, length))) = aside.sets.get(set) else {
            return Ok(());
        };
        let packed = aside.temp_file.read(place.clone())?;
        let bytes = lz4_flex::block::decompress(&packed, *length).map_err(io::Error::other)?;
        decode(&bytes, self.slabs, each).map_err(io::Error::other)
    }

    /// Makes a set empty.
    pub(crate) fn forget(&mut self, set: usize) {
        match &mut self.put_aside {
            Some(aside) => {
                if let Some(place) = aside.sets.get_mut(set) {
                    *place = None;
                }
            }
            None => {
                if let Some(set) = self.sets.get_mut(set) {
                    *set = Sparse::default();
                }
            }
        }
    }
}
