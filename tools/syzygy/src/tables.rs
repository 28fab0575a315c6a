//! A set of tables, opened when they are first needed.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::batch::endgame::Endgames;
use crate::error::Error;
use crate::file::{TableFile, named};
use crate::kind::Kind;
use crate::material::{Material, MaterialMap};

/// Where a file is, and the file once it was needed.
#[derive(Debug, Default)]
struct Slot {
    path: Option<PathBuf>,
    file: OnceLock<Result<TableFile, Error>>,
}

fn has_wdl(slots: &[Slot; 2]) -> bool {
    let wdl = &slots[Kind::Wdl as usize];
    wdl.path.is_some() || wdl.file.get().is_some()
}

/// The tables of one or more folders.
///
/// A file is opened when a probe first needs it, and stays open. Any number of threads may probe at the same time. If a
/// file is damaged every probe that needs it says why; what the system refuses is tried again.
#[derive(Debug, Default)]
pub struct Tables {
    slots: MaterialMap<[Slot; 2]>,
    /// The materials that were asked for, with their moves.
    pub endgames: Endgames,
}

impl Tables {
    /// No tables.
    #[must_use]
    pub fn new() -> Tables {
        Tables::default()
    }

    /// The tables of a folder.
    ///
    /// # Errors
    /// If the folder can't be read.
    pub fn open(folder: impl AsRef<Path>) -> io::Result<Tables> {
        let mut tables = Tables::new();
        tables.add_folder(folder)?;
        Ok(tables)
    }

    /// Adds the tables of a folder and returns how many files it has. Where an earlier folder has the same table, that
    /// one stays.
    ///
    /// # Errors
    /// If the folder can't be read.
    pub fn add_folder(&mut self, folder: impl AsRef<Path>) -> io::Result<usize> {
        let mut count = 0;
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            let Some((material, kind)) = named(&path) else {
                continue;
            };
            count += 1;
            let slot = &mut self.slots.entry(material).or_default()[kind as usize];
            if slot.path.is_none() && slot.file.get().is_none() {
                slot.path = Some(path);
            }
        }
        Ok(count)
    }

    /// Adds an open file. It takes the place of one that is there.
    pub fn add_file(&mut self, file: TableFile) {
        let slot = &mut self.slots.entry(file.material()).or_default()[file.kind() as usize];
        *slot = Slot {
            path: None,
            file: OnceLock::from(Ok(file)),
        };
    }

    /// Whether a material has a WDL file.
    #[must_use]
    pub fn has(&self, material: Material) -> bool {
        self.slots.get(&material).is_some_and(has_wdl)
    }

    /// The materials that have a WDL file.
    pub fn materials(&self) -> impl Iterator<Item = Material> + '_ {
        let with_wdl = self.slots.iter().filter(|(_, slots)| has_wdl(slots));
        with_wdl.map(|(&material, _)| material)
    }

    /// The file of a material.
    ///
    /// # Errors
    /// If it is missing, can't be read, or is damaged.
    #[inline]
    pub fn file(&self, material: Material, kind: Kind) -> Result<&TableFile, Error> {
        let missing = || Error::Missing { material, kind };
        let slot = &self.slots.get(&material).ok_or_else(missing)?[kind as usize];
        if let Some(file) = slot.file.get() {
            return file.as_ref().map_err(Clone::clone);
        }
        let path = slot.path.as_ref().ok_or_else(missing)?;
        let opened = match TableFile::open(path) {
            // The system may allow later what it refuses now.
            Err(error @ Error::Io { .. }) => return Err(error),
            opened => slot.file.get_or_init(|| opened),
        };
        opened.as_ref().map_err(Clone::clone)
    }
}
