//! Parquet: a column has FENs, and labels are columns.

use std::fs::File;
use std::io::Write;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail};
use parquet::basic::{Repetition, Type as Physical};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;
use tbgen_cli::label::Run;
use tbgen_cli::rows::parquet::MOST_ROWS;
use tbgen_cli::rows::row::Column;

use crate::new_table::{properties, write_column, write_numbers};

/// Metadata that describe the columns of an Arrow table, which are others when some are added.
const ARROW_SCHEMA: &str = "ARROW:schema";

/// A column of the table with labels.
enum Step {
    /// That with this number, as it was.
    Copy(usize),
    /// Labels, and the number of the column that had them, if there was one.
    Label(Column, Option<usize>),
}

/// Copies the table of the input with columns of labels, which are replaced or come last. Where a row has no label, what
/// the table had stays. Returns the number of rows whose labels were others.
pub(crate) fn label(
    run: &mut Run<'_>,
    columns: &[Column],
    output: &mut (dyn Write + Send),
) -> Result<u64> {
    let input = &run.args.input;
    let name = || input.display().to_string();
    let file = File::open(input).with_context(|| format!("can't read {}", name()))?;
    let table = SerializedFileReader::new(file).with_context(name)?;
    let metadata = table.metadata().file_metadata();
    let schema = metadata.schema_descr();
    let place = |name: &str| {
        let mut columns = schema.columns().iter();
        columns.position(|column| column.path().parts() == [name] && column.max_rep_level() == 0)
    };
    let fen = place(run.args.column.as_str()).ok_or_else(|| {
        let fields = metadata.schema().get_fields().iter();
        let fields: Vec<&str> = fields.map(|field| field.name()).collect();
        let (file, wanted, names) = (name(), &run.args.column, fields.join(","));
        anyhow!("{file} has no column {wanted:?} among {names:?}: name it by --column")
    })?;
    let (mut fields, mut steps) = (Vec::new(), Vec::new());
    let numbers_of = |name: &str| {
        let column = Type::primitive_type_builder(name, Physical::INT32);
        column.with_repetition(Repetition::OPTIONAL).build()
    };
    for (number, field) in metadata.schema().get_fields().iter().enumerate() {
        match columns.iter().find(|(name, _)| *name == field.name()) {
            Some(&column) => {
                fields.push(Arc::new(numbers_of(column.0)?));
                steps.push(Step::Label(column, place(column.0)));
            }
            None => {
                fields.push(Arc::clone(field));
                let leaves = (0..schema.num_columns())
                    .filter(|&leaf| schema.get_column_root_idx(leaf) == number);
                steps.extend(leaves.map(Step::Copy));
            }
        }
    }
    for &column in columns {
        if !fields.iter().any(|field| field.name() == column.0) {
            fields.push(Arc::new(numbers_of(column.0)?));
            steps.push(Step::Label(column, None));
        }
    }
    let root = Type::group_type_builder(metadata.schema().name());
    let root = Arc::new(root.with_fields(fields).build()?);
    let mut pairs = metadata.key_value_metadata().cloned().unwrap_or_default();
    pairs.retain(|pair| pair.key != ARROW_SCHEMA);
    let properties = properties()
        .into_builder()
        .set_key_value_metadata(Some(pairs));
    let mut writer = SerializedFileWriter::new(output, root, Arc::new(properties.build()))?;
    let (mut first, mut changed) = (1, 0);
    for number in 0..table.num_row_groups() {
        let group = table.get_row_group(number).with_context(name)?;
        let mut rest = usize::try_from(group.metadata().num_rows())?;
        let bytes = u64::try_from(group.metadata().total_byte_size())?;
        // A column of so many rows is there twice, as it is read and as it is written.
        let most = run.at_once(2 * bytes / (rest as u64).max(1)).min(MOST_ROWS);
        let mut columns = (0..schema.num_columns())
            .map(|leaf| group.get_column_reader(leaf))
            .collect::<Result<Vec<ColumnReader>, _>>()?;
        let mut fens = group.get_column_reader(fen)?;
        while rest > 0 {
            let rows = rest.min(most);
            let fens = texts(&mut fens, rows).with_context(name)?;
            let row = |number: usize| format!("row {}", first + number);
            let labels = run.labels_of_fens(&fens, row)?;
            let mut group = writer.next_row_group()?;
            let mut differs = vec![false; rows];
            for step in &steps {
                write_column(&mut group, |column| match *step {
                    Step::Copy(leaf) => copy(&mut columns[leaf], column, rows),
                    Step::Label((label, of), old) => {
                        let old = match old {
                            Some(old) => numbers(&mut columns[old], rows)
                                .with_context(|| format!("{}: the column {label}", name()))?,
                            None => vec![None; rows],
                        };
                        let new = labels.iter().zip(old).zip(&mut differs);
                        let new = new.map(|((label, old), differs)| {
                            let new = label.map_or(old, of);
                            *differs |= old.is_some() && new != old;
                            new
                        });
                        write_numbers(column, &new.collect::<Vec<_>>())
                    }
                })
                .with_context(name)?;
            }
            group.close()?;
            changed += differs.into_iter().filter(|differs| *differs).count() as u64;
            first += rows;
            rest -= rows;
        }
    }
    writer.into_inner()?;
    Ok(changed)
}

