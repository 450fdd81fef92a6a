//! Where something in a file is, and what is wrong with it.

use std::fmt;

/// A place in a file, as `joints[3].parent`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct At(Vec<Step>);

/// One step down from a table or a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Key(String),
    Item(usize),
}

/// What is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) at: At,
    pub(crate) message: String,
}

impl At {
    /// The whole file.
    pub(crate) fn top() -> Self {
        Self::default()
    }

    /// A field of what is here.
    pub(crate) fn key(&self, key: &str) -> Self {
        self.with(Step::Key(key.to_owned()))
    }

    /// An element of the list that is here.
    pub(crate) fn item(&self, item: usize) -> Self {
        self.with(Step::Item(item))
    }

    pub(crate) fn with(&self, step: Step) -> Self {
        let mut steps = self.0.clone();
        steps.push(step);
        Self(steps)
    }

    pub(crate) fn steps(&self) -> &[Step] {
        &self.0
    }

    /// What is here is wrong.
    pub(crate) fn wrong(&self, message: impl fmt::Display) -> Fault {
        Fault { at: self.clone(), message: message.to_string() }
    }
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, step) in self.0.iter().enumerate() {
            match step {
                Step::Key(key) if i == 0 => write!(f, "{key}")?,
                Step::Key(key) => write!(f, ".{key}")?,
                Step::Item(item) => write!(f, "[{item}]")?,
            }
        }
        Ok(())
    }
}
