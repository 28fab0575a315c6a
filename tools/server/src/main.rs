//! `tbserve`: serves chess endgame tables over HTTP.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, ensure};
use clap::Parser;
use tbgen::parse_size;
use tbserve::{Limits, Server, Sources, describe, say};
use tokio::net::TcpListener;
use tokio::signal;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Serves chess endgame tables over HTTP, with lichess's tablebase API
///
/// Answers come from the folders, and where these have none, from tables that are solved when they are asked for. Without a
/// folder all are solved.
#[derive(Parser)]
#[command(
    version,
    after_help = "Example:\n  tbserve --tables syzygy --listen 127.0.0.1:9000"
)]
struct Args {
    /// Folder of tbgen's tables, of Syzygy files, or of both, may be repeated: of two files of a table, that in an earlier folder is
    /// taken
    #[arg(long, value_name = "DIR")]
    tables: Vec<PathBuf>,
    /// Address to listen on, such as localhost:9000
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:9000")]
    listen: String,
    /// Memory for tables that are solved on demand, and as much for what is decoded of files; positions that need more have no
    /// answer
    #[arg(long, value_name = "SIZE", value_parser = parse_size, default_value = "256M")]
    memory: u64,
    /// Folder of a page to serve in place of the board; tools/page/dist if that is there
    #[arg(long, value_name = "DIR")]
    page: Option<PathBuf>,
    /// Seconds for a request, and for reading and answering a body
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..), default_value_t = 30)]
    timeout: u64,
    /// Most bytes of a body
    #[arg(long, value_name = "SIZE", value_parser = parse_size, default_value = "64M")]
    body: u64,
    /// Most connections at a time
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), default_value_t = 4096)]
    connections: u32,
}

/// Waits for the first signal that asks the program to end.
async fn stop() {
    #[cfg(unix)]
    {
        use signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    let _ = signal::ctrl_c().await;
}

fn main() -> ExitCode {
    match run(Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(format_args!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn run(args: Args) -> anyhow::Result<()> {
    let limits = Limits {
        request: Duration::from_secs(args.timeout),
        body: usize::try_from(args.body)?,
        connections: args.connections as usize,
        ..Limits::default()
    };
    let told = describe(&args.tables, args.memory)?;
    let sources = Sources::open(args.tables, args.memory, limits.request)?;
    let built = PathBuf::from("tools/page/dist");
    let page = args.page.or_else(|| built.is_dir().then_some(built));
    let at_root = match &page {
        None => "a board is at /".to_owned(),
        Some(page) => {
            let is_page = page.join("index.html").is_file();
            ensure!(
                is_page,
                "{} is no folder with an index.html",
                page.display()
            );
            format!("the page of {} is at /", page.display())
        }
    };
    let server = Server::new(sources, limits, page.as_deref());
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .max_blocking_threads(8)
        .build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind(&args.listen).await;
        let listener = listener.with_context(|| format!("can't listen on {}", args.listen))?;
        let address = listener.local_addr()?;
        // The server goes on if nobody reads its address.
        let _ = writeln!(io::stdout(), "http://{address}");
        for sentence in told.iter().chain([&at_root]) {
            say(sentence);
        }
        server.serve(listener, stop()).await;
        anyhow::Ok(())
    })?;
    // A table that is still being solved is given up.
    runtime.shutdown_background();
    Ok(())
}
