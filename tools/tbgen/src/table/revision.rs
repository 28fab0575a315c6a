//! The revision of the solver, which files and checkpoints carry.

use tbindex::Material;

use crate::chess::dependencies::needed_by;
use crate::table::value::Metric;

/// The revision of this solver. It grows with each change after which a table differs from one of before. Files and checkpoints
/// of revision 0 are from before there were revisions.
pub(crate) const REVISION: u16 = 1;

/// A table of which revisions are known to be wrong, and with it all that are built upon it.
struct Wrong {
    material: &'static str,
    metric: Metric,
    /// The first revision that is right.
    right: u16,
}

const WRONG: [Wrong; 1] = [
    // Codes above 255 of a part lost their high bits where the values of the whole table fit a byte.
    Wrong {
        material: "KPPvKP",
        metric: Metric::Dtm,
        right: 1,
    },
];

/// Why a table that a revision of the solver made can't be trusted, if it can't be.
pub(crate) fn distrust(material: &Material, metric: Metric, revision: u16) -> Option<String> {
    let suspects = WRONG.iter().filter(|wrong| {
        let wrong_material: Material = wrong.material.parse().expect("a material");
        wrong.metric == metric
            && revision < wrong.right
            && material.piece_count() >= wrong_material.piece_count()
            && needed_by(material).contains(&wrong_material)
    });
    let wrong = suspects.into_iter().next()?;
    Some(format!(
        "it was made by revision {revision} of the solver, and before revision {} the table of {} by {} could be wrong",
        wrong.right,
        wrong.material,
        metric.name()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_of_a_wrong_revision_is_distrusted_and_what_is_built_upon_it() {
        let distrusted = |name: &str, metric, revision| {
            distrust(&name.parse().unwrap(), metric, revision).is_some()
        };
        for name in ["KPPvKP", "KPPPvKP", "KPPvKPP"] {
            assert!(distrusted(name, Metric::Dtm, 0), "{name}");
            assert!(!distrusted(name, Metric::Dtm, 1), "{name}");
            assert!(!distrusted(name, Metric::Dtz, 0), "{name}");
        }
        for name in ["KPvKP", "KRPvKP", "KRBvKR"] {
            assert!(!distrusted(name, Metric::Dtm, 0), "{name}");
        }
    }
}
