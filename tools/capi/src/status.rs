//! Statuses, messages, and the guard that catches panics.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

use tbindex::store::{StoreError, StoreErrorKind};

/// The result of a call: `TBI_OK`, or one of the `TBI_ERROR_...`. After an error,
/// `tbi_last_error_message` gives the details.
pub type tbi_status = i32;

/// The call succeeded.
pub const TBI_OK: tbi_status = 0;
/// A pointer is NULL that must not be.
pub const TBI_ERROR_NULL: tbi_status = 1;
/// A pointer is not aligned as its type has to be.
pub const TBI_ERROR_MISALIGNED: tbi_status = 2;
/// Two buffers overlap that must not.
pub const TBI_ERROR_OVERLAP: tbi_status = 3;
/// A number is out of its range.
pub const TBI_ERROR_ARGUMENT: tbi_status = 4;
/// A text is no material, no square, no FEN, or not UTF-8.
pub const TBI_ERROR_NAME: tbi_status = 5;
/// The pieces do not fit the word, or the file's words have another width.
pub const TBI_ERROR_WORD: tbi_status = 6;
/// A byte is not a square: above 63.
pub const TBI_ERROR_SQUARE: tbi_status = 7;
/// An index has bits above its digits.
pub const TBI_ERROR_INDEX: tbi_status = 8;
/// A slot is not below the size of its dense numbering.
pub const TBI_ERROR_SLOT: tbi_status = 9;
/// The buffer is too small for the answer.
pub const TBI_ERROR_BUFFER: tbi_status = 10;
/// The operating system refused a request.
pub const TBI_ERROR_IO: tbi_status = 11;
/// The file is damaged or no index file.
pub const TBI_ERROR_FILE: tbi_status = 12;
/// The file is sound but cannot serve: it is not sorted, compressed, of another material, ....
pub const TBI_ERROR_UNSUITABLE: tbi_status = 13;
/// The file exists already, or another writer is at work on it.
pub const TBI_ERROR_EXISTS: tbi_status = 14;
/// The memory or the disk space that may be used is too little.
pub const TBI_ERROR_SPACE: tbi_status = 15;
/// The progress function ended the work.
pub const TBI_ERROR_CANCELLED: tbi_status = 16;
/// A mistake in the library, which is still sound to use; the message says where.
pub const TBI_ERROR_INTERNAL: tbi_status = 17;

/// A failure on its way out: the status, and the message for people.
#[derive(Debug)]
pub(crate) struct Failure {
    /// One of the `TBI_ERROR_...`.
    pub(crate) status: tbi_status,
    /// The fault, and the expected value.
    pub(crate) message: String,
}

/// The result of the inner functions of this crate.
pub(crate) type Outcome<T = ()> = Result<T, Failure>;

impl Failure {
    /// A failure of this status.
    pub(crate) fn new(status: tbi_status, message: impl std::fmt::Display) -> Failure {
        Failure {
            status,
            message: message.to_string(),
        }
    }

    /// A number is out of its range.
    pub(crate) fn argument(message: impl std::fmt::Display) -> Failure {
        Failure::new(TBI_ERROR_ARGUMENT, message)
    }

    /// A number is none of the constants.
    pub(crate) fn choice(what: &str, found: u32, constants: &str) -> Failure {
        Failure::argument(format!("{what} {found}: expected one of the {constants}"))
    }

    /// The value of a number, which is one of the constants, counted from 0.
    pub(crate) fn chosen<T>(
        what: &str,
        number: u32,
        all: impl IntoIterator<Item = T>,
        constants: &str,
    ) -> Outcome<T> {
        let chosen = all.into_iter().nth(number as usize);
        chosen.ok_or_else(|| Failure::choice(what, number, constants))
    }

    /// The buffer is too small.
    pub(crate) fn room(what: &str, found: usize, expected: usize) -> Failure {
        Failure::new(
            TBI_ERROR_BUFFER,
            format!("room for {found} {what}: expected room for {expected}"),
        )
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Failure {
        let status = match error.kind {
            StoreErrorKind::Io => TBI_ERROR_IO,
            StoreErrorKind::WrongWord => TBI_ERROR_WORD,
            StoreErrorKind::Unsuitable | StoreErrorKind::Unfinished => TBI_ERROR_UNSUITABLE,
            StoreErrorKind::TooLittleMemory { .. } | StoreErrorKind::TooLittleSpace { .. } => {
                TBI_ERROR_SPACE
            }
            StoreErrorKind::Cancelled => TBI_ERROR_CANCELLED,
            StoreErrorKind::Exists | StoreErrorKind::Busy | StoreErrorKind::ForeignPartial => {
                TBI_ERROR_EXISTS
            }
            // All other errors say that a file is not as it should be.
            _ => TBI_ERROR_FILE,
        };
        match std::error::Error::source(&error) {
            Some(reason) => Failure::new(status, format!("{error}: {reason}")),
            None => Failure::new(status, error),
        }
    }
}

thread_local! {
    static MESSAGE: RefCell<Option<CString>> = const { RefCell::new(None) };
}

fn keep(message: String) {
    let bytes = message.into_bytes().into_iter().filter(|&byte| byte != 0);
    // Without zero bytes there is always a C string.
    let text = CString::new(bytes.collect::<Vec<_>>()).unwrap_or_default();
    // If a thread is about to end and its message is gone, no code can ask for it any more.
    let _ = MESSAGE.try_with(|message| {
        if let Ok(mut message) = message.try_borrow_mut() {
            *message = Some(text);
        }
    });
}

fn of_panic(panic: &(dyn Any + Send)) -> Failure {
    let reason = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no reason given");
    Failure::new(
        TBI_ERROR_INTERNAL,
        format!("a mistake in tbindex, please report it: {reason}"),
    )
}

/// Runs a function and keeps its failure, or its panic, as the thread's message.
fn outcome<T>(work: impl FnOnce() -> Outcome<T>) -> Result<T, tbi_status> {
    // Data that a panic may have left half done is behind a lock, which the panic poisons, or is dropped
    // here.
    let outcome = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(outcome) => outcome,
        Err(panic) => {
            let failure = of_panic(&*panic);
            // To drop the payload of a panic may panic in turn.
            let _ = catch_unwind(AssertUnwindSafe(|| drop(panic)));
            Err(failure)
        }
    };
    outcome.map_err(|failure| {
        keep(failure.message);
        failure.status
    })
}

