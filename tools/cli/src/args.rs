//! Arguments that several commands take.

use std::num::IntErrorKind;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::builder::{PathBufValueParser, TypedValueParser};
use tbindex::batch::Backend;
use tbindex::store::{IndexFile, Overwrite, StoreError, Target};
use tbindex::{Layout, Material, Numbering, PlacementCodec, Square};

/// A wrong call that the argument parser can't recognise. The exit status is 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct UsageError(String);

/// An error that exits with status 2.
pub(crate) fn usage(message: impl Into<String>) -> anyhow::Error {
    UsageError(message.into()).into()
}

/// `--numbering natural|alternate`.
#[derive(clap::Args)]
pub(crate) struct NumberingArg {
    /// The numbering of the squares: natural or alternate
    #[arg(long, value_name = "NUMBERING", default_value_t = Numbering::Natural)]
    pub(crate) numbering: Numbering,
}

/// `--json`.
#[derive(clap::Args)]
pub(crate) struct JsonArg {
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Reads an index: `0o4562`, `0x972`, `0b…` or decimal, with or without `_` between digits.
pub(crate) fn parse_index(text: &str) -> Result<u128, String> {
    let digits = text.replace('_', "");
    let (digits, radix) = match digits.get(..2) {
        Some("0o" | "0O") => (&digits[2..], 8),
        Some("0x" | "0X") => (&digits[2..], 16),
        Some("0b" | "0B") => (&digits[2..], 2),
        _ => (digits.as_str(), 10),
    };
    // from_str_radix would take a sign.
    if !digits.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return Err("expected an index such as 0o4562, 0x972 or 2418".to_owned());
    }
    u128::from_str_radix(digits, radix).map_err(|error| match error.kind() {
        IntErrorKind::PosOverflow => "expected an index, which has at most 126 bits".to_owned(),
        _ => "expected an index such as 0o4562, 0x972 or 2418".to_owned(),
    })
}

/// Reads squares with commas between them: `a1,c3,d1`.
pub(crate) fn parse_squares(text: &str) -> Result<Vec<Square>, String> {
    text.split(',')
        .map(|square| square.trim().parse::<Square>().map_err(|e| e.to_string()))
        .collect()
}

/// An index as it is printed, in octal: `0o4562`.
pub(crate) fn octal(index: u128) -> String {
    format!("{index:#o}")
}

/// The widest codec of a material, with 128 bits for a single index of up to 21 pieces.
pub(crate) fn codec(material: Material, numbering: Numbering) -> Result<PlacementCodec<u128>> {
    Ok(PlacementCodec::try_new(material, numbering)?)
}

/// Checks that an index given as an argument is one of the layout's.
pub(crate) fn check_index(layout: Layout<u128>, material: Material, index: u128) -> Result<()> {
    if layout.is_valid(index) {
        Ok(())
    } else {
        Err(usage(format!(
            "index {} is out of range: {material} has {} pieces, indices are below {:#o}",
            octal(index),
            layout.pieces(),
            layout.index_count()
        )))
    }
}

/// Reads the path of a file to write. It can't be a pipe, as the beginning of an index file is written
/// last.
pub(crate) fn output_path() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| match path.as_os_str() == "-" {
        true => Err("an index file can't be written to standard output: expected a path"),
        false => Ok(path),
    })
}

/// `--force`.
#[derive(clap::Args)]
pub(crate) struct ForceArg {
    /// Replace the file if it exists
    #[arg(long)]
    force: bool,
}

impl ForceArg {
    pub(crate) fn overwrite(&self) -> Overwrite {
        if self.force {
            Overwrite::Replace
        } else {
            Overwrite::Refuse
        }
    }
}

/// Reads a size in bytes: `512M`, `2G`, `100k`, `4096`; the letters stand for powers of 1024.
fn parse_size(text: &str) -> Result<u64, String> {
    let expected = || format!("{text:?} is not a size: expected one such as 512M or 2G");
    let letters = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = &text[..text.len() - letters.len()];
    let shift = match letters.to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        "t" | "tb" | "tib" => 40,
        _ => return Err(expected()),
    };
    let number: u64 = digits.parse().map_err(|_| expected())?;
    number.checked_mul(1 << shift).ok_or_else(expected)
}

/// `--memory SIZE`.
#[derive(clap::Args)]
pub(crate) struct MemoryArg {
    /// The most memory to use, such as 512M or 2G
    #[arg(long, value_name = "SIZE", value_parser = parse_size, default_value = "1G")]
    pub(crate) memory: u64,
}

/// `--compress`.
#[derive(clap::Args)]
pub(crate) struct CompressArg {
    /// Store the sorted indices compressed
    #[arg(long)]
    compress: bool,
}

impl CompressArg {
    /// The new file of this path.
    pub(crate) fn target(&self, path: &Path, force: &ForceArg) -> Target {
        Target {
            compact: self.compress,
            ..Target::plain(path, force.overwrite())
        }
    }
}

/// `--no-map`.
#[derive(clap::Args)]
pub(crate) struct NoMapArg {
    /// Read files instead of mapping them, for network disks and for files that others may change or shorten
    #[arg(long)]
    no_map: bool,
}

impl NoMapArg {
    /// Opens an index file.
    pub(crate) fn open(&self, path: &Path, backend: Backend) -> Result<IndexFile, StoreError> {
        if self.no_map {
            return IndexFile::open(path, backend);
        }
        #[expect(
            unsafe_code,
            reason = "files are mapped unless the user asks for reading"
        )]
        // SAFETY: the help of `--no-map` tells users not to change files that a command maps. The program itself
        // only ever replaces files by others.
        unsafe {
            IndexFile::map(path, backend)
        }
    }
}

/// `--threads N` and `--backend NAME`.
#[derive(clap::Args)]
pub(crate) struct MachineArgs {
    /// The number of threads to use, at most 1024; 0 means one for each core
    #[arg(long, value_name = "N", default_value_t = 0,
          value_parser = clap::value_parser!(u16).range(..=1024))]
    threads: u16,
    /// The instructions to use: portable, avx2 or avx512; by default the fastest that this machine has
    #[arg(long, value_name = "NAME")]
    backend: Option<Backend>,
}

impl MachineArgs {
    /// The chosen backend, or the fastest.
    pub(crate) fn backend(&self) -> Backend {
        self.backend.unwrap_or_else(Backend::detect)
    }

    /// The number of threads that this asks for.
    pub(crate) fn count(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads.into(),
        }
    }

    pub(crate) fn pool(&self) -> Result<rayon::ThreadPool> {
        Ok(rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads.into())
            .build()?)
    }
}
