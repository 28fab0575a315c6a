//! The programs of README.

use std::fs;
use std::path::Path;

use tbindex::batch::Backend;
use tbindex::store::{Contents, IndexWriter, Overwrite, Target};
use tbindex::{Color, Enumeration, Material, Numbering, Stage};

use crate::building::{Language, Linked, compile, folder, has, installed, printed, run};
use crate::tables::own;

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

/// The file that the page makes with the command line, and then opens from C.
fn write_kqvkr(path: &Path) {
    let material: Material = "KQvKR".parse().unwrap();
    let all = Enumeration::<u32>::try_new(material, Numbering::Natural)
        .unwrap()
        .stage(Stage::Legal, Color::White)
        .canonical_only();
    let contents = Contents::new(material, Numbering::Natural).with_side(Some(Color::White));
    let mut writer = IndexWriter::<u32>::create(
        &Target::plain(path, Overwrite::Refuse),
        contents.reduced(),
        Backend::detect(),
    )
    .unwrap();
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
    for is_cpp in [false, true] {
        let of_this = programs.iter().filter(|example| example.is_cpp == is_cpp);
        assert!(of_this.count() >= 2);
    }
    let temp = tempfile::tempdir().unwrap();
    write_kqvkr(&temp.path().join("KQvKR-w.tbi"));
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
