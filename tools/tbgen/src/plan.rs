//! What it takes to solve a table: where its sets are, and how much memory and disk, and how many bytes of input and
//! output.

use std::path::Path;

use tbindex::bitbase::{Domain, Row};
use tbindex::{Color, Conversion, Material, Piece, PieceType};

use crate::file::{KEPT_BYTES, slices_at_once};
use crate::options::Residence;
use crate::order::led_to_by;
use crate::owners::Owners;
use crate::pawns::Placements;
use crate::shape::{Shape, WORTH_PACKING};
use crate::solve::Limits;
use crate::solved::{LARGE_PART, LARGE_PLANES};
use crate::value::Metric;
use crate::walk::Walk;

/// A plan for solving a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// What the distances count.
    pub metric: Metric,
    /// The number of slices whose losses are found at the same time, if the dense sets are on disk; `None` if they are
    /// in memory.
    pub group: Option<usize>,
    /// The most memory of the process, in bytes, with the smaller tables that this one needs. Tables that are kept for
    /// others come on top.
    pub memory: u64,
    /// The bytes that the dense sets take on disk.
    pub sets: u64,
    /// The bytes that the log of plies is likely not to exceed.
    pub log: u64,
    /// The bytes on disk that is likely not to be exceeded by what is put aside there: smaller tables, solved parts, and, by
    /// the distance to mate, what moves out of large parts lead to, until it is due.
    pub aside: u64,
    /// The most bytes of sets that are read and written in a sweep, which finds what is won in a ply and lost in the
    /// next.
    pub traffic: u64,
}

/// The seconds that a thread takes to solve a slot of both sides, to solve a part besides, and to write a slot of both
/// sides. Measured.
const SOLVE_SLOT: f64 = 1.0e-8;
const SOLVE_PART: f64 = 1e-4;
const WRITE_SLOT: f64 = 1.2e-8;

/// The seconds that a thread takes for a slot of what a promotion leads to, where that is too large to be at hand.
/// Measured.
const PROMOTE_SLOT: f64 = 1.2e-9;

/// How much longer it takes to solve a table by the distance to mate. Measured: 2.0 for KRPvKR, 2.9 for KRRvKRB.
const MATE: f64 = 2.5;

/// See [`Plan::all_traffic`]. By the distance to zeroing between what was measured: 47 for KBBvKNN, 56 for KRRvKRB. By the
/// distance to mate that of KRRvKRB.
const FULL_SWEEPS: [u64; 2] = [50, 86];

/// The memory that the program has before it does anything, and its small allocations.
const PROGRAM: u64 = 18 << 20;

/// The stack of a thread, as far as it is used, and what the allocator keeps for it.
const THREAD: u64 = 256 << 10;

/// The memory, in bytes, of a process with the threads of the current rayon pool, whatever it does.
#[must_use]
pub fn process_memory() -> u64 {
    PROGRAM + threads_of(THREAD)
}

impl Plan {
    /// The plan that needs least time within so many bytes of memory. Without a limit, the sets are in memory.
    ///
    /// # Errors
    /// The smallest number of bytes with which the table can be solved.
    pub fn new(shape: &Shape, metric: Metric, limit: Option<u64>) -> Result<Plan, u64> {
        let here = Plan::in_memory(shape, metric);
        if limit.is_none_or(|limit| here.memory <= limit) {
            return Ok(here);
        }
        if !shape.may_be_on_disk() {
            return Err(here.memory);
        }
        let mut least = here;
        for group in GROUPS {
            let plan = Plan::on_disk(shape, metric, group);
            if limit.is_none_or(|limit| plan.memory <= limit) {
                return Ok(plan);
            }
            if plan.memory < least.memory {
                least = plan;
            }
        }
        Err(least.memory)
    }

    /// The plan with all sets in memory.
    #[must_use]
    pub fn in_memory(shape: &Shape, metric: Metric) -> Plan {
        let memory = if shape.is_logged() && shape.may_be_on_disk() {
            let due = match dues(shape, metric, false) {
                0 if metric == Metric::Dtm => DUE_SETS * set_bytes(shape),
                _ => 0,
            };
            let sets = 5 * set_bytes(shape) + exits(shape);
            // With what the loser's moves lead to in all slices.
            let promises = match promises(shape, metric, Residence::Memory) {
                0 => 0,
                bytes => bytes + exits(shape),
            };
            sets.max(promises) + due + for_each_plan(shape, metric)
        } else {
            shape.work_memory(metric, true)
        };
        let memory = process_memory() + smaller(shape, metric, true) + memory;
        Plan {
            metric,
            group: None,
            memory,
            sets: 0,
            log: log_bytes(shape),
            aside: aside(shape) + dues(shape, metric, false),
            traffic: 0,
        }
    }

