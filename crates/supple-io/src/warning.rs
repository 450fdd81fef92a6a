use std::collections::BTreeMap;
use std::fmt;

/// Something in a file that was read otherwise than written, or left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The elements it is about: the first few by name, and how many there are in all.
    pub elements: String,
    /// What was done about them.
    pub message: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.elements, self.message)
    }
}

/// How many elements a warning names one by one.
const NAMED: usize = 4;

/// Collects warnings and says the same thing about many elements once.
#[derive(Debug, Default)]
pub(crate) struct Warnings {
    order: Vec<String>,
    elements: BTreeMap<String, (Vec<String>, usize)>,
}

impl Warnings {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Notes `message` about `element`.
    pub(crate) fn add(&mut self, element: impl Into<String>, message: impl Into<String>) {
        let message = message.into();
        let entry = self.elements.entry(message.clone()).or_insert_with(|| {
            self.order.push(message);
            (Vec::new(), 0)
        });
        entry.1 += 1;
        if entry.0.len() < NAMED {
            entry.0.push(element.into());
        }
    }

    /// The warnings, in the order in which each was first made.
    pub(crate) fn finish(mut self) -> Vec<Warning> {
        let mut list = Vec::with_capacity(self.order.len());
        for message in self.order {
            let Some((names, count)) = self.elements.remove(&message) else { continue };
            let mut elements = names.join(", ");
            if count > names.len() {
                elements.push_str(&format!(" and {} more", count - names.len()));
            }
            list.push(Warning { elements, message });
        }
        list
    }
}
