//! The laws of the fuzz target hold for its stored inputs and for changes of these.

use crate::corpora::holds;

fn laws_of_bytes(bytes: &[u8]) {
    crate::notations::laws_of_bytes(bytes);
    crate::filters::laws_of_bytes(bytes);
}

crate::corpora! {
    parse_piece_and_filter: laws_of_bytes;
}
