//! Which instructions the solver runs on: the only place that dispatches.

use std::fmt;
use std::str::FromStr;

use crate::lanes::{Lanes, Portable};

/// Work that is written once for all vector registers.
pub(crate) trait Job {
    type Output;

    /// Has to be `#[inline(always)]`, and so has everything hot below it: only then is it compiled
    /// with the instructions of the entry point it is called from.
    fn run<L: Lanes>(self) -> Self::Output;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

/// A set of vector instructions that this machine has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backend(Kind);

/// The machine lacks a backend, or there is none of that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name:?} is not a backend of this machine: expected one of {available}")]
pub struct BackendError {
    name: String,
    available: String,
}

impl Backend {
    /// The backends of this machine, the fastest last.
    #[must_use]
    pub fn available() -> Vec<Backend> {
        let mut all = vec![Backend(Kind::Portable)];
        #[cfg(target_arch = "x86_64")]
        {
            if std::is_x86_feature_detected!("avx2")
                && std::is_x86_feature_detected!("bmi2")
                && std::is_x86_feature_detected!("lzcnt")
            {
                all.push(Backend(Kind::Avx2));
            }
            if std::is_x86_feature_detected!("avx512f")
                && std::is_x86_feature_detected!("avx512bw")
                && std::is_x86_feature_detected!("avx512dq")
            {
                all.push(Backend(Kind::Avx512));
            }
        }
        all
    }

    /// The fastest backend of this machine.
    #[must_use]
    pub fn detect() -> Backend {
        *Backend::available()
            .last()
            .unwrap_or(&Backend(Kind::Portable))
    }

    /// `portable`, `avx2` or `avx512`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self.0 {
            Kind::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => "avx512",
        }
    }

    #[inline]
    pub(crate) fn run<J: Job>(self, job: J) -> J::Output {
        match self.0 {
            Kind::Portable => job.run::<Portable>(),
            #[cfg(target_arch = "x86_64")]
            #[expect(unsafe_code, reason = "the one place that dispatches")]
            // SAFETY: a `Backend` of this kind is made by `available` alone, where the features were
            // found.
            Kind::Avx2 => unsafe { run_avx2(job) },
            #[cfg(target_arch = "x86_64")]
            #[expect(unsafe_code, reason = "the one place that dispatches")]
            // SAFETY: as above.
            Kind::Avx512 => unsafe { run_avx512(job) },
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn run_avx2<J: Job>(job: J) -> J::Output {
    job.run::<crate::avx2::Avx2>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,bmi1,bmi2,lzcnt,popcnt")]
fn run_avx512<J: Job>(job: J) -> J::Output {
    job.run::<crate::avx512::Avx512>()
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Backend {
    type Err = BackendError;

    fn from_str(name: &str) -> Result<Backend, BackendError> {
        let all = Backend::available();
        all.iter()
            .copied()
            .find(|backend| backend.name() == name)
            .ok_or_else(|| BackendError {
                name: name.to_owned(),
                available: all
                    .iter()
                    .map(|backend| backend.name())
                    .collect::<Vec<_>>()
                    .join(", "),
            })
    }
}
