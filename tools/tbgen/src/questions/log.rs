//! A file of what a search has found so far, slice by slice, from which it goes on when it was interrupted.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

use tbindex::Material;

use super::found::SliceHits;
use crate::storage::record_file::{RecordError, RecordFile, Span, Subject};
use crate::table::value::Metric;

/// A file of what a search has found so far. It has a record for each slice of each part of the tables, in their order, with the
/// numbers of both and what was found there. One process uses it at a time.
#[derive(Debug)]
pub struct MineLog {
    file: Mutex<RecordFile>,
    /// The records that it was opened with.
    before: Vec<Span>,
}

impl MineLog {
    /// Opens the log of a search in a file, which is made if it is not there. Lists are logged with their positions, counts
    /// without them.
    ///
    /// # Errors
    /// If the system refuses, another process has the file, or it is none of this search.
    pub fn open(
        path: &Path,
        material: Material,
        metric: Metric,
        find: &str,
        list: bool,
    ) -> Result<MineLog, RecordError> {
        let what = if list { "positions" } else { "counts" };
        let find = find.split_whitespace().collect::<Vec<_>>().join(" ");
        let subject = Subject {
            name: format!(
                "a search of {material} by {} for {what}: {find}",
                metric.name()
            ),
            table: (material, metric),
            sources: None,
        };
        let mut file = RecordFile::open(path, &subject)?;
        let mut before = Vec::new();
        file.scan(&AtomicBool::new(false), |span, _| {
            before.push(span);
            true
        })?;
        file.cut(None)?;
        let file = Mutex::new(file);
        Ok(MineLog { file, before })
    }

    /// The contents of the record of this number, if the log was opened with so many. It has to be of this slice.
    pub(crate) fn get(
        &self,
        number: usize,
        of: (usize, usize),
    ) -> Result<Option<SliceHits>, RecordError> {
        let Some(&span) = self.before.get(number) else {
            return Ok(None);
        };
        let file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        match postcard::from_bytes::<((usize, usize), SliceHits)>(&file.read(span)?) {
            Ok((there, found)) if there == of => Ok(Some(found)),
            _ => {
                let what = format!("it is not of part {} and slice {}", of.0, of.1);
                Err(file.reader.damaged(span, &what))
            }
        }
    }

    /// Adds what was found in a slice.
    pub(crate) fn add(&self, of: (usize, usize), found: &SliceHits) -> Result<(), RecordError> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.append(&(of, found))?;
        file.complete()
    }
}
