//! The programs of README.

use std::fs;

use tbindex::{Color, Enumeration, Numbering, Stage};

use crate::building::{Language, Linked, compile, folder, has, installed, printed, run};
use crate::tables::own;
use crate::write_reduced;

/// A program of a page, and its output.
struct Example {
    is_cpp: bool,
    program: String,
    output: String,
}

/// The programs of a page: each is a block of C or C++ with its output in the next block.
fn programs_of(page: &str) -> Vec<Example> {
    let mut programs = Vec::new();
    let mut rest = page;
    while let Some((language, after)) = rest.split_once("```").map(|(_, after)| {
        let (language, block) = after.split_once('\n').expect("a line");
        (language, block)
    }) {
        let (block, after) = after.split_once("```\n").expect("an end");
        rest = after;
        if !matches!(language, "c" | "cpp") {
            continue;
        }
        let (_, output) = after
            .split_once("```text\n")
            .expect("what it prints stands after it");
        let (output, _) = output.split_once("```\n").expect("an end");
        programs.push(Example {
            is_cpp: language == "cpp",
            program: block.to_owned(),
            output: output.to_owned(),
        });
    }
    programs
}

/// The indices of the file that the page makes with the command line, and then opens from C.
fn kqvkr() -> Vec<u32> {
    let all = Enumeration::try_new("KQvKR".parse().unwrap(), Numbering::Natural).unwrap();
    let all = all.stage(Stage::Legal, Color::White).canonical_only();
    let mut indices = Vec::new();
    for chunk in 0..all.chunk_count() {
        all.chunk(chunk, &mut indices);
    }
    indices
}

#[test]
fn the_programs_of_the_readme_print_what_it_says() {
    if installed().is_none() {
        return;
    }
    let page = fs::read_to_string(folder().join("README.md")).unwrap();
    let programs = programs_of(&page);
    for is_cpp in [false, true] {
        let of_this = programs.iter().filter(|example| example.is_cpp == is_cpp);
        assert!(of_this.count() >= 2);
    }
    let temp = tempfile::tempdir().unwrap();
    write_reduced(&temp.path().join("KQvKR-w.tbi"), &kqvkr());
    std::os::unix::fs::symlink(own(), temp.path().join("tables")).unwrap();
    for (number, example) in programs.iter().enumerate() {
        let extension = if example.is_cpp { "cpp" } else { "c" };
        let source = temp
            .path()
            .join(number.to_string())
            .with_extension(extension);
        fs::write(&source, &example.program).unwrap();
        for language in [Language::C11, Language::Cpp17] {
            let is_cpp = language == Language::Cpp17;
            if is_cpp && !has("c++") || !is_cpp && example.is_cpp {
                continue;
            }
            let to = source.with_extension("program");
            compile(&source, &to, (language, Linked::Shared), &[]);
            assert_eq!(
                printed(run(&to).current_dir(&temp)),
                example.output,
                "{}",
                example.program
            );
        }
    }
}
