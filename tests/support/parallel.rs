//! Many jobs on all processors.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Runs a check for each item.
pub fn for_each<T: Sync>(items: &[T], check: impl Fn(usize, &T) + Sync) {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(at) else { break };
                    check(at, item);
                }
            });
        }
    });
}
