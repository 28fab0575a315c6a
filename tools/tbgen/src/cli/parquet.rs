//! Tables of Parquet, in groups of rows: new ones, and those of others with columns added.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail};
use parquet::basic::{Compression, Repetition, Type as Physical};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int32Type};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::{
    SerializedColumnWriter, SerializedFileWriter, SerializedRowGroupWriter,
};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::{Type, TypePtr};

use super::output::Output;

/// The most rows of a group.
pub(crate) const MOST_ROWS: usize = 1 << 20;

/// Metadata that describe the columns of an Arrow table, which are others when some are added.
const ARROW_SCHEMA: &str = "ARROW:schema";

/// Values of a column.
pub(crate) enum Values {
    Texts(Vec<ByteArray>),
    /// Of which some may be missing.
    Numbers(Vec<Option<i32>>),
}

impl Values {
    /// A text of each row.
    pub(crate) fn texts<T>(rows: &[T], of: impl Fn(&T) -> String) -> Values {
        let texts = rows.iter().map(|row| of(row).into_bytes().into());
        Values::Texts(texts.collect())
    }

    /// A number of each row that has one.
    pub(crate) fn numbers<T>(rows: &[T], of: impl Fn(&T) -> Option<i32>) -> Values {
        Values::Numbers(rows.iter().map(of).collect())
    }
}

fn properties() -> WriterProperties {
    let properties = WriterProperties::builder();
    properties.set_compression(Compression::SNAPPY).build()
}

/// A column of numbers that may be missing.
fn number_column(name: &str) -> Result<TypePtr> {
    let column = Type::primitive_type_builder(name, Physical::INT32);
    let column = column.with_repetition(Repetition::OPTIONAL).build()?;
    Ok(Arc::new(column))
}

/// A table in work.
pub(crate) struct NewTable<'a> {
    writer: SerializedFileWriter<&'a mut Output>,
}

impl<'a> NewTable<'a> {
    /// Begins a table of these columns of texts, and of numbers after them.
    pub(crate) fn new(output: &'a mut Output, texts: &[&str], numbers: &[&str]) -> Result<Self> {
        let mut fields: Vec<String> = Vec::new();
        fields.extend(
            texts
                .iter()
                .map(|name| format!("required binary {name} (UTF8);")),
        );
        fields.extend(numbers.iter().map(|name| format!("optional int32 {name};")));
        let schema = parse_message_type(&format!("message positions {{ {} }}", fields.concat()))?;
        let writer = SerializedFileWriter::new(output, Arc::new(schema), Arc::new(properties()))?;
        Ok(NewTable { writer })
    }

    /// Writes rows, with the values of each column.
    pub(crate) fn write(&mut self, columns: &[Values]) -> Result<()> {
        let mut group = self.writer.next_row_group()?;
        for values in columns {
            write_column(&mut group, |column| match values {
                Values::Texts(texts) => {
                    (column.typed::<ByteArrayType>()).write_batch(texts, None, None)?;
                    Ok(())
                }
                Values::Numbers(numbers) => write_numbers(column, numbers),
            })?;
        }
        group.close()?;
        Ok(())
    }

    pub(crate) fn finish(self) -> Result<()> {
        self.writer.into_inner()?;
        Ok(())
    }
}

fn write_column(
    group: &mut SerializedRowGroupWriter<'_, &mut Output>,
    write: impl FnOnce(&mut SerializedColumnWriter<'_>) -> Result<()>,
) -> Result<()> {
    let column = group.next_column()?;
    let mut column = column.context("the schema has a column for each")?;
    write(&mut column)?;
    Ok(column.close()?)
}

fn write_numbers(column: &mut SerializedColumnWriter<'_>, numbers: &[Option<i32>]) -> Result<()> {
    let there: Vec<i32> = numbers.iter().copied().flatten().collect();
    let levels: Vec<i16> = numbers.iter().map(|n| i16::from(n.is_some())).collect();
    (column.typed::<Int32Type>()).write_batch(&there, Some(&levels), None)?;
    Ok(())
}

/// A column of the table with labels.
enum Step {
    /// That with this number, as it was.
    Copy(usize),
    /// The label with this number, and the column that had it, if there was one.
    Label(usize, Option<usize>),
}

/// A table that gets labels.
pub(crate) struct Labelling<'a> {
    pub(crate) input: &'a Path,
    /// The column that has the FEN.
    pub(crate) fen: &'a str,
    /// The columns of labels, which are replaced or come last.
    pub(crate) labels: &'a [&'static str],
    /// The bytes for rows that are in work.
    pub(crate) memory: u64,
    /// What a row takes beside its columns.
    pub(crate) row_bytes: u64,
}

