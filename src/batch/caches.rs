//! The largest cache of this machine.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The bytes of the largest cache, or zero while nobody has asked.
static BYTES: AtomicUsize = AtomicUsize::new(0);

/// Returns the bytes of the largest cache of this machine, as the processor states it, or 32 MiB where
/// it states nothing. Slices beyond that are written past the caches.
#[must_use]
pub fn last_level_cache_bytes() -> usize {
    if BYTES.load(Relaxed) == 0 {
        let bytes = stated().unwrap_or(32 << 20).max(1);
        // A test may have stored another number meanwhile.
        let _ = BYTES.compare_exchange(0, bytes, Relaxed, Relaxed);
    }
    BYTES.load(Relaxed)
}

/// Makes [`last_level_cache_bytes`] return one byte, so that tests of small slices go past the caches, too.
#[cfg(feature = "failpoints")]
#[doc(hidden)]
pub fn pretend_that_caches_are_tiny() {
    BYTES.store(1, Relaxed);
}

// Miri has no `cpuid`.
#[cfg(all(target_arch = "x86_64", not(miri)))]
fn stated() -> Option<usize> {
    let caches = raw_cpuid::CpuId::new().get_cache_parameters()?;
    let bytes = |cache: raw_cpuid::CacheParameter| {
        let ways = cache.associativity() * cache.physical_line_partitions();
        ways * cache.coherency_line_size() * cache.sets()
    };
    caches.map(bytes).max()
}

#[cfg(any(not(target_arch = "x86_64"), miri))]
fn stated() -> Option<usize> {
    None
}
