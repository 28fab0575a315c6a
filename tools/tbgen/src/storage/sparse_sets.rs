//! Sets of positions of a slice by numbers, in memory or put aside in a file.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use super::sparse::{Sparse, decode};
use crate::table::planes::Slab;
use crate::table::temp_file::TempFile;

/// Sets of positions of a slice, by numbers such as codes.
#[derive(Clone, Debug)]
pub(crate) struct SparseSets {
    /// The number of slabs of the slice.
    slabs: usize,
    sets: Vec<Set>,
}

#[derive(Clone, Debug)]
enum Set {
    Memory(Sparse),
    /// Where its bytes are in a file.
    File(Arc<TempFile>, Range<u64>),
}

impl SparseSets {
    /// No positions, of a slice of so many slabs.
    pub(crate) fn new(slabs: usize) -> SparseSets {
        SparseSets {
            slabs,
            sets: Vec::new(),
        }
    }

    /// Adds a slab with positions to a set, which was not put aside. Its number has to be greater than that of the last one
    /// there.
    pub(crate) fn add(&mut self, set: usize, slab: usize, these: &Slab) {
        if self.sets.len() <= set {
            let none = || Set::Memory(Sparse::default());
            self.sets.resize_with(set + 1, none);
        }
        match &mut self.sets[set] {
            Set::Memory(set) => set.add(slab, these),
            Set::File(..) => unreachable!("sets are put aside when they are whole"),
        }
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        for set in &mut self.sets {
            if let Set::Memory(set) = set {
                set.shrink_to_fit();
            }
        }
    }

    /// Puts the sets into a file.
    pub(crate) fn put_aside(&mut self, temp_file: &Arc<TempFile>) -> io::Result<()> {
        let mut bytes = Vec::new();
        for kept in &mut self.sets {
            let Set::Memory(set) = kept else { continue };
            if set.is_empty() {
                continue;
            }
            bytes.clear();
            std::mem::take(set).write(&mut bytes);
            *kept = Set::File(Arc::clone(temp_file), temp_file.append(&bytes)?);
        }
        Ok(())
    }

    /// The number of sets, those that were forgotten included.
    pub(crate) fn len(&self) -> usize {
        self.sets.len()
    }

    /// Whether a set has positions.
    pub(crate) fn has(&self, set: usize) -> bool {
        match self.sets.get(set) {
            Some(Set::Memory(set)) => !set.is_empty(),
            set => set.is_some(),
        }
    }

    /// Hands over the slabs in which a set has positions, with these. Only a file can fail.
    pub(crate) fn for_each_slab(
        &self,
        set: usize,
        each: impl FnMut(usize, &Slab),
    ) -> io::Result<()> {
        match self.sets.get(set) {
            None => {}
            Some(Set::Memory(set)) => set.for_each_slab(each),
            Some(Set::File(temp_file, place)) => {
                let mut bytes = vec![0; (place.end - place.start) as usize];
                temp_file.read_at(&mut bytes, place.start)?;
                decode(&bytes, self.slabs, each).map_err(io::Error::other)?;
            }
        }
        Ok(())
    }

    /// Makes a set empty.
    pub(crate) fn forget(&mut self, set: usize) {
        if let Some(set) = self.sets.get_mut(set) {
            *set = Set::Memory(Sparse::default());
        }
    }
}
