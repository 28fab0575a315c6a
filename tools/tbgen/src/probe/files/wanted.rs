//! The values of positions that are asked for.

/// The values of positions that are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The outcome. A position that has one has a label, whether its distances are known or not.
    pub outcome: bool,
    /// The distance to zeroing.
    pub dtz: bool,
    /// The distance to mate.
    pub dtm: bool,
}

impl Wanted {
    /// The outcome alone.
    pub const WDL: Wanted = Wanted::of_values([true, false, false]);
    /// The distance to zeroing alone.
    pub const DTZ: Wanted = Wanted::of_values([false, true, false]);
    /// The distance to mate alone.
    pub const DTM: Wanted = Wanted::of_values([false, false, true]);
    /// All values.
    pub const ALL: Wanted = Wanted::of_values([true; 3]);

    const fn of_values([outcome, dtz, dtm]: [bool; 3]) -> Wanted {
        Wanted { outcome, dtz, dtm }
    }
}