    /// The plan without any files: what would be in a log is in memory, too.
    #[must_use]
    pub fn without_files(shape: &Shape, metric: Metric) -> Plan {
        let mut plan = Plan {
            aside: 0,
            ..Plan::in_memory(shape, metric)
        };
        if plan.log > 0 && shape.has_log_in_memory(metric) {
            plan.memory += plan.log + dues(shape, metric, false);
            plan.memory += smaller(shape, metric, false) - smaller(shape, metric, true);
        } else {
            plan.memory =
                process_memory() + smaller(shape, metric, false) + shape.work_memory(metric, false);
        }
        plan.log = 0;
        plan
    }

    /// The plan with the dense sets on disk, and the losses of so many slices found at the same time.
    fn on_disk(shape: &Shape, metric: Metric, group: usize) -> Plan {
        let domain = shape.any_domain();
        let slice = (domain.rows() * size_of::<Row>()) as u64;
        let slices = Color::ALL.map(|loser| {
            let all: Vec<usize> = (0..domain.slices()).collect();
            slices_on_disk(domain, loser, &all, group)
        });
        let [[a, led_to], [b, led_to_too]] = slices.map(|slices| slices.map(|count| count as u64));
        let (slices, led_to) = (a.max(b), led_to.max(led_to_too));
        let sets = slices * slice + exits_of(shape, led_to);
        let promises = promises(shape, metric, residence(Some(group), Path::new("")));
        Plan {
            metric,
            group: Some(group),
            memory: process_memory()
                + smaller(shape, metric, true)
                + sets.max(promises)
                + for_each_plan(shape, metric),
            sets: 2 * set_bytes(shape),
            log: log_bytes(shape),
            aside: aside(shape) + dues(shape, metric, true),
            traffic: 4 * set_bytes(shape),
        }
    }

    /// The plan that takes the least memory.
    #[must_use]
    pub fn least(shape: &Shape, metric: Metric) -> Plan {
        let here = Plan::in_memory(shape, metric);
        if !shape.may_be_on_disk() {
            return here;
        }
        let on_disk = Plan::on_disk(shape, metric, 1);
        if on_disk.memory < here.memory {
            on_disk
        } else {
            here
        }
    }

    /// The bytes that all temporary files together are likely not to exceed.
    #[must_use]
    pub fn temporary(&self) -> u64 {
        self.sets + self.log + self.aside
    }

    /// The bytes of sets that are read and written until the table is solved, roughly. Most sweeps find little and
    /// leave most slices out; what is left is as much as so many full sweeps.
    #[must_use]
    pub fn all_traffic(&self) -> u64 {
        FULL_SWEEPS[self.metric as usize] * self.traffic
    }

    /// The seconds that it takes to solve and to write the table, roughly, on so many threads and with files that are
    /// read and written at so many bytes a second.
    #[must_use]
    pub fn seconds(&self, shape: &Shape, threads: usize, rate: f64) -> [f64; 2] {
        let (slots, parts) = (shape.slots() as f64, shape.parts() as f64);
        let working = match shape.material().has_pawns() {
            true => threads.min(shape.parts_at_once()),
            false => threads,
        };
        let (working, threads) = (working as f64, threads as f64);
        let longer = match self.metric {
            Metric::Dtz => 1.0,
            Metric::Dtm => MATE,
        };
        let work = slots * SOLVE_SLOT + parts * SOLVE_PART + promoted_slots(shape) * PROMOTE_SLOT;
        let solve = longer * work / working;
        let write = slots * WRITE_SLOT / threads;
        [solve + self.all_traffic() as f64 / rate, write]
    }

    /// Where the dense sets are, with files in a folder.
    #[must_use]
    pub fn residence<'a>(&self, folder: &'a Path) -> Residence<'a> {
        residence(self.group, folder)
    }
}

