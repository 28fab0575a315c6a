//! What long work does from time to time: look for Ctrl-C, and report how far it is.

use std::time::{Duration, Instant};

use pyo3::prelude::*;
use tbindex::store::{Phase, Progress};

use crate::errors::Ended;

/// How long a report is good for.
const PERIOD: Duration = Duration::from_millis(50);

/// Looks for signals and calls the caller's progress function, whatever that raises ending the work.
pub(super) struct Watch {
    progress: Option<Py<PyAny>>,
    /// The stage and the time of the last report.
    last: Option<(&'static str, Instant)>,
}

impl Watch {
    pub(super) const fn new(progress: Option<Py<PyAny>>) -> Watch {
        Watch {
            progress,
            last: None,
        }
    }

    /// Reports how far an operation of the library is.
    pub(super) fn tell(&mut self, at: Progress) -> Result<(), Ended> {
        let stage = match at.phase {
            Phase::Sorting => "sort",
            Phase::Writing => "write",
            Phase::Checking => "verify",
            _ => "read",
        };
        self.report(stage, at.done, at.total)
    }

    /// Reports that so much of a stage is done, of `total` if that is known.
    pub(super) fn report(
        &mut self,
        stage: &'static str,
        done: u64,
        total: Option<u64>,
    ) -> Result<(), Ended> {
        let fresh = |(last, at): (&str, Instant)| last == stage && at.elapsed() < PERIOD;
        if self.last.is_some_and(fresh) && total != Some(done) {
            return Ok(());
        }
        self.last = Some((stage, Instant::now()));
        Python::attach(|py| {
            py.check_signals()?;
            if let Some(progress) = &self.progress {
                progress.call1(py, (stage, done, total))?;
            }
            Ok(())
        })
        .map_err(Ended::Raised)
    }
}
