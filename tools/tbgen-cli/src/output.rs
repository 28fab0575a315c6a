//! Where results go.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Result;
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

/// Where results are written.
pub enum Output {
    /// Standard output.
    Stream(BufWriter<io::Stdout>),
    /// A file that is there when it is whole.
    File(BufWriter<PartialFile>),
}

impl OutputArgs {
    pub(crate) fn open(&self) -> Result<Output> {
        if self.output == Path::new("-") {
            return Ok(Output::standard());
        }
        let Target {
            path, overwrite, ..
        } = self.target()?;
        let file = PartialFile::create(&path, overwrite)?;
        Ok(Output::File(BufWriter::new(file)))
    }

    /// The file to write.
    pub(crate) fn target(&self) -> Result<Target> {
        if self.output == Path::new("-") {
            return refuse("this format can't go to standard output: expected --output OUT");
        }
        let overwrite = match self.force {
            true => Overwrite::Replace,
            false => Overwrite::Refuse,
        };
        Ok(Target::plain(&self.output, overwrite))
    }
}

impl Output {
    pub(crate) fn standard() -> Output {
        Output::Stream(BufWriter::new(io::stdout()))
    }

    fn writer(&mut self) -> &mut dyn Write {
        match self {
            Output::Stream(stream) => stream,
            Output::File(file) => file,
        }
    }

    pub(crate) fn finish(mut self) -> Result<()> {
        self.flush()?;
        match self {
            Output::Stream(_) => Ok(()),
            Output::File(file) => {
                let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
                Ok(file.finish()?)
            }
        }
    }
}

fn named(error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("can't write the results: {error}"))
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer().write(bytes).map_err(named)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer().flush().map_err(named)
    }
}
