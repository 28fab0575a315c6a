//! C programs, as their authors build and run them: installed by the Makefile, compiled by the system's
//! compiler as C11 and as C++17, linked with the shared and with the static library.
//!
//! Where a tool is missing, a line that begins with SKIPPED says so: a skip must not look like a pass.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use tbindex::store::{Contents, IndexWriter, Overwrite};
use tbindex::{
    Color, Compact, Dense, Enumeration, Equivalence, Layout, Material, Numbering, Piece, Rules,
    Square, Stage, Symmetry,
};

fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Says that something was not tested, past the test runner, which shows only what failed tests print.
fn skipped(why: &str) {
    let _ = writeln!(std::io::stderr(), "SKIPPED: {why}");
}

fn has(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok();
    if !found {
        skipped(&format!("there is no {program} on this machine"));
    }
    found
}

/// What a program printed; its failure is the test's.
fn printed(command: &mut Command) -> String {
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

/// The library as it is installed; `None` where there is no compiler or no make.
fn installed() -> Option<&'static Path> {
    static PREFIX: OnceLock<Option<tempfile::TempDir>> = OnceLock::new();
    let prefix = PREFIX.get_or_init(|| {
        if !has("cc") || !has("make") {
            return None;
        }
        let prefix = tempfile::tempdir().unwrap();
        // Cargo built the libraries together with this test, and put them beside it.
        let built = std::env::current_exe().unwrap();
        printed(
            Command::new("make")
                .arg("-f")
                .arg(folder().join("Makefile"))
                .arg("install")
                .arg(format!("PREFIX={}", prefix.path().display()))
                .arg(format!("BUILT={}", built.parent().unwrap().display()))
                // Not those of a make that runs the tests.
                .env_remove("MAKEFLAGS"),
        );
        Some(prefix)
    });
    prefix.as_ref().map(tempfile::TempDir::path)
}

/// How a program is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    C11,
    Cpp17,
}

/// Which library it is linked with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Linked {
    Shared,
    Static,
}

const WAYS: [(Language, Linked); 4] = [
    (Language::C11, Linked::Shared),
    (Language::C11, Linked::Static),
    (Language::Cpp17, Linked::Shared),
    (Language::Cpp17, Linked::Static),
];

/// What `pkg-config` answers for the installed library.
fn pkg_config(prefix: &Path, arguments: &[&str]) -> Option<Vec<String>> {
    static FOUND: OnceLock<bool> = OnceLock::new();
    if !FOUND.get_or_init(|| has("pkg-config")) {
        return None;
    }
    let answer = printed(
        Command::new("pkg-config")
            .args(arguments)
            .arg("tbindex")
            .env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig")),
    );
    Some(answer.split_whitespace().map(str::to_owned).collect())
}

/// Compiles a program of one file, without a warning.
fn compile(source: &Path, to: &Path, (language, linked): (Language, Linked), more: &[&str]) {
    let prefix = installed().expect("asked before");
    let mut command = match language {
        Language::C11 => Command::new("cc"),
        Language::Cpp17 => Command::new("c++"),
    };
    match language {
        Language::C11 => command.arg("-std=c11"),
        Language::Cpp17 => command.args(["-std=c++17", "-x", "c++"]),
    };
    command.args(["-Wall", "-Wextra", "-Werror", "-pedantic", "-g"]);
    command.args(more).arg(source).args(["-x", "none"]);
    let cflags = pkg_config(prefix, &["--cflags"])
        .unwrap_or_else(|| vec![format!("-I{}/include", prefix.display())]);
    command.args(cflags);
    match linked {
        Linked::Shared => {
            let libs = pkg_config(prefix, &["--libs"])
                .unwrap_or_else(|| vec![format!("-L{}/lib", prefix.display()), "-ltbindex".into()]);
            command.args(libs);
        }
        Linked::Static => {
            command.arg(prefix.join("lib/libtbindex.a"));
            let libs = pkg_config(prefix, &["--static", "--libs"]).unwrap_or_else(|| {
                [
                    "-lgcc_s",
                    "-lutil",
                    "-lrt",
                    "-lpthread",
                    "-lm",
                    "-ldl",
                    "-lc",
                ]
                .map(str::to_owned)
                .into()
            });
            let system = |flag: &String| !flag.starts_with("-L") && flag != "-ltbindex";
            command.args(libs.into_iter().filter(system));
        }
    }
    command.arg("-lpthread").arg("-o").arg(to);
    printed(&mut command);
}

/// A program that will find the shared library.
fn run(program: &Path) -> Command {
    let mut command = Command::new(program);
    let prefix = installed().expect("asked before");
    command.env("LD_LIBRARY_PATH", prefix.join("lib"));
    command.env("DYLD_LIBRARY_PATH", prefix.join("lib"));
    command
}

