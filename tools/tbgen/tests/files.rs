//! Table files: what is written is read, and nothing damaged or foreign is believed.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use tbgen::{FileError, Library, Options, Table, TableFile, needed_by, solve};
use tbindex::batch::Backend;
use tbindex::store::Overwrite;
use tbindex::{Enumeration, Material, Numbering, PlacementCodec, Stage};

fn tables(name: &str) -> Library {
    let mut library = Library::default();
    for material in needed_by(&name.parse().unwrap()) {
        let options = Options {
            backend: Backend::detect(),
            progress: &|_| (),
            stop: &AtomicBool::new(false),
        };
        let table = solve(&material, &library, options).unwrap();
        library.insert(table);
    }
    library
}

fn written(name: &str, folder: &Path) -> (Library, std::path::PathBuf) {
    let library = tables(name);
    let material: Material = name.parse().unwrap();
    let path = Table::path(folder, &material);
    let table = library.get(&material).unwrap();
    table.write(&path, Overwrite::Refuse).unwrap();
    (library, path)
}

#[test]
fn a_file_says_what_the_table_says() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["KRvK", "KQvKR"] {
        let (library, path) = written(name, folder.path());
        let material: Material = name.parse().unwrap();
        let file = TableFile::open(&path).unwrap();
        let loaded = file.load().unwrap();
        let codec = PlacementCodec::<u32>::try_new(material, Numbering::Natural).unwrap();
        for side in tbindex::Color::ALL {
            let all = Enumeration::<u32>::try_new(material, Numbering::Natural)
                .unwrap()
                .stage(Stage::Legal, side)
                .canonical_only();
            let mut indices = Vec::new();
            for chunk in 0..all.chunk_count() {
                all.chunk(chunk, &mut indices);
            }
            for (k, &index) in indices.iter().enumerate() {
                let position = codec.decode(index, side).unwrap();
                let expected = library.get(&material).unwrap().value(&position).unwrap();
                assert_eq!(loaded.value(&position).unwrap(), expected, "{position}");
                if k % 61 == 0 {
                    assert_eq!(file.value(&position).unwrap(), expected, "{position}");
                    let swapped = file.value(&position.swap_colors()).unwrap();
                    assert_eq!(swapped, expected, "{position}, colours exchanged");
                }
            }
        }
    }
}

/// Everything that opening and loading look at.
fn read(path: &Path) -> Result<(), FileError> {
    TableFile::open(path)?.load().map(|_| ())
}

#[test]
fn every_damaged_byte_and_every_shorter_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (_, path) = written("KNvK", folder.path());
    let whole = std::fs::read(&path).unwrap();
    let broken = folder.path().join("broken");
    // All of header and values, and samples of what is longer.
    for at in (0..whole.len()).filter(|&at| at < 400 || at % 97 == 0 || at + 100 > whole.len()) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        std::fs::write(&broken, &bytes).unwrap();
        // Padding after the list of values is the one place where nothing is.
        let padding = 256 + 4 * 4..320;
        match read(&broken) {
            Ok(()) => assert!(padding.contains(&at), "byte {at}"),
            Err(error) => {
                assert!(error.to_string().contains("broken"), "byte {at}: {error}");
            }
        }
    }
    for length in (0..whole.len()).filter(|&n| n < 400 || n % 97 == 0 || n + 100 > whole.len()) {
        std::fs::write(&broken, &whole[..length]).unwrap();
        assert!(read(&broken).is_err(), "length {length}");
    }
    std::fs::write(&broken, [&whole[..], b"x"].concat()).unwrap();
    assert!(read(&broken).is_err());
    std::fs::write(&broken, b"RIFF, and not a table").unwrap();
    let error = read(&broken).unwrap_err();
    assert!(matches!(error, FileError::Foreign { .. }), "{error}");
}

#[test]
fn an_existing_file_is_not_replaced_unless_told_to() {
    let folder = tempfile::tempdir().unwrap();
    let (library, path) = written("KNvK", folder.path());
    let table = library.iter().next().unwrap();
    assert!(table.write(&path, Overwrite::Refuse).is_err());
    table.write(&path, Overwrite::Replace).unwrap();
    let names: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(names.len(), 1, "no partial file is left behind");
}
