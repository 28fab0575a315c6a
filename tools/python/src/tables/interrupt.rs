//! Work that Ctrl-C ends, on whatever threads it is done.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use pyo3::prelude::*;

/// The time between two looks for a signal.
const PERIOD: Duration = Duration::from_millis(50);

/// Does work on a thread of its own. Meanwhile this one looks for signals, which Python handles on its main thread
/// alone. If the handler raises an exception, the flag is set until the work has ended, which it does soon then.
pub(crate) fn interruptible<R: Send>(
    py: Python<'_>,
    stop: &AtomicBool,
    work: impl FnOnce() -> R + Send,
) -> PyResult<R> {
    py.detach(|| {
        std::thread::scope(|scope| {
            let (working, ended) = channel::<()>();
            let worker = scope.spawn(move || {
                let _working = working;
                work()
            });
            let mut raised = None;
            while raised.is_none() && ended.recv_timeout(PERIOD) == Err(RecvTimeoutError::Timeout) {
                raised = Python::attach(|py| py.check_signals().err());
            }
            if raised.is_some() {
                stop.store(true, Ordering::Relaxed);
            }
            let result = worker.join().unwrap_or_else(|panic| resume_unwind(panic));
            match raised {
                None => Ok(result),
                Some(raised) => {
                    stop.store(false, Ordering::Relaxed);
                    Err(raised)
                }
            }
        })
    })
}
