//! How programs are built and run: with the library as the Makefile installs it.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

pub(crate) fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Whether slow tests run, too.
pub(crate) fn is_thorough() -> bool {
    std::env::var_os("TBINDEX_THOROUGH").is_some()
}

/// Says that something was not tested, past the test runner, which hides the output of tests that pass.
pub(crate) fn skipped(why: &str) {
    let _ = writeln!(std::io::stderr(), "SKIPPED: {why}");
}

pub(crate) fn has(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok();
    if !found {
        skipped(&format!("there is no {program} on this machine"));
    }
    found
}

/// The output of a program; its failure is the test's.
pub(crate) fn printed(command: &mut Command) -> String {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().expect("it runs");
    let (out, err) = (
        String::from_utf8_lossy(&stdout),
        String::from_utf8_lossy(&stderr),
    );
    assert!(status.success(), "{command:?}: {status}\n{out}{err}");
    out.into_owned()
}

/// A call of the Makefile from a folder, with the libraries that cargo built together with this test and put beside
/// it.
pub(crate) fn make(from: &Path, target: &str) -> Command {
    let built = std::env::current_exe().unwrap();
    let mut command = Command::new("make");
    command
        .current_dir(from)
        .arg("-f")
        .arg(folder().join("Makefile"))
        .arg(target)
        .arg(format!("BUILT={}", built.parent().unwrap().display()))
        // Not those of a make that runs the tests.
        .env_remove("MAKEFLAGS");
    command
}

/// The library as it is installed; `None` where there is no compiler or no make.
///
/// Its path has a space, and make was told a relative one.
pub(crate) fn installed() -> Option<&'static Path> {
    static PREFIX: OnceLock<Option<(tempfile::TempDir, PathBuf)>> = OnceLock::new();
    let prefix = PREFIX.get_or_init(|| {
        if !has("cc") || !has("make") {
            return None;
        }
        let temp = tempfile::tempdir().unwrap();
        printed(make(temp.path(), "install").arg("PREFIX=of all"));
        let prefix = temp.path().join("of all");
        Some((temp, prefix))
    });
    prefix.as_ref().map(|(_, prefix)| prefix.as_path())
}

/// How a program is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    C11,
    Cpp17,
    Cpp20,
}

/// Which library it is linked with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Linked {
    Shared,
    Static,
}

/// Every way to compile a C program on this machine.
pub(crate) fn ways() -> impl Iterator<Item = (Language, Linked)> {
    let languages = [Language::C11, Language::Cpp17].into_iter();
    languages
        .filter(|&language| language == Language::C11 || has("c++"))
        .flat_map(|language| [Linked::Shared, Linked::Static].map(|linked| (language, linked)))
}

/// The answer of `pkg-config` for a library that is installed, as a shell would read it.
pub(crate) fn pkg_config(prefix: &Path, package: &str) -> Option<Vec<String>> {
    static FOUND: OnceLock<bool> = OnceLock::new();
    let is_found = FOUND.get_or_init(|| {
        // Older ones do not write a backslash before the spaces of a path.
        has("pkg-config")
            && match printed(Command::new("pkg-config").arg("--version")).starts_with("0.") {
                true => {
                    skipped("pkg-config is not pkgconf: paths with spaces");
                    false
                }
                false => true,
            }
    });
    if !is_found {
        return None;
    }
    let answer = printed(
        Command::new("pkg-config")
            .args(["--cflags", "--libs", package])
            .env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig")),
    );
    let mut words = vec![String::new()];
    let mut characters = answer.trim().chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => words.last_mut().unwrap().extend(characters.next()),
            ' ' => words.push(String::new()),
            other => words.last_mut().unwrap().push(other),
        }
    }
    words.retain(|word| !word.is_empty());
    Some(words)
}

/// The options to compile and link with, from `pkg-config` or without it.
fn flags(linked: Linked) -> Vec<String> {
    let prefix = installed().expect("asked before");
    let package = match linked {
        Linked::Shared => "tbindex",
        Linked::Static => "tbindex-static",
    };
    pkg_config(prefix, package).unwrap_or_else(|| {
        let at = prefix.display();
        let include = format!("-I{at}/include");
        match linked {
            Linked::Shared => vec![include, format!("-L{at}/lib"), "-ltbindex".to_owned()],
            Linked::Static => {
                let mut flags = vec![include, format!("{at}/lib/libtbindex.a")];
                let system = printed(
                    Command::new(folder().join("install.sh"))
                        .arg("static-libs")
                        .env("ABI", "0"),
                );
                flags.extend(system.split_whitespace().map(str::to_owned));
                flags
            }
        }
    })
}

/// Compiles a program of one file, without a warning.
pub(crate) fn compile(source: &Path, to: &Path, way: (Language, Linked), more: &[&str]) {
    let compiler = match way.0 {
        Language::C11 => "cc",
        Language::Cpp17 | Language::Cpp20 => "c++",
    };
    compile_with(compiler, source, to, way, more);
}

/// Compiles a program of one file with this compiler, without a warning.
pub(crate) fn compile_with(
    compiler: &str,
    source: &Path,
    to: &Path,
    (language, linked): (Language, Linked),
    more: &[&str],
) {
    let mut command = Command::new(compiler);
    match language {
        Language::C11 => command.arg("-std=c11"),
        Language::Cpp17 => command.args(["-std=c++17", "-x", "c++"]),
        Language::Cpp20 => command.args(["-std=c++20", "-x", "c++"]),
    };
    command.args(["-Wall", "-Wextra", "-Werror", "-pedantic", "-g"]);
    if source
        .extension()
        .is_some_and(|extension| extension == "cpp")
    {
        command.args(["-Wshadow", "-Wconversion"]);
    }
    command.args(more).arg(source).args(["-x", "none"]);
    command.args(flags(linked));
    command.arg("-lpthread").arg("-o").arg(to);
    printed(&mut command);
}

/// Whether a program can be compiled with these options.
pub(crate) fn can_compile(with: &[&str]) -> bool {
    let temp = tempfile::tempdir().unwrap();
    let trial = temp.path().join("trial.c");
    fs::write(&trial, "int main(void) { return 0; }\n").unwrap();
    let made = Command::new("cc")
        .args(with)
        .arg(&trial)
        .arg("-o")
        .arg(temp.path().join("trial"))
        .output();
    made.is_ok_and(|output| output.status.success())
}

/// A program that will find the shared library.
pub(crate) fn run(program: &Path) -> Command {
    let mut command = Command::new(program);
    let prefix = installed().expect("asked before");
    command.env("LD_LIBRARY_PATH", prefix.join("lib"));
    command.env("DYLD_LIBRARY_PATH", prefix.join("lib"));
    command
}

/// The output of a program of this package that is given a folder.
pub(crate) fn output(source: &str, way: (Language, Linked), argument: &Path) -> String {
    let temp = tempfile::tempdir().unwrap();
    let program = temp.path().join("program");
    compile(&folder().join(source), &program, way, &[]);
    printed(run(&program).arg(argument))
}

/// Checks that a program takes nothing from the shared library.
pub(crate) fn assert_static(program: &Path) {
    if cfg!(target_os = "linux") && has("readelf") {
        let needed = printed(Command::new("readelf").arg("-d").arg(program));
        assert!(!needed.contains("libtbindex"), "{needed}");
    }
}
