//! That programs use memory as they may: no access out of bounds, nothing used after it is freed, nothing lost,
//! not even possibly.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::building::{
    Language, Linked, assert_static, can_compile, compile, folder, has, installed, is_thorough,
    printed, run, skipped,
};
use crate::with_reduced;

/// The programs, and how each is compiled. The last ones take long under valgrind.
fn programs() -> Vec<(PathBuf, Language)> {
    let mut all = vec![
        (folder().join("tests/c/abuse.c"), Language::C11),
        (folder().join("examples/tour.c"), Language::C11),
    ];
    if is_thorough() && has("c++") {
        all.push((folder().join("tests/c/answers.cpp"), Language::Cpp17));
        all.push((folder().join("tests/c/threads.c"), Language::C11));
    }
    all
}

#[test]
fn valgrind_finds_nothing_wrong_and_nothing_lost() {
    if installed().is_none() {
        return;
    }
    if !has("valgrind") {
        // Better than nothing.
        return sanitized("address");
    }
    for (source, language) in programs() {
        let temp = with_reduced();
        let program = temp
            .path()
            .join(source.file_name().unwrap())
            .with_extension("program");
        compile(&source, &program, (language, Linked::Shared), &[]);
        let valgrind = [
            "--quiet",
            "--error-exitcode=99",
            "--leak-check=full",
            "--errors-for-leak-kinds=definite,indirect,possible",
            "--show-leak-kinds=definite,indirect,possible",
        ];
        let mut suppressions = OsString::from("--suppressions=");
        suppressions.push(folder().join("tests/c/valgrind.supp"));
        let mut command = run(Path::new("valgrind"));
        command.args(valgrind).arg(suppressions);
        printed(command.arg(&program).arg(temp.path()));
    }
}

/// Runs the programs with a sanitizer, linked statically: no shared library comes back.
fn sanitized(sanitizer: &str) {
    let option = format!("-fsanitize={sanitizer}");
    if !can_compile(&[&option]) {
        return skipped(&format!("the compiler has no {option}"));
    }
    for (source, language) in programs() {
        let temp = with_reduced();
        let program = temp
            .path()
            .join(source.file_name().unwrap())
            .with_extension("program");
        compile(
            &source,
            &program,
            (language, Linked::Static),
            &[&option, "-fno-sanitize-recover=all"],
        );
        assert_static(&program);
        printed(run(&program).arg(temp.path()));
    }
}

#[test]
fn sanitizers_find_nothing_wrong_in_static_programs() {
    if installed().is_none() {
        return;
    }
    if !is_thorough() {
        return;
    }
    for sanitizer in ["address", "undefined"] {
        sanitized(sanitizer);
    }
}