/// What processes need that solve a table together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedPlan {
    /// What each of them needs.
    pub processes: Vec<ProcessPlan>,
    /// The number of slices whose losses each finds at the same time, if the dense sets are on disk; `None` if they are
    /// in memory.
    pub group: Option<usize>,
    /// The bytes that all logs together are likely not to exceed.
    pub log: u64,
    /// The bytes that all of them send until the table is solved, roughly.
    pub sent: u64,
}

/// What one of the processes needs that solve a table together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessPlan {
    /// The slices that it has while the wins of each side are found, white's first; with pawns, the placements of the
    /// pawns that it solves.
    pub slices: [usize; 2],
    /// The slices of others of which it gets what is lost in a ply.
    pub received: [usize; 2],
    /// The most memory, in bytes.
    pub memory: u64,
    /// The bytes that its dense sets take on disk.
    pub sets: u64,
}

/// The bytes that the positions lost in all plies take, compressed, for each slot of a side: with five pieces, as
/// measured, 0.03 for KRBvKR and 0.4 for KBBvKN, which has the most plies.
const LOST_BYTES: f64 = 0.4;

/// What a ply finds lost in a slice takes at most the slice's size by this, compressed.
const PLY_FRACTION: u64 = 4;

impl SharedPlan {
    /// The plan, with distances to zeroing, for so many processes that needs least time within so many bytes of memory
    /// of each. Without a limit, the sets are in memory.
    ///
    /// # Errors
    /// The smallest number of bytes with which so many processes can solve the table.
    ///
    /// # Panics
    /// If there is no process.
    pub fn new(shape: &Shape, processes: usize, limit: Option<u64>) -> Result<SharedPlan, u64> {
        let mut least = SharedPlan::with(shape, processes, None);
        if limit.is_none_or(|limit| least.memory() <= limit) {
            return Ok(least);
        }
        if shape.may_be_on_disk() {
            for group in GROUPS {
                let plan = SharedPlan::with(shape, processes, Some(group));
                if limit.is_none_or(|limit| plan.memory() <= limit) {
                    return Ok(plan);
                }
                if plan.memory() < least.memory() {
                    least = plan;
                }
            }
        }
        Err(least.memory())
    }

    /// The most memory of a process, in bytes.
    #[must_use]
    pub fn memory(&self) -> u64 {
        let all = self.processes.iter().map(|process| process.memory);
        all.max().unwrap_or(0)
    }

    /// Where the dense sets are, with files in a folder.
    #[must_use]
    pub fn residence<'a>(&self, folder: &'a Path) -> Residence<'a> {
        residence(self.group, folder)
    }

    fn with(shape: &Shape, processes: usize, group: Option<usize>) -> SharedPlan {
        assert!(processes > 0, "a process");
        let log = log_bytes_of(shape);
        if shape.material().has_pawns() {
            // The parts of a level are dealt out before the next is begun.
            let each = |number: usize| {
                let levels = shape.placements().levels().iter();
                let mine = levels.map(|level| {
                    let share = |number: usize| level.len() * number / processes;
                    share(number + 1) - share(number)
                });
                let (all, at_once) =
                    mine.fold((0, 0), |(all, most), mine| (all + mine, most.max(mine)));
                ProcessPlan {
                    slices: [all; 2],
                    received: [0; 2],
                    memory: process_memory()
                        + smaller(shape, Metric::Dtz, false)
                        + parts_memory(shape, Metric::Dtz, at_once, true),
                    sets: 0,
                }
            };
            return SharedPlan {
                processes: (0..processes).map(each).collect(),
                group: None,
                log,
                sent: 0,
            };
        }
        let domain = shape.any_domain();
        let slice = (domain.rows() * size_of::<Row>()) as u64;
        let all = domain.slices();
        let (mut each, mut sent) = (Vec::new(), 0.0);
        let first = Owners::new(domain, processes, 0);
        let loads = Color::ALL.map(|winner| first.loads(winner));
        let loads = (0..processes).map(|number| loads.each_ref().map(|loads| loads[number]));
        for (number, loads) in loads.enumerate() {
            let mut process = ProcessPlan {
                slices: [0; 2],
                received: [0; 2],
                memory: 0,
                sets: 0,
            };
            for winner in Color::ALL {
                let (own, received) = loads[winner as usize];
                let captured = |side: Color| domain.captured_by(side).count();
                // What captures lead to, and what one of these is made from.
                let exits = |winning: usize, losing: usize, source: usize| {
                    let winning = winning.min(all);
                    2 * captured(winner) * winning + 3 * captured(!winner) * losing + 5 * source
                };
                let (sets, exits) = match group {
                    // As measured, what is new takes pages all over its slices in some plies.
                    None => {
                        let sets = (5 * own + received) as u64 * slice;
                        (sets, exits(own + received, own, all))
                    }
                    Some(_) if own == 0 => (0, 0),
                    Some(group) => {
                        let mine = first.of(number, winner, all);
                        let [here, made] = slices_on_disk(domain, !winner, &mine, group);
                        // What others have sent waits as it came.
                        let sets = here as u64 * slice + received as u64 * slice / PLY_FRACTION;
                        (sets, exits(made, made, made))
                    }
                };
                process.memory = process.memory.max(sets + exits as u64 * slice / 64);
                process.slices[winner as usize] = own;
                process.received[winner as usize] = received;
                sent += received as f64 * LOST_BYTES * (slice * 8) as f64 / 2.0;
            }
            process.memory += process_memory()
                + smaller(shape, Metric::Dtz, false)
                + for_each_plan(shape, Metric::Dtz);
            if group.is_some() {
                let most = process.slices.into_iter().max().unwrap_or(0);
                process.sets = 2 * most as u64 * slice;
            }
            each.push(process);
        }
        SharedPlan {
            processes: each,
            group,
            log,
            sent: sent as u64,
        }
    }
}

