//! Cases that a test leaves out where all of them take minutes.

/// How far apart the cases are that a test looks at: `usual`, or 1 if `TBINDEX_THOROUGH` is set, so that it
/// leaves none out.
pub fn one_in(usual: usize) -> usize {
    match std::env::var_os("TBINDEX_THOROUGH") {
        Some(_) => 1,
        None => usual,
    }
}
