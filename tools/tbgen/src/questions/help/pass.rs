//! One retrograde pass over a part: ply after ply, the positions that moves of either side lead to the last ones from.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;
use tbindex::Color;
use tbindex::batch::Backend;
use tbindex::bitbase::{
    Accumulator, Bitbase, Direction, Domain, Frontier, FrontierSlice, Row, Slice,
};

use crate::solve::options::{Options, Residence};
use crate::solve::part::recorder::Recorder;
use crate::solve::schedule::seed_groups;
use crate::storage::checkpoint::{self, Checkpoint, Ply};
use crate::storage::set_file::SetFile;
use crate::storage::sparse_sets::SparseSets;
use crate::subtables::best::Best;
use crate::subtables::library::{SolveError, heed_stop};
use crate::subtables::solved::Solved;
use crate::table::codes::code_of;
use crate::table::planes::{any, for_each_code};
use crate::table::slices::{among, chosen};
use crate::table::solved::Part;
use crate::table::temp_file::TempFile;
use crate::table::value::Value;

/// Positions with helpmates in so many plies: all, and those with several solutions.
type Found = [Frontier; 2];

/// The positions with a side to move whose helpmates are found, and those that are illegal: by slices, as only the slice in
/// work is looked at.
enum Known {
    Memory(Bitbase),
    /// In a file, which has a slice as soon as anything is found there.
    File(SetFile, Vec<bool>),
}

/// One of these slices.
enum KnownSlice<'a> {
    Memory(&'a mut [Row]),
    File(&'a SetFile, &'a mut bool),
}

impl Known {
    fn slices_mut(&mut self) -> Vec<KnownSlice<'_>> {
        match self {
            Known::Memory(set) => set.slices_mut().map(KnownSlice::Memory).collect(),
            Known::File(file, begun) => {
                let begun = begun.iter_mut();
                begun.map(|begun| KnownSlice::File(file, begun)).collect()
            }
        }
    }
}

/// A part that is being solved for one victim.
struct Pass<'a> {
    domain: Domain,
    victim: Color,
    solved: &'a Solved<'a>,
    options: &'a Options<'a>,
    /// The file for what is due, if sets are on disk.
    aside: Option<Arc<TempFile>>,
    /// For each side to move and each slice by codes: the positions whose shortest helpmates after a conversion have the code.
    due: [Vec<SparseSets>; 2],
    known: [Known; 2],
    recorder: Recorder<'a>,
}

/// Solves a part for one victim. If sets are on disk, files there have what the plies find, what is due, and what is known.
pub(super) fn solve_part(
    number: usize,
    solved: &Solved<'_>,
    victim: Color,
    options: &Options<'_>,
) -> Result<Part, SolveError> {
    let domain = solved.shape.domain(number);
    let folder = match options.residence {
        Residence::Memory => None,
        Residence::Disk { folder, .. } => Some(folder),
    };
    let checkpoint = folder.map(|folder| Checkpoint::temporary(folder, domain.slices()));
    let checkpoint = checkpoint.transpose()?.map(Arc::new);
    let none = || vec![SparseSets::new(domain.slabs()); domain.slices()];
    let mut pass = Pass {
        victim,
        solved,
        options,
        aside: folder.map(TempFile::new).transpose()?.map(Arc::new),
        due: [none(), none()],
        known: [
            known(&domain, Color::White, folder, options)?,
            known(&domain, Color::Black, folder, options)?,
        ],
        recorder: Recorder::new(solved, &domain, options.backend, checkpoint),
        domain,
    };
    pass.begin(number)?;
    pass.run()?;
    pass.recorder.part()
}

/// The illegal positions with a side to move, or a file without any slice yet.
fn known(
    domain: &Domain,
    side: Color,
    folder: Option<&Path>,
    options: &Options<'_>,
) -> Result<Known, SolveError> {
    Ok(match folder {
        None => Known::Memory(Bitbase::illegal(domain, side, options.backend)?),
        Some(folder) => Known::File(SetFile::new(folder, domain)?, vec![false; domain.slices()]),
    })
}

