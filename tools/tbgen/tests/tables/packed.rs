//! Packed files: every value comes back, and nothing damaged is believed.

use std::ops::Range;
use std::path::Path;
use std::process::Command;

use syzygy_tables::coding::Decoder;
use syzygy_tables::writer::Control;
use tbgen::{
    ExportError, GamePosition, Metric, PackedFile, Table, Tables, Value, all_up_to, check_packed,
    pack,
};
use tbindex::batch::Backend;
use tbindex::bitbase::Bitbase;
use tbindex::store::{Overwrite, PartialFile};
use tbindex::{Color, Position};

use crate::batch::{Kind, packed_tables, written};
use crate::damage::damage_is_refused;
use crate::laws::damage::number;
use crate::laws::packed::with_right_checksums;
use crate::small::{small_tables, table};
use crate::solved::material;
use crate::thorough::one_in;

/// Packs a table into a folder.
pub(crate) fn packed(name: &str, metric: Metric, folder: &Path) -> PackedFile {
    let path = Table::packed_path(folder, material(name), metric).unwrap();
    let begun = PartialFile::create(&path, Overwrite::Refuse).unwrap();
    let (own, library) = (table(name, metric), small_tables(metric));
    pack(own, library, begun, Backend::detect(), Control::default()).unwrap();
    PackedFile::open_as(&path, material(name).into(), metric).unwrap()
}

/// Compares a packed file with a table.
fn compare(file: &PackedFile, own: &Table) -> Result<u64, ExportError> {
    check_packed(file, own, small_tables(own.metric()), Backend::detect())
}

/// Compares the answers of packed files with a table, for one position in so many with either side to move.
fn answers_agree(tables: &Tables, name: &str, step: usize) {
    let table = table(name, Metric::Dtm);
    let mut count = 0;
    for position in Color::ALL
        .iter()
        .flat_map(|&side| sampled(table, side, step))
    {
        let asked = GamePosition::new(&position, None).unwrap();
        let found = tables.value(Metric::Dtm, &asked).unwrap();
        let expected = (table.value(&position).unwrap(), true);
        assert_eq!(found, expected, "{position}");
        count += 1;
    }
    assert!(count > 1000, "{name}: {count} positions");
}

/// One legal position in so many of each part of a table.
fn sampled(table: &Table, side: Color, step: usize) -> Vec<Position> {
    let mut sampled = Vec::new();
    for part in 0..table.shape().parts() {
        let domain = table.shape().domain(part);
        let legal = Bitbase::legal(&domain, side, Backend::detect()).unwrap();
        let slots = legal.slots().skip(part % step).step_by(step);
        sampled.extend(slots.map(|slot| domain.position(slot, side).unwrap().unwrap()));
    }
    sampled
}

/// Files that are packed once; of more materials if `TBINDEX_THOROUGH` is set.
#[test]
fn packed_files_answer_as_tables_do() {
    for (name, step) in [
        ("KRvK", 1),
        ("KPvK", 7),
        ("KBBvK", 97),
        ("KNNvK", 97),
        ("KPvKP", 4999),
    ] {
        answers_agree(packed_tables(), name, step);
    }
    if one_in(2) == 1 {
        for (name, step) in [("KQvKR", 997), ("KRvKP", 4999), ("KPPvK", 4999)] {
            let (_folder, tables) = written(&[name], Kind::Packed);
            answers_agree(&tables, name, step);
        }
    }
}

/// Packs a table twice, and compares the files with each other and with the table.
fn comes_back(name: &str, metric: Metric) {
    let folder = tempfile::tempdir().unwrap();
    let path = Table::packed_path(folder.path(), material(name), metric).unwrap();
    let file = packed(name, metric, folder.path());
    file.check(None).unwrap();
    compare(&file, table(name, metric)).unwrap();
    let before = std::fs::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    packed(name, metric, folder.path());
    assert!(before == std::fs::read(&path).unwrap(), "{name}");
}

#[test]
fn every_number_of_a_packed_file_is_the_tables() {
    for name in all_up_to(4).iter().step_by(one_in(11)) {
        comes_back(&name.to_string(), Metric::Dtm);
    }
}

#[test]
fn a_file_that_is_not_its_tables_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = packed("KQvK", Metric::Dtm, folder.path());
    let path = Table::packed_path(folder.path(), material("KRvK"), Metric::Dtm).unwrap();
    let table = table("KRvK", Metric::Dtm);
    let error = compare(&file, table).unwrap_err().to_string();
    let says = "KQvK.tbmp: the file is wrong: it has a ";
    assert!(error.contains(says), "{error}");
    let zeroing = small_tables(Metric::Dtz);
    let begun = PartialFile::create(&path, Overwrite::Refuse).unwrap();
    let own = zeroing.get(&material("KRvK")).unwrap();
    let error = pack(own, zeroing, begun, Backend::detect(), Control::default()).unwrap_err();
    assert!(matches!(error, ExportError::Zeroing(_)), "{error}");
}

/// One byte in 17 and one length, or all if `TBINDEX_THOROUGH` is set.
#[test]
fn every_damaged_byte_and_every_shorter_file_is_refused() {
    for (name, metric) in [("KNvK", Metric::Dtm), ("KRvK", Metric::Dtm)] {
        let folder = tempfile::tempdir().unwrap();
        packed(name, metric, folder.path());
        let path = Table::packed_path(folder.path(), material(name), metric).unwrap();
        let whole = std::fs::read(path).unwrap();
        let read = |path: &Path| PackedFile::open(path)?.check(None);
        damage_is_refused(&whole, |at| at % one_in(17) == 0, read);
    }
}

