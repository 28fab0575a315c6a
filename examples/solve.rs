//! A complete solver of endgames without pawns: what is won, drawn and lost, and in how many plies the winner
//! mates or captures into a won position. `cargo run --release --example solve -- KQvKR`
//!
//! It is the method of `tools/tbgen` in small, for whole sets of positions at once and ply by ply: what reaches a
//! lost position backwards is won; what reaches a won one backwards and has no move to any other is lost.

use std::collections::BTreeMap;
use std::error::Error;

use rayon::prelude::*;
use tbindex::batch::Backend;
use tbindex::bitbase::{
    Accumulator, Bitbase, Captures, Direction, Domain, Frontier, LikeMen, Row, Slice,
};
use tbindex::{Color, Material};

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// The knowledge with one side to move.
struct Side {
    legal: Bitbase,
    not_won: Bitbase,
    lost: Bitbase,
    /// The rows, with their numbers, of what is lost and of what is won in each number of plies.
    found: [Vec<Vec<(usize, Row)>>; 2],
}

impl Side {
    fn note(&mut self, plies: usize, new: &Frontier, won: bool) {
        let found = &mut self.found[usize::from(won)];
        if !new.is_empty() {
            found.resize(plies + 1, Vec::new());
        }
        for (at, &row) in new.rows() {
            found[plies].push((at, row));
            if won {
                self.not_won.rows_mut()[at] &= !row;
            } else {
                self.lost.rows_mut()[at] |= row;
            }
        }
    }
}

type Tables = BTreeMap<Material, [Side; 2]>;

/// The captures by `side` into a set of each smaller material, with the other side to move.
fn captures(
    domain: &Domain,
    side: Color,
    tables: &Tables,
    set: impl Fn(&Side) -> &Bitbase,
) -> Result<Vec<Captures>> {
    let each_captured = |captured| {
        let material = domain.after(captured)?.material().expect("pieces of chess");
        let swapped = material.normal() != material;
        let mover = if swapped { side } else { !side };
        let set = set(&tables[&material.normal()][mover as usize]);
        Ok(Captures::try_new(
            domain,
            captured,
            set,
            swapped,
            Backend::detect(),
        )?)
    };
    domain.captured_by(side).map(each_captured).collect()
}

/// Finds what `winner` wins and the other side loses.
fn solve(winner: Color, domain: &Domain, sides: &mut [Side; 2], tables: &Tables) -> Result<()> {
    let (loser, backend) = (!winner, Backend::detect());
    let winning = captures(domain, winner, tables, |side| &side.lost)?;
    let safe = captures(domain, loser, tables, |side| &side.not_won)?;
    let any = captures(domain, loser, tables, |side| &side.legal)?;
    // The won positions, or none with the winner to move; the lost ones and those that can't be, or none.
    let mut won = Bitbase::illegal(domain, winner, backend)?;
    let mut done = Bitbase::illegal(domain, loser, backend)?;
    let (mut won_new, mut lost_next) = (Frontier::try_new(domain)?, Frontier::try_new(domain)?);
    let mut lost_new = Frontier::try_new(domain)?;
    let scratch = || Accumulator::new(domain, backend);
    let slice = |number| Slice::new(domain, number);

    // Checkmates, and the positions that are lost in one ply: all moves are captures that lose.
    let new = lost_new.slices_mut().zip(lost_next.slices_mut());
    let slices: Vec<_> = done.slices_mut().zip(new).enumerate().collect();
    slices
        .into_par_iter()
        .for_each_init(scratch, |found, (n, (done, (mut mated, mut forced)))| {
            found.captures(&slice(n), &safe);
            (0..done.len()).for_each(|k| done[k] |= found.rows()[k]);
            found.captures(&slice(n), &any);
            let mut stuck: Vec<Row> = done.iter().map(|&row| !row).collect();
            slice(n).confine(loser, &won, &mut stuck, backend);
            // The loser is in check where it would be illegal for the winner to be to move.
            let (any, check) = (found.rows(), won.slice(n));
            mated.fill(|k| stuck[k] & !any[k] & check[k]);
            forced.fill(|k| stuck[k] & any[k]);
            (0..done.len()).for_each(|k| done[k] |= stuck[k]);
            found.clear();
        });
    sides[loser as usize].note(0, &lost_new, false);
    sides[loser as usize].note(1, &lost_next, false);
    for plies in 1.. {
        let slices = won.slices_mut().zip(won_new.slices_mut());
        let slices: Vec<_> = slices.enumerate().collect();
        slices
            .into_par_iter()
            .for_each_init(scratch, |found, (n, (won, mut new))| {
                found.moves(&slice(n), winner, Direction::Backward, &lost_new);
                found.captures(&slice(n), winning.iter().filter(|_| plies == 1));
                found.take_new(won, &mut new);
            });
        sides[winner as usize].note(plies, &won_new, true);
        std::mem::swap(&mut lost_new, &mut lost_next);
        if won_new.is_empty() && lost_new.is_empty() {
            break;
        }
        let slices = done.slices_mut().zip(lost_next.slices_mut());
        let slices: Vec<_> = slices.enumerate().collect();
        slices
            .into_par_iter()
            .for_each_init(scratch, |found, (n, (done, mut new))| {
                found.moves(&slice(n), loser, Direction::Backward, &won_new);
                found.take_confined(&slice(n), loser, &won, done, &mut new);
            });
        sides[loser as usize].note(plies + 1, &lost_next, false);
    }
    Ok(())
}

fn main() -> Result<()> {
    let name = std::env::args().nth(1).unwrap_or("KQvKR".into());
    let mut tables = Tables::new();
    let material = name.parse::<Material>()?;
    for material in material.below().into_iter().chain([material.normal()]) {
        let domain = Domain::try_new(material, &[])?;
        let side = |color| -> Result<Side> {
            let legal = Bitbase::legal(&domain, color, Backend::detect())?;
            Ok(Side {
                not_won: legal.try_clone()?,
                legal,
                lost: Bitbase::try_new(&domain)?,
                found: [Vec::new(), Vec::new()],
            })
        };
        let mut sides = [side(Color::White)?, side(Color::Black)?];
        for winner in Color::ALL
            .into_iter()
            .filter(|&w| domain.captured_by(!w).next().is_some())
        {
            solve(winner, &domain, &mut sides, &tables)?;
        }
        let count = |set: &Bitbase| set.count_classes(LikeMen::Together);
        for (color, side) in Color::ALL.into_iter().zip(&sides) {
            let [legal, not_won, lost] = [&side.legal, &side.not_won, &side.lost].map(count);
            let [losses, wins] = [0, 1].map(|k| side.found[k].len().saturating_sub(1));
            let (won, drawn) = (legal - not_won, not_won - lost);
            println!("{material}, {color} to move: {drawn} drawn,");
            println!("  {won} won (in {wins} plies at most), {lost} lost (in {losses})");
        }
        tables.insert(material, sides);
    }
    Ok(())
}
