//! The operations on slices, with the lanes that a caller brings.
//!
//! [`Gathered`](super::Gathered) and [`Slice::confine`] bring those of a backend. `tools/prove` brings lanes that
//! note for every bit which bits of the input it comes from, and so proves the operations for all sets.

use super::add_moves::{Sink, Source};
use super::domain::Domain;
use super::eight_boards::EightBoards;
use super::frontier::View;
use super::man::Way;
use super::row::Row;
use super::slice::{Slice, load_slab};
use crate::board::Color;

/// Adds to the rows of a slice what moves of one man lead to from its rows `from`.
///
/// # Panics
/// If there is no such slice or man, or not as many rows as a slice has.
pub fn man_moves<L: EightBoards>(
    isa: L::Isa,
    domain: &Domain,
    slice: usize,
    man: usize,
    way: Way,
    from: &[Row],
    into: &mut [Row],
) {
    let slice = Slice::new(domain, slice);
    let mut dirty = vec![0; domain.slabs()];
    let mut sink = Sink {
        rows: into,
        dirty: &mut dirty,
    };
    let (active, groups) = domain.parts().everywhere();
    let own = Source {
        rows: from,
        active,
        groups,
    };
    slice.add_man_moves::<L>(isa, man, way, own, &mut sink);
}

/// Adds to the rows of a slice what moves of a side's king and men lead to from the rows of a whole domain.
///
/// # Panics
/// If there is no such slice, or not as many rows as the domain and the slice have.
pub fn moves<L: EightBoards>(
    isa: L::Isa,
    domain: &Domain,
    slice: usize,
    side: Color,
    way: Way,
    from: &[Row],
    into: &mut [Row],
) {
    let mut dirty = vec![0; domain.slabs()];
    let mut sink = Sink {
        rows: into,
        dirty: &mut dirty,
    };
    Slice::new(domain, slice).add_moves::<L>(isa, side, way, view(domain, from), &mut sink);
}

/// Removes from the rows of a slab of a slice those positions from which a side has a move, other than a
/// capture, that leaves a set, the rows of a whole domain.
///
/// # Panics
/// If there is no such slice or slab, or not as many rows as the domain has.
pub fn confine_slab<L: EightBoards>(
    isa: L::Isa,
    domain: &Domain,
    slice: usize,
    slab: usize,
    side: Color,
    set: &[Row],
    rows: &mut [Row; 8],
) {
    let mut slab_rows: [L; 8] = load_slab(isa, rows);
    Slice::new(domain, slice).confine_slab(isa, side, set, slab, &mut slab_rows);
    for (row, to) in slab_rows.iter().zip(rows) {
        row.store(to);
    }
}

/// All rows of a domain.
fn view<'a>(domain: &'a Domain, rows: &'a [Row]) -> View<'a> {
    let (active, groups) = domain.parts().everywhere();
    View {
        rows,
        active,
        active_stride: 0,
        groups,
        groups_stride: 0,
    }
}
