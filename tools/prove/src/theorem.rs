//! What a theorem is.

/// A statement about the library, and the function that proves it.
pub struct Theorem {
    /// A short name of words with hyphens: subject, then what is said of it.
    pub name: String,
    /// What it says, in one line.
    pub statement: String,
    /// How it is proved, in a few words: `decision diagrams`, `SMT (z3)`, `exhaustively`.
    pub method: &'static str,
    /// Whether the quick run includes it.
    pub quick: bool,
    /// Proves it. It runs on a thread of its own.
    pub run: Box<dyn Fn() -> Outcome + Send + Sync>,
}

impl Theorem {
    /// The theorem that a function proves, which returns how much was shown, or a counterexample.
    pub(crate) fn new(
        name: impl Into<String>,
        statement: impl Into<String>,
        method: &'static str,
        quick: bool,
        run: impl Fn() -> Result<String, String> + Send + Sync + 'static,
    ) -> Theorem {
        Theorem {
            name: name.into(),
            statement: statement.into(),
            method,
            quick,
            run: Box::new(move || run().into()),
        }
    }
}

impl std::fmt::Debug for Theorem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Theorem")
            .field("name", &self.name)
            .field("statement", &self.statement)
            .field("method", &self.method)
            .field("quick", &self.quick)
            .finish_non_exhaustive()
    }
}

/// The outcome of an attempt to prove a theorem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It holds. The text says how much was shown, as in `480 equations`.
    Proved(String),
    /// It was not tried. The text says why.
    Skipped(String),
    /// It does not hold. The text has a counterexample.
    Failed(String),
}

impl From<Result<String, String>> for Outcome {
    fn from(shown: Result<String, String>) -> Outcome {
        shown.map_or_else(Outcome::Failed, Outcome::Proved)
    }
}

/// A choice of theorems.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Whether to take the quick ones alone, and these without words of 128 bits.
    pub quick: bool,
    /// A text that the names must contain.
    pub only: Option<String>,
}

impl Selection {
    /// Returns whether every theorem is chosen.
    #[must_use]
    pub fn is_all(&self) -> bool {
        !self.quick && self.only.is_none()
    }

    /// Returns the theorems that are chosen.
    #[must_use]
    pub fn theorems(&self) -> Vec<Theorem> {
        let mut all = crate::theorems();
        all.retain(|theorem| {
            (theorem.quick || !self.quick)
                && self
                    .only
                    .as_ref()
                    .is_none_or(|text| theorem.name.contains(text))
        });
        all
    }
}
