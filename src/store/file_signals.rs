//! The signals that end a process because of a file: `SIGBUS`, if a mapped file was shortened or its disk fails, and
//! `SIGXFSZ`, if a file may not grow. A program that handles them ends with a message and leaves nothing behind.

use std::path::PathBuf;

/// Makes this process survive a file that may not grow, and end in order when mapped bytes are gone. To be called once,
/// at the start of a program, never by a library.
///
/// `SIGXFSZ` is ignored from now on: a write beyond the limit is an ordinary error.
///
/// When bytes are read that were mapped and are gone, because someone shortened the file or the disk failed, no
/// error can be returned. So the thread that reads them stops for ever, and another one removes the
/// [partial files](super::PartialFile) of this process, calls `report` with the path of the file, if it can be found out,
/// and ends the process with exit status 1. `report` must not wait for a lock that a thread may hold while it reads
/// mapped bytes.
///
/// `SIGBUS` is handled on Linux alone, and `SIGXFSZ` on all of Unix. If the system refuses the thread or the handler, the
/// signal ends the process as usual.
pub fn handle_file_signals(report: impl FnOnce(Option<PathBuf>) + Send + 'static) {
    #[cfg(unix)]
    unix::ignore_file_size_signal();
    #[cfg(target_os = "linux")]
    linux::handle_bus_errors(move |file| {
        super::disk::remove_all();
        report(file);
        std::process::exit(1)
    });
    #[cfg(not(target_os = "linux"))]
    drop(report);
}

#[cfg(unix)]
mod unix {
    pub(super) fn ignore_file_size_signal() {
        #[expect(unsafe_code, reason = "no safe interface ignores a signal")]
        // SAFETY: no function is installed, so nothing runs in a signal's context. The call changes the effect of a
        // write beyond the limit on this process, as the caller asked.
        unsafe {
            libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
        }
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::OsStr;
    use std::io::Read;
    use std::os::fd::AsRawFd;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::net::UnixStream;
    use std::path::PathBuf;
    use std::ptr;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// The socket by which a byte wakes the thread that ends the process.
    static WAKING_SOCKET: OnceLock<UnixStream> = OnceLock::new();

    /// The address whose bytes are gone.
    static ADDRESS: AtomicUsize = AtomicUsize::new(0);

    /// Calls `end` on a thread of its own after a bus error, with the file that is mapped at its address.
    pub(super) fn handle_bus_errors(end: impl FnOnce(Option<PathBuf>) + Send + 'static) {
        let Ok((mut waiting, waking)) = UnixStream::pair() else {
            return;
        };
        if WAKING_SOCKET.set(waking).is_err() {
            return;
        }
        let thread = std::thread::Builder::new().name("bus errors".to_owned());
        let started = thread.spawn(move || {
            if waiting.read_exact(&mut [0]).is_ok() {
                end(file_mapped_at(ADDRESS.load(Ordering::Acquire)));
            }
        });
        if started.is_ok() {
            install();
        }
    }

    fn install() {
        #[expect(unsafe_code, reason = "no safe interface handles this signal")]
        // SAFETY: a zeroed `sigaction` is a valid one. The handler has the signature that `SA_SIGINFO` asks for, and
        // does nothing that is forbidden in a handler. It replaces that of the standard library, which prints a message
        // when the stack of a thread overflows; on Linux that is another signal, `SIGSEGV`.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = on_bus_error as *const () as usize;
            // Not on the thread's alternate stack: the standard library takes that away when the process ends, while
            // the thread may still be on its way to `pause`.
            action.sa_flags = libc::SA_SIGINFO;
            libc::sigaction(libc::SIGBUS, &raw const action, ptr::null_mut());
        }
    }

    /// Wakes the waiting thread, and stops this one: it can't go on without the bytes.
    extern "C" fn on_bus_error(
        signal: libc::c_int,
        info: *mut libc::siginfo_t,
        _context: *mut libc::c_void,
    ) {
        #[expect(unsafe_code, reason = "a handler consists of calls of the system")]
        // SAFETY: the system passes a valid `info`, whose address is set as the signal is SIGBUS and was not sent by
        // a process. `signal`, `raise`, `write` and `pause` may be called in a handler, and the socket was made before
        // the handler was installed. Nothing else of this process is touched but atomic numbers.
        unsafe {
            if (*info).si_code <= 0 {
                // Someone sent the signal. It takes its usual effect when this handler returns.
                libc::signal(signal, libc::SIG_DFL);
                libc::raise(signal);
                return;
            }
            ADDRESS.store((*info).si_addr() as usize, Ordering::Release);
            if let Some(waking) = WAKING_SOCKET.get() {
                libc::write(waking.as_raw_fd(), [1u8].as_ptr().cast(), 1);
            }
            loop {
                libc::pause();
            }
        }
    }

    /// The file of which a part is mapped at an address, by the list that the system keeps.
    fn file_mapped_at(address: usize) -> Option<PathBuf> {
        let maps = std::fs::read("/proc/self/maps").ok()?;
        maps.split(|&byte| byte == b'\n').find_map(|line| {
            // start-end permissions offset device inode path; the path may contain blanks.
            let mut words = line.splitn(6, |&byte| byte == b' ');
            let range = std::str::from_utf8(words.next()?).ok()?;
            let (start, end) = range.split_once('-')?;
            let number = |text| usize::from_str_radix(text, 16).ok();
            if !(number(start)?..number(end)?).contains(&address) {
                return None;
            }
            let path = words.nth(4)?.trim_ascii_start();
            path.starts_with(b"/")
                .then(|| PathBuf::from(OsStr::from_bytes(path)))
        })
    }
}
