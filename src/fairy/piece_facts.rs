//! The facts that a census counts.

/// The facts about one piece that a census counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PieceFacts {
    /// The number of moves that the piece has.
    pub moves: u32,
    /// The published masks that hold it: bit `i` stands for the `i`-th of [`MASKS`](super::MASKS).
    pub masks: u16,
    /// The rank of its lattice, 0 to 2.
    pub lattice_rank: u32,
    /// The index of its lattice, or `None` below rank 2.
    pub lattice_index: Option<u32>,
    /// Whether a closed half-plane holds all its moves.
    pub half_plane: bool,
    /// Whether it is free on the plane.
    pub free: bool,
    /// Whether it is connected on the board.
    pub board_connected: bool,
}
