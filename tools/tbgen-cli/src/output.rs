//! Where results go.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::ValueEnum;
use tbindex::store::{Overwrite, PartialFile, Target};

use super::refuse;

/// `--output`, `--force`.
#[derive(clap::Args)]
pub(crate) struct OutputArgs {
    /// File to write; - is standard output
    #[arg(short, long, value_name = "OUT", default_value = "-")]
    pub(crate) output: PathBuf,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

/// The format that is asked for, or else the one that a file's name ends in, or the first.
pub(crate) fn format_of<F: ValueEnum>(asked: Option<F>, file: &Path) -> F {
    let end = file.extension().and_then(|end| end.to_str());
    let named = end.and_then(|end| F::from_str(end, false).ok());
    asked
        .or(named)
        .unwrap_or_else(|| F::value_variants()[0].clone())
}

/// Standard output, or a file that is there when it is whole.
pub(crate) enum Output {
    Stream(BufWriter<io::Stdout>),
    File(BufWriter<PartialFile>),
}

impl OutputArgs {
    pub(crate) fn open(&self) -> Result<Output> {
        if self.output == Path::new("-") {
            return Ok(Output::Stream(BufWriter::new(io::stdout())));
        }
        let target = self.target()?;
        let file = PartialFile::create(&target.path, target.overwrite)?;
        Ok(Output::File(BufWriter::new(file)))
    }

    /// The file to write.
    pub(crate) fn target(&self) -> Result<Target> {
        if self.output == Path::new("-") {
            return refuse("standard output can't be such a file: expected --output OUT");
        }
        let overwrite = match self.force {
            true => Overwrite::Replace,
            false => Overwrite::Refuse,
        };
        Ok(Target::plain(&self.output, overwrite))
    }
}

impl Output {
    pub(crate) fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.write_all(bytes).context("can't write the results")
    }

    pub(crate) fn finish(mut self) -> Result<()> {
        self.flush().context("can't write the results")?;
        match self {
            Output::Stream(_) => Ok(()),
            Output::File(file) => Ok(file
                .into_inner()
                .map_err(io::IntoInnerError::into_error)?
                .finish()?),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Output::Stream(stream) => stream.write(bytes),
            Output::File(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Output::Stream(stream) => stream.flush(),
            Output::File(file) => file.flush(),
        }
    }
}
