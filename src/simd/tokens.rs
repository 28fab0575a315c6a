//! Tokens: proofs that the processor has a set of instructions, and the functions that they open.
//!
//! A token is made by detection alone, so its holder may run code that is compiled for its
//! instructions. [`vectorize`](Portable::vectorize) of a token is the entry to this code: functions that
//! are inlined into it are compiled with exactly the features that detection looked for, because one
//! list makes both.

#![cfg_attr(
    target_arch = "x86_64",
    expect(
        unsafe_code,
        reason = "calls of functions for a set of instructions: sound where the processor has it, which a token proves"
    )
)]

/// The token of the portable backend: every processor has the instructions that the build was made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Portable;

impl Portable {
    /// Calls a function in a frame of its own, as the other tokens do.
    #[inline(always)]
    pub fn vectorize<R>(self, f: impl FnOnce() -> R) -> R {
        portable::enter(f)
    }
}

// A function of each token is in a module of its own: the compiler puts all instances of a generic function into the unit
// of its module, and compiles several units at a time.
mod portable {
    #[inline(never)]
    pub(super) fn enter<R, F: FnOnce() -> R>(f: F) -> R {
        f()
    }
}

/// A token whose detection and whose entry are made from one list of features.
#[cfg(target_arch = "x86_64")]
macro_rules! token {
    ($(#[$doc:meta])* $name:ident, $module:ident, [$($feature:tt),+ $(,)?]) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct $name(());

        impl $name {
            /// Returns the token if the processor and the operating system have all its features.
            pub(crate) fn detect() -> Option<$name> {
                let all = $(is_x86_feature_detected!($feature))&&+;
                all.then_some($name(()))
            }

            /// Calls a function that is compiled for these instructions, as far as it is inlined:
            /// mark it, and whatever hot code it calls, `#[inline(always)]`.
            #[inline(always)]
            pub fn vectorize<R>(self, f: impl FnOnce() -> R) -> R {
                // SAFETY: `self` exists, so the processor has all the features.
                unsafe { $module::enter(f) }
            }
        }

        mod $module {
            $(#[target_feature(enable = $feature)])+
            #[inline(never)]
            pub(super) fn enter<R, F: FnOnce() -> R>(f: F) -> R {
                f()
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
token!(
    /// Proof that the processor has AVX2 and the bit instructions of its time: Haswell, Zen and
    /// later.
    Avx2,
    avx2,
    ["avx2", "bmi1", "bmi2", "lzcnt", "popcnt"]
);

#[cfg(target_arch = "x86_64")]
token!(
    /// Proof that the processor has the instructions that every processor with AVX-512 has had since
    /// Ice Lake and Zen 4.
    ///
    /// The first edition of AVX-512 is not enough: bytes taken from any bits of a word (VBMI) and
    /// multiplication of 52 bits (IFMA) run on ports 5 and 0 where shifts run on port 0 alone, and
    /// products add to sums (VNNI). Older processors with AVX-512 are served by AVX2, without the
    /// clock penalty that came with theirs.
    Avx512,
    avx512,
    [
        "avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512vbmi", "avx512vbmi2", "avx512ifma",
        "avx512vnni", "avx2", "fma", "f16c", "bmi1", "bmi2", "lzcnt", "popcnt",
    ]
);
