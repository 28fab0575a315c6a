//! Checks that `tbindex.h` agrees with the sources, and that every function of it keeps panics in.

use std::fs;
use std::path::{Path, PathBuf};

fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The sources in the order in which the header has them.
const SOURCES: [&str; 17] = [
    "version",
    "status",
    "material",
    "layout",
    "equivalence",
    "batch",
    "squares",
    "fen",
    "dense",
    "slots",
    "conversion",
    "moves",
    "file",
    "writer",
    "reduction",
    "enumeration",
    "tables",
];

fn sources() -> Vec<PathBuf> {
    let path = |name| folder().join("src").join(name).with_extension("rs");
    SOURCES.into_iter().map(path).collect()
}

fn generated() -> String {
    let config = cbindgen::Config::from_file(folder().join("cbindgen.toml")).unwrap();
    let mut builder = cbindgen::Builder::new().with_config(config);
    for source in sources() {
        builder = builder.with_src(source);
    }
    let mut header = Vec::new();
    builder.generate().unwrap().write(&mut header);
    String::from_utf8(header).unwrap()
}

#[test]
fn the_header_is_current() {
    let path = folder().join("include/tbindex.h");
    let expected = generated();
    if std::env::var_os("UPDATE_HEADER").is_some() {
        fs::write(&path, &expected).unwrap();
    }
    assert!(
        expected.is_ascii(),
        "compilers disagree about other characters"
    );
    let found = fs::read_to_string(&path).unwrap_or_default();
    let differs = found
        .lines()
        .zip(expected.lines())
        .position(|(a, b)| a != b);
    assert!(
        found == expected,
        "include/tbindex.h differs from src/ (line {:?}): make -C tools/capi header",
        differs.map(|line| line + 1)
    );
}

/// The functions of a file that C can call.
fn exported(path: &Path) -> impl Iterator<Item = syn::ItemFn> + use<> {
    let file = syn::parse_file(&fs::read_to_string(path).unwrap()).unwrap();
    let functions = file.items.into_iter().filter_map(|item| match item {
        syn::Item::Fn(function) => Some(function),
        _ => None,
    });
    functions.filter(|function| {
        let is_optional = function.attrs.iter().any(|a| a.path().is_ident("cfg"));
        function.sig.abi.is_some() && !is_optional
    })
}

/// Whether a function does nothing but call a guard.
fn is_guarded(function: &syn::ItemFn) -> bool {
    let [syn::Stmt::Expr(syn::Expr::Call(call), _)] = function.block.stmts.as_slice() else {
        return false;
    };
    let syn::Expr::Path(path) = &*call.func else {
        return false;
    };
    path.path.is_ident("guard") || path.path.is_ident("guard_value")
}

#[test]
fn every_exported_function_is_guarded_and_declared() {
    let header = generated();
    let entries = fs::read_dir(folder().join("src")).unwrap();
    let functions = entries.flat_map(|entry| exported(&entry.unwrap().path()));
    let mut count = 0;
    for function in functions {
        let name = function.sig.ident.to_string();
        assert!(name.starts_with("tbi_"), "{name}");
        assert!(is_guarded(&function), "{name} does more than call a guard");
        assert!(
            header.contains(&format!("{name}(")),
            "{name} is not declared"
        );
        count += 1;
    }
    assert!(count > 50, "{count} functions");
}

#[test]
fn the_shared_library_is_named_after_the_interface_s_version() {
    let script = fs::read_to_string(folder().join("build.rs")).unwrap();
    let version = tbindex_capi::TBI_ABI_VERSION;
    assert!(script.contains(&format!("const ABI: u32 = {version};")));
    let makefile = fs::read_to_string(folder().join("Makefile")).unwrap();
    assert!(makefile.contains(&format!("ABI := {version}\n")));
}
