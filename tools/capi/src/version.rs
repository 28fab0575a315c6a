//! Versions.

use std::ffi::{CString, c_char};
use std::sync::OnceLock;

use super::status::guard_value;

/// The version of this interface. A program compiled with one version works with libraries of the same;
/// it is the number in the shared library's name, and counts up when a declaration changes or goes.
pub const TBI_ABI_VERSION: u32 = 4;

/// The library's `TBI_ABI_VERSION`; compare it with the header's.
#[unsafe(no_mangle)]
pub extern "C" fn tbi_abi_version() -> u32 {
    guard_value(0, || Ok(TBI_ABI_VERSION))
}

/// The library's version, such as `0.1.0`. Never freed.
#[unsafe(no_mangle)]
pub extern "C" fn tbi_version() -> *const c_char {
    guard_value(c"".as_ptr(), || {
        Ok(concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast())
    })
}

/// The instructions that batches use on this machine: `portable`, `avx2` or `avx512`. Never freed.
#[unsafe(no_mangle)]
pub extern "C" fn tbi_backend() -> *const c_char {
    guard_value(c"".as_ptr(), || {
        static NAME: OnceLock<CString> = OnceLock::new();
        let name =
            || CString::new(tbindex::batch::Backend::detect().to_string()).unwrap_or_default();
        Ok(NAME.get_or_init(name).as_ptr())
    })
}
