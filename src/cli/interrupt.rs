//! Ctrl-C: long work looks at a flag and stops cleanly, so that nothing half-written stays behind.

use std::ops::ControlFlow;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Result, bail};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// From now on an interrupt (or a polite termination) sets the flag instead of ending the process; a
/// second one ends it.
pub(crate) fn watch() {
    static WATCH: Once = Once::new();
    WATCH.call_once(|| {
        // Without a handler the process just ends, which is safe too: only a leftover stays.
        let _ = ctrlc::set_handler(|| {
            if INTERRUPTED.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
        });
    });
}

/// Whether an interrupt has come.
pub(crate) fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Whether to go on, for the library's long operations.
pub(crate) fn go_on() -> ControlFlow<()> {
    match is_interrupted() {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    }
}

/// An error once an interrupt has come.
pub(crate) fn check() -> Result<()> {
    if is_interrupted() {
        bail!("interrupted: nothing was written");
    }
    Ok(())
}
