//! Why tools that look for leaks find none.

/// Keeps the standard library's handle of the main thread where valgrind finds it.
///
/// Work with threads, and with temporary files, makes that handle for the calling thread. When any other thread
/// ends the handle is freed; that of the main thread lives as long as the process. The standard library
/// remembers it by a pointer into its middle, of which valgrind says "possibly lost". A pointer to its
/// beginning makes that "still reachable", which it is.
pub(crate) fn keep() {
    #[cfg(target_os = "linux")]
    {
        use std::sync::OnceLock;
        use std::thread::{self, Thread};
        static MAIN: OnceLock<Thread> = OnceLock::new();
        // The main thread's number is that of the process.
        let is_main = rustix::thread::gettid() == rustix::process::getpid();
        if is_main {
            MAIN.get_or_init(thread::current);
        }
    }
}
