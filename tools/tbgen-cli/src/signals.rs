//! Signals that ask the program to end: they set a flag, which the work looks at.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use anyhow::{Result, bail};
use signal_hook::consts::signal;
use signal_hook::flag;

/// Set by the first ctrl-C, or another signal that asks a program to end.
static STOPPED: AtomicBool = AtomicBool::new(false);

/// The signal that came last, or 0.
static SIGNAL: AtomicUsize = AtomicUsize::new(0);

#[cfg(unix)]
const SIGNALS: [i32; 3] = [signal::SIGINT, signal::SIGTERM, signal::SIGHUP];
#[cfg(not(unix))]
const SIGNALS: [i32; 2] = [signal::SIGINT, signal::SIGTERM];

/// Whether whoever started this process made it ignore a signal, as `nohup` does, if the system tells.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|set| u64::from_str_radix(set.trim(), 16).ok());
    ignored.is_some_and(|set| set >> (signal - 1) & 1 != 0)
}

/// The flag that signals set from now on, for work that they interrupt.
pub fn stop_flag() -> &'static AtomicBool {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| {
        for signal in SIGNALS.into_iter().filter(|&signal| !is_ignored(signal)) {
            // In this order the second signal finds the flag that the first has set. Without a handler it ends the process
            // as usual.
            let _ = flag::register_conditional_default(signal, &STOPPED);
            let _ = flag::register_usize(signal, &SIGNAL, signal as usize);
            let _ = flag::register(signal, &STOPPED);
        }
    });
    &STOPPED
}

/// Whether a signal has asked this process to end.
pub(crate) fn is_stopped() -> bool {
    STOPPED.load(Ordering::Relaxed)
}

/// An error, if a signal has asked this process to end.
///
/// # Errors
/// If one has.
pub fn check_stopped() -> Result<()> {
    match is_stopped() {
        true => bail!("interrupted"),
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
