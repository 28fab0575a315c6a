//! Ctrl-C sets a flag. Long work looks at it and stops cleanly, so that nothing half-written stays behind.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Once};

use anyhow::Result;
use signal_hook::consts::signal;
use signal_hook::flag;

static INTERRUPTED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// The signal that came last, or 0.
static SIGNAL: LazyLock<Arc<AtomicUsize>> = LazyLock::new(Arc::default);

/// The error that ends interrupted work.
#[derive(Debug, thiserror::Error)]
#[error("interrupted: nothing was written")]
pub(crate) struct Interrupted;

/// The signals that ask a program to end.
#[cfg(unix)]
const SIGNALS: [i32; 3] = [signal::SIGINT, signal::SIGTERM, signal::SIGHUP];
#[cfg(not(unix))]
const SIGNALS: [i32; 2] = [signal::SIGINT, signal::SIGTERM];

/// Makes an interrupt (or a polite termination, or the end of the terminal) set the flag instead of ending
/// the process; a second one ends it. A signal that is ignored already, as under `nohup`, stays ignored.
pub(crate) fn watch() {
    static WATCH: Once = Once::new();
    WATCH.call_once(|| {
        for signal in SIGNALS.into_iter().filter(|&signal| !is_ignored(signal)) {
            // In this order the second signal finds the flag that the first has set. Without a handler the
            // process just ends. That is safe, too: only a partial file stays behind.
            let _ = flag::register_conditional_default(signal, INTERRUPTED.clone());
            let _ = flag::register_usize(signal, SIGNAL.clone(), signal as usize);
            let _ = flag::register(signal, INTERRUPTED.clone());
        }
    });
}

#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::uninit();
    #[expect(
        unsafe_code,
        reason = "no safe interface tells how a signal is handled"
    )]
    // SAFETY: with no new action, the call only writes the present one through the pointer, which leads to
    // a place of the right type. The place is read only if the call says that it was written.
    unsafe {
        let asked = libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr());
        asked == 0 && action.assume_init().sa_sigaction == libc::SIG_IGN
    }
}

#[cfg(not(unix))]
fn is_ignored(_signal: i32) -> bool {
    false
}

/// Returns an error once an interrupt has come.
pub(crate) fn check() -> Result<()> {
    tbindex::fail_point!("cli::interrupt_check");
    match INTERRUPTED.load(Ordering::Relaxed) {
        true => Err(Interrupted.into()),
        false => Ok(()),
    }
}

/// Ends the process by the signal that came, as it would have ended without a handler: so a shell knows why, and
/// leaves its loops, too. To be called when nothing is left to tidy up.
pub(crate) fn end_by_signal() {
    let signal = SIGNAL.load(Ordering::Relaxed) as i32;
    // Without a signal this is an error, and the caller ends the process.
    let _ = signal_hook::low_level::emulate_default_handler(signal);
}
