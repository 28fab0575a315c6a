//! Messages of a run before it begins, and about the tables that it has made.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::{Value as Json, json};
use tbgen::{Done, Journal, Speed, mebibytes};
use tbindex::store::check_space;

use super::Args;
use crate::bars::Bars;
use crate::folder::make_folder;
use crate::machine::check_memory;
use crate::{print, print_json};

/// The needs of a run, in bytes: its memory, its tables and what it has in temporary files at the same time, with their folders; and
/// what it adds to temporary files that are there. And the seconds that it takes, by the speed of this machine, if that was measured.
pub(super) struct Needs<'a> {
    pub(super) memory: u64,
    pub(super) files: (u64, Option<&'a Path>),
    pub(super) temporary: (u64, Option<&'a Path>),
    pub(super) to_come: u64,
    pub(super) time: Option<(Speed, f64)>,
}

impl Needs<'_> {
    /// Makes the folders, and checks that there is room in them.
    pub(super) fn make_folders(&self) -> Result<()> {
        let (mut files, mut temporary) = (self.files, (self.to_come, self.temporary.1));
        if files.1 == temporary.1 {
            files.0 += std::mem::take(&mut temporary.0);
        }
        for (bytes, folder) in [files, temporary] {
            if let Some(folder) = folder {
                make_folder(folder)?;
                check_space(folder, bytes, "the tables and temporary files")?;
            }
        }
        Ok(())
    }
}

/// The tables that a run has made so far.
pub(super) struct Report<'a> {
    pub(super) args: &'a Args,
    /// The tables that were asked for.
    pub(super) what: String,
    begin: Instant,
    tables: Vec<Json>,
}

impl<'a> Report<'a> {
    /// The report of a call that asks for so many tables.
    pub(super) fn new(args: &'a Args, tables: usize) -> Report<'a> {
        Report {
            args,
            what: match &args.material {
                Some(endgame) => endgame.normal().to_string(),
                None => format!("{tables} tables"),
            } + if args.no_write {
                " with --no-write"
            } else {
                ""
            },
            begin: Instant::now(),
            tables: Vec::new(),
        }
    }

    /// Says how many tables will be made and what they need, with some words before and behind that, which is all of a dry run.
    /// Returns whether this is one. Work that needs too much memory is refused.
    pub(super) fn say(
        &self,
        tables: usize,
        needs: &Needs<'_>,
        [before, behind]: [&str; 2],
    ) -> Result<bool> {
        let args = self.args;
        check_memory(&self.what, needs.memory, args.memory)?;
        let mut text = format!(
            "{}: {tables} to make{before}, up to {} of memory",
            self.what,
            mebibytes(needs.memory)
        );
        if let (bytes, Some(folder)) = needs.files {
            text += &format!(", up to {} in {}", mebibytes(bytes), folder.display());
        }
        if let (bytes @ 1.., Some(temp)) = needs.temporary {
            let (bytes, temp) = (mebibytes(bytes), temp.display());
            text += &format!(", up to {bytes} of temporary files in {temp}");
        }
        text += behind;
        if let Some((_, seconds)) = needs.time {
            let seconds = seconds.max(1.0);
            text += &format!(", roughly {seconds:.0} s at the speed measured here");
        }
        match (args.dry_run, args.json) {
            (false, _) => note!("{text}"),
            (true, false) => print(&format!("{text}\n"))?,
            (true, true) => print_json(&json!({
                "tables": tables,
                "memory_bytes": needs.memory,
                "file_bytes": needs.files.0,
                "temporary_bytes": needs.temporary.0,
                "seconds": needs.time.map(|(_, seconds)| seconds),
            }))?,
        }
        Ok(args.dry_run)
    }

    /// Progress bars of so many tables, by the speed of this machine, with the journal that is asked for.
    pub(super) fn bars(&self, tables: usize, speed: Option<Speed>) -> Result<Bars> {
        let mut bars = Bars::new(tables);
        bars.speed = speed;
        if let Some(log) = &self.args.log {
            let journal = Journal::open(log);
            bars.journal = Some(journal.with_context(|| format!("can't open {}", log.display()))?);
        }
        Ok(bars)
    }

    /// Reports on a table by its summary, and prints that as a line of text unless it is to be JSON.
    pub(super) fn add_summary(&mut self, summary: Json, text: &str) -> Result<()> {
        if !self.args.json {
            print(&format!("{text}\n"))?;
        }
        self.tables.push(summary);
        Ok(())
    }

    /// Reports on a table.
    pub(super) fn add(&mut self, done: &Done) {
        note!("{}", describe(done));
        let seconds = |time: Option<Duration>| time.map(|time| time.as_secs_f64());
        self.tables.push(json!({
            "metric": done.metric.name(),
            "table": done.endgame.to_string(),
            "solve_seconds": seconds(done.solved),
            "write_seconds": seconds(done.written),
        }));
    }

    pub(super) fn end(self, more: (&str, Json)) -> Result<()> {
        let (threads, backend) = (rayon::current_num_threads(), self.args.machine.backend());
        let seconds = self.begin.elapsed().as_secs_f64();
        if !self.args.json {
            note!("{seconds:.3} s in the process, {threads} threads, {backend}");
            return Ok(());
        }
        let mut text = json!({
            "material": self.args.material.map(|endgame| endgame.normal().to_string()),
            "threads": threads,
            "backend": backend.to_string(),
            "tables": self.tables,
            "seconds": seconds,
        });
        text[more.0] = more.1;
        print_json(&text)
    }
}

fn describe(done: &Done) -> String {
    let mut text = match done.solved {
        Some(solved) => format!("{}: solved in {:.3} s", done.endgame, solved.as_secs_f64()),
        None => format!("{}: there already", done.endgame),
    };
    if let Some(written) = done.written {
        text += &format!(", written in {:.3} s", written.as_secs_f64());
    }
    text
}
