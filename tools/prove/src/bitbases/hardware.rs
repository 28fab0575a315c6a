//! The same operations on the machine's registers: what symbols prove of a kernel holds of what was compiled from it.
//!
//! Each set of one position is moved, which gives the whole relation once more, and then sets without a pattern.

use tbindex::batch::Backend;
use tbindex::bitbase::{Accumulator, Bitbase, Direction, Row, Slice};

use super::board::Board;
use super::every;
use super::men::{WAYS, men_of};
use super::pictures::KINDS;
use crate::Theorem;
use crate::instructions::mixed;

/// The moves of a man in a slice: for every placement the rows of those that he leads to.
struct Images {
    /// The positions in which no two pieces share a square.
    distinct: Vec<Row>,
    images: Vec<Vec<u32>>,
}

impl Images {
    fn new(board: &Board, slice: usize, man: usize, way: Direction) -> Images {
        let mut all = Images {
            distinct: vec![Row::EMPTY; board.domain.rows()],
            images: vec![Vec::new(); board.slots()],
        };
        board.man_moves(slice, man, way, |to, from| {
            set(&mut all.distinct, to);
            for &from in from {
                all.images[from as usize].push(to as u32);
            }
        });
        all
    }

    /// The rows that a set of placements leads to.
    fn of(&self, placements: &[usize]) -> Vec<Row> {
        let mut rows = vec![Row::EMPTY; self.distinct.len()];
        for &from in placements {
            for &to in &self.images[from] {
                set(&mut rows, to as usize);
            }
        }
        rows
    }
}

fn set(rows: &mut [Row], offset: usize) {
    rows[offset / 512].0[offset / 64 % 8] |= 1 << (offset % 64);
}

fn check(board: &Board, slice: usize, man: usize, way: Direction) -> Result<usize, String> {
    let images = Images::new(board, slice, man, way);
    let domain = &board.domain;
    let mut set_of = Bitbase::try_new(domain).map_err(|error| error.to_string())?;
    let mut runs = 0;
    for backend in Backend::available() {
        let mut gathered = Accumulator::new(domain, backend);
        let mut run = |placements: &[usize]| {
            let first = slice * domain.rows();
            let rows = &mut set_of.rows_mut()[first..first + domain.rows()];
            rows.fill(Row::EMPTY);
            for &placement in placements {
                set(rows, placement);
            }
            gathered.man_moves(&Slice::new(domain, slice), man, way, &set_of);
            let expected = images.of(placements);
            let found = gathered.rows().iter().zip(&images.distinct);
            let right = found
                .zip(&expected)
                .all(|((&found, &distinct), &expected)| found & distinct == expected);
            gathered.clear();
            runs += 1;
            if right {
                Ok(())
            } else {
                Err(format!(
                    "{backend}, man {man} {way:?} in slice {slice}: the moves from {placements:?}"
                ))
            }
        };
        for placement in 0..board.slots() {
            run(&[placement])?;
        }
        for density in 1..12 {
            let bound = u64::MAX >> density;
            let seed = mixed(slice as u64 + 1000 * density);
            let placements: Vec<usize> = (0..board.slots())
                .filter(|&placement| mixed(seed ^ placement as u64) < bound)
                .collect();
            run(&placements)?;
        }
    }
    Ok(runs)
}

fn check_kinds(step: usize, ways: &[Direction]) -> Result<String, String> {
    let mut runs = 0;
    for (kind, offset) in KINDS.iter().zip(0..) {
        let board = men_of(&kind(), 2, &[]);
        for slice in every(step, board.slices(), 83 * offset + 17) {
            for man in 0..2 {
                for &way in ways {
                    runs += check(&board, slice, man, way)
                        .map_err(|error| format!("{}: {error}", kind().name))?;
                }
            }
        }
    }
    Ok(format!("{runs} sets"))
}

pub(super) fn theorems() -> Vec<Theorem> {
    let method = "exhaustively over single positions, and sets without a pattern";
    let statement = "On every backend, the moves of a man from every single position of a slice of 4 pieces, and from sets of many, are those by picture.";
    vec![
        Theorem::new("moves-on-backends-sample", statement, method, true, || {
            check_kinds(400, &[Direction::Backward])
        }),
        Theorem::new("moves-on-backends", statement, method, false, || {
            check_kinds(60, &WAYS)
        }),
    ]
}
