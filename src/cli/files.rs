//! What the commands that work on index files share.

use anyhow::Result;
use serde_json::{Value, json};
use tbindex::Material;

use super::args::usage;

/// The width of the words in a file of this material, 32 or 64.
pub(crate) fn word_bits(material: &Material) -> Result<u32> {
    match material.piece_count() {
        0..=5 => Ok(32),
        6..=10 => Ok(64),
        more => Err(usage(format!(
            "{material} has {more} pieces: index files hold at most 10, what fits 64 bits"
        ))),
    }
}

/// A count as a JSON number; as a string beyond 64 bits, where JSON readers lose digits anyway.
pub(crate) fn json_count(count: u128) -> Value {
    match u64::try_from(count) {
        Ok(count) => json!(count),
        Err(_) => json!(count.to_string()),
    }
}
