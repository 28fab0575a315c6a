//! The largest cache of this machine.

use std::sync::OnceLock;

/// Returns the bytes of the largest cache of this machine, as the processor states it, or 32 MiB where
/// it states nothing. Slices beyond that are written past the caches.
#[must_use]
pub fn last_level_cache_bytes() -> usize {
    static BYTES: OnceLock<usize> = OnceLock::new();
    *BYTES.get_or_init(|| stated().unwrap_or(32 << 20))
}

#[cfg(target_arch = "x86_64")]
fn stated() -> Option<usize> {
    let caches = raw_cpuid::CpuId::new().get_cache_parameters()?;
    let bytes = |cache: raw_cpuid::CacheParameter| {
        let ways = cache.associativity() * cache.physical_line_partitions();
        ways * cache.coherency_line_size() * cache.sets()
    };
    caches.map(bytes).max()
}

#[cfg(not(target_arch = "x86_64"))]
fn stated() -> Option<usize> {
    None
}
