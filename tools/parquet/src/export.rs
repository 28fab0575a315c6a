//! `tbindex-parquet export`: index files become Parquet tables.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};
use indicatif::ProgressBar;
use parquet::basic::{Compression, Encoding};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{
    SerializedColumnWriter, SerializedFileWriter, SerializedRowGroupWriter,
};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnPath;
use tbgen::parse_size;
use tbgen_cli::refuse;
use tbgen_cli::signals::{check_stopped, stop_flag};
use tbindex::batch::Backend;
use tbindex::store::{Header, IndexFile, IndexReader, PartialFile, StoredWord};
use tbindex::{Color, PlacementCodec};

use super::args::{Columns, ForceArg, note_written, output_path, rows_within};
use super::names;

/// Write the positions of an index file as a Parquet table, for other programs
///
/// The columns are chosen by --columns: `index` is the index; `squares` is a column for each piece, such as
/// white_king and black_rook, with its square from a1 = 0 to h8 = 63; `fen` is a FEN line. The material, the
/// numbering, the side to move and the claims of the file are metadata of the table. `import` reads them.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  \
    tbindex-parquet export KQvKR-w.tbi --parquet KQvKR-w.parquet --columns index,fen")]
pub(crate) struct Args {
    /// The index file
    file: PathBuf,
    /// The Parquet file to write
    #[arg(long, value_name = "OUT", value_parser = output_path())]
    parquet: PathBuf,
    /// The columns to write for each position: index, squares, fen, or several with commas between
    #[arg(long, value_delimiter = ',', default_value = "index")]
    columns: Vec<Columns>,
    /// The side to move of the FEN lines if the file does not record one
    #[arg(long)]
    side: Option<Color>,
    /// The most memory to use, such as 64M
    #[arg(long, value_name = "SIZE", value_parser = parse_size, default_value = "64M")]
    memory: u64,
    #[command(flatten)]
    force: ForceArg,
}

/// The rows of which the values of a column are in memory.
const BATCH: usize = 1 << 13;

/// The bytes for each row of a group: the index, and a byte for each square, which stay until the group ends.
const ROW_BYTES: u64 = 10;

pub(crate) fn run(args: &Args) -> Result<()> {
    // Read and not mapped, as pages of a map would count as memory.
    let file = IndexFile::open(&args.file, Backend::detect())?;
    let rows = rows_within(
        args.memory,
        ROW_BYTES,
        BATCH..=tbgen_cli::rows::parquet::MOST_ROWS,
    )?;
    stop_flag();
    match &file {
        IndexFile::U32(reader) => Table::new(args, file.header(), reader)?.write(rows),
        IndexFile::U64(reader) => Table::new(args, file.header(), reader)?.write(rows),
    }
}

/// A column of a table.
#[derive(Clone, Copy)]
enum Column {
    Index,
    /// The square of the piece that has this place in the material's name.
    Square(usize),
    Fen,
}

/// A table in the making.
struct Table<'a, W> {
    args: &'a Args,
    header: &'a Header,
    reader: &'a IndexReader<W>,
    codec: PlacementCodec<W>,
    side: Color,
}

