//! Captures en passant in a part. Positions of tables are without the right to them: so these are of positions that may have
//! it, as a pawn may just have made two steps to get there.

use tbindex::bitbase::{Bitbase, Row};
use tbindex::{Color, Conversion, Piece, PieceType};

use super::tally::results;
use crate::chess::pawn_moves::{en_passant, passed_squares};
use crate::subtables::library::SolveError;
use crate::subtables::seen::legal_in;
use crate::subtables::solved::Solved;
use crate::table::code_sets::CodeSets;
use crate::table::codes::BITS;

impl Solved<'_> {
    /// For each pawn that `side` may be able to capture en passant the legal positions in which some capture of it wins, and
    /// those in which one draws.
    pub(super) fn en_passant(
        &self,
        number: usize,
        side: Color,
    ) -> Result<Vec<[Bitbase; 2]>, SolveError> {
        let (domain, pawns) = (&self.parts[number].domain, self.shape.pawns(number));
        let captured = Piece::new(!side, PieceType::Pawn);
        let legal = legal_in(domain, side, self.backend, None)?;
        let mut found = Vec::new();
        for [start, passed] in passed_squares(pawns, !side) {
            let after = en_passant(pawns, !side, passed);
            if after.is_empty() {
                continue;
            }
            let material = (self.shape.material()).after(Conversion::Capture { captured });
            let material = material.expect("a pawn is there");
            let mut sets = [Bitbase::new(domain)?, Bitbase::new(domain)?];
            for pawns in after {
                let from = domain.with_others_fixed(&pawns.pieces());
                let from = from.expect("pawns on squares of their own");
                let able = legal_in(&from, !side, self.backend, None)?;
                let mut codes = CodeSets::default();
                let source = self.source(&material, pawns)?.expect("a pawn is left");
                self.see(&source, !side, &from, None, &mut codes)?;
                let [wins, draws] = &mut sets;
                let rows = wins.rows_mut().iter_mut().zip(draws.rows_mut());
                for (at, (wins, draws)) in rows.enumerate() {
                    let mut here = [Row::EMPTY; BITS];
                    for (row, plane) in here.iter_mut().zip(codes.planes()) {
                        *row = plane.rows()[at];
                    }
                    let here = &here[..codes.planes().len()];
                    let [win, draw, ..] = results(able.rows()[at], here, self.metric, side);
                    *wins |= win;
                    *draws |= draw;
                }
            }
            for set in &mut sets {
                set.intersect(&legal, self.backend);
                set.remove_on(start);
                set.remove_on(passed);
            }
            found.push(sets);
        }
        Ok(found)
    }
}