/// The numbers of slices whose losses may be found at the same time with sets on disk, the fastest first.
const GROUPS: [usize; 7] = [64, 32, 16, 8, 4, 2, 1];

/// Where the dense sets are, with files in a folder, if so many slices are to be worked on at a time.
fn residence(group: Option<usize>, folder: &Path) -> Residence<'_> {
    match group {
        None => Residence::Memory,
        Some(group) => Residence::Disk { folder, group },
    }
}

/// The most slices that are in memory while the losses of a side are found in these slices, so many at a time; and the most
/// that captures lead to at the same time.
fn slices_on_disk(domain: &Domain, loser: Color, slices: &[usize], group: usize) -> [usize; 2] {
    let walk = Walk::in_groups(domain, loser, slices, group);
    let around = walk.most_around(!loser);
    let group = group.min(slices.len());
    [
        // Wins, old and new; what is lost around them; the losses, old and new.
        2 * walk.peak() + around + 2 * group,
        // The losses with those that moves of the king lead to.
        around.max(9 * group).min(domain.slices()),
    ]
}

/// The slots of all that promotions lead to, each time, if it is too large to be at hand.
fn promoted_slots(shape: &Shape) -> f64 {
    /// The bytes of a set that is.
    const LARGE: u64 = 2 << 20;
    let promoting = |number: usize| {
        let pawns = shape.pawns(number);
        pawns.occupied().len() - pawns.without_promoting().occupied().len()
    };
    let part = shape.any_domain().slots();
    let after = match shape.pawns(0).occupied().len() {
        0 => return 0.0,
        // A table without pawns, whose kings have slices.
        1 => part / 64 * 462,
        _ => part * 64,
    };
    if after / 8 <= LARGE {
        return 0.0;
    }
    let all: usize = (0..shape.parts())
        .map(|number| promoting(number) as usize)
        .sum();
    4.0 * all as f64 * after as f64
}

/// The bytes that all threads take together, if each takes so many.
fn threads_of(bytes: u64) -> u64 {
    rayon::current_num_threads() as u64 * bytes
}

/// See [`Plan::aside`]. Smaller tables without pawns are read into a file that is quick to read again, if they are large.
fn aside(shape: &Shape) -> u64 {
    let parts = match shape.is_logged() {
        true => 0,
        false => shape.likely_aside(),
    };
    let smaller = led_to_by(&shape.material()).into_iter();
    let smaller = smaller.filter(|material| shape.cast().is_chess() && !material.has_pawns());
    let smaller = smaller.filter_map(|material| Shape::new(material).ok());
    parts + smaller.map(|shape| shape.likely_packed()).sum::<u64>()
}

/// What is due, in sets, where most is. Measured.
const DUE_SETS: u64 = 12;

