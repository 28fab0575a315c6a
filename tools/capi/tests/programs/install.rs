//! The files that the Makefile installs, and programs that find them.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::building::{
    Language, Linked, assert_static, can_compile, compile, compile_with, folder, has, installed,
    is_thorough, make, pkg_config, printed, run, skipped,
};

/// All files below a folder, by their paths from there.
fn files_below(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let entry = entry.unwrap();
            match entry.file_type().unwrap().is_dir() {
                true => open.push(entry.path()),
                false => {
                    let path = entry.path();
                    let path = path.strip_prefix(folder).unwrap();
                    found.push(path.to_str().unwrap().to_owned());
                }
            }
        }
    }
    found.sort();
    found
}

fn assert_has(found: &[String], expected: &[&str]) {
    for &path in expected {
        assert!(found.iter().any(|other| other == path), "{path}: {found:?}");
    }
}

#[test]
fn folders_may_be_relative_have_spaces_and_lie_apart() {
    if installed().is_none() {
        return;
    }
    let temp = tempfile::tempdir().unwrap();
    let package = temp.path().join("a package");
    let folders = [
        format!("DESTDIR={}", package.display()),
        "PREFIX=/usr/a b".to_owned(),
        "LIBDIR=/usr/a b/lib/x86".to_owned(),
    ];
    printed(make(temp.path(), "install").args(&folders));
    let found = files_below(&package);
    let expected = [
        "usr/a b/include/tbindex.h",
        "usr/a b/include/tbindex.hpp",
        "usr/a b/lib/x86/cmake/tbindex/tbindexConfig.cmake",
        "usr/a b/lib/x86/cmake/tbindex/tbindexConfigVersion.cmake",
        "usr/a b/lib/x86/libtbindex.a",
        "usr/a b/lib/x86/pkgconfig/tbindex-static.pc",
        "usr/a b/lib/x86/pkgconfig/tbindex.pc",
    ];
    assert_has(&found, &expected);
    for path in found
        .iter()
        .filter(|path| path.ends_with(".pc") || path.ends_with(".cmake"))
    {
        let text = fs::read_to_string(package.join(path)).unwrap();
        assert!(!text.contains("/usr"), "{path} cannot be moved: {text}");
    }
    printed(make(temp.path(), "uninstall").args(&folders));
    assert_eq!(files_below(&package), [""; 0]);

    // Folders that lie apart are named as they are.
    let apart = [
        "PREFIX=one".to_owned(),
        format!("LIBDIR={}/two/lib", temp.path().display()),
    ];
    printed(make(temp.path(), "install").args(&apart));
    if let Some(flags) = pkg_config(&temp.path().join("two"), "tbindex") {
        let temp = temp.path().display();
        let expected = [format!("-I{temp}/one/include"), format!("-L{temp}/two/lib")];
        assert_eq!(flags[..2], expected);
    }
}

#[test]
fn an_installation_can_be_moved() {
    if installed().is_none() {
        return;
    }
    let temp = tempfile::tempdir().unwrap();
    let moved = temp.path().join("moved here");
    printed(make(temp.path(), "install").arg("PREFIX=first"));
    fs::rename(temp.path().join("first"), &moved).unwrap();
    let Some(flags) = pkg_config(&moved, "tbindex-static") else {
        return;
    };
    let program = temp.path().join("tour");
    let source = folder().join("examples/tour.c");
    printed(
        Command::new("cc")
            .arg(source)
            .args(flags)
            .arg("-o")
            .arg(&program),
    );
    assert_static(&program);
    printed(&mut Command::new(program));
}

#[test]
fn nothing_is_shared_with_the_option_static() {
    if !is_thorough() || installed().is_none() {
        return;
    }
    if !can_compile(&["-static"]) {
        return skipped("there is no static C library");
    }
    let temp = tempfile::tempdir().unwrap();
    let program = temp.path().join("tour");
    let way = (Language::C11, Linked::Static);
    compile(
        &folder().join("examples/tour.c"),
        &program,
        way,
        &["-static"],
    );
    printed(Command::new(&program).arg(temp.path()));
}

