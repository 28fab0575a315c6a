//! Theorems.

/// A statement about the library, and the function that proves it.
#[expect(missing_debug_implementations, reason = "a function has none")]
pub struct Theorem {
    /// A short name of words with hyphens: subject, then what is said of it.
    pub name: String,
    /// The statement, in one line.
    pub statement: String,
    /// How it is proved, in a few words: `decision diagrams`, `SMT (z3)`, `exhaustively`.
    pub(crate) method: &'static str,
    /// Whether the quick run includes it.
    pub(crate) quick: bool,
    /// Proves it. It runs on a thread of its own.
    pub(crate) run: Box<dyn Fn() -> Outcome + Send + Sync>,
}

impl Theorem {
    /// The theorem that a function proves, which returns how much was shown, or a counterexample.
    pub(crate) fn new<O: Into<Outcome>>(
        name: impl Into<String>,
        statement: impl Into<String>,
        method: &'static str,
        quick: bool,
        run: impl Fn() -> O + Send + Sync + 'static,
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

/// The outcome of an attempt to prove a theorem.
pub(crate) enum Outcome {
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
#[derive(Debug, clap::Args)]
pub struct Selection {
    /// Only what takes less than a minute in all, and nothing of words of 128 bits
    #[arg(long)]
    pub quick: bool,
    /// Only theorems whose name contains TEXT
    #[arg(long, value_name = "TEXT")]
    pub only: Option<String>,
}

impl Selection {
    /// Returns the theorems that are chosen.
    #[must_use]
    pub fn theorems(&self) -> Vec<Theorem> {
        let is_chosen = |theorem: &Theorem| {
            let only = self.only.as_ref();
            (theorem.quick || !self.quick) && only.is_none_or(|text| theorem.name.contains(text))
        };
        crate::theorems().into_iter().filter(is_chosen).collect()
    }
}