impl Labelling<'_> {
    /// Copies the table with its labels, which a function gives for some rows, from a first one on: for each row those of
    /// all columns. Where it gives none, what the table had stays. Returns how many rows had another label.
    pub(crate) fn write(
        &self,
        output: &mut Output,
        mut label: impl FnMut(u64, Vec<Option<String>>) -> Result<Vec<Vec<Option<i32>>>>,
    ) -> Result<u64> {
        let name = || self.input.display().to_string();
        let file = File::open(self.input).with_context(|| format!("can't read {}", name()))?;
        let table = SerializedFileReader::new(file).with_context(name)?;
        let metadata = table.metadata().file_metadata();
        let schema = metadata.schema_descr();
        let place = |name: &str| {
            let mut columns = schema.columns().iter();
            columns
                .position(|column| column.path().parts() == [name] && column.max_rep_level() == 0)
        };
        let fen = place(self.fen).ok_or_else(|| {
            let fields = metadata.schema().get_fields().iter();
            let fields: Vec<&str> = fields.map(|field| field.name()).collect();
            let (file, names) = (name(), fields.join(","));
            anyhow!(
                "{file} has no column {:?} among {names:?}: name it by --column",
                self.fen
            )
        })?;
        let (mut fields, mut steps) = (Vec::new(), Vec::new());
        for (number, field) in metadata.schema().get_fields().iter().enumerate() {
            match self.labels.iter().position(|name| *name == field.name()) {
                Some(label) => {
                    fields.push(number_column(field.name())?);
                    steps.push(Step::Label(label, place(field.name())));
                }
                None => {
                    fields.push(Arc::clone(field));
                    let leaves = (0..schema.num_columns())
                        .filter(|&leaf| schema.get_column_root_idx(leaf) == number);
                    steps.extend(leaves.map(Step::Copy));
                }
            }
        }
        for (label, name) in self.labels.iter().enumerate() {
            if !fields.iter().any(|field| field.name() == *name) {
                fields.push(number_column(name)?);
                steps.push(Step::Label(label, None));
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
            let row = self.row_bytes + 2 * bytes / (rest as u64).max(1);
            let most = (self.memory / row).clamp(1000, MOST_ROWS as u64) as usize;
            let mut columns = (0..schema.num_columns())
                .map(|leaf| group.get_column_reader(leaf))
                .collect::<Result<Vec<ColumnReader>, _>>()?;
            let mut fens = group.get_column_reader(fen)?;
            while rest > 0 {
                let rows = rest.min(most);
                let labels = label(first, texts(&mut fens, rows).with_context(name)?)?;
                let mut group = writer.next_row_group()?;
                let mut differs = vec![false; rows];
                for step in &steps {
                    write_column(&mut group, |column| match *step {
                        Step::Copy(leaf) => copy(&mut columns[leaf], column, rows),
                        Step::Label(label, old) => {
                            let old = match old {
                                Some(old) => {
                                    numbers(&mut columns[old], rows).with_context(|| {
                                        format!("{}: the column {}", name(), self.labels[label])
                                    })?
                                }
                                None => vec![None; rows],
                            };
                            let new = labels.iter().zip(old).zip(&mut differs);
                            let new = new.map(|((of_row, old), differs)| {
                                let new = of_row[label].or(old);
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
                first += rows as u64;
                rest -= rows;
            }
        }
        writer.into_inner()?;
        Ok(changed)
    }
}

/// The next rows of a column: values, and levels that say which are there and which belong to one row.
struct Rows<T> {
    values: Vec<T>,
    definitions: Vec<i16>,
    repetitions: Vec<i16>,
}

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
    Ok(Rows {
        values,
        definitions,
        repetitions,
    })
}

/// The values of a column that has one at most in each row.
fn optional<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    rows: usize,
) -> Result<Vec<Option<T::T>>> {
    let read = read(reader, rows)?;
    if read.definitions.is_empty() {
        return Ok(read.values.into_iter().map(Some).collect());
    }
    let most = read.definitions.iter().copied().max().unwrap_or(0).max(1);
    let mut values = read.values.into_iter();
    let levels = read.definitions.into_iter();
    let value = |level| if level == most { values.next() } else { None };
    Ok(levels.map(value).collect())
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
        let rows = read(reader, rows)?;
        let levels = [&rows.definitions, &rows.repetitions];
        let [definitions, repetitions] =
            levels.map(|levels| (!levels.is_empty()).then_some(levels.as_slice()));
        (to.typed::<T>()).write_batch(&rows.values, definitions, repetitions)?;
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
