//! `tbindex man`: prints or writes manual pages.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::builder::Resettable;
use clap::{Command, CommandFactory};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use super::args::{ForceArg, usage};
use super::output::{print, write_text};

/// Print a manual page, or write the pages of all commands into a folder
#[derive(clap::Args)]
#[command(after_help = "Examples:
  tbindex man | man -l -
  tbindex man fairy census | man -l -
  tbindex man --dir ~/.local/share/man/man1")]
pub(crate) struct Args {
    /// The command that the page is about, such as flip or fairy census; by default the program
    #[arg(value_name = "COMMAND", conflicts_with = "dir")]
    path: Vec<String>,
    /// Write one page for the program and one for each command into this folder, which is created if needed
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let mut program = super::Cli::command().disable_help_subcommand(true);
    // Gives every command its full name, tbindex-fairy-census, and puts the program's name into every
    // synopsis.
    program.build();
    if let Some(folder) = &args.dir {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("{}: can't make the folder", folder.display()))?;
        return write_all(&program, folder, args);
    }
    let mut command = &program;
    for name in &args.path {
        command = command.find_subcommand(name).ok_or_else(|| {
            let known: Vec<_> = command.get_subcommands().map(Command::get_name).collect();
            usage(match known.as_slice() {
                [] => format!("{name:?} is not a command: {} has none", full_name(command)),
                _ => format!(
                    "{name:?} is not a command: expected one of {}",
                    known.join(", ")
                ),
            })
        })?;
    }
    print(&page(command)?)
}

/// Writes the pages of a command and of all its subcommands.
fn write_all(command: &Command, folder: &Path, args: &Args) -> Result<()> {
    let path = folder.join(format!("{}.1", full_name(command)));
    write_text(&path, &page(command)?, args.force.overwrite())?;
    command
        .get_subcommands()
        .try_for_each(|command| write_all(command, folder, args))
}

fn full_name(command: &Command) -> &str {
    command.get_display_name().unwrap_or(command.get_name())
}

/// The page of a command, in the language of `man`.
fn page(command: &Command) -> Result<String> {
    let after_help = command.get_after_help().map(ToString::to_string);
    let manual = Man::new(command.clone().after_help(Resettable::Reset))
        .source(concat!("tbindex ", env!("CARGO_PKG_VERSION")))
        .manual("tbindex manual");
    let mut page = Vec::new();
    manual.render(&mut page)?;
    if let Some(text) = after_help {
        render_after_help(&text, &mut page)?;
    }
    Ok(String::from_utf8(page)?)
}

/// Renders the end of the help unchanged. It has command lines and tables, which must not be filled like a
/// paragraph.
fn render_after_help(text: &str, page: &mut Vec<u8>) -> std::io::Result<()> {
    let (heading, text) = match text.split_once('\n') {
        Some(("Example:" | "Examples:", examples)) => ("EXAMPLES", examples),
        _ => ("NOTES", text),
    };
    let mut roff = Roff::new();
    roff.control("SH", [heading]).control("nf", []);
    for line in text.lines() {
        roff.text([roman(line)]);
    }
    roff.control("fi", []).to_writer(page)
}