/// The bytes on disk of what is due by the distance to mate, if it is put aside: of each part that is in work.
fn dues(shape: &Shape, metric: Metric, on_disk: bool) -> u64 {
    let in_work = match shape.material().has_pawns() {
        true => threads_of(1),
        false => 1,
    };
    match metric {
        Metric::Dtm if on_disk || shape.has_large_sets() => in_work * DUE_SETS * set_bytes(shape),
        _ => 0,
    }
}

/// The bytes in which promises of some slices are made by the distance to mate, before any sets are needed: their planes, what
/// is due, and what it is made from.
fn promises(shape: &Shape, metric: Metric, residence: Residence<'_>) -> u64 {
    if metric == Metric::Dtz {
        return 0;
    }
    let domain = shape.any_domain();
    let slice = (domain.rows() * size_of::<Row>()) as u64;
    let slices = residence.promised_at_once(domain).min(domain.slices()) as u64;
    let due = match dues(shape, metric, residence.is_disk()) {
        0 => 0,
        _ => DUE_SETS,
    };
    slices * slice * (10 + due) + exits_of(shape, 9 * slices)
}

/// The bytes of a dense set.
fn set_bytes(shape: &Shape) -> u64 {
    shape.any_domain().bytes()
}

/// The bytes in which three frontiers note what they have: nine bits for each slab.
fn notes(shape: &Shape) -> u64 {
    let domain = shape.any_domain();
    let of_slice = domain.slabs() + 8 * domain.slabs().div_ceil(64);
    3 * (domain.slices() * of_slice) as u64
}

/// The bytes of the sets that captures lead to, up to four for each captured piece, and of what they are made from.
/// Measured.
fn exits(shape: &Shape) -> u64 {
    exits_of(shape, shape.any_domain().slices() as u64)
}

/// The same for so many slices: with sets on disk, these sets are made for a few at a time.
fn exits_of(shape: &Shape, slices: u64) -> u64 {
    let domain = shape.any_domain();
    let slices = slices.min(domain.slices() as u64);
    let captured: usize = Color::ALL
        .map(|side| domain.captured_by(side).count())
        .iter()
        .sum();
    (8 * captured as u64 + 12) * set_bytes(shape) / domain.slices() as u64 * slices / 64
}

/// What a plan for a table without pawns and with a log has besides sets: notes, what is kept of smaller tables, and the
/// working memory of threads, which is what is gathered in a slice and the places of captured pieces there.
fn for_each_plan(shape: &Shape, metric: Metric) -> u64 {
    let slice = (shape.any_domain().rows() * size_of::<Row>()) as u64;
    let work = notes(shape) + kept(shape, metric) + threads_of(24 * slice);
    work.max(writing(shape, metric))
}

/// The bytes in which a table is written: the block table, and what is made of some slices at a time: planes, and blocks,
/// which take as much as the codes at most, of two bytes where there may be mates in more than 127 moves.
fn writing(shape: &Shape, metric: Metric) -> u64 {
    let domain = shape.any_domain();
    let blocks = 2 * (shape.parts() * domain.slices() * domain.slabs()) as u64;
    let two_bytes = metric == Metric::Dtm && shape.material().piece_count() > 5;
    let slice = domain.slice_slots();
    let of_slice = slice / 8 * if two_bytes { 12 + 16 } else { 9 + 8 };
    16 * blocks + slices_at_once(shape) as u64 * of_slice
}

/// The number of planes of a side: no table of up to five pieces has more than 127 values of a side by the distance to
/// zeroing, or a mate in more than 127 moves.
fn planes(metric: Metric) -> u64 {
    match metric {
        Metric::Dtz => 7,
        Metric::Dtm => 8,
    }
}

/// A table as others see it: how many parts it has at most, mirror images of pawns counted once, and the bytes of a set
/// of one of them.
struct Source {
    parts: u64,
    set: u64,
    pieces: usize,
    pawns: usize,
    /// Whether any pieces but pawns are alike.
    like: bool,
}

