//! Gives the shared library the name that programs linked with it look for at run time.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // The number is TBI_ABI_VERSION; a test compares them.
    const ABI: u32 = 4;
    let link = |option: String| println!("cargo::rustc-cdylib-link-arg=-Wl,{option}");
    let target = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    match target.as_str() {
        "macos" | "ios" => link(format!("-install_name,@rpath/libtbindex.{ABI}.dylib")),
        "windows" => {}
        _ => link(format!("-soname,libtbindex.so.{ABI}")),
    }
}