/// Rows of a column: values, and the levels of definition and repetition, which say which are there and which belong to one
/// row.
type Rows<T> = (Vec<T>, [Vec<i16>; 2]);

fn read<T: DataType>(reader: &mut ColumnReaderImpl<T>, rows: usize) -> Result<Rows<T::T>> {
    let (mut values, mut definitions, mut repetitions) = (Vec::new(), Vec::new(), Vec::new());
    let mut rest = rows;
    while rest > 0 {
        let levels = (Some(&mut definitions), Some(&mut repetitions));
        let (read, _, _) = reader.read_records(rest, levels.0, levels.1, &mut values)?;
        if read == 0 {
            bail!("a column ends {rest} rows early");
        }
        rest -= read;
    }
    Ok((values, [definitions, repetitions]))
}

/// The values of a column that has one at most in each row.
fn optional<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    rows: usize,
) -> Result<Vec<Option<T::T>>> {
    let (values, [levels, _]) = read(reader, rows)?;
    let mut values = values.into_iter();
    if levels.is_empty() {
        return Ok(values.map(Some).collect());
    }
    let most = levels.iter().copied().max().unwrap_or(0).max(1);
    let value = |level| if level == most { values.next() } else { None };
    Ok(levels.into_iter().map(value).collect())
}

fn texts(reader: &mut ColumnReader, rows: usize) -> Result<Vec<Option<String>>> {
    let ColumnReader::ByteArrayColumnReader(reader) = reader else {
        bail!("the column of FENs has another type: expected texts");
    };
    let text = |bytes: ByteArray| String::from_utf8_lossy(bytes.data()).into_owned();
    let texts = optional(reader, rows)?.into_iter();
    Ok(texts.map(|bytes| bytes.map(text)).collect())
}

fn numbers(reader: &mut ColumnReader, rows: usize) -> Result<Vec<Option<i32>>> {
    match reader {
        ColumnReader::Int32ColumnReader(reader) => optional(reader, rows),
        ColumnReader::Int64ColumnReader(reader) => {
            let numbers = optional(reader, rows)?.into_iter();
            let number = |wide: Option<i64>| wide.map(i32::try_from).transpose();
            Ok(numbers.map(number).collect::<Result<_, _>>()?)
        }
        _ => bail!("it has another type: expected whole numbers"),
    }
}

/// Copies the next rows of a column.
fn copy(reader: &mut ColumnReader, to: &mut SerializedColumnWriter<'_>, rows: usize) -> Result<()> {
    fn copy<T: DataType>(
        reader: &mut ColumnReaderImpl<T>,
        to: &mut SerializedColumnWriter<'_>,
        rows: usize,
    ) -> Result<()> {
        let (values, levels) = read(reader, rows)?;
        let levels = levels.each_ref().map(Vec::as_slice);
        let [definitions, repetitions] = levels.map(|all| Some(all).filter(|all| !all.is_empty()));
        (to.typed::<T>()).write_batch(&values, definitions, repetitions)?;
        Ok(())
    }
    match reader {
        ColumnReader::BoolColumnReader(reader) => copy(reader, to, rows),
        ColumnReader::Int32ColumnReader(reader) => copy(reader, to, rows),
        ColumnReader::Int64ColumnReader(reader) => copy(reader, to, rows),
        ColumnReader::Int96ColumnReader(reader) => copy(reader, to, rows),
        ColumnReader::FloatColumnReader(reader) => copy(reader, to, rows),
        ColumnReader::DoubleColumnReader(reader) => copy(reader, to, rows),
        ColumnReader::ByteArrayColumnReader(reader) => copy(reader, to, rows),
        ColumnReader::FixedLenByteArrayColumnReader(reader) => copy(reader, to, rows),
    }
}
