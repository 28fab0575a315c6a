//! What it takes to solve a table: where its sets are, and how much memory and disk, and how many bytes of input and
//! output.

use std::path::Path;

use tbindex::Color;
use tbindex::bitbase::{Domain, Row};

use crate::options::Residence;
use crate::order::led_to_by;
use crate::owners::Owners;
use crate::shape::Shape;
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
    /// The most memory, in bytes. Smaller tables that stay in memory come on top.
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

/// The work itself, buffers and the allocator.
const BASE: u64 = 40 << 20;

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
            BASE + notes(shape) + sets.max(promises) + due + threads(shape)
        } else {
            shape.peak_memory(metric)
        };
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
        if plan.log > 0 {
            if shape.material().has_pawns() {
                // There is no log then: solved parts are compressed in memory, and those in work have planes.
                plan.memory += shape.slots() / 2;
                plan.memory += shape.memory_of_parts(false) - shape.memory_of_parts(true);
            } else if shape.has_log_in_memory(metric) {
                plan.memory += plan.log;
            } else {
                plan.memory = shape.peak_memory(metric);
            }
            plan.log = 0;
        }
        plan.memory += dues(shape, metric, false);
        let (pieces, pawns) = (
            shape.material().piece_count(),
            shape.pawns(0).occupied().len(),
        );
        if pieces >= 6 && pawns >= 2 {
            // What promotions lead to is not narrowed to where the new piece is, as it is where files are read.
            plan.memory += threads_of(5 * 64 * shape.any_domain().bytes());
        }
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
            memory: BASE + notes(shape) + sets.max(promises) + threads(shape),
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
        let threads = threads as f64;
        let longer = match self.metric {
            Metric::Dtz => 1.0,
            Metric::Dtm => MATE,
        };
        let work = slots * SOLVE_SLOT + parts * SOLVE_PART + promoted_slots(shape) * PROMOTE_SLOT;
        let solve = longer * work / threads;
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
            let parts = shape.parts();
            let memory = BASE + shape.work_memory(Metric::Dtz) + (96 << 20);
            let each = |number: usize| {
                let share = |number: usize| parts * number / processes;
                ProcessPlan {
                    slices: [share(number + 1) - share(number); 2],
                    received: [0; 2],
                    memory,
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
            process.memory += BASE + notes(shape) + threads(shape);
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

/// The working memory of threads: what is gathered in a slice and the places of captured pieces there; and then, when
/// the table is written, the planes and the codes of a few slices.
fn threads(shape: &Shape) -> u64 {
    let slice = (shape.any_domain().rows() * size_of::<Row>()) as u64;
    rayon::current_num_threads() as u64 * 24 * slice
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
