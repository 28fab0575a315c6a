//! The law of the fuzz target holds for its stored inputs and for changes of these.

use crate::any_bytes::opening_is_safe;
use crate::corpora::holds;

crate::corpora! {
    syzygy_open_probe: opening_is_safe;
}
