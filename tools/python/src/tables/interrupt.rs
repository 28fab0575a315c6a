//! Work that Ctrl-C ends, on whatever threads it is done.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel, sync_channel};
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

/// Does work on a thread of its own, and does not wait for its end if a signal's handler raises an exception, as look-ups do not
/// heed the flag everywhere. It is set until the work has ended.
pub(super) fn abandonable<R: Send + 'static>(
    py: Python<'_>,
    stop: &Arc<AtomicBool>,
    work: impl FnOnce() -> R + Send + 'static,
) -> PyResult<R> {
    // A result is sent when it is received, or never.
    let (sender, receiver) = sync_channel(0);
    let own_stop = Arc::clone(stop);
    let worker = std::thread::spawn(move || {
        if sender.send(work()).is_err() {
            own_stop.store(false, Ordering::Relaxed);
        }
    });
    py.detach(move || {
        loop {
            match receiver.recv_timeout(PERIOD) {
                Ok(result) => return Ok(result),
                Err(RecvTimeoutError::Timeout) => {
                    if let Some(raised) = Python::attach(|py| py.check_signals().err()) {
                        stop.store(true, Ordering::Relaxed);
                        return Err(raised);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let panic = worker.join().expect_err("it sends its result");
                    resume_unwind(panic)
                }
            }
        }
    })
}