impl Source {
    fn of(material: &Material) -> Source {
        let pawns = Color::ALL.map(|color| material.count(Piece::new(color, PieceType::Pawn)));
        let (pieces, pawns) = (material.piece_count(), pawns[0] + pawns[1]);
        let like = Color::ALL.iter().any(|&color| {
            let kinds = PieceType::ALL
                .iter()
                .filter(|kind| **kind != PieceType::Pawn);
            let mut counts = kinds.map(|&kind| material.count(Piece::new(color, kind)));
            counts.any(|count| count > 1)
        });
        let men = 64u64.pow((pieces - pawns - 2) as u32);
        let kings = if pawns == 0 { 462 } else { 64 * 64 };
        // Those that are their own mirror images are fewer than half.
        let parts = Placements::count(material) * 5 / 8 + 1;
        Source {
            parts: if pawns == 0 { 1 } else { parts },
            set: kings * men / 8,
            pieces,
            pawns,
            like,
        }
    }

    /// The bytes of its planes, with both sides to move.
    fn planes(&self, metric: Metric) -> u64 {
        2 * planes(metric) * self.parts * self.set
    }

    /// The bytes that it takes in memory for a larger table: if there are files, large ones are in one, and those with pawns
    /// are read from theirs.
    fn kept(&self, metric: Metric, files: bool) -> u64 {
        let slots = 8 * self.parts * self.set;
        match slots > WORTH_PACKING {
            _ if files && self.pawns > 0 => 0,
            true if files => 0,
            true => 2 * slots / 3,
            false => self.planes(metric),
        }
    }

    /// The bytes that are made of a part with a side to move for others. By the distance to zeroing, those are sets of
    /// outcomes, of which there are five where the fifty-move rule makes a difference, as it does from five pieces on.
    fn made(&self, metric: Metric) -> u64 {
        self.set
            * match metric {
                Metric::Dtz if self.pieces < 5 => 3,
                _ => sets_made(metric),
            }
    }
}

/// The bytes that a solved table takes in memory for larger ones, with files or without.
#[must_use]
pub fn kept_memory(material: &Material, metric: Metric, files: bool) -> u64 {
    Source::of(material).kept(metric, files)
}

/// The bytes of the tables that moves lead to.
fn smaller(shape: &Shape, metric: Metric, files: bool) -> u64 {
    let smaller = led_to_by(&shape.material()).into_iter();
    let smaller = smaller.filter(|_| shape.cast().is_chess());
    (smaller.map(|material| kept_memory(&material, metric, files))).sum()
}

/// The sets that are made of a part at the same time, and kept for others: by the distance to zeroing those of its outcomes,
/// and by that to mate its planes.
fn sets_made(metric: Metric) -> u64 {
    match metric {
        Metric::Dtz => 5,
        Metric::Dtm => 8,
    }
}

/// The bytes of what is kept of solved parts for others.
fn kept(shape: &Shape, metric: Metric) -> u64 {
    let material = shape.material();
    let limit = Limits::new(shape).recent;
    // By the distance to mate, the planes, and what they promise.
    let (limits, times) = match metric {
        Metric::Dtz => (limit, 1),
        Metric::Dtm => (limit / 2, 2),
    };
    // Tables that moves lead to, each with the side that is to move there.
    let mut after: Vec<(Material, Color)> = (material.conversions().into_iter())
        .map(|(conversion, after)| {
            let mover = match conversion {
                Conversion::Capture { captured } => captured.color,
                Conversion::Promotion { by, .. } => !by,
            };
            match after.is_normal() {
                true => (after, mover),
                false => (after.normal(), !mover),
            }
        })
        .collect();
    let own = Color::ALL.map(|color| (material, !color, Piece::new(color, PieceType::Pawn)));
    let own = own
        .into_iter()
        .filter(|(.., pawn)| material.count(*pawn) > 0);
    after.extend(own.map(|(material, mover, _)| (material, mover)));
    after.sort_by_key(|(material, mover)| (material.to_string(), *mover));
    after.dedup();
    let sources: Vec<Source> = after
        .iter()
        .map(|(material, _)| Source::of(material))
        .collect();
    let small = sources
        .iter()
        .filter(|source| sets_made(metric) * source.set <= limits / 4);
    let kept: u64 = small.map(|source| source.parts * source.made(metric)).sum();
    // What promotions to parts with pawns lead to, for all files.
    let promoted = (sources.iter())
        .filter(|source| source.pawns > 0 && source.pieces == material.piece_count())
        .map(|source| source.parts * 8 * sets_made(metric) * set_bytes(shape));
    times * kept.min(limits) + promoted.sum::<u64>().min(limit / 2)
}

