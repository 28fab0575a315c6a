//! Captures, by what they lead to in the smaller tables.

use tbindex::batch::Backend;
use tbindex::bitbase::{Bitbase, Captured, Captures, SeenError};
use tbindex::{Color, Conversion};

use crate::library::{Library, SolveError};
use crate::shape::{Shape, table_of};
use crate::table::{Outcome, Value};

/// The captures of one side, by the positions that they lead to.
#[derive(Default)]
pub(crate) struct Doors {
    /// Into legal positions.
    pub(crate) any: Vec<Captures>,
    /// Into those lost for the side to move, which is the captured one.
    pub(crate) lost: Vec<Captures>,
    pub(crate) blessed: Vec<Captures>,
    /// Into those not won for the side to move; not even a cursed win.
    pub(crate) not_won: Vec<Captures>,
    pub(crate) not_cursed: Vec<Captures>,
}

impl From<SeenError> for SolveError {
    fn from(error: SeenError) -> SolveError {
        match error {
            SeenError::Memory(error) => error.into(),
            error => unreachable!("a capture leads to the pieces that are left: {error}"),
        }
    }
}

impl Doors {
    /// The captures by `side` in the table of a shape.
    pub(crate) fn new(
        shape: &Shape,
        side: Color,
        library: &Library,
        backend: Backend,
    ) -> Result<Doors, SolveError> {
        let mut doors = Doors::default();
        let domain = shape.domain();
        for captured in domain.captured_by(side) {
            let Captured::Man(man) = captured else {
                unreachable!("no piece is fixed")
            };
            let piece = domain.men()[man].piece().expect("a piece of chess");
            let smaller = (shape.material())
                .after(Conversion::Capture { captured: piece })
                .expect("the piece is there");
            let (material, swapped) = table_of(&smaller);
            let here = |set: &Bitbase| Captures::new(domain, captured, set, swapped);
            if material.piece_count() == 2 {
                let bare = here(&Bitbase::legal(&domain.without_man(man), !side, backend)?)?;
                for doors in [&mut doors.any, &mut doors.not_won, &mut doors.not_cursed] {
                    doors.push(bare.clone());
                }
                continue;
            }
            let table = library
                .get(&material)
                .ok_or(SolveError::Missing(material))?;
            let mover = if swapped { side } else { !side };
            let with = |test: &dyn Fn(Value) -> bool| table.positions_with(mover, test);
            let legal = Bitbase::legal(table.shape.domain(), mover, backend)?;
            let mut not_won = with(&|value| value.outcome == Outcome::Win)?;
            not_won.complement_in(&legal, backend);
            let mut not_cursed = with(&|value| value.outcome >= Outcome::CursedWin)?;
            not_cursed.complement_in(&legal, backend);
            doors.any.push(here(&legal)?);
            doors
                .lost
                .push(here(&with(&|v| v.outcome == Outcome::Loss)?)?);
            doors
                .blessed
                .push(here(&with(&|v| v.outcome == Outcome::BlessedLoss)?)?);
            doors.not_won.push(here(&not_won)?);
            doors.not_cursed.push(here(&not_cursed)?);
        }
        for doors in [&mut doors.lost, &mut doors.blessed] {
            doors.retain(|captures| !captures.is_empty());
        }
        if doors.not_won == doors.not_cursed {
            doors.not_cursed.clear();
        }
        Ok(doors)
    }
}
