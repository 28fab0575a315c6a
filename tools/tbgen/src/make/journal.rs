//! A file to which each ply of the work adds a line.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use serde_json::json;

use super::in_work::InWork;
use crate::solve::options::Progress;

/// A file to which each ply adds a line with a JSON object.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: Mutex<File>,
    /// Set when a line could not be written.
    failed: AtomicBool,
}

impl Journal {
    /// Opens a file, to write at its end.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn open(path: &Path) -> io::Result<Journal> {
        let file = File::options().append(true).create(true).open(path)?;
        Ok(Journal {
            path: path.to_owned(),
            file: Mutex::new(file),
            failed: AtomicBool::new(false),
        })
    }

    /// Adds the line of a ply that was just finished.
    ///
    /// # Errors
    /// If the system refuses, the first time. The error names the file.
    pub fn note(&self, table: &InWork<'_>, progress: &Progress) -> io::Result<()> {
        let line = json!({
            "table": table.shape.endgame().to_string(),
            "metric": table.metric.name(),
            "winner": progress.winner.to_string(),
            "plies": progress.plies,
            "part": progress.parts.0,
            "parts": progress.parts.1,
            "positions": progress.positions,
            "bytes_read": progress.read,
            "bytes_written": progress.written,
            "sent_bytes": progress.crossed.sent,
            "frontier_bytes": progress.crossed.frontier,
            "checkpoint_bytes": progress.checkpoint,
            "seconds": table.begin.elapsed().as_secs_f64(),
        });
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        match writeln!(file, "{line}") {
            Err(error) if !self.failed.swap(true, Ordering::Relaxed) => {
                let what = format!("can't write to {}: {error}", self.path.display());
                Err(io::Error::new(error.kind(), what))
            }
            _ => Ok(()),
        }
    }
}