impl<'a, W: StoredWord> Table<'a, W> {
    fn new(args: &'a Args, header: &'a Header, reader: &'a IndexReader<W>) -> Result<Table<'a, W>> {
        let file_name = args.file.display();
        let side = match (header.contents.side, args.side) {
            (Some(found), Some(side)) if found != side => {
                return refuse(format!(
                    "{file_name} holds positions with {found} to move, not {side}"
                ));
            }
            (found, asked) => found.or(asked),
        };
        if side.is_none() && args.columns.contains(&Columns::Fen) {
            return refuse(format!(
                "{file_name} records no side to move: FEN lines need --side"
            ));
        }
        Ok(Table {
            args,
            header,
            reader,
            codec: PlacementCodec::try_new(header.contents.material, header.contents.numbering)?,
            side: side.unwrap_or(Color::White),
        })
    }

    /// The columns that were asked for, in a fixed order.
    fn columns(&self) -> Vec<Column> {
        let squares = 0..self.codec.material().piece_count();
        let all = [(Columns::Index, Column::Index)].into_iter();
        let all = all.chain(squares.map(|piece| (Columns::Squares, Column::Square(piece))));
        let all = all.chain([(Columns::Fen, Column::Fen)]);
        all.filter(|(kind, _)| self.args.columns.contains(kind))
            .map(|(_, column)| column)
            .collect()
    }

    /// The schema as Parquet writes it.
    fn schema(&self) -> String {
        let word = if W::BITS == 32 { "INT32" } else { "INT64" };
        let squares = names::squares(self.codec.material());
        let column = |column: Column| match column {
            Column::Index => format!("REQUIRED {word} {};", names::INDEX),
            Column::Square(piece) => {
                format!("REQUIRED INT32 {} (INTEGER(8,false));", squares[piece])
            }
            Column::Fen => format!("REQUIRED BYTE_ARRAY {} (UTF8);", names::FEN),
        };
        let columns: String = self.columns().into_iter().map(column).collect();
        format!("message tbindex {{ {columns} }}")
    }

    fn properties(&self) -> WriterProperties {
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_dictionary_enabled(false)
            .set_created_by(concat!("tbindex ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_key_value_metadata(Some(metadata(self.header)));
        if self.header.contents.sorted {
            let index = ColumnPath::from(names::INDEX);
            properties = properties.set_column_encoding(index, Encoding::DELTA_BINARY_PACKED);
        }
        for name in names::squares(self.codec.material()) {
            // Six bits each.
            properties = properties.set_column_dictionary_enabled(ColumnPath::from(name), true);
        }
        properties.build()
    }

    fn write(&self, rows: usize) -> Result<()> {
        let output = &self.args.parquet;
        let to = || output.display().to_string();
        let schema = Arc::new(parse_message_type(&self.schema())?);
        let partial = PartialFile::create(output, self.args.force.overwrite())?;
        let properties = Arc::new(self.properties());
        let mut writer = SerializedFileWriter::new(partial, schema, properties).with_context(to)?;
        let mut group: Vec<W> = Vec::new();
        let (mut count, total) = (0, self.header.count);
        let bar = ProgressBar::new(total);
        while count < total {
            group.resize((total - count).min(rows as u64) as usize, W::ZERO);
            self.reader.read_into(count, &mut group)?;
            let mut columns = writer.next_row_group().with_context(to)?;
            self.write_group(&mut columns, &group, count)?;
            columns.close().with_context(to)?;
            count += group.len() as u64;
            bar.set_position(count);
        }
        writer.into_inner().with_context(to)?.finish()?;
        bar.finish_and_clear();
        note_written(count, output);
        Ok(())
    }

    /// Writes the columns of a group, whose first row has the number `first`.
    fn write_group(
        &self,
        columns: &mut SerializedRowGroupWriter<'_, PartialFile>,
        group: &[W],
        first: u64,
    ) -> Result<()> {
        for column in self.columns() {
            let writer = columns.next_column()?;
            let mut writer = writer.context("the schema has a column for each")?;
            for (batch, row) in group.chunks(BATCH).zip((first..).step_by(BATCH)) {
                check_stopped()?;
                self.write_batch(column, &mut writer, batch, row)?;
            }
            writer.close()?;
        }
        Ok(())
    }

    /// Writes a column of some rows, whose first has the number `row`.
    fn write_batch(
        &self,
        column: Column,
        writer: &mut SerializedColumnWriter<'_>,
        batch: &[W],
        row: u64,
    ) -> Result<()> {
        let numbers = batch.iter().map(|index| index.to_u64());
        match column {
            Column::Index if W::BITS == 32 => {
                let numbers: Vec<i32> = numbers.map(|number| number as i32).collect();
                write_values::<Int32Type>(writer, &numbers)
            }
            Column::Index => {
                let numbers: Vec<i64> = numbers.map(|number| number as i64).collect();
                write_values::<Int64Type>(writer, &numbers)
            }
            Column::Square(piece) => {
                let square = |&index: &W| -> Result<i32> {
                    let square = self.codec.decode_squares(index)?.nth(piece);
                    Ok(square.map_or(0, |square| i32::from(square.number())))
                };
                let squares = batch.iter().map(square).collect::<Result<Vec<_>>>()?;
                write_values::<Int32Type>(writer, &squares)
            }
            Column::Fen => {
                let line = |(&index, row): (&W, u64)| -> Result<ByteArray> {
                    let position = self.codec.decode(index, self.side).with_context(|| {
                        let name = self.args.file.display();
                        format!("{name}, index number {row} ({index:#o})")
                    })?;
                    Ok(ByteArray::from(position.to_string().into_bytes()))
                };
                let lines = batch.iter().zip(row..).map(line);
                write_values::<ByteArrayType>(writer, &lines.collect::<Result<Vec<_>>>()?)
            }
        }
    }
}

fn write_values<T: DataType>(
    writer: &mut SerializedColumnWriter<'_>,
    values: &[T::T],
) -> Result<()> {
    writer.typed::<T>().write_batch(values, None, None)?;
    Ok(())
}

/// The contents of a file's header, as metadata of a table.
fn metadata(header: &Header) -> Vec<KeyValue> {
    let mut pairs = vec![
        (names::MATERIAL, header.contents.material.to_string()),
        (names::NUMBERING, header.contents.numbering.to_string()),
        (names::CANONICAL, header.contents.canonical.to_string()),
        (names::SORTED, header.contents.sorted.to_string()),
        (names::DISTINCT, header.contents.distinct.to_string()),
    ];
    if let Some(side) = header.contents.side {
        pairs.push((names::SIDE, side.to_string()));
    }
    let pairs = pairs.into_iter();
    pairs
        .map(|(key, value)| KeyValue::new(key.to_owned(), value))
        .collect()
}