/// The bytes of sets that each thread makes of a part that a promotion leads to, and of those that only one thread makes
/// at a time.
fn promoted(shape: &Shape, metric: Metric, files: bool) -> [u64; 2] {
    let all = led_to_by(&shape.material());
    let promoted = (all.iter().map(Source::of))
        .filter(|source| source.pieces == shape.material().piece_count());
    let made = sets_made(metric);
    let limit = match metric {
        Metric::Dtz => Limits::new(shape).recent,
        Metric::Dtm => Limits::new(shape).recent / 2,
    };
    let (mut each, mut one) = (0, 0);
    for source in promoted {
        let large = source.set >= LARGE_PART && (source.pawns == 0 || files);
        let sets = match metric {
            _ if made * source.set <= limit / 4 => 0,
            // A few slices at a time, or the positions with the new piece on one square.
            Metric::Dtz if large => 0,
            Metric::Dtm if made * source.set > LARGE_PLANES => {
                one = one.max(2 * source.set);
                0
            }
            _ => made * source.set,
        };
        let mut read = 0;
        if files && source.pawns > 0 && !large {
            // The codes of the part, a byte each, and the planes and sets that are made of these. For like pieces there is a
            // list of the slots that are in the file.
            read = (8 + planes(metric) + 1 + made) * source.set;
            if source.like {
                one += 32 * source.set;
            }
        }
        each = each.max(sets.max(read));
    }
    [each, one]
}

/// The memory, in bytes, of a table's parts with pawns, of which so many are in work at a time, with a log of plies or
/// without.
fn parts_memory(shape: &Shape, metric: Metric, at_once: usize, files: bool) -> u64 {
    let set = set_bytes(shape);
    let logged = files && shape.is_logged();
    // Each thread solves a part, which has five sets, ten of what its moves lead to, and planes if there is no log; and
    // before there are planes what is looked at to make these. One pawn has no answer en passant, and few sets of the other
    // side's moves: KRRPvKR took 18 for each thread.
    let sets = match shape.pawns(0).occupied().len() {
        1 if logged => 20,
        _ => 40,
    };
    let [each, one] = promoted(shape, metric, files);
    let working = rayon::current_num_threads().min(at_once) as u64;
    // Solved parts: the places of all entries of the log, or planes, compressed if they are large.
    let solved = match (logged, shape.is_worth_packing()) {
        (true, _) => (shape.parts() * 4 * LIKELY_PLIES[metric as usize] * PLACE_BYTES) as u64,
        (_, true) if files => 0,
        _ => shape.kept_memory(metric),
    };
    let dues = match files {
        true => 0,
        false => dues(shape, metric, false),
    };
    let part = (sets * set).max(20 * set + each);
    let work = working * part + one + kept(shape, metric) + dues;
    // And of each part its pieces, where its slices are and, where pawns may pass others, stalemates: of half of the sides.
    let passing = Color::ALL.iter().all(|&color| {
        let pawn = Piece::new(color, PieceType::Pawn);
        shape.material().count(pawn) > 0
    });
    let noted = shape.parts() as u64 * (PART + if passing { set } else { 0 });
    solved + noted + work.max(writing(shape, metric))
}

/// What is noted of each part of a table: its pieces, and where its slices are.
const PART: u64 = 1280;

/// The plies of a half of a part that has pawns, and the bytes of the place of what one of them finds.
const LIKELY_PLIES: [usize; 2] = [40, 100];
const PLACE_BYTES: usize = 32;

impl Shape {
    /// The memory, in bytes, in which the table is solved and written, with temporary files or without. The process itself
    /// and smaller tables come on top.
    ///
    /// Without pawns and by the distance to zeroing, there are at the peak five sets of positions and thirteen planes;
    /// or, late in a solution, when few positions are new in a ply, fewer sets and fourteen planes, which are the
    /// seven bits of a value for both sides. By the distance to mate, there is what captures promise, as
    /// long as it is due, and up to eight planes for each side: 27 sets together for KRRvKQ.
    #[must_use]
    pub fn work_memory(&self, metric: Metric, files: bool) -> u64 {
        if self.material().has_pawns() {
            return parts_memory(self, metric, self.parts_at_once(), files);
        }
        let sets = match metric {
            Metric::Dtz => 18,
            // Small slices take more, as an allocator gives them.
            Metric::Dtm if self.material().piece_count() < 5 => 40,
            Metric::Dtm => 29,
        };
        sets * set_bytes(self) + for_each_plan(self, metric)
    }

