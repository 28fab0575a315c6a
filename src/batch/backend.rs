//! Which instructions are used: detected once, chosen by name where a test or a person asks.

use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

use super::lanes::{Isa, Portable, Work};
#[cfg(target_arch = "x86_64")]
use super::x86::{Avx2, Avx512, FloatMode};

/// A set of instructions that this machine has.
///
/// There is no way to get a backend that the machine lacks: they come from [`detect`](Backend::detect),
/// [`available`](Backend::available) and [`from_name`](Backend::from_name) alone.
///
/// ```
/// use tbindex::batch::Backend;
/// let best = Backend::detect();
/// assert!(Backend::available().any(|backend| backend == best));
/// assert!(Backend::from_name("portable").is_ok());
/// assert!(Backend::from_name("abacus").is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Backend(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Portable(Portable),
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
}

/// Why there is no backend of a name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BackendError {
    /// No backend has this name.
    #[error("{0:?} is not a backend: expected portable, avx2 or avx512")]
    Unknown(String),
    /// The machine lacks its instructions.
    #[error("this machine has not the instructions of {name}: it has {}", .available.join(", "))]
    Missing {
        /// The backend's name.
        name: &'static str,
        /// The backends that it has.
        available: Vec<&'static str>,
    },
}

impl Backend {
    /// The names of all backends, on this machine or not, the slowest first.
    pub const NAMES: [&'static str; 3] = ["portable", "avx2", "avx512"];

    /// The fastest that this machine has. It is looked for once.
    #[must_use]
    pub fn detect() -> Backend {
        static BEST: OnceLock<Backend> = OnceLock::new();
        *BEST.get_or_init(|| {
            Backend::available()
                .last()
                .unwrap_or(Backend(Kind::Portable(Portable)))
        })
    }

    /// All that this machine has, the slowest first. `portable` is always among them.
    pub fn available() -> impl Iterator<Item = Backend> {
        Backend::NAMES
            .into_iter()
            .filter_map(|name| Kind::of(name).map(Backend))
    }

    /// The backend called `portable`, `avx2` or `avx512`.
    ///
    /// # Errors
    /// If there is none of that name, or the machine has not its instructions.
    pub fn from_name(name: &str) -> Result<Backend, BackendError> {
        let name = Backend::NAMES
            .into_iter()
            .find(|&known| known == name)
            .ok_or_else(|| BackendError::Unknown(name.to_owned()))?;
        Kind::of(name)
            .map(Backend)
            .ok_or_else(|| BackendError::Missing {
                name,
                available: Backend::available().map(Backend::name).collect(),
            })
    }

    /// `portable`, `avx2` or `avx512`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self.0 {
            Kind::Portable(_) => "portable",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2(_) => "avx2",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512(_) => "avx512",
        }
    }

    /// The bytes of a vector of this backend.
    #[must_use]
    pub const fn vector_bytes(self) -> usize {
        match self.0 {
            Kind::Portable(_) => 16,
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2(_) => 32,
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512(_) => 64,
        }
    }

    /// Calls a function that is compiled for this backend's instructions, so far as it is inlined:
    /// a plain loop in it is vectorised with them by the compiler.
    ///
    /// ```
    /// use tbindex::batch::Backend;
    /// let mut words = [1, 2, 3];
    /// Backend::detect().call(|| words.iter_mut().for_each(|word| *word ^= 1));
    /// assert_eq!(words, [0, 3, 2]);
    /// ```
    pub fn call<R>(self, f: impl FnOnce() -> R) -> R {
        self.run(Call(f))
    }

    /// The instructions that extract and deposit bits, where the backend implies them.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn bit_instructions(self) -> Option<Avx2> {
        match self.0 {
            Kind::Portable(_) => None,
            Kind::Avx2(isa) => Some(isa),
            Kind::Avx512(isa) => Some(isa.avx2()),
        }
    }

    /// The instructions that slices are merged with, where the backend has them.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn merging_instructions(self) -> Option<Avx512> {
        match self.0 {
            Kind::Avx512(isa) => Some(isa),
            _ => None,
        }
    }

    /// Does the work with this backend: the one place that dispatches.
    pub(crate) fn run<T: Work>(self, work: T) -> T::Output {
        #[cfg(target_arch = "x86_64")]
        let _mode = FloatMode::of_words();
        match self.0 {
            Kind::Portable(isa) => isa.run(work),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2(isa) => isa.run(work),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512(isa) => isa.run(work),
        }
    }
}

/// A function as work.
struct Call<F>(F);

impl<R, F: FnOnce() -> R> Work for Call<F> {
    type Output = R;

    #[inline(always)]
    fn run<I: Isa>(self, _: I) -> R {
        (self.0)()
    }
}

impl Kind {
    fn of(name: &str) -> Option<Kind> {
        match name {
            "portable" => Some(Kind::Portable(Portable)),
            #[cfg(target_arch = "x86_64")]
            "avx2" => Avx2::detect().map(Kind::Avx2),
            #[cfg(target_arch = "x86_64")]
            "avx512" => Avx512::detect().map(Kind::Avx512),
            _ => None,
        }
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Backend {
    type Err = BackendError;

    fn from_str(name: &str) -> Result<Backend, BackendError> {
        Backend::from_name(name)
    }
}

/// The bytes of the largest cache of this machine, as the processor states it; 32 MiB where it
/// states nothing. Slices beyond that are written past the caches.
#[must_use]
pub fn last_level_cache_bytes() -> usize {
    static BYTES: OnceLock<usize> = OnceLock::new();
    *BYTES.get_or_init(|| cache_bytes().into_iter().max().unwrap_or(32 << 20))
}

/// The sizes of the data caches in bytes, the nearest first.
#[must_use]
pub fn cache_bytes() -> Vec<usize> {
    #[cfg(target_arch = "x86_64")]
    {
        use raw_cpuid::CacheType;
        let parameters = raw_cpuid::CpuId::new().get_cache_parameters();
        parameters
            .into_iter()
            .flatten()
            .filter(|cache| matches!(cache.cache_type(), CacheType::Data | CacheType::Unified))
            .map(|cache| {
                cache.associativity()
                    * cache.physical_line_partitions()
                    * cache.coherency_line_size()
                    * cache.sets()
            })
            .collect()
    }
    #[cfg(not(target_arch = "x86_64"))]
    Vec::new()
}