/// Where the heads of sub-tables say how numbers are coded.
fn codings(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut at = 64;
    let coding = (0..bytes[14]).map(|_| {
        let values = at + 1 + usize::from(bytes[at]) + 2;
        let length = values + 2 + 4 * number(bytes, values, 2);
        let begin = length + 2;
        at = begin + number(bytes, length, 2);
        begin..at
    });
    coding.collect()
}

/// Every change of a byte, with all checksums made right again, is refused, or makes a value wrong; or it is in a code or in
/// what is coded, where other numbers than the writer's may stand for a value. Of the data, one byte in so many is changed, and
/// the zeros behind them; of all these changes, one in eleven is made, or each with `TBINDEX_THOROUGH`.
#[test]
fn every_byte_of_a_packed_file_has_one_right_value() {
    let mut turn = (0..one_in(11)).cycle();
    for name in ["KRvK", "KPvK"] {
        let folder = tempfile::tempdir().unwrap();
        packed(name, Metric::Dtm, folder.path());
        let path = Table::packed_path(folder.path(), material(name), Metric::Dtm).unwrap();
        let whole = std::fs::read(&path).unwrap();
        let data = number(&whole, 40, 8);
        let (begin, step) = (whole.len() - data, data / 40 + 1);
        let is_changed =
            |at: &usize| *at < begin || at.is_multiple_of(step) || at + 16 > whole.len();
        let codings = codings(&whole);
        for at in (0..whole.len()).filter(is_changed) {
            for flipped in [0x01, 0x80] {
                if turn.next() != Some(0) {
                    continue;
                }
                let mut bytes = whole.clone();
                bytes[at] ^= flipped;
                let bytes = with_right_checksums(&bytes);
                std::fs::write(&path, &bytes).unwrap();
                let open = || PackedFile::open_as(&path, material(name).into(), Metric::Dtm);
                let read = open().and_then(|file| file.check(None).map(|()| file));
                let is_right =
                    read.is_ok_and(|file| compare(&file, table(name, Metric::Dtm)).is_ok());
                // An earlier revision of the solver may have made the table.
                let earlier = (at, flipped) == (12, 1);
                let coded = begin <= at && at + Decoder::BEHIND < whole.len();
                if !is_right || earlier || coded || bytes == whole {
                    continue;
                }
                let is_code = codings.iter().any(|coding| coding.contains(&at));
                assert!(is_code, "{name}: byte {at} ^ {flipped:x}");
            }
        }
    }
}

#[test]
fn a_packed_file_of_another_kind_version_or_table_is_refused_in_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    packed("KRvK", Metric::Dtm, folder.path());
    let path = Table::packed_path(folder.path(), material("KRvK"), Metric::Dtm).unwrap();
    let open = |name: &str, metric| {
        let error = PackedFile::open_as(&path, material(name).into(), metric).unwrap_err();
        error.to_string()
    };
    assert!(open("KQvK", Metric::Dtm).ends_with("this is the table of KRvK"));
    assert!(open("KRvK", Metric::Dtz).ends_with("this is a table by dtm"));
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[8] = 2;
    std::fs::write(&path, &bytes).unwrap();
    let error = open("KRvK", Metric::Dtm);
    let says = "the format's version is 2: expected 1; pack the table again with this tbgen";
    assert!(error.ends_with(says), "{error}");
    std::fs::write(&path, b"RIFF, and not a table").unwrap();
    assert!(open("KRvK", Metric::Dtm).contains("not a table file: it begins with"));
}

/// The page of the format is enough to write a reader from: `tools/read_table.py` was, and it agrees.
#[test]
fn a_reader_written_from_the_format_page_agrees() {
    let reader = Path::new(env!("CARGO_MANIFEST_DIR")).join("../read_table.py");
    let folder = tempfile::tempdir().unwrap();
    for (name, metric, step) in [
        ("KPvKP", Metric::Dtm, 4999),
        ("KQvKR", Metric::Dtm, 2999),
        ("KRPvK", Metric::Dtm, 9973),
        ("KBBvK", Metric::Dtm, 997),
        ("KNNvK", Metric::Dtm, 997),
    ] {
        let file = packed(name, metric, folder.path());
        let table = table(name, metric);
        let asked = sampled(table, file.side(), step * one_in(3));
        let squares = asked.iter().map(|position| {
            let men = position.occupied();
            let men = men.map(|(piece, on)| format!("{piece}{on}"));
            men.collect::<Vec<_>>().join(",")
        });
        let mut command = Command::new("python3");
        let path = Table::packed_path(folder.path(), material(name), metric).unwrap();
        let Ok(output) = command.arg(&reader).arg(path).args(squares).output() else {
            println!("SKIPPED the reader in Python: python3 can't be run");
            return;
        };
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{errors}");
        let lines = String::from_utf8(output.stdout).unwrap();
        assert_eq!(lines.lines().count(), asked.len());
        let mut exact = 0;
        for (line, position) in lines.lines().zip(&asked) {
            let value = table.value(position).unwrap();
            let found = match line.split_once(' ').unwrap() {
                ("win", plies) => metric.win(plies.parse().unwrap()),
                ("loss", plies) => metric.loss(plies.parse().unwrap()),
                (kind, _) => {
                    assert_eq!(kind, "draw");
                    Value::DRAW
                }
            };
            let moves = GamePosition::new(position, None).unwrap().moves();
            let mut moves = moves.iter();
            let open = moves.any(|step| step.capture || step.promotion.is_some());
            let right = match open {
                true => found.preference() <= value.preference(),
                false => found == value,
            };
            assert!(right, "{position}: {line}, expected {value}");
            exact += usize::from(!open);
        }
        assert!(exact > 20, "{name}: {exact} of {}", asked.len());
    }
}
