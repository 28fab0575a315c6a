//! `tbindex-parquet import`: Parquet tables become index files.

use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use indicatif::ProgressBar;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use tbgen::parse_size;
use tbgen_cli::refuse;
use tbgen_cli::signals::{check_stopped, stop_flag};
use tbindex::batch::Backend;
use tbindex::store::{Contents, FileWord, IndexWriter, StoredWord, Target};
use tbindex::{Color, Fen, Material, Numbering, PlacementCodec, Square};

use super::args::{Columns, ForceArg, note_written, output_path, rows_within};
use super::names;

/// Read positions from Parquet tables and write the index of each, in their order
///
/// A table has a column `index`, or the columns of all pieces' squares, or a column `fen`, as `export` writes
/// them; of several the first of these is read, unless --column chooses. A folder stands for the files in it
/// whose names end in .parquet, in the order of their names, as Spark writes them. The material, the numbering
/// and the side to move are those of the first table's metadata unless they are given. Indices may have any
/// type of whole numbers of 32 or 64 bits. Null values are errors.
///
/// The tables are read batch by batch. Besides, a page of each column must fit into the memory; writers make
/// pages of about 1 MiB.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tbindex-parquet import KQvKR-w.parquet -o KQvKR-w.tbi")]
pub(crate) struct Args {
    /// The Parquet files, or folders of such files
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The index file to write
    #[arg(short, long, value_name = "OUT", value_parser = output_path())]
    output: PathBuf,
    /// The pieces, such as KQvKR
    #[arg(long)]
    material: Option<Material>,
    /// The numbering of the indices, natural or alternate
    #[arg(long)]
    numbering: Option<Numbering>,
    /// The side to move, white or black; a FEN line with the other one is an error
    #[arg(long)]
    side: Option<Color>,
    /// The columns to read for each position: index, squares or fen
    #[arg(long)]
    column: Option<Columns>,
    /// The most memory to use, such as 64M
    #[arg(long, value_name = "SIZE", value_parser = parse_size, default_value = "64M")]
    memory: u64,
    /// Store the sorted indices compressed
    #[arg(long)]
    compress: bool,
    #[command(flatten)]
    force: ForceArg,
}

/// The most rows that are read at a time.
const ROWS_AT_ONCE: usize = 1 << 16;

/// The bytes that a row takes at most while it is read.
const ROW_BYTES: u64 = 256;

pub(crate) fn run(args: &Args) -> Result<()> {
    let rows = rows_within(args.memory, ROW_BYTES, 1024..=ROWS_AT_ONCE)?;
    let tables = tables(&args.files)?;
    let first = open(&tables[0])?;
    let Some(material) = given_or_found(args.material, &first, names::MATERIAL)? else {
        let table = tables[0].display();
        return refuse(format!("{table} says no material: expected --material"));
    };
    let numbering = given_or_found(args.numbering, &first, names::NUMBERING)?;
    let numbering = numbering.unwrap_or(Numbering::Natural);
    let side = given_or_found(args.side, &first, names::SIDE)?;
    let column = match args.column {
        Some(column) => column,
        None => first_column(&first, material).ok_or_else(|| {
            anyhow!(
                "{} has none of the columns {}, {} and {}",
                tables[0].display(),
                names::INDEX,
                names::squares(material).join(", "),
                names::FEN
            )
        })?,
    };
    stop_flag();
    let target = Target {
        compact: args.compress,
        ..Target::plain(&args.output, args.force.overwrite())
    };
    let contents = Contents {
        sorted: target.compact,
        ..Contents::new(material, numbering).with_side(side)
    };
    match contents.word() {
        FileWord::U32 => import_words::<u32>(&target, contents, &tables, column, rows),
        FileWord::U64 => import_words::<u64>(&target, contents, &tables, column, rows),
    }
}

/// Reads the tables into the new file.
fn import_words<W: StoredWord>(
    target: &Target,
    contents: Contents,
    tables: &[PathBuf],
    column: Columns,
    rows: usize,
) -> Result<()> {
    let writer = IndexWriter::<W>::create(target, contents, Backend::detect())?.observing();
    let bar = ProgressBar::new(0);
    let mut import = Import {
        codec: PlacementCodec::try_new(contents.material, contents.numbering)?,
        side: contents.side,
        column,
        rows,
        writer,
    };
    for path in tables {
        let table = open(path)?;
        let added = u64::try_from(table.metadata().file_metadata().num_rows()).unwrap_or(0);
        bar.inc_length(added);
        check_metadata(path, &table, &contents)?;
        import.table(path, &table)?;
        bar.inc(added);
    }
    bar.finish_and_clear();
    let header = import.writer.finish()?;
    note_written(header.count, &target.path);
    Ok(())
}

