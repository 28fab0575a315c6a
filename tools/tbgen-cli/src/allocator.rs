//! The allocator of the program.

/// Many parts of a table are solved on each thread, with sets of all sizes, and freed on another: the system's
/// allocator keeps three times as much memory for that, and takes longer.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Has the allocator give freed memory back at once from now on. It keeps some for ten milliseconds otherwise, and longer where
/// other programs keep it from looking at the time, so that a bound of the memory of much of the same size would not hold.
#[allow(unsafe_code, reason = "it is an option of a library in C")]
pub(crate) fn give_back_at_once() {
    /// `mi_option_purge_delay` in version 2, in milliseconds.
    const PURGE_DELAY: libmimalloc_sys::mi_option_t = 15;
    // SAFETY: an option is a number of its own, which may be any; no other thread works yet.
    unsafe { libmimalloc_sys::mi_option_set(PURGE_DELAY, 0) }
}
