//! Backends: sets of instructions. They are detected once, or chosen by name where a test or a person
//! asks. [`dispatch!`](crate::dispatch) is the one place from which code that is compiled for
//! a backend is entered, in every layer and every tool.

use std::str::FromStr;
use std::sync::OnceLock;

use super::caches::last_level_cache_bytes;
use super::tokens::Portable;
#[cfg(target_arch = "x86_64")]
use super::tokens::{Avx2, Avx512};
use crate::board::{NameError, alternatives};

/// A set of instructions that this machine has.
///
/// There is no way to get a backend that the machine lacks: they come from [`detect`](Backend::detect),
/// [`available`](Backend::available) and their names alone.
///
/// ```
/// use tbindex::batch::Backend;
/// let best = Backend::detect();
/// assert!(Backend::available().any(|backend| backend == best));
/// assert!("portable".parse::<Backend>().is_ok());
/// assert!("abacus".parse::<Backend>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Backend {
    token: Token,
    /// Whether maps write past the caches even if the slice at hand does not exceed them.
    past_caches: bool,
}

impl Backend {
    /// The names of all backends, on this machine or not, the slowest first.
    #[doc(hidden)]
    pub const NAMES: [&'static str; 3] = ["portable", "avx2", "avx512"];

    /// The fastest that this machine has. It is looked for once.
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// assert_eq!(Some(Backend::detect()), Backend::available().last());
    /// ```
    #[must_use]
    pub fn detect() -> Backend {
        static FASTEST: OnceLock<Backend> = OnceLock::new();
        *FASTEST.get_or_init(|| {
            Backend::available()
                .last()
                .unwrap_or(Backend::of(Token::Portable(Portable)))
        })
    }

    /// All that this machine has, the slowest first. `portable` is always among them.
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// // The results are the same under each.
    /// let first = Backend::available().next().map(|backend| backend.to_string());
    /// assert_eq!(first.as_deref(), Some("portable"));
    /// ```
    pub fn available() -> impl Iterator<Item = Backend> {
        Backend::NAMES
            .into_iter()
            .filter_map(|name| Token::of(name).map(Backend::of))
    }

    /// `portable`, `avx2` or `avx512`.
    pub(super) const fn name(self) -> &'static str {
        match self.token {
            Token::Portable(_) => "portable",
            #[cfg(target_arch = "x86_64")]
            Token::Avx2(_) => "avx2",
            #[cfg(target_arch = "x86_64")]
            Token::Avx512(_) => "avx512",
        }
    }

    /// Returns the proof that this machine has the backend's instructions, which opens the code that
    /// is compiled for them; see [`dispatch!`](crate::dispatch).
    #[doc(hidden)]
    #[must_use]
    pub const fn token(self) -> Token {
        self.token
    }

    const fn of(token: Token) -> Backend {
        let past_caches = false;
        Backend { token, past_caches }
    }

    /// The same instructions for a part of a slice that exceeds the caches.
    #[cfg(feature = "rayon")]
    pub(super) const fn writing_past_caches(self, past_caches: bool) -> Backend {
        Backend {
            past_caches,
            ..self
        }
    }

    /// Whether maps of this slice write past the caches.
    pub(super) fn exceeds_caches<W>(self, slice: &[W]) -> bool {
        self.past_caches || size_of_val(slice) > last_level_cache_bytes()
    }
}

/// The token of a backend; see [`Backend::token`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Token {
    /// The instructions of every processor that the build was made for.
    Portable(Portable),
    /// AVX2 and bit instructions.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    /// AVX-512 as of Ice Lake and Zen 4.
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
}

/// Evaluates an expression in code that is compiled for a backend's instructions:
/// `dispatch!(backend, token => expression)`.
///
/// The expression is compiled once for each set of instructions, with a token of that set bound to the name that
/// stands before the arrow, and one of them is chosen at run time. A plain loop in it is vectorised
/// with these instructions. Functions that it calls are compiled so only as far as they
/// are inlined: mark them `#[inline(always)]`.
///
/// ```
/// use tbindex::batch::Backend;
/// let mut words = [1, 2, 3];
/// tbindex::dispatch!(Backend::detect(), _token => {
///     for word in &mut words {
///         *word ^= 1;
///     }
/// });
/// assert_eq!(words, [0, 3, 2]);
/// ```
///
/// After `move`, as with closures, the expression owns its variables. That matters for constants in a
/// loop that stores: the compiler must expect that a store overwrites data behind a reference.
///
/// ```
/// # use tbindex::batch::Backend;
/// # use tbindex::dispatch;
/// let (mask, mut words) = (1, [1, 2, 3]);
/// let out = &mut words;
/// dispatch!(Backend::detect(), move _ => out.iter_mut().for_each(|word| *word ^= mask));
/// assert_eq!(words, [0, 3, 2]);
/// ```
#[macro_export]
macro_rules! dispatch {
    // With the token, in code that is compiled for every processor.
    (@token $backend:expr, $token:ident => $expression:expr) => {
        match $crate::batch::Backend::token($backend) {
            $crate::batch::Token::Portable($token) => $expression,
            #[cfg(target_arch = "x86_64")]
            $crate::batch::Token::Avx2($token) => $expression,
            #[cfg(target_arch = "x86_64")]
            $crate::batch::Token::Avx512($token) => $expression,
        }
    };
    ($backend:expr, move $token:pat => $expression:expr) => {
        $crate::dispatch!(@enter $backend, [move] $token => $expression)
    };
    ($backend:expr, $token:pat => $expression:expr) => {
        $crate::dispatch!(@enter $backend, [] $token => $expression)
    };
    (@enter $backend:expr, [$($move:tt)?] $token:pat => $expression:expr) => {
        $crate::dispatch!(@token $backend, token => {
            let $token = token;
            token.vectorize(
                #[inline(always)]
                $($move)? || $expression,
            )
        })
    };
}

impl Token {
    fn of(name: &str) -> Option<Token> {
        match name {
            "portable" => Some(Token::Portable(Portable)),
            #[cfg(target_arch = "x86_64")]
            "avx2" => Avx2::detect().map(Token::Avx2),
            #[cfg(target_arch = "x86_64")]
            "avx512" => Avx512::detect().map(Token::Avx512),
            _ => None,
        }
    }
}

crate::board::print_names!(Backend);

impl FromStr for Backend {
    type Err = NameError;

    /// Reads `portable`, `avx2` or `avx512`.
    ///
    /// # Errors
    /// If there is none of that name, or the machine lacks its instructions.
    fn from_str(name: &str) -> Result<Backend, NameError> {
        Token::of(name).map(Backend::of).ok_or_else(|| {
            if !Backend::NAMES.contains(&name) {
                return NameError::new(name, "backend", &alternatives(&Backend::NAMES));
            }
            let available: Vec<&str> = Backend::available().map(Backend::name).collect();
            let kind = "backend whose instructions this machine has";
            NameError::new(name, kind, &alternatives(&available))
        })
    }
}