impl Pass<'_> {
    /// Makes what is due with each side to move: the mates among it, in ply 0.
    fn begin(&mut self, number: usize) -> Result<(), SolveError> {
        let (domain, victim) = (&self.domain, self.victim);
        let (solved, options) = (self.solved, self.options);
        let lend = || Box::new(Accumulator::new(domain, options.backend));
        let all: Vec<usize> = (0..domain.slices()).collect();
        let groups = match options.residence {
            Residence::Memory => vec![all],
            Residence::Disk { .. } => seed_groups(domain, &options.residence, &all),
        };
        let [of_mates, _] = self.codes(0, victim)?;
        for side in Color::ALL {
            // The victim is in check exactly where it would be illegal for the other side to be to move.
            let check = (side == victim).then(|| Bitbase::illegal(domain, !side, options.backend));
            let check = check.transpose()?;
            for group in &groups {
                heed_stop(options.stop)?;
                let some = (group.len() < domain.slices()).then_some(&group[..]);
                let mut best = solved.best(number, side, some, &|_| true, lend)?;
                best.sort_by_key(|best| best.slice);
                let wanted = chosen(domain, group);
                let slices = among(self.due[side as usize].iter_mut(), &wanted);
                slices.zip(best).try_for_each(|((_, due), best)| {
                    if let Some(check) = &check {
                        let mates = mates(domain, victim, check, &best, options.backend);
                        for (slab, mates) in mates.as_chunks::<8>().0.iter().enumerate() {
                            if any(mates) {
                                due.add(usize::from(of_mates), slab, mates);
                            }
                        }
                    }
                    add_due(due, &best);
                    due.shrink_to_fit();
                    let aside = self.aside.as_ref();
                    aside.map_or(Ok(()), |temp_file| due.put_aside(temp_file))
                })?;
            }
        }
        Ok(())
    }

    /// Goes through the plies.
    fn run(&mut self) -> Result<(), SolveError> {
        let none = || Frontier::new(&self.domain);
        let mut found = [none()?, none()?];
        let mut next = [none()?, none()?];
        let codes = self.due.iter().flatten().map(SparseSets::len).max();
        let mut side = self.victim;
        for plies in 0.. {
            let any = self.find((plies, side), &found, &mut next)?;
            side = !side;
            let [one, _] = self.codes(plies + 1, side)?;
            if !any && usize::from(one) >= codes.unwrap_or(0) {
                break;
            }
            std::mem::swap(&mut found, &mut next);
            for set in &mut next {
                set.shrink()?;
            }
        }
        Ok(())
    }

    /// The codes of values of one solution and of several.
    fn codes(&self, plies: u16, side: Color) -> Result<[u16; 2], SolveError> {
        let code = |one| {
            let code = code_of(self.solved.metric, Value::help(plies, one), side);
            code.ok_or_else(|| self.solved.too_many())
        };
        Ok([code(true)?, code(false)?])
    }

    /// Finds the positions with `side` to move that have a move to what was `found` in the ply before, or are due, and were not
    /// known. Returns whether there are any.
    fn find(
        &mut self,
        (plies, side): (u16, Color),
        found: &Found,
        next: &mut Found,
    ) -> Result<bool, SolveError> {
        let (domain, options) = (&self.domain, self.options);
        let backend = options.backend;
        let codes = self.codes(plies, side)?;
        let ply = |winner, found| Ply {
            winner,
            found,
            plies,
        };
        // All positions of the ply have the code of one solution, and then some get that of several.
        let of_all = ply(side, checkpoint::Found::Won);
        let of_several = ply(!side, checkpoint::Found::Lost);
        let found_any = AtomicBool::new(false);
        let mut planes = self.recorder.take_planes(side);
        let (recorder, due) = (&self.recorder, &self.due[side as usize]);
        let [next, several] = next.each_mut().map(Frontier::slices_mut);
        let known = self.known[side as usize].slices_mut().into_iter();
        let slices = next.zip(several).zip(known.zip(&mut planes));
        let all = vec![true; domain.slices()];
        among(slices, &all).try_for_each_init(
            || Work::new(domain, backend),
            |work, (number, ((mut all, mut several), (known, planes)))| {
                heed_stop(options.stop)?;
                let slice = Slice::new(domain, number);
                work.gather(&slice, side, found, (&due[number], codes))?;
                work.take(&slice, side, known, [&mut all, &mut several])?;
                if all.is_empty() {
                    return Ok(());
                }
                found_any.store(true, Ordering::Relaxed);
                let Work { buffer, .. } = work;
                recorder.record(of_all, number, &all, (&mut *planes, codes[0]), buffer)?;
                recorder.record(of_several, number, &several, (planes, codes[1]), buffer)?;
                Ok::<_, SolveError>(())
            },
        )?;
        self.recorder.put_planes(side, planes);
        let found_any = found_any.into_inner();
        if found_any {
            for one in [true, false] {
                self.recorder.found(side, Value::help(plies, one))?;
            }
        }
        Ok(found_any)
    }
}

