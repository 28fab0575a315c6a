//! Distances to mate that moves out of a part bring in, and the plies in which they are due.

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;
use tbindex::Color;
use tbindex::bitbase::{Bitbase, Gathered, Slice};

use super::Solver;
use crate::due::{Due, Improvement};
use crate::library::SolveError;
use crate::planes::Codes;
use crate::promises::Promise;
use crate::table::Side;
use crate::value::{Metric, Outcome, Value};

impl Solver<'_> {
    /// Gives each position of a side the best value that its moves out of the part bring, if it is not `shut`, and
    /// notes in which slabs which codes are due. What is promised to the loser is shut from then on.
    pub(super) fn promise(
        &mut self,
        side: Color,
        wins: bool,
        shut: &mut Bitbase,
    ) -> Result<Vec<Due>, SolveError> {
        let mut this = std::mem::take(&mut self.sides[side as usize]);
        let domain = &self.domain;
        let backend = self.options.backend;
        let mut improvements: BTreeMap<Value, Improvement> = BTreeMap::new();
        let many = || SolveError::TooManyValues(self.solved.shape.material());
        (self.solved).promises(self.part, side, wins, &mut |promise| {
            match promise {
                Promise::Values(values) => {
                    let mine = |value| Metric::Dtm.after_move(value, true);
                    for &value in values {
                        this.code_of(mine(value)).ok_or_else(many)?;
                    }
                    for &value in values {
                        let improvement = Improvement::new(&mut this, mine(value));
                        improvements.insert(value, improvement.ok_or_else(many)?);
                    }
                }
                Promise::Captures(value, captures) => {
                    let improvement = &improvements[&value];
                    let shut = &*shut;
                    this.slices.par_iter_mut().enumerate().for_each_init(
                        || Gathered::new(domain, backend),
                        |gathered, (number, planes)| {
                            let slice = Slice::new(domain, number);
                            gathered.captures(&slice, [captures]);
                            gathered.drain(|slab, these| {
                                improvement.apply(planes, slab, these, shut.slice(number));
                            });
                        },
                    );
                }
                Promise::Slab(value, slab, these) => {
                    improvements[&value].apply(&mut this.slices[0], slab, these, shut.slice(0));
                }
            }
            Ok(())
        })?;
        let values = Arc::clone(&this.values);
        let dues = (this.slices.par_iter().zip(shut.par_slices_mut()))
            .map(|(planes, shut)| {
                let due = Due::note(planes, domain.slabs(), &values, wins, shut);
                if !wins {
                    let losses = losses(&values);
                    for slab in due.all() {
                        for (r, row) in planes.slab_with(slab, &losses).into_iter().enumerate() {
                            shut[slab * 8 + r] |= row;
                        }
                    }
                }
                due
            })
            .collect();
        self.sides[side as usize] = this;
        Ok(dues)
    }

    /// The code of a value, if it is due anywhere.
    pub(super) fn due(&self, dues: &[Vec<Due>; 2], side: Color, value: Value) -> Option<u16> {
        let values = &self.sides[side as usize].values;
        let code = values.iter().position(|&there| there == value)?;
        let code = code as u16;
        (dues[side as usize].iter().any(|due| due.has(code))).then_some(code)
    }

    /// Whether anything is due later than in this ply.
    pub(super) fn is_due_after(&self, dues: &[Vec<Due>; 2], plies: u16) -> bool {
        Color::ALL.into_iter().any(|side| {
            let values = &self.sides[side as usize].values;
            dues[side as usize].iter().any(|due| {
                let mut codes = (0..values.len()).filter(|&code| due.has(code as u16));
                codes.any(|code| values[code].plies > plies)
            })
        })
    }

    /// Takes the codes of losses from positions that are not lost after all.
    pub(super) fn forget_promises(&mut self, loser: Color, dues: &[Due], done: &Bitbase) {
        let Side { values, slices } = &mut self.sides[loser as usize];
        let losses = losses(values);
        for (number, (planes, due)) in slices.iter_mut().zip(dues).enumerate() {
            let done = done.slice(number);
            for slab in due.all() {
                let lost = planes.slab_with(slab, &losses);
                let not = std::array::from_fn(|r| lost[r] & !done[slab * 8 + r]);
                planes.replace(slab, &not, done.len(), 0);
            }
        }
    }
}

/// The codes of losses.
fn losses(values: &[Value]) -> Codes {
    Codes::of(values, |value| value.outcome < Outcome::Draw)
}
