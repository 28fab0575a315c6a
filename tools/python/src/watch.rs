//! The watch on long work, which from time to time looks for Ctrl-C and reports the progress.

use std::ops::Range;
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use tbindex::store::{Phase, Progress, StoreError};

use crate::errors::{Refusal, unexpected};

/// The time between two reports.
const PERIOD: Duration = Duration::from_millis(50);

/// The argument ``progress``, a function that is told how far the work is.
pub(crate) struct ProgressArg(Py<PyAny>);

impl FromPyObject<'_, '_> for ProgressArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        match object.is_callable() {
            true => Ok(ProgressArg(object.to_owned().unbind())),
            false => Err(unexpected("progress", &object, "a function")),
        }
    }
}

/// A watch that looks for signals and calls the caller's progress function. An exception that the function
/// raises ends the work.
pub(crate) struct Watch {
    progress: Option<ProgressArg>,
    /// The stage and the time of the last report.
    last: Option<(&'static str, Instant)>,
    /// The exception that ended an operation of the library.
    raised: Option<PyErr>,
}

/// Does a long operation of the library, which tells a watch how far it is.
pub(crate) fn watched<R: Send>(
    py: Python<'_>,
    progress: Option<ProgressArg>,
    work: impl FnOnce(&mut Watch) -> Result<R, StoreError> + Send,
) -> PyResult<R> {
    let mut watch = Watch::new(progress);
    let result = py.detach(|| work(&mut watch));
    result.map_err(|error| watch.raised.unwrap_or_else(|| error.exception()))
}

/// The number of elements between two looks for a signal: of the slowest work some tenths of a second.
pub(crate) const PART: usize = 1 << 16;

/// Does work on ranges of so many elements, one after the other, and looks for signals in between.
pub(crate) fn in_parts(
    count: usize,
    part: usize,
    mut each: impl FnMut(Range<usize>) -> PyResult<()>,
) -> PyResult<()> {
    let mut watch = Watch::new(None);
    for first in (0..count).step_by(part) {
        // Few elements are done before anybody could interrupt them.
        if first > 0 {
            watch.report("work", first as u64, None)?;
        }
        each(first..count.min(first + part))?;
    }
    Ok(())
}

impl Watch {
    pub(crate) const fn new(progress: Option<ProgressArg>) -> Watch {
        Watch {
            progress,
            last: None,
            raised: None,
        }
    }

    /// Reports the progress of an operation of the library.
    pub(crate) fn tell(&mut self, at: Progress) -> Result<(), StoreError> {
        let stage = match at.phase {
            Phase::Sorting => "sort",
            Phase::Writing => "write",
            Phase::Checking => "verify",
            _ => "read",
        };
        self.report(stage, at.done, at.total).map_err(|error| {
            self.raised = Some(error);
            StoreError::cancelled()
        })
    }

    /// Reports how much of a stage is done, out of `total` if that is known.
    pub(crate) fn report(
        &mut self,
        stage: &'static str,
        done: u64,
        total: Option<u64>,
    ) -> PyResult<()> {
        let fresh = |(last, at): (&str, Instant)| last == stage && at.elapsed() < PERIOD;
        if self.last.is_some_and(fresh) && total != Some(done) {
            return Ok(());
        }
        self.last = Some((stage, Instant::now()));
        tbindex::fail_point!("python::watch");
        Python::attach(|py| {
            py.check_signals()?;
            if let Some(ProgressArg(progress)) = &self.progress {
                progress.call1(py, (stage, done, total))?;
            }
            Ok(())
        })
    }
}
