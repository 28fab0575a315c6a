//! The two kinds of files.

/// The kind of a file's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The outcome, under the fifty-move rule.
    Wdl,
    /// The distance to the next capture, pawn move or mate.
    Dtz,
}

impl Kind {
    /// The extension of such files: `rtbw` or `rtbz`.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Kind::Wdl => "rtbw",
            Kind::Dtz => "rtbz",
        }
    }

    pub(crate) const fn magic(self) -> [u8; 4] {
        match self {
            Kind::Wdl => [0x71, 0xe8, 0x23, 0x5d],
            Kind::Dtz => [0xd7, 0x66, 0x0c, 0xa5],
        }
    }
}
