//! Index files beside their yardsticks, each pair in one run: reductions beside the straightforward
//! pipeline, everything that streams beside a copy in memory, a reduction out of core beside copies of
//! its input on the same disk.
//!
//! `cargo bench --bench store` does all of it with sets of some ten million, or the parts that are named:
//! `reduce5`, `reduce7`, `sets5`, `sets7`, `verify5`, `verify7`, `compress`, `disk` (in the current
//! folder) and `enumerate`. `TBINDEX_BENCH_SCALE=10` makes the sets ten times larger: 200 million indices
//! of 5 pieces, 100 million of 7, 2 GiB on the disk; that takes 4 GiB of memory and some minutes.
//!
//! The work takes seconds, so each is done a few times and the best time counts. The processor time is
//! that of all threads. Every result in memory is checked first.

mod program;
mod reduce;
#[path = "../../src/cli/bench/harness/rivals.rs"]
#[allow(dead_code, reason = "reductions have one of these rivals")]
mod rivals;
mod stream;
mod yardstick;

use tbindex::batch::Backend;
use tbindex::store::Method;

fn main() {
    let scale: f64 =
        std::env::var("TBINDEX_BENCH_SCALE").map_or(1.0, |scale| scale.parse().expect("a number"));
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| !a.starts_with('-'))
        .collect();
    let wants = |name: &str| wanted.is_empty() || wanted.iter().any(|w| name.contains(w.as_str()));
    let millions = |count: f64| (count * scale * 1e6) as usize;
    println!("backend {}, scale {scale}", Backend::detect());
    if wants("reduce5") {
        reduce::reductions::<u32>("KQRvKR", millions(20.0), &[Method::Bitmap, Method::Sort]);
    }
    if wants("reduce7") {
        reduce::reductions::<u64>("KQRBvKRN", millions(10.0), &[Method::Sort]);
    }
    if wants("sets5") {
        stream::set_operations::<u32>("KQRvKR", millions(20.0));
    }
    if wants("sets7") {
        stream::set_operations::<u64>("KQRBvKRN", millions(10.0));
    }
    if wants("verify5") {
        stream::verification::<u32>("KQRvKR", millions(20.0));
    }
    if wants("verify7") {
        stream::verification::<u64>("KQRBvKRN", millions(10.0));
    }
    if wants("compress") {
        stream::compression();
    }
    if wants("disk") {
        program::out_of_core(((scale * 205.0) as u64) << 20, &["1", "2"]);
    }
    if wants("enumerate") {
        program::enumeration(if scale < 10.0 { "KQvKR" } else { "KRBvKR" });
    }
}
