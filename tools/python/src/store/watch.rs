//! What long work does from time to time: look for Ctrl-C, and report how far it is.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use tbindex::store::StoreError;

use crate::errors::OrRaise;

/// How long a report is good for.
const PERIOD: Duration = Duration::from_millis(50);

/// Looks for signals and calls the caller's progress function, whatever that raises ending the work.
pub(super) struct Watch {
    progress: Option<Py<PyAny>>,
    /// The stage and the time of the last report.
    last: Option<(&'static str, Instant)>,
    raised: Option<PyErr>,
}

impl Watch {
    pub(super) fn new(progress: Option<Py<PyAny>>) -> Watch {
        Watch {
            progress,
            last: None,
            raised: None,
        }
    }

    /// So much of a stage is done, of so much if that is known.
    pub(super) fn go_on(
        &mut self,
        stage: &'static str,
        done: u64,
        total: Option<u64>,
    ) -> ControlFlow<()> {
        let fresh = |(last, at): (&str, Instant)| last == stage && at.elapsed() < PERIOD;
        if self.last.is_some_and(fresh) && total != Some(done) {
            return ControlFlow::Continue(());
        }
        self.last = Some((stage, Instant::now()));
        let reported = Python::attach(|py| {
            py.check_signals()?;
            if let Some(progress) = &self.progress {
                progress.call1(py, (stage, done, total))?;
            }
            PyResult::Ok(())
        });
        match reported {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.raised = Some(error);
                ControlFlow::Break(())
            }
        }
    }

    /// The same as a result for work that the library does not watch itself.
    pub(super) fn check(
        &mut self,
        stage: &'static str,
        done: u64,
        total: Option<u64>,
    ) -> Result<(), StoreError> {
        match self.go_on(stage, done, total) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(StoreError::Cancelled),
        }
    }

    /// The work's result, or what was raised meanwhile.
    pub(super) fn outcome<T>(self, result: Result<T, StoreError>) -> PyResult<T> {
        match self.raised {
            Some(raised) if result.is_err() => Err(raised),
            _ => result.or_raise(),
        }
    }
}
