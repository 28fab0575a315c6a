//! Where in a file something is wrong.

/// A part of an index file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The first 256 bytes.
    Header,
    /// The table of blocks.
    Table,
    /// A block of the payload, by its number.
    Block(u64),
    /// The entry of a block in the table, by the block's number.
    Entry(u64),
}

/// Where in a file something is wrong, as far as an error says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The part of the file.
    pub part: Option<Part>,
    /// The first byte that may be wrong, and the one after the last.
    pub bytes: Option<(u64, u64)>,
    /// How many indices of the file come before the one that is wrong.
    pub position: Option<u64>,
}

impl Part {
    /// `header`, `table`, `block` or `entry`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Part::Header => "header",
            Part::Table => "table",
            Part::Block(_) => "block",
            Part::Entry(_) => "entry",
        }
    }

    /// The number of the block, if it is one or its entry.
    #[must_use]
    pub const fn number(self) -> Option<u64> {
        match self {
            Part::Header | Part::Table => None,
            Part::Block(number) | Part::Entry(number) => Some(number),
        }
    }
}

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Part::Header => f.write_str("the header"),
            Part::Table => f.write_str("the block table"),
            Part::Block(block) => write!(f, "block {block}"),
            Part::Entry(block) => write!(f, "the table entry of block {block}"),
        }
    }
}
