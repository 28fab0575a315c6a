//! tbgen on many machines: solves tables with the processes of an MPI job.

#![forbid(unsafe_code)]

mod make;
mod plan;
mod world;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Parser;
use mpi::Threading;
use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator;
use tbgen::{Transport, parse_size};
use tbindex::Material;
use tbindex::batch::Backend;

use world::{MOST_BYTES, World};

/// As in `tbgen`: parts of tables are solved on all threads, with sets of all sizes.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Makes the table of a material, and all tables that it needs, with the processes of an MPI job
///
/// The folders have to be the same for all processes. A table gets its name when it is complete. A job that was killed
/// goes on at the last complete ply when it is started again, with any number of processes.
#[derive(Clone, Debug, Parser)]
#[command(
    name = "tbgen-mpi",
    version,
    max_term_width = 100,
    after_help = "Examples:\n  mpirun -n 4 --bind-to none tbgen-mpi KRBvKR -o /shared/tables\n  tbgen-mpi KRRvKRB --plan 4"
)]
struct Args {
    /// The material, such as KQvKR, of 3 to 7 pieces
    material: Material,
    /// Folder for the tables, which all processes see; created if needed
    #[arg(short, long, value_name = "DIR", required_unless_present = "plan")]
    output: Option<PathBuf>,
    /// Folder for checkpoints, which all processes see; by default that of the tables
    #[arg(long, value_name = "DIR")]
    temp: Option<PathBuf>,
    /// Threads of each process
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,
    /// Instructions to use: portable, avx2 or avx512; by default the fastest that each machine has
    #[arg(long, value_name = "NAME")]
    backend: Option<Backend>,
    /// The most memory for each process, such as 16G; sets that do not fit are kept in files. A table that still needs
    /// more is refused before it begins
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    memory: Option<u64>,
    /// Folder for sets that do not fit into the memory, best on a local disk of each machine; by default that of --temp
    #[arg(long, value_name = "DIR")]
    sets: Option<PathBuf>,
    /// A file to which each ply adds a line with a JSON object
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Make the table again if it is there. The tables that it needs are not made again
    #[arg(long)]
    force: bool,
    /// Only print the plan for so many processes: the memory, slices and messages of each; no MPI job is needed for this
    #[arg(long, value_name = "PROCESSES", value_parser = clap::value_parser!(u16).range(1..))]
    plan: Option<u16>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// The most bytes of a message, for tests
    #[arg(long, hide = true, value_name = "BYTES", default_value_t = MOST_BYTES)]
    message_bytes: usize,
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let error = error.downcast_ref::<std::io::Error>();
    error.is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}

fn main() -> ExitCode {
    let args = Args::parse();
    if let Some(processes) = args.plan {
        return match plan::print(&args, usize::from(processes)) {
            Err(error) if !is_closed_pipe(&error) => {
                eprintln!("tbgen-mpi: {error:#}");
                ExitCode::FAILURE
            }
            // The reader of our output may stop when it has seen enough.
            _ => ExitCode::SUCCESS,
        };
    }
    let Some((universe, threading)) = mpi::initialize_with_threading(Threading::Funneled) else {
        eprintln!("tbgen-mpi: MPI can't be initialised");
        return ExitCode::FAILURE;
    };
    let world = World::new(universe.world(), args.message_bytes);
    // A fault that ends one process ends all, as the others would wait for its messages for ever.
    let name = format!("process {} on {}", world.number(), host());
    let message = format!("tbgen-mpi: {name}: ended by a fault of the program");
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        usual(info);
        eprintln!("{message}");
        SimpleCommunicator::world().abort(1);
    }));
    let result = check(&world, threading, &args).and_then(|()| make::run(&world, &args));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        // All processes have stopped after the same ply.
        Err(error) if make::is_interruption(&error) => {
            if world.number() == 0 {
                eprintln!("tbgen-mpi: {error:#}; start the job again to go on");
            }
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("tbgen-mpi: {name}: {error:#}");
            world.abort()
        }
    }
}

/// The name of this machine.
fn host() -> String {
    mpi::environment::processor_name().unwrap_or_else(|_| "an unknown machine".to_owned())
}

/// Checks that all processes run the same program with the same arguments.
fn check(world: &World, threading: Threading, args: &Args) -> Result<()> {
    if world.processes() > 1 && threading < Threading::Funneled && args.threads > 1 {
        bail!("this MPI does not allow threads: use --threads 1 and more processes");
    }
    let program = std::env::current_exe().and_then(std::fs::read);
    let program = crc32fast::hash(&program.context("can't read the program itself")?);
    // Machines may differ in threads and instructions.
    let arguments = Args {
        threads: 0,
        backend: None,
        ..args.clone()
    };
    let about = [
        ("version", env!("CARGO_PKG_VERSION").to_owned()),
        ("program (its checksum)", format!("{program:#010x}")),
        (
            "arguments but --threads and --backend",
            format!("{arguments:?}"),
        ),
    ];
    let share = |text: String| -> Vec<String> {
        let all = world.exchange(&vec![text.as_bytes(); world.processes()]);
        all.into_iter()
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .collect()
    };
    let hosts = share(host());
    for (what, mine) in about {
        let all = share(mine);
        if let Some(other) = (0..all.len()).find(|&number| all[number] != all[0]) {
            if world.number() != 0 {
                // Process 0 tells, and ends all while they wait for it here.
                world.gather(0);
            }
            bail!(
                "all processes must have the same {what}: process 0 on {} has {}, process {other} on {} has {}",
                hosts[0],
                all[0],
                hosts[other],
                all[other]
            );
        }
    }
    Ok(())
}
