//! Access for `tools/prove`, which runs the kernels on its own words and vectors of symbols, and for `tests/`. It is no part
//! of the public interface: anything in it may change in any version.

pub use crate::batch::packing::{FullWords, LowHalves, Packing, Packs};
pub use crate::batch::run::{Map, canonical_with_symmetry_on, map_on, orbit_size_on};
pub use crate::batch::schemes::DenseScheme;
pub use crate::batch::squares::columns::{
    decode_all as decode_columns_on, encode_all as encode_columns_on,
};
pub use crate::batch::squares::rows::{decode_on as decode_rows_on, encode_on as encode_rows_on};
#[cfg(all(feature = "store", target_os = "linux"))]
pub use crate::bitbase::pages::whole_pages;
pub use crate::index::dense::{Sliced, WideDivision};
pub use crate::simd::{Boards, Bytes, Isa, LINE_BYTES, Lanes, Line, Vectors};
pub use crate::word::Sealed as SealedWord;

/// The vectors of bitbases, and operations with any of them.
///
/// Only a token opens them:
///
/// ```
/// use tbindex::batch::Portable;
/// use tbindex::bitbase::Row;
/// use tbindex::proofs::bitbases::{EightBoards, HasBoards};
/// fn first<T: HasBoards>(token: T) -> T::Boards {
///     T::Boards::load(token, &!Row::EMPTY)
/// }
/// first(Portable);
/// ```
///
/// Without one there are no registers, on a processor that has the instructions as on others:
///
/// ```compile_fail,E0061
/// # use tbindex::bitbase::Row;
/// # use tbindex::proofs::bitbases::{EightBoards, HasBoards};
/// fn first<T: HasBoards>() -> T::Boards {
///     T::Boards::load(&!Row::EMPTY)
/// }
/// ```
///
/// ```compile_fail,E0061
/// # use tbindex::proofs::bitbases::{EightBoards, HasBoards};
/// fn first<T: HasBoards>() -> T::Boards {
///     T::Boards::splat(1)
/// }
/// ```
pub mod bitbases {
    pub use crate::bitbase::add_moves::{add_king_moves, add_man_moves};
    pub use crate::bitbase::confine::confine;
    pub use crate::bitbase::eight_boards::{EightBoards, HasBoards};
    pub use crate::bitbase::notes::{Sink, Source};
}
