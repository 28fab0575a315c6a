//! The floating-point mode of the thread, which must not matter.

#![cfg_attr(
    target_arch = "x86_64",
    expect(
        unsafe_code,
        reason = "reading and setting the mode takes instructions of SSE"
    )
)]

#[cfg(target_arch = "x86_64")]
use std::arch::asm;

/// The mode of floating-point numbers in which their minima are those of words, until it is dropped.
///
/// On x86-64 the smaller of two words is taken as the smaller of two floating-point numbers, which more
/// ports can do. Most indices are then numbers so small that a processor told to hold such for zero gets
/// them wrong; and it is told so, for its whole thread, by any library in the program that was linked for
/// fast mathematics. On other processors minima are those of integers, and there is nothing to set.
pub(super) struct FloatMode {
    /// What the mode was, if it was not this.
    #[cfg(target_arch = "x86_64")]
    found: Option<u32>,
}

#[cfg(not(target_arch = "x86_64"))]
impl FloatMode {
    #[inline(always)]
    pub(super) fn of_words() -> FloatMode {
        FloatMode {}
    }
}

#[cfg(target_arch = "x86_64")]
impl FloatMode {
    /// As a program begins: nothing held for zero, nothing trapped.
    pub(super) const OF_WORDS: u32 = 0x1f80;
    /// What is no mode, but tells what has happened.
    const FLAGS: u32 = 0x3f;

    /// Sets it, until what is returned is dropped.
    #[inline(always)]
    pub(super) fn of_words() -> FloatMode {
        let found = FloatMode::get();
        if found & !FloatMode::FLAGS == FloatMode::OF_WORDS {
            return FloatMode { found: None };
        }
        FloatMode::set(FloatMode::OF_WORDS);
        FloatMode { found: Some(found) }
    }

    /// The mode of this thread, and what has happened in it.
    #[inline(always)]
    fn get() -> u32 {
        let mut found = 0u32;
        // SAFETY: the instruction is part of SSE, which every x86-64 processor has, and writes four bytes.
        unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut found, options(nostack, preserves_flags)) };
        found
    }

    /// The mode of this thread alone.
    #[cfg(all(test, feature = "store"))]
    pub(super) fn current() -> u32 {
        FloatMode::get() & !FloatMode::FLAGS
    }

    /// Sets the mode of this thread. It also sets what has happened, so flags are not preserved.
    #[cold]
    pub(super) fn set(mode: u32) {
        // SAFETY: as above, and reads four bytes: the mode above, one that was found, or a test's.
        unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const mode, options(nostack)) };
    }
}

#[cfg(target_arch = "x86_64")]
impl Drop for FloatMode {
    #[inline(always)]
    fn drop(&mut self) {
        if let Some(found) = self.found {
            FloatMode::set(found);
        }
    }
}