/// What `examples/tour.c` has to print, from the library itself.
fn tour_by_the_library() -> String {
    use std::fmt::Write;
    let material: Material = "KQvKR".parse().unwrap();
    let layout = Layout::<u32>::of_material(material, Numbering::Natural).unwrap();
    let same = Equivalence::<u32>::of_material(material, Numbering::Natural).unwrap();
    let dense =
        Compact::<u32>::of_material(material, Numbering::Natural, Rules::KINGS_APART).unwrap();
    let order: String = material.index_order().map(Piece::letter).collect();
    let positions = [
        ["h8", "c3", "d1", "a1"],
        ["a8", "f3", "e1", "h1"],
        ["b2", "b7", "g7", "b1"],
    ];
    let mut text = String::new();
    let mut line = |line: String| writeln!(text, "{line}").unwrap();
    line(format!("pieces {order}, 4 of them, in words of 32 bits"));
    line(format!("{} slots", dense.size()));
    let mut first = String::new();
    let mut reduced = Vec::new();
    for squares in positions {
        let squares = squares.map(|name| name.parse::<Square>().unwrap());
        let index = layout.encode(&squares);
        let (canonical, symmetry) = same.canonical_with_symmetry(index);
        let slot = dense.rank(canonical).expect("the kings are apart");
        line(format!(
            "index 0o{index:08o} canonical 0o{canonical:08o} symmetry {} orbit {} slot {slot}",
            symmetry.code(),
            same.orbit_size(index)
        ));
        if first.is_empty() {
            let again = layout.decode(dense.unrank(slot));
            for (letter, square) in order.chars().zip(again) {
                write!(first, "{letter}{square} ").unwrap();
            }
        }
        assert_eq!(
            layout.flip(Symmetry::Rotate270, layout.flip(Symmetry::Rotate90, index)),
            index
        );
        reduced.push(canonical);
    }
    line(first);
    line("there and back: same".to_owned());
    let asked = reduced[0];
    reduced.sort_unstable();
    reduced.dedup();
    line(format!("read 3, reduced to {}", reduced.len()));
    for (position, index) in reduced.iter().enumerate() {
        line(format!("position {position}: 0o{index:08o}"));
    }
    let at = reduced.binary_search(&asked).unwrap();
    line(format!("the first one is at {at}, there"));
    line("0 is missing".to_owned());
    text
}

#[test]
fn the_tour_prints_the_library_s_answers() {
    if installed().is_none() {
        return;
    }
    let temp = tempfile::tempdir().unwrap();
    let expected = tour_by_the_library();
    for way in WAYS {
        if way.0 == Language::Cpp17 && !has("c++") {
            continue;
        }
        let program = temp.path().join(format!("tour-{way:?}"));
        compile(&folder().join("examples/tour.c"), &program, way, &[]);
        assert_eq!(printed(run(&program).arg(temp.path())), expected, "{way:?}");
    }
}

/// A folder with `reduced.tbi`, as the tour leaves it.
fn with_reduced() -> tempfile::TempDir {
    let temp = tempfile::tempdir().unwrap();
    let material: Material = "KQvKR".parse().unwrap();
    let contents = Contents::new(material, Numbering::Natural)
        .with_side(Some(Color::White))
        .reduced();
    let path = temp.path().join("reduced.tbi");
    let mut writer = IndexWriter::<u32>::create(&path, contents, Overwrite::Refuse).unwrap();
    let same = Equivalence::<u32>::of_material(material, Numbering::Natural).unwrap();
    let mut indices = [0o270327, 0o1234567, 0o7654321].map(|index| same.canonical(index));
    indices.sort_unstable();
    writer.write(&indices).unwrap();
    writer.finish().unwrap();
    temp
}

#[test]
fn abuse_is_answered_by_statuses() {
    if installed().is_none() {
        return;
    }
    let temp = with_reduced();
    for way in WAYS {
        if way.0 == Language::Cpp17 && !has("c++") {
            continue;
        }
        let program = temp.path().join(format!("abuse-{way:?}"));
        compile(&folder().join("tests/c/abuse.c"), &program, way, &[]);
        let text = printed(run(&program).arg(temp.path()));
        assert!(text.ends_with(" 0 wrong\n"), "{way:?}: {text}");
    }
}

#[test]
fn threads_share_handles_and_have_their_own_messages() {
    if installed().is_none() {
        return;
    }
    let temp = with_reduced();
    let program = temp.path().join("threads");
    compile(
        &folder().join("tests/c/threads.c"),
        &program,
        (Language::C11, Linked::Shared),
        &[],
    );
    assert_eq!(printed(run(&program).arg(temp.path())), "8 threads agree\n");
}

