//! Puts the npm package of a module into a folder: `tbindex-wasm-bindgen MODULE FOLDER`.
//!
//! This is `wasm-bindgen --target web`, of the version that `Cargo.lock` has.

use std::error::Error;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [module, folder] = &args[..] else {
        return Err("expected MODULE FOLDER".into());
    };
    Bindgen::new()
        .web(true)?
        // So that `init()` finds the module beside it.
        .omit_default_module_path(false)
        .typescript(true)
        .remove_name_section(true)
        .remove_producers_section(true)
        .input_path(module)
        .generate(folder)?;
    Ok(())
}
