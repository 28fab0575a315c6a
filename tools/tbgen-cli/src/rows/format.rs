//! The names of formats.

use std::path::Path;

use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};

/// The forms of input and of results, of which each command has some.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// A line for a reader
    Text,
    /// The numbers of positions of each table
    Counts,
    /// One JSON object of all positions; or the counts, as an object in a line for each table
    Json,
    /// A line for each position: FEN, or EPD with the operations bm, wdl, dtz and dm
    #[value(alias = "fen")]
    Epd,
    /// A head, and a record for each position
    Csv,
    /// A JSON object in a line for each position
    Jsonl,
    /// The columns of CSV as a table of Parquet, by tbindex-parquet alone
    Parquet,
    /// Stockfish's training data as text
    Plain,
    /// Training data of 32 bytes a position, as the crate bulletformat has it
    Bullet,
    /// The placements of one material as a file of indices, which tbindex reads
    Tbi,
}

impl Format {
    /// The names of the formats of new rows.
    pub(crate) const ROWS: &str = "epd,csv,jsonl,parquet";

    fn from_name(name: &str) -> Format {
        Format::from_str(name, false).expect("a known name")
    }

    /// Reads one of the formats with these names.
    pub(crate) fn parser(names: &str) -> impl TypedValueParser<Value = Format> + use<> {
        let known = names.split(',').map(Format::from_name);
        let known = known.filter_map(|format| format.to_possible_value());
        PossibleValuesParser::new(known).map(|name| Format::from_name(&name))
    }

    /// The format that is asked for, or else that with one of these names which ends the name of a file, or EPD.
    pub(crate) fn of(asked: Option<Format>, file: &Path, names: &str) -> Format {
        let end = |name: &&str| file.extension().is_some_and(|end| end == *name);
        let named = names.split(',').find(end).map(Format::from_name);
        asked.or(named).unwrap_or(Format::Epd)
    }

    pub(crate) const fn is_of_rows(self) -> bool {
        matches!(
            self,
            Format::Epd | Format::Csv | Format::Jsonl | Format::Parquet
        )
    }
}