#[test]
fn cmake_finds_both_libraries() {
    if !is_thorough() {
        return;
    }
    let Some(prefix) = installed() else { return };
    if !has("cmake") || !has("c++") {
        return;
    }
    let temp = tempfile::tempdir().unwrap();
    let list = format!(
        "cmake_minimum_required(VERSION 3.13)\n\
         project(tour LANGUAGES C CXX)\n\
         set(CMAKE_CXX_STANDARD 17)\n\
         find_package(tbindex {} REQUIRED)\n\
         find_package(tbindex REQUIRED)\n\
         add_executable(shared \"{at}/tests/c/answers.cpp\")\n\
         target_link_libraries(shared tbindex::tbindex)\n\
         add_executable(static \"{at}/examples/tour.c\")\n\
         target_link_libraries(static tbindex::static)\n",
        env!("CARGO_PKG_VERSION_MAJOR").to_owned() + "." + env!("CARGO_PKG_VERSION_MINOR"),
        at = folder().display(),
    );
    fs::write(temp.path().join("CMakeLists.txt"), list).unwrap();
    let build = temp.path().join("build");
    let path = format!("-DCMAKE_PREFIX_PATH={}", prefix.display());
    let arguments = [Path::new("-S"), temp.path(), Path::new("-B"), &build];
    printed(Command::new("cmake").args(arguments).arg(&path));
    printed(Command::new("cmake").arg("--build").arg(&build));
    // The shared library is found by the path that CMake writes into the program.
    printed(Command::new(build.join("shared")).arg(temp.path()));
    assert_static(&build.join("static"));
    printed(Command::new(build.join("static")).arg(temp.path()));
    // Another version is not taken.
    let list = "cmake_minimum_required(VERSION 3.13)\nproject(no NONE)\nfind_package(tbindex 9 REQUIRED)\n";
    fs::write(temp.path().join("CMakeLists.txt"), list).unwrap();
    let refused = Command::new("cmake")
        .args(arguments)
        .arg(&path)
        .output()
        .unwrap();
    assert!(!refused.status.success());
}

#[test]
fn other_compilers_take_both_headers() {
    if !is_thorough() || installed().is_none() {
        return;
    }
    let temp = tempfile::tempdir().unwrap();
    for compiler in ["g++", "clang++"]
        .into_iter()
        .filter(|compiler| has(compiler))
    {
        for language in [Language::Cpp17, Language::Cpp20] {
            for source in ["examples/tour.c", "tests/c/answers.cpp"] {
                let program = temp.path().join("program");
                let way = (language, Linked::Shared);
                compile_with(compiler, &folder().join(source), &program, way, &[]);
                printed(run(&program).arg(temp.path()));
            }
        }
    }
}

/// The archive as people without Rust get it: unpacked anywhere, it serves.
#[test]
fn the_archive_serves_where_it_is_unpacked() {
    if installed().is_none() {
        return;
    }
    let temp = tempfile::tempdir().unwrap();
    printed(
        make(temp.path(), "archive")
            .env("TARGET", temp.path())
            .arg(format!("TARGET={}", temp.path().display())),
    );
    let mut archives = files_below(temp.path());
    archives.retain(|path| path.ends_with(".tar.gz"));
    let [archive] = archives.as_slice() else {
        panic!("{archives:?}");
    };
    printed(
        Command::new("tar")
            .arg("-xzf")
            .arg(archive)
            .current_dir(temp.path()),
    );
    let unpacked = temp.path().join(archive.strip_suffix(".tar.gz").unwrap());
    assert_has(
        &files_below(&unpacked),
        &["LICENSE-MIT", "README.md", "include/tbindex.hpp"],
    );
    let program = temp.path().join("tour");
    printed(
        Command::new("cc")
            .arg(unpacked.join("examples/tour.c"))
            .arg("-I")
            .arg(unpacked.join("include"))
            .arg(unpacked.join("lib/libtbindex.a"))
            .args(["-lutil", "-lrt", "-lpthread", "-lm", "-ldl", "-o"])
            .arg(&program),
    );
    printed(&mut Command::new(program));
}
