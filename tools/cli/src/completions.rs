//! `tbindex completions`: prints the script by which a shell completes the program's arguments.

use anyhow::Result;
use clap::CommandFactory;
use clap_complete::Shell;

use super::output::print;

/// Print a script that teaches a shell to complete commands and options
#[derive(clap::Args)]
#[command(after_help = "Examples:
  tbindex completions bash > ~/.local/share/bash-completion/completions/tbindex
  tbindex completions zsh > ~/.zfunc/_tbindex
  tbindex completions fish > ~/.config/fish/completions/tbindex.fish")]
pub(crate) struct Args {
    /// The shell
    shell: Shell,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let mut command = super::Cli::command();
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, name, &mut script);
    print(&String::from_utf8(script)?)
}
