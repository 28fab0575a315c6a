//! The files of several processes: a checkpoint's, and a table that all of them write.
//!
//! Each run begins files of plies of its own, a *generation*, named `NAME.G.RofN`: generation G from 1, process R of N. They have
//! the plies that the process found, whichever slices these are. So a run may have another number of processes than the one
//! before. A generation has begun when all of its files are there, and before that none of them has a record. Plies that not all
//! of its files have complete are cut off before the next one begins, which goes on from there.

use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use tbindex::store::{Overwrite, PartialFile};

use super::{Team, Transport};
use crate::storage::checkpoint::parts::SolvedParts;
use crate::storage::checkpoint::{
    Checkpoint, CheckpointOf, Name, Place, generations, keep_complete, of_generation, open_records,
};
use crate::storage::record_file::RecordFile;
use crate::storage::table_file::FileError;
use crate::subtables::library::SolveError;
use crate::table::shape::Shape;
use crate::table::solved::Table;
use crate::table::temp_file::write_at;

/// The error if records that processes have told are not all of this table.
fn check_told(all_ours: bool) -> Result<(), SolveError> {
    let error = SolveError::Message("it names a record of another table");
    all_ours.then_some(()).ok_or(error)
}

impl Team<'_> {
    /// Opens a checkpoint of plies, or begins one if there is none: one file, or one for each process of a job. Plies that not
    /// all processes have completed are cut off.
    ///
    /// # Errors
    /// If a file is missing, is no checkpoint of this table, is damaged, or the system refuses; or if `stop` is set in any process.
    pub(crate) fn open(
        self,
        checkpoint: &Path,
        of: &CheckpointOf,
        slices: usize,
        stop: &AtomicBool,
    ) -> Result<Checkpoint, SolveError> {
        if self.0.is_none() {
            return Ok(Checkpoint::open(checkpoint, of, slices, stop)?);
        }
        // All go by the files that process 0 sees.
        let seen = match self.number() {
            0 => generations(checkpoint)?,
            _ => Vec::new(),
        };
        let begun: Vec<Name> = self.share(seen)?.swap_remove(0);
        let path = |name: Name| of_generation(checkpoint, name);
        let last = begun.last().map_or(0, |name| name.0);
        let mine = (self.number()..begun.len()).step_by(self.processes());
        let own = mine.map(|at| {
            let file = (&*path(begun[at]), at as u32);
            let (records, read) = open_records(file, &of.plies(), (slices, false), stop)?;
            let mut order = read.iter().rev().find_map(Place::order).unwrap_or(0);
            if begun[at].0 < last {
                // All of it is complete.
                records.check_end()?;
                order = u64::MAX;
            }
            Ok((records, read, order))
        });
        let own: Vec<(RecordFile, _, u64)> = self.unless_stopped(own.collect(), stop)?;
        let least = own.iter().map(|(.., order)| *order).min();
        let least = self.share(least)?.into_iter().flatten().min().unwrap_or(0);
        let mut places = Vec::new();
        for (mut records, read, order) in own {
            let latest = if order < u64::MAX { least } else { order };
            places.extend(keep_complete(&mut records, read, latest)?);
        }
        // From here on nobody reads or writes a file of another process but what was complete before.
        let places = self.share(places)?;
        let (number, processes) = (begun.len() + self.number(), self.processes() as u32);
        let new = (0..processes).map(|number| (last + 1, number, processes));
        let paths = begun.into_iter().chain(new).map(path).collect();
        let this = Checkpoint::among(paths, number, of, slices)?;
        check_told(this.add(places.into_iter().flatten()))?;
        // The generation has begun when all have their files.
        self.any(false);
        Ok(this)
    }

    /// Tells all processes where the plies are that this one has found, so that each can read them.
    pub(crate) fn tell(self, checkpoint: &Checkpoint) -> Result<(), SolveError> {
        let mut told = self.share(checkpoint.own_places()?)?;
        told[self.number()].clear();
        check_told(checkpoint.add(told.into_iter().flatten()))
    }

    /// Opens the files of solved parts of all processes, those of an earlier run with more of them included, or begins them.
    pub(crate) fn open_parts(
        self,
        checkpoint: &Path,
        of: &CheckpointOf,
        shape: &Shape,
        stop: &AtomicBool,
    ) -> Result<SolvedParts, SolveError> {
        let mine = (self.number()..).step_by(self.processes());
        let opened = SolvedParts::open(checkpoint, of, shape, mine, stop);
        let mut parts = self.unless_stopped(opened.map_err(SolveError::from), stop)?;
        self.tell_parts(&mut parts)?;
        Ok(parts)
    }

    /// Tells all processes where the parts are that this one has solved.
    pub(crate) fn tell_parts(self, parts: &mut SolvedParts) -> Result<(), SolveError> {
        let told = self.share(parts.take_new()?)?;
        check_told(parts.add(told.into_iter().flatten()))
    }
}

impl Table {
    /// Writes the table to a file, which gets its name when it is complete. The threads of the current
    /// rayon pool compress it.
    ///
    /// # Errors
    /// If the file exists and is not to be replaced, or if the system refuses.
    pub fn write(&self, path: &Path, overwrite: Overwrite) -> Result<(), FileError> {
        let begun = PartialFile::create(path, overwrite)?;
        self.write_to(path, Some(begun), &AtomicBool::new(false), None)
    }

    /// Writes the table to a file, perhaps together with other processes, all of which have the table and call this function.
    /// Each writes some of the slices. Process 0 has begun the file, and gives it its name; the others have no file.
    ///
    /// # Errors
    /// If the file is there by now and is not to be replaced, if the system refuses, or if `stop` is set in any process. There is
    /// no file then. Unless the work was stopped, the other processes wait, and the caller has to end them.
    pub fn write_to(
        &self,
        path: &Path,
        begun: Option<PartialFile>,
        stop: &AtomicBool,
        together: Option<&dyn Transport>,
    ) -> Result<(), FileError> {
        let (team, io) = (Team(together), FileError::io(path, "write to the file"));
        // Process 0 tells the name of the file in the making.
        let own = begun.as_ref().map(PartialFile::partial_path);
        let told = own.map_or(&[][..], |name| name.as_os_str().as_encoded_bytes());
        let told = team.share_bytes(told.to_vec());
        let told = String::from_utf8_lossy(&told[0]);
        let name = own.unwrap_or(Path::new(told.as_ref()));
        let file = File::options().write(true).open(name).map_err(io)?;
        let head = self.write_share(
            (path, &file),
            (team.number(), team.processes()),
            |entries| team.share_bytes(entries),
            || match team.any(stop.load(Ordering::Relaxed)) {
                true => Err(FileError::Interrupted),
                false => Ok(()),
            },
        )?;
        if begun.is_none() {
            file.sync_all().map_err(io)?;
        }
        // Now all blocks are in the file.
        team.any(false);
        if let Some(begun) = begun {
            write_at(&file, &head, 0).map_err(io)?;
            tbindex::fail_point!("tbgen::table_before_rename");
            begun.finish()?;
            tbindex::fail_point!("tbgen::table_renamed");
        }
        team.any(false);
        Ok(())
    }
}
