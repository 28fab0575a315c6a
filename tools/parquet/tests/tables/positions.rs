//! Positions of tables of Parquet.

use std::collections::BTreeMap;
use std::fs::File;
use std::sync::Arc;

use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use crate::{fail, folder, succeed};

/// The fields of each row, as text.
fn rows(path: &str) -> Vec<BTreeMap<String, String>> {
    let table = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let rows = table.get_row_iter(None).unwrap();
    let fields = rows.map(|row| {
        let row = row.unwrap();
        let fields = row.get_column_iter();
        fields
            .map(|(name, field)| (name.clone(), field.to_string()))
            .collect()
    });
    fields.collect()
}

fn write<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, File>,
    values: &[T::T],
    levels: Option<(&[i16], &[i16])>,
) {
    let mut column = group.next_column().unwrap().unwrap();
    let (definitions, repetitions) = levels.unzip();
    let repetitions = repetitions.filter(|levels| !levels.is_empty());
    (column
        .typed::<T>()
        .write_batch(values, definitions, repetitions))
    .unwrap();
    column.close().unwrap();
}

const WON: &str = "8/8/2k5/8/8/8/8/2KQ4 w - - 0 1";
const MATED: &str = "k7/1Q6/1K6/8/8/8/8/8 b - -";
const BEYOND: &str = "8/8/2k5/8/8/8/8/RNBQKBNR w - - 0 1";

/// A table of two groups of rows, with texts and numbers that may be missing, and lists.
fn write_table(path: &str, fens: [&str; 2]) {
    let schema = "message schema {
        optional binary id (UTF8);
        optional int64 wdl;
        optional group tags (LIST) { repeated group list { optional binary element (UTF8); } }
        required double score;
        optional binary fen (UTF8);
    }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let file = File::create(path).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema, Arc::default()).unwrap();
    for of_group in 0..2 {
        let mut group = writer.next_row_group().unwrap();
        let text = |text: &str| ByteArray::from(text.as_bytes().to_vec());
        write::<ByteArrayType>(
            &mut group,
            &[text("a"), text("c")],
            Some((&[1, 0, 1, 0], &[])),
        );
        write::<Int64Type>(&mut group, &[1, 1, -1], Some((&[1, 0, 1, 1], &[])));
        // Two elements of which one is missing; no list; an empty list; one element.
        let levels: (&[i16], &[i16]) = (&[3, 2, 0, 1, 3], &[0, 1, 0, 0, 0]);
        write::<ByteArrayType>(&mut group, &[text("x"), text("y")], Some(levels));
        write::<DoubleType>(&mut group, &[0.5, 1.5, of_group.into(), -2.0], None);
        let fens = [fens[0], fens[1], BEYOND].map(text);
        write::<ByteArrayType>(&mut group, &fens, Some((&[1, 1, 1, 0], &[])));
        group.close().unwrap();
    }
    writer.close().unwrap();
}

#[test]
fn columns_of_labels_are_added_or_replaced_and_others_stay() {
    let (_kept, path) = folder();
    let [input, output] = ["in.parquet", "out.parquet"].map(|name| format!("{path}/{name}"));
    write_table(&input, [WON, MATED]);
    let label = format!("label {input} -o {output}");
    succeed(&label);
    let (before, after) = (rows(&input), rows(&output));
    assert_eq!((before.len(), after.len()), (8, 8));
    let numbers = [("2", "13"), ("-2", "-1"), ("1", "null"), ("-1", "null")];
    for ((before, after), (wdl, dtz)) in before.iter().zip(&after).zip(numbers.iter().cycle()) {
        for (name, field) in before.iter().filter(|(name, _)| *name != "wdl") {
            assert_eq!(&after[name], field, "{name}");
        }
        assert_eq!((&*after["wdl"], &*after["dtz"]), (*wdl, *dtz), "{before:?}");
    }
    assert!(
        before.iter().any(|row| row["tags"] == "[\"x\", null]"),
        "{before:?}"
    );
    let message = fail(1, "place", &format!("{label} --force --column place"));
    assert!(message.contains("id,wdl,tags,score,fen"), "{message}");
    fail(
        1,
        "expected texts",
        &format!("{label} --force --column score"),
    );
    write_table(&input, [WON, "nonsense"]);
    fail(1, "row 2: ", &format!("{label} --force"));
    succeed(&format!("{label} --force --bad pass"));
    assert_eq!(rows(&output)[1]["wdl"], "null");
}

#[test]
fn samples_are_labelled_and_stay_the_same() {
    let (_kept, path) = folder();
    let [all, again] = ["all.parquet", "again.parquet"].map(|name| format!("{path}/{name}"));
    let sample = "sample KPvK --count 5000";
    succeed(&format!("{sample} -o {all}"));
    let epd = succeed(sample);
    let rows_of_all = rows(&all);
    assert_eq!(rows_of_all.len(), 5000);
    for (row, line) in rows_of_all.iter().zip(epd.lines()) {
        let fen = row["fen"].trim_matches('"').trim_end_matches(" 0 1");
        assert_eq!(
            line,
            format!("{fen} wdl {}; dtz {};", row["wdl"], row["dtz"])
        );
        assert_eq!(row["material"], "\"KPvK\"");
    }
    succeed(&format!("label {all} -o {again} --memory 256M"));
    assert_eq!(rows(&again), rows_of_all);
}

#[test]
fn a_group_that_memory_does_not_hold_becomes_several() {
    let (_kept, path) = folder();
    let [input, output] = ["in.parquet", "out.parquet"].map(|name| format!("{path}/{name}"));
    let schema = parse_message_type("message schema { required binary fen (UTF8); }").unwrap();
    let file = File::create(&input).unwrap();
    let mut writer = SerializedFileWriter::new(file, Arc::new(schema), Arc::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let fens = (0..1500).map(|number| format!("{WON} c0 \"{number:020000}\";"));
    let fens: Vec<ByteArray> = fens.map(|fen| fen.into_bytes().into()).collect();
    write::<ByteArrayType>(&mut group, &fens, None);
    group.close().unwrap();
    writer.close().unwrap();
    let label = format!("label {input} -o {output} --threads 1 --memory");
    fail(2, "label needs at least", &format!("{label} 1M"));
    succeed(&format!("{label} 128M"));
    assert!(rows(&output).iter().all(|row| row["wdl"] == "2"));
    let table = SerializedFileReader::new(File::open(&output).unwrap()).unwrap();
    assert_eq!(table.num_row_groups(), 2);
}

#[test]
fn queries_write_what_their_lists_have() {
    let (_folder, folder) = &folder();
    let path = &format!("{folder}/zugzwangs.parquet");
    let call = "mine --all 3 --find zugzwang --metric dtm";
    succeed(&format!("{call} --format parquet -o {path}"));
    let list = succeed(&format!("{call} --format csv"));
    let expected: Vec<Vec<&str>> = list.lines().map(|line| line.split(',').collect()).collect();
    let rows = rows(path);
    assert_eq!(rows.len(), expected.len() - 1);
    for (row, line) in rows.iter().zip(&expected[1..]) {
        for (name, field) in expected[0].iter().zip(line) {
            let found = row[*name].trim_matches('"');
            assert_eq!(found, *field, "{name}");
        }
    }
}
