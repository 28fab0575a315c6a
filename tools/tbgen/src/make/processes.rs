//! The processes of a run.

use std::path::Path;

use super::MakeError;
use crate::distributed::transport::{Alone, Transport};
use crate::plan::{Plan, SharedPlan};
use crate::solve::options::Residence;
use crate::table::shape::Shape;
use crate::table::value::Metric;

/// The processes of a run.
#[derive(Clone, Copy)]
pub enum Processes<'a> {
    /// One process, and a function that is called once before another run is waited for, which is making the table of a file.
    Alone(&'a (dyn Fn(&Path) + Sync)),
    /// Several processes, which make each table together and wait for no other run.
    Together(&'a dyn Transport),
}

impl std::fmt::Debug for Processes<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Processes({})", self.transport().processes())
    }
}

impl<'a> Processes<'a> {
    /// Whether others may read what this process writes, and it reads few slices of smaller tables.
    pub(super) fn are_several(self) -> bool {
        matches!(self, Processes::Together(_))
    }

    pub(super) fn transport(self) -> &'a dyn Transport {
        match self {
            Processes::Alone(_) => &Alone,
            Processes::Together(transport) => transport,
        }
    }

    /// The function that is called before another run is waited for, if one is.
    pub(super) fn waiting(self) -> Option<&'a (dyn Fn(&Path) + Sync)> {
        match self {
            Processes::Alone(waiting) => Some(waiting),
            Processes::Together(_) => None,
        }
    }

    /// Where the dense sets of a table are, with files in a folder, how many parts are solved at the same time, and the plan if
    /// there is one process.
    pub(super) fn needs<'s>(
        self,
        shape: &Shape,
        metric: Metric,
        memory: Option<u64>,
        sets: &'s Path,
    ) -> Result<(Residence<'s>, usize, Option<Plan>), MakeError> {
        let needs = match self {
            Processes::Alone(_) => {
                Plan::new(shape, metric, memory).map(|plan| (plan.group, plan.parts, Some(plan)))
            }
            Processes::Together(transport) => SharedPlan::new(shape, transport.processes(), memory)
                .map(|plan| (plan.group, usize::MAX, None)),
        };
        let needs = needs.map(|(group, parts, plan)| (Residence::new(group, sets), parts, plan));
        needs.map_err(|least| MakeError::Memory {
            endgame: shape.endgame().to_string(),
            least,
            limit: memory.unwrap_or(0),
        })
    }
}
