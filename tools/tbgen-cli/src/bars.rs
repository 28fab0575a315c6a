//! Work under progress bars on a terminal.

use std::io::IsTerminal;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use syzygy_tables::Kind;
use syzygy_tables::writer::{self, Step};
use tbgen::{
    Check, Endgame, Event, InWork, Journal, Plan, Progress, Sample, Speed, Watch, mebibytes,
};

use super::folder::note_waiting;
use super::signals::stop_flag;

/// A line for a progress bar: the ply, what is found, and the time that is gone of about so many seconds.
fn describe(table: &InWork<'_>, progress: &Progress, expected: f64) -> String {
    let (solved, parts) = progress.parts;
    let time = table.begin.elapsed();
    let what = match table.metric.victim() {
        None => "wins",
        Some(_) => "is helped to checkmate",
    };
    let mut text = format!(
        "{}: {} {what} in {} plies",
        table.shape.endgame(),
        progress.winner,
        progress.plies
    );
    if parts > 1 {
        text += &format!(", part {solved} of {parts}");
    }
    if progress.positions > 0 {
        text += &format!(", {:.1} M positions", progress.positions as f64 / 1e6);
    }
    let moved = progress.read + progress.written;
    if moved > 0 {
        let rate = moved as f64 / time.as_secs_f64().max(1e-3);
        text += &format!(", {}/s", mebibytes(rate as u64));
    }
    if expected > 30.0 {
        let left = (expected - time.as_secs_f64()).max(0.0);
        text += &format!(", {:.0} s gone, about {left:.0} s left", time.as_secs_f64());
    }
    text
}

/// A line for a progress bar of a table that is written as a packed file or Syzygy files.
fn describe_writing(endgame: Endgame, progress: writer::Progress) -> String {
    let what = match progress.kind {
        Some(Kind::Wdl) => "outcomes",
        Some(Kind::Dtz) => "distances",
        None => "values",
    };
    let (number, all) = (progress.sub_tables.0 + 1, progress.sub_tables.1);
    let step = match progress.step {
        Step::Orders => "orders".to_owned(),
        Step::Values => "values".to_owned(),
        Step::Symbols(count) => format!("{count} symbols"),
    };
    format!("{endgame}: {what}, part {number} of {all}: {step}")
}

/// Progress bars on a terminal: of all tables, and of those in work.
#[derive(Debug)]
pub(crate) struct Bars {
    bars: MultiProgress,
    all: ProgressBar,
    /// The tables that are being solved, with the seconds that each takes, roughly.
    in_work: Mutex<Vec<(Endgame, f64, ProgressBar)>>,
    /// The speed of this machine, if it was measured.
    pub(crate) speed: Option<Speed>,
    /// Where each ply of a table adds a line.
    pub(crate) journal: Option<Journal>,
}

impl Bars {
    pub(crate) fn new(tables: usize) -> Bars {
        let bars = MultiProgress::new();
        if !std::io::stderr().is_terminal() {
            bars.set_draw_target(ProgressDrawTarget::hidden());
        }
        let all = bars.add(ProgressBar::new(tables as u64));
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} tables, {elapsed} gone");
        all.set_style(style.expect("a template"));
        all.tick();
        Bars {
            bars,
            all,
            in_work: Mutex::default(),
            speed: None,
            journal: None,
        }
    }

    pub(crate) fn done(&self) {
        self.all.inc(1);
    }

    fn remove(&self, bar: &ProgressBar) {
        bar.finish_and_clear();
        self.bars.remove(bar);
    }

    /// Checks positions under a bar of its own, until a signal comes.
    pub(crate) fn check<T>(
        &self,
        what: &str,
        sample: Sample,
        work: impl FnOnce(Check<'_>) -> T,
    ) -> T {
        let style = ProgressStyle::with_template("{msg}: {percent}% checked, {elapsed} gone");
        let bar = ProgressBar::new(1).with_style(style.expect("a template"));
        let bar = self.bars.add(bar).with_message(what.to_owned());
        let progress = |done, all| {
            bar.set_length(all);
            bar.set_position(done);
        };
        let result = work(Check {
            sample,
            progress: Some(&progress),
            stop: Some(stop_flag()),
        });
        self.remove(&bar);
        result
    }
}

impl Drop for Bars {
    fn drop(&mut self) {
        self.all.finish_and_clear();
    }
}

impl Watch for Bars {
    /// Shows the table under a bar of its own.
    fn notice(&self, table: &InWork<'_>, event: Event<'_>) {
        let endgame = table.shape.endgame();
        let mut in_work = self.in_work.lock().unwrap_or_else(PoisonError::into_inner);
        let number = in_work.iter().position(|of| of.0 == endgame);
        match (event, number) {
            (Event::Begun, _) => {
                let bar = self.bars.add(ProgressBar::new_spinner());
                bar.set_message(endgame.to_string());
                let planned = self.speed.zip(table.plan);
                let seconds =
                    |(speed, plan): (Speed, Plan)| speed.seconds([(table.shape, plan)])[0];
                in_work.push((endgame, planned.map_or(0.0, seconds), bar));
            }
            (Event::Ply(progress), Some(number)) => {
                let (_, expected, bar) = &in_work[number];
                bar.set_message(describe(table, progress, *expected));
                bar.tick();
                // The work is worth more than its journal.
                let journal = self.journal.as_ref();
                if let Some(Err(error)) = journal.map(|journal| journal.note(table, progress)) {
                    note!("tbgen: {error}");
                }
            }
            (Event::Written(progress), Some(number)) => {
                let bar = &in_work[number].2;
                bar.set_message(describe_writing(endgame, *progress));
                bar.tick();
            }
            (Event::Ended, Some(number)) => self.remove(&in_work.remove(number).2),
            (_, None) => {}
        }
    }

    fn wait(&self, file: &Path) {
        note_waiting(file);
    }
}
