//! The revision of the solver, which files and checkpoints carry.

use tbindex::Material;

use crate::chess::dependencies::needed_by;
use crate::chess::piece_set::Endgame;
use crate::table::value::Metric;

/// The revision of this solver. It grows with each change after which a table differs from one of before. Files and checkpoints
/// of revision 0 are from before there were revisions.
pub(crate) const REVISION: u16 = 1;

/// Tables of which revisions are known to be wrong, and with them all that are built upon them: their material and metric,
/// and the first revision that is right.
const WRONG: [(&str, Metric, u16); 1] = [
    // Codes above 255 of a part lost their high bits where the values of the whole table fit a byte.
    ("KPPvKP", Metric::Dtm, 1),
];

/// Why a table that a revision of the solver made can't be trusted, if it can't be.
pub(crate) fn distrust(endgame: Endgame, metric: Metric, revision: u16) -> Option<String> {
    if revision > REVISION {
        return Some(format!(
            "it was made by revision {revision} of the solver, and this tbgen knows none after {REVISION}"
        ));
    }
    let material = &endgame.material;
    let (wrong, _, right) = WRONG.iter().find(|(wrong, by, right)| {
        let wrong: Material = wrong.parse().expect("a material");
        *by == metric
            && endgame.piece_set.is_chess()
            && revision < *right
            && material.piece_count() >= wrong.piece_count()
            && needed_by(material).contains(&wrong)
    })?;
    Some(format!(
        "it was made by revision {revision} of the solver, and before revision {right} the table of {wrong} by {} could be wrong",
        metric.name()
    ))
}