/// The body of every function that returns a status.
pub(crate) fn guard(work: impl FnOnce() -> Outcome) -> tbi_status {
    match outcome(work) {
        Ok(()) => TBI_OK,
        Err(status) => status,
    }
}

/// The body of every function that returns a value; it returns `otherwise` on failure.
pub(crate) fn guard_value<T>(otherwise: T, work: impl FnOnce() -> Outcome<T>) -> T {
    outcome(work).unwrap_or(otherwise)
}

/// The message of the last call on this thread that failed, in English and UTF-8, without a line end; empty
/// if none has failed. The pointer is good until the next call on this thread fails, or the thread ends.
#[unsafe(no_mangle)]
pub extern "C" fn tbi_last_error_message() -> *const c_char {
    guard_value(c"".as_ptr(), || {
        let kept = MESSAGE.try_with(|message| message.borrow().as_ref().map(|text| text.as_ptr()));
        Ok(kept.ok().flatten().unwrap_or(c"".as_ptr()))
    })
}

/// The name of a status, `TBI_OK` or `TBI_ERROR_...`; `unknown status` of any other number.
#[unsafe(no_mangle)]
pub extern "C" fn tbi_status_name(status: tbi_status) -> *const c_char {
    guard_value(c"".as_ptr(), || {
        let name = match status {
            TBI_OK => c"TBI_OK",
            TBI_ERROR_NULL => c"TBI_ERROR_NULL",
            TBI_ERROR_MISALIGNED => c"TBI_ERROR_MISALIGNED",
            TBI_ERROR_OVERLAP => c"TBI_ERROR_OVERLAP",
            TBI_ERROR_ARGUMENT => c"TBI_ERROR_ARGUMENT",
            TBI_ERROR_NAME => c"TBI_ERROR_NAME",
            TBI_ERROR_WORD => c"TBI_ERROR_WORD",
            TBI_ERROR_SQUARE => c"TBI_ERROR_SQUARE",
            TBI_ERROR_INDEX => c"TBI_ERROR_INDEX",
            TBI_ERROR_SLOT => c"TBI_ERROR_SLOT",
            TBI_ERROR_BUFFER => c"TBI_ERROR_BUFFER",
            TBI_ERROR_IO => c"TBI_ERROR_IO",
            TBI_ERROR_FILE => c"TBI_ERROR_FILE",
            TBI_ERROR_UNSUITABLE => c"TBI_ERROR_UNSUITABLE",
            TBI_ERROR_EXISTS => c"TBI_ERROR_EXISTS",
            TBI_ERROR_SPACE => c"TBI_ERROR_SPACE",
            TBI_ERROR_CANCELLED => c"TBI_ERROR_CANCELLED",
            TBI_ERROR_INTERNAL => c"TBI_ERROR_INTERNAL",
            _ => c"unknown status",
        };
        Ok(name.as_ptr())
    })
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;

    extern "C" fn panics_with_text() -> tbi_status {
        guard(|| panic!("forced, {}", 42))
    }

    extern "C" fn panics_with_anything() -> u64 {
        guard_value(7, || std::panic::panic_any(3.5))
    }

    /// Its payload panics when it is dropped.
    struct Bomb;

    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("dropped");
        }
    }

    extern "C" fn panics_twice() -> tbi_status {
        guard(|| std::panic::panic_any(Bomb))
    }

    fn last_message() -> String {
        // SAFETY: the pointer is good until the next failure on this thread.
        let text = unsafe { CStr::from_ptr(tbi_last_error_message()) };
        text.to_str().unwrap().to_owned()
    }

    // A panic that left one of these functions would end the process, as that is Rust's rule for extern
    // "C".
    #[test]
    fn a_panic_becomes_a_status_and_a_message() {
        assert_eq!(last_message(), "");
        assert_eq!(panics_with_text(), TBI_ERROR_INTERNAL);
        assert!(last_message().ends_with("forced, 42"), "{}", last_message());
        assert_eq!(panics_with_anything(), 7);
        assert!(last_message().ends_with("no reason given"));
        assert_eq!(panics_twice(), TBI_ERROR_INTERNAL);
        assert_eq!(guard(|| Ok(())), TBI_OK);
        assert!(last_message().ends_with("no reason given"), "kept");
    }

    #[test]
    fn messages_are_kept_for_each_thread() {
        let fail = |text: &str| guard(|| Err(Failure::argument(text)));
        assert_eq!(fail("here\0 too"), TBI_ERROR_ARGUMENT);
        std::thread::spawn(move || {
            assert_eq!(last_message(), "");
            fail("there");
            assert_eq!(last_message(), "there");
        })
        .join()
        .unwrap();
        assert_eq!(last_message(), "here too");
    }
}
