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
            /// The processor features that this token stands for, as `is_x86_feature_detected!`
            /// names them: all that code under [`vectorize`](Self::vectorize) is compiled with.
            const FEATURES: &'static [&'static str] = &[$($feature),+];

            /// Returns the token if the processor and the operating system have all its features.
            pub(crate) fn detect() -> Option<$name> {
                $name::detect_among(|feature| match feature {
                    $($feature => is_x86_feature_detected!($feature),)+
                    _ => false,
                })
            }

            /// Returns the token if every feature is there.
            fn detect_among(is_there: impl Fn(&str) -> bool) -> Option<$name> {
                let all = $name::FEATURES.iter().all(|feature| is_there(feature));
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

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    #[test]
    fn a_token_takes_every_one_of_its_features() {
        let there = |_: &str| true;
        assert!(Avx2::detect_among(there).is_some());
        assert!(Avx512::detect_among(there).is_some());
        for masked in Avx2::FEATURES {
            assert_eq!(Avx2::detect_among(|f| f != *masked), None, "{masked}");
        }
        for masked in Avx512::FEATURES {
            assert_eq!(Avx512::detect_among(|f| f != *masked), None, "{masked}");
        }
    }

    #[test]
    fn avx512_includes_avx2() {
        for feature in Avx2::FEATURES {
            assert!(Avx512::FEATURES.contains(feature), "{feature}");
        }
    }
}
