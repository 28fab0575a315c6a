//! The tests within the files that keep panics in and look at pointers.

#![allow(unsafe_code, reason = "as in the library")]
#![allow(non_camel_case_types, reason = "as in the library")]
#![allow(
    dead_code,
    unreachable_pub,
    reason = "most of it is for the other files of the library"
)]
#![allow(clippy::missing_safety_doc, reason = "as in the library")]

#[path = "../src/memory.rs"]
mod memory;
#[path = "../src/status.rs"]
mod status;