/// The mates of a slice, from the positions in which the victim is in check.
fn mates(
    domain: &Domain,
    victim: Color,
    check: &Bitbase,
    best: &Best,
    backend: Backend,
) -> Vec<Row> {
    let mut mates = check.slice(best.slice).to_vec();
    for (row, (illegal, able)) in mates.iter_mut().zip(best.illegal.iter().zip(&best.safe)) {
        *row &= !*illegal & !*able;
    }
    Slice::new(domain, best.slice).confine(victim, check, &mut mates, backend);
    mates
}

/// Adds the codes of a slice to what is due there.
fn add_due(due: &mut SparseSets, best: &Best) {
    for slab in 0..best.illegal.len() / 8 {
        let (planes, count) = best.planes.slabs_at(slab);
        for_each_code(&planes[..count], &[!Row::EMPTY; 8], |code, these| {
            due.add(usize::from(code), slab, these);
        });
    }
}

/// What a thread works with.
struct Work {
    backend: Backend,
    to_all: Accumulator,
    to_several: Accumulator,
    known: Vec<Row>,
    buffer: Vec<u8>,
}

impl Work {
    fn new(domain: &Domain, backend: Backend) -> Work {
        Work {
            backend,
            to_all: Accumulator::counting(domain, backend),
            to_several: Accumulator::new(domain, backend),
            known: Vec::new(),
            buffer: Vec::new(),
        }
    }

    /// Gathers the positions of a slice that have moves to what was found, and those that are due with these codes, of one
    /// solution and of several.
    fn gather(
        &mut self,
        slice: &Slice<'_>,
        side: Color,
        [all, several]: &Found,
        (due, codes): (&SparseSets, [u16; 2]),
    ) -> Result<(), SolveError> {
        let (to_all, to_several) = (&mut self.to_all, &mut self.to_several);
        to_all.moves(slice, side, Direction::Backward, all);
        to_several.moves(slice, side, Direction::Backward, several);
        let [one, several] = codes.map(usize::from);
        due.for_each_slab(one, |slab, these| to_all.add_slab(slab, these))?;
        due.for_each_slab(several, |slab, these| {
            to_all.add_slab(slab, these);
            to_several.add_slab(slab, these);
        })?;
        Ok(())
    }

    /// Makes those that were not known the positions of two frontiers, all of them and those with several solutions, and adds
    /// them to what is known.
    fn take(
        &mut self,
        slice: &Slice<'_>,
        side: Color,
        known: KnownSlice<'_>,
        [all, several]: [&mut FrontierSlice<'_>; 2],
    ) -> Result<(), SolveError> {
        let gathered = self.to_all.rows();
        if gathered.iter().all(Row::is_empty) {
            all.clear();
            several.clear();
            return Ok(());
        }
        let mut file = None;
        let known = match known {
            KnownSlice::Memory(rows) => rows,
            KnownSlice::File(in_file, begun) => {
                self.known.resize(gathered.len(), Row::EMPTY);
                let new = !std::mem::replace(begun, true);
                match new {
                    true => slice.illegal_into(side, &mut self.known, self.backend),
                    false => in_file.read(slice.number(), &mut self.known)?,
                }
                file = Some((in_file, new));
                &mut self.known
            }
        };
        all.fill(|at| gathered[at] & !known[at]);
        let (twice, to_several) = (self.to_all.several(), self.to_several.rows());
        several.fill(|at| gathered[at] & !known[at] & (twice[at] | to_several[at]));
        for (known, gathered) in known.iter_mut().zip(gathered) {
            *known |= *gathered;
        }
        if let Some((file, _)) = file.filter(|&(_, new)| new || !all.is_empty()) {
            file.write(slice.number(), known)?;
        }
        self.to_all.clear();
        self.to_several.clear();
        Ok(())
    }
}