/// The files that the arguments stand for.
fn tables(files: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut tables = Vec::new();
    for path in files {
        if !path.is_dir() {
            tables.push(path.clone());
            continue;
        }
        let entries = std::fs::read_dir(path).with_context(|| path.display().to_string())?;
        let mut inside = entries
            .map(|entry| Ok(entry?.path()))
            .collect::<std::io::Result<Vec<PathBuf>>>()?;
        inside.retain(|path| path.extension().is_some_and(|ending| ending == "parquet"));
        inside.sort();
        if inside.is_empty() {
            bail!(
                "{}: the folder has no files that end in .parquet",
                path.display()
            );
        }
        tables.append(&mut inside);
    }
    Ok(tables)
}

type Table = SerializedFileReader<File>;

fn open(path: &Path) -> Result<Table> {
    let name = || path.display().to_string();
    let file = File::open(path).with_context(name)?;
    SerializedFileReader::new(file).with_context(name)
}

/// A value of the table's metadata, if it is there.
fn value<'a>(table: &'a Table, key: &str) -> Option<&'a str> {
    let pairs = table.metadata().file_metadata().key_value_metadata()?;
    let pair = pairs.iter().find(|pair| pair.key == key)?;
    pair.value.as_deref()
}

/// A value that was given, or else that of the table's metadata.
fn given_or_found<T>(given: Option<T>, table: &Table, key: &str) -> Result<Option<T>>
where
    T: std::str::FromStr,
    T::Err: std::error::Error + Send + Sync + 'static,
{
    if given.is_some() {
        return Ok(given);
    }
    let found = value(table, key).map(str::parse).transpose();
    found.with_context(|| format!("the metadata {key}"))
}

/// Checks that a table's metadata agree with the caller's reading of its numbers.
fn check_metadata(path: &Path, table: &Table, contents: &Contents) -> Result<()> {
    let expected = [
        (names::MATERIAL, Some(contents.material.to_string())),
        (names::NUMBERING, Some(contents.numbering.to_string())),
        (names::SIDE, contents.side.map(|side| side.to_string())),
    ];
    for (key, expected) in expected {
        let Some(expected) = expected else { continue };
        if let Some(found) = value(table, key).filter(|&found| found != expected) {
            bail!(
                "{}: its {key} is {found}: expected {expected}",
                path.display()
            );
        }
    }
    Ok(())
}

/// The place of a column.
fn place(table: &Table, name: &str) -> Option<usize> {
    let schema = table.metadata().file_metadata().schema_descr();
    let columns = schema.columns().iter();
    columns
        .clone()
        .position(|column| column.path().parts() == [name] && column.max_rep_level() == 0)
}

/// The first of the ways to write a position that the table has.
fn first_column(table: &Table, material: Material) -> Option<Columns> {
    let has = |name: &str| place(table, name).is_some();
    if has(names::INDEX) {
        Some(Columns::Index)
    } else if names::squares(material).iter().all(|name| has(name)) {
        Some(Columns::Squares)
    } else {
        has(names::FEN).then_some(Columns::Fen)
    }
}

struct Import<W> {
    codec: PlacementCodec<W>,
    side: Option<Color>,
    column: Columns,
    /// The number of rows that are read at a time.
    rows: usize,
    writer: IndexWriter<W>,
}

impl<W: StoredWord> Import<W> {
    fn table(&mut self, path: &Path, table: &Table) -> Result<()> {
        let names = match self.column {
            Columns::Index => vec![names::INDEX.to_owned()],
            Columns::Squares => names::squares(self.codec.material()),
            Columns::Fen => vec![names::FEN.to_owned()],
        };
        let file = || path.display().to_string();
        let places = names.iter().map(|name| {
            place(table, name).ok_or_else(|| anyhow!("{}: there is no column {name}", file()))
        });
        let places = places.collect::<Result<Vec<usize>>>()?;
        let mut row = 0;
        for group in 0..table.num_row_groups() {
            let group = table.get_row_group(group).with_context(file)?;
            self.group(&*group, &places, &mut row).with_context(file)?;
        }
        Ok(())
    }