/// Under valgrind, or else with the address sanitizer: no access out of bounds, nothing used after it is
/// freed, nothing lost.
#[test]
fn programs_use_memory_as_they_may() {
    if installed().is_none() {
        return;
    }
    let temp = with_reduced();
    let sources = [
        folder().join("tests/c/abuse.c"),
        folder().join("examples/tour.c"),
    ];
    if has("valgrind") {
        for source in sources {
            let program = temp.path().join(source.file_stem().unwrap());
            compile(&source, &program, (Language::C11, Linked::Shared), &[]);
            let valgrind = [
                "--quiet",
                "--error-exitcode=99",
                "--leak-check=full",
                "--errors-for-leak-kinds=definite,indirect",
                "--show-leak-kinds=definite,indirect",
            ];
            let mut command = run(Path::new("valgrind"));
            printed(command.args(valgrind).arg(&program).arg(temp.path()));
        }
        return;
    }
    let trial = temp.path().join("trial.c");
    fs::write(&trial, "int main(void) { return 0; }\n").unwrap();
    let sanitized = Command::new("cc")
        .args(["-fsanitize=address", "-o"])
        .arg(temp.path().join("trial"))
        .arg(&trial)
        .output();
    if !sanitized.is_ok_and(|output| output.status.success()) {
        skipped("there is no address sanitizer either");
        return;
    }
    for source in sources {
        let program = temp.path().join(source.file_stem().unwrap());
        let way = (Language::C11, Linked::Static);
        compile(&source, &program, way, &["-fsanitize=address"]);
        printed(run(&program).arg(temp.path()));
    }
}

/// The names that the header declares as functions.
fn declared() -> Vec<String> {
    let header = fs::read_to_string(folder().join("include/tbindex.h")).unwrap();
    let mut names = Vec::new();
    for line in header
        .lines()
        .filter(|line| !line.starts_with([' ', '/', '#']))
    {
        let Some((before, _)) = line.split_once('(') else {
            continue;
        };
        let name = before.rsplit([' ', '*']).next().unwrap_or_default();
        if name.starts_with("tbi_") && !line.starts_with("typedef") {
            names.push(name.to_owned());
        }
    }
    names.sort();
    names
}

#[test]
fn the_shared_library_exports_what_the_header_declares() {
    let Some(prefix) = installed() else {
        return;
    };
    if !cfg!(target_os = "linux") || !has("nm") || !has("readelf") {
        skipped("symbols are looked at with nm and readelf on Linux");
        return;
    }
    let library = prefix.join("lib/libtbindex.so");
    let symbols = printed(
        Command::new("nm")
            .args(["-D", "--defined-only"])
            .arg(&library),
    );
    let mut exported: Vec<_> = symbols
        .lines()
        .filter_map(|line| line.split_whitespace().last())
        .collect();
    exported.sort_unstable();
    assert_eq!(exported, declared());
    let dynamic = printed(Command::new("readelf").arg("-d").arg(&library));
    let soname = format!("[libtbindex.so.{}]", tbindex_capi::TBI_ABI_VERSION);
    assert!(dynamic.contains(&soname), "{dynamic}");
}

/// The programs of a page: each a block of C with the block of what it prints after it.
fn programs_of(page: &str) -> Vec<(String, String)> {
    let block = |text: &str, language: &str| {
        let (_, after) = text.split_once(&format!("```{language}\n"))?;
        let (block, rest) = after.split_once("```\n")?;
        Some((block.to_owned(), rest.to_owned()))
    };
    let mut programs = Vec::new();
    let mut rest = page.to_owned();
    while let Some((program, after)) = block(&rest, "c") {
        let (output, after) = block(&after, "text").expect("what it prints stands after it");
        programs.push((program, output));
        rest = after;
    }
    programs
}

/// The file that the page makes with the command line, and then opens from C.
fn write_kqvkr(path: &Path) {
    let material: Material = "KQvKR".parse().unwrap();
    let all = Enumeration::<u32>::try_new(material, Numbering::Natural)
        .unwrap()
        .stage(Stage::Legal, Color::White)
        .canonical_only();
    let contents = Contents::new(material, Numbering::Natural).with_side(Some(Color::White));
    let mut writer =
        IndexWriter::<u32>::create(path, contents.reduced(), Overwrite::Refuse).unwrap();
    let mut indices = Vec::new();
    for chunk in 0..all.chunk_count() {
        indices.clear();
        all.chunk(chunk, &mut indices);
        writer.write(&indices).unwrap();
    }
    writer.finish().unwrap();
}

#[test]
fn the_programs_of_the_readme_print_what_it_says() {
    if installed().is_none() {
        return;
    }
    let page = fs::read_to_string(folder().join("README.md")).unwrap();
    let programs = programs_of(&page);
    assert!(programs.len() >= 3, "{} programs", programs.len());
    let temp = tempfile::tempdir().unwrap();
    write_kqvkr(&temp.path().join("KQvKR-w.tbi"));
    for (number, (program, expected)) in programs.iter().enumerate() {
        let source: PathBuf = temp.path().join(format!("{number}.c"));
        fs::write(&source, program).unwrap();
        for language in [Language::C11, Language::Cpp17] {
            if language == Language::Cpp17 && !has("c++") {
                continue;
            }
            let to = source.with_extension("program");
            compile(&source, &to, (language, Linked::Shared), &[]);
            assert_eq!(printed(run(&to).current_dir(&temp)), *expected, "{program}");
        }
    }
}