    /// The memory, in bytes, that the solved table takes while larger ones are, without files.
    #[must_use]
    pub fn kept_memory(&self, metric: Metric) -> u64 {
        match self.is_worth_packing() {
            true => 2 * self.slots() / 3,
            false => 2 * planes(metric) * self.slots() / 8,
        }
    }

    /// The memory, in bytes, of a process that counts the positions of the table in its file by their values.
    #[must_use]
    pub fn stats_memory(&self) -> u64 {
        // Each thread decodes a slice: codes of up to two bytes, where each comes from if there are like pieces, and planes.
        let slice = self.any_domain().slice_slots();
        look_up_memory([self.material()].iter()) + 4 * slice + threads_of(4 * slice)
    }

    /// The memory, in bytes, that the table's outcomes take while larger tables are solved, with a temporary file or without.
    #[must_use]
    pub fn outcomes_memory(&self, files: bool) -> u64 {
        match self.is_worth_packing() {
            true if files => 0,
            true => self.likely_outcomes(),
            // Two or three planes of each side.
            false => 6 * self.slots() / 8,
        }
    }

    /// The memory, in bytes, of a process that writes the table's Syzygy files, with the table itself, which may be in a
    /// temporary file if it is large, and the smaller ones.
    #[must_use]
    pub fn export_memory(&self, files: bool) -> u64 {
        // A byte of every slot for each side, and two for each place of a sub-table, of which the largest with pawns is
        // that of the outer files: there half of all pawns lead at most.
        let (slots, pawns) = (self.slots(), self.material().has_pawns());
        let sides = if self.material() == self.material().swap_colors() {
            1
        } else {
            2
        };
        let places = if pawns { slots / 2 } else { slots };
        // The counts of pairs come on top.
        process_memory()
            + if files && self.is_worth_packing() {
                0
            } else {
                self.kept_memory(Metric::Dtz)
            }
            + if files {
                0
            } else {
                smaller(self, Metric::Dtz, false)
            }
            + sides * slots
            + 2 * places
            + threads_of(4 << 20)
            + (80 << 20)
    }
}

/// The memory, in bytes, of a process in which these tables are looked up position by position in their files.
#[must_use]
pub fn look_up_memory<'a>(tables: impl Iterator<Item = &'a Material>) -> u64 {
    let parts: u64 = tables.map(|material| Source::of(material).parts).sum();
    process_memory() + threads_of(KEPT_BYTES) + 2 * PART * parts
}

/// The bytes of a log: with five pieces four bits for each slot of both sides, of which KBBvKN takes 3.7 by the distance to
/// mate; and half as many with more pieces, of which KRRvKRB takes 1.4.
fn log_bytes(shape: &Shape) -> u64 {
    if shape.is_logged() {
        log_bytes_of(shape)
    } else {
        0
    }
}

fn log_bytes_of(shape: &Shape) -> u64 {
    match shape.material().piece_count() {
        3..=5 => shape.slots(),
        _ => shape.slots() / 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.unwrap().install(work)
    }

    /// One pawn has up to four placements that are solved at the same time.
    #[test]
    fn memory_is_charged_for_threads_that_have_work() {
        let shape = Shape::new("KRPvKR".parse().unwrap()).unwrap();
        assert_eq!(shape.parts_at_once(), 4);
        let [one, four, many] = [1, 4, 64]
            .map(|threads| with_threads(threads, || Plan::in_memory(&shape, Metric::Dtz).memory));
        assert!(four > 2 * one, "{one} {four}");
        assert_eq!(many, four + 60 * THREAD);
    }

    /// Each process has its share of each level.
    #[test]
    fn processes_share_levels() {
        let shape = Shape::new("KRPvKR".parse().unwrap()).unwrap();
        for (processes, expected) in [(1, vec![24]), (3, vec![6, 6, 12]), (5, vec![0, 6, 6, 6, 6])]
        {
            let plan = with_threads(4, || SharedPlan::new(&shape, processes, None).unwrap());
            let slices = plan.processes.iter().map(|process| process.slices[0]);
            assert_eq!(slices.collect::<Vec<_>>(), expected);
            assert!(plan.processes[0].memory <= plan.processes[processes - 1].memory);
        }
    }
}