    /// Reads the rows of a group, whose first has the number `row` in the table.
    fn group(&mut self, group: &dyn RowGroupReader, places: &[usize], row: &mut u64) -> Result<()> {
        let readers = places.iter().map(|&place| group.get_column_reader(place));
        let mut readers = readers.collect::<Result<Vec<ColumnReader>, _>>()?;
        let mut rest = usize::try_from(group.metadata().num_rows())?;
        while rest > 0 {
            check_stopped()?;
            let rows = rest.min(self.rows);
            let found = self.indices(&mut readers, rows, *row)?;
            self.writer.write(&found)?;
            *row += rows as u64;
            rest -= rows;
        }
        Ok(())
    }

    /// The indices of the next rows, the first of which has the number `first` in the table.
    fn indices(&self, readers: &mut [ColumnReader], rows: usize, first: u64) -> Result<Vec<W>> {
        match self.column {
            Columns::Index => {
                let most = if W::BITS == 32 {
                    u32::MAX.into()
                } else {
                    u64::MAX
                };
                let numbers = integers(&mut readers[0], rows)?.into_iter();
                let index = |(number, row)| match u64::try_from(number) {
                    Ok(index) if index <= most => Ok(W::truncate(index.into())),
                    _ => bail!("row {row}: {number} is not an index"),
                };
                numbers.zip(first..).map(index).collect()
            }
            Columns::Squares => {
                let columns = readers.iter_mut().map(|reader| integers(reader, rows));
                let columns = columns.collect::<Result<Vec<_>>>()?;
                let mut squares = Vec::new();
                let mut index = |(k, row)| {
                    squares.clear();
                    for column in &columns {
                        let square = u8::try_from(column[k]).map(Square::try_from);
                        let Ok(Ok(square)) = square else {
                            bail!("row {row}: {} is not a square", column[k]);
                        };
                        squares.push(square);
                    }
                    Ok(self.codec.encode_squares(&squares)?)
                };
                (0..rows).zip(first..).map(&mut index).collect()
            }
            Columns::Fen => {
                let lines = texts(&mut readers[0], rows)?.into_iter();
                let index = |(line, row): (ByteArray, u64)| {
                    (self.line(line.data())).with_context(|| format!("row {row}"))
                };
                lines.zip(first..).map(index).collect()
            }
        }
    }

    /// The index of a FEN line.
    fn line(&self, line: &[u8]) -> Result<W> {
        let fen: Fen = std::str::from_utf8(line)?.parse()?;
        if !fen.castling.is_empty() || fen.en_passant.is_some() {
            bail!(
                "the line has castling rights or an en-passant square, which an index can't hold"
            );
        }
        let found = fen.position.side;
        if let Some(side) = self.side.filter(|&side| side != found) {
            bail!("{found} is to move: expected {side}");
        }
        Ok(self.codec.encode(&fen.position)?)
    }
}

/// The next values of a column of whole numbers.
fn integers(reader: &mut ColumnReader, rows: usize) -> Result<Vec<i64>> {
    match reader {
        ColumnReader::Int32ColumnReader(reader) => {
            Ok(values(reader, rows)?.into_iter().map(i64::from).collect())
        }
        ColumnReader::Int64ColumnReader(reader) => values(reader, rows),
        _ => bail!("the column has another type: expected whole numbers of 32 or 64 bits"),
    }
}

/// The next values of a column of texts.
fn texts(reader: &mut ColumnReader, rows: usize) -> Result<Vec<ByteArray>> {
    match reader {
        ColumnReader::ByteArrayColumnReader(reader) => values(reader, rows),
        _ => bail!("the column has another type: expected texts"),
    }
}

/// The next values of a column, none of which is null.
fn values<T: DataType>(reader: &mut ColumnReaderImpl<T>, rows: usize) -> Result<Vec<T::T>> {
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    while values.len() < rows {
        levels.clear();
        let wanted = rows - values.len();
        let (read, found, _) = reader.read_records(wanted, Some(&mut levels), None, &mut values)?;
        if found < read {
            bail!("the column has null values: expected none");
        }
        if read == 0 {
            bail!("the column ends {wanted} rows early");
        }
    }
    Ok(values)
}
