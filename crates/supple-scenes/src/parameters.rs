use std::fmt;

use crate::{SceneError, names};

/// One thing that can be chosen about a scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// Its name, as in `--set links=100`.
    pub name: &'static str,
    /// What values it takes, and which by default.
    pub kind: Kind,
    /// What it does.
    pub doc: &'static str,
}

/// What values a parameter takes, and which by default.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A whole number.
    Count {
        /// Unless set.
        default: u64,
        /// Smallest allowed.
        min: u64,
        /// Greatest allowed.
        max: u64,
    },
    /// A real number.
    Number {
        /// Unless set.
        default: f64,
        /// Smallest allowed.
        min: f64,
        /// Greatest allowed.
        max: f64,
        /// Unit, for messages.
        unit: &'static str,
    },
    /// One of a few words.
    Choice {
        /// Unless set.
        default: &'static str,
        /// The words.
        among: &'static [&'static str],
    },
    /// Yes or no.
    Flag {
        /// Unless set.
        default: bool,
    },
    /// Any text.
    Text {
        /// Unless set.
        default: &'static str,
    },
}

impl Kind {
    /// The value unless set, as it would be typed.
    pub fn default_text(&self) -> String {
        match self {
            Self::Count { default, .. } => default.to_string(),
            Self::Number { default, .. } => default.to_string(),
            Self::Choice { default, .. } | Self::Text { default } => (*default).to_owned(),
            Self::Flag { default } => default.to_string(),
        }
    }

    /// The value that a text stands for.
    fn parse(&self, text: &str) -> Option<Value> {
        let text = text.trim();
        match *self {
            Self::Count { min, max, .. } => {
                text.parse().ok().filter(|x| (min..=max).contains(x)).map(Value::Count)
            }
            Self::Number { min, max, .. } => {
                text.parse().ok().filter(|x: &f64| x.is_finite() && *x >= min && *x <= max).map(Value::Number)
            }
            Self::Choice { among, .. } => among.contains(&text).then(|| Value::Text(text.to_owned())),
            Self::Flag { .. } => text.parse().ok().map(Value::Flag),
            Self::Text { .. } => Some(Value::Text(text.to_owned())),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count { min, max, .. } => write!(f, "a whole number from {min} to {max}"),
            Self::Number { min, max, unit, .. } => {
                let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
                write!(f, "a number from {min} to {max}{unit}")
            }
            Self::Choice { among, .. } => write!(f, "one of {}", among.join(", ")),
            Self::Flag { .. } => f.write_str("true or false"),
            Self::Text { .. } => f.write_str("text"),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Value {
    Count(u64),
    Number(f64),
    Flag(bool),
    Text(String),
}

/// The values chosen for a scene: begins with the defaults, takes only what the scene allows.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    scene: &'static str,
    declared: &'static [Parameter],
    values: Vec<Value>,
}

impl Parameters {
    /// The defaults of a scene's parameters.
    pub(crate) fn new(scene: &'static str, declared: &'static [Parameter]) -> Self {
        let value = |p: &Parameter| match p.kind {
            Kind::Count { default, .. } => Value::Count(default),
            Kind::Number { default, .. } => Value::Number(default),
            Kind::Flag { default } => Value::Flag(default),
            Kind::Choice { default, .. } | Kind::Text { default } => Value::Text(default.to_owned()),
        };
        Self { scene, declared, values: declared.iter().map(value).collect() }
    }

    /// Sets a parameter from text.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), SceneError> {
        let at = self.declared.iter().position(|p| p.name == name).ok_or_else(|| {
            let hint = names::hint(name, self.declared.iter().map(|p| p.name));
            SceneError::UnknownParameter { scene: self.scene, name: name.into(), hint }
        })?;
        let parameter = &self.declared[at];
        self.values[at] = parameter.kind.parse(text).ok_or_else(|| SceneError::BadValue {
            scene: self.scene,
            name: parameter.name,
            wanted: parameter.kind.to_string(),
            value: text.into(),
        })?;
        Ok(())
    }

    /// Makes a [`Kind::Count`] no more than this, if there is one of that name.
    pub(crate) fn lower(&mut self, name: &str, most: u64) {
        let at = self.declared.iter().position(|p| p.name == name);
        if let Some(Value::Count(x)) = at.map(|at| &mut self.values[at]) {
            *x = most.min(*x);
        }
    }

    /// Value of a [`Kind::Count`].
    pub(crate) fn count(&self, name: &str) -> usize {
        match self.value(name) {
            Some(Value::Count(x)) => usize::try_from(*x).unwrap_or(usize::MAX),
            other => undeclared(name, other, 0),
        }
    }

    /// Value of a [`Kind::Count`] that is a seed.
    pub(crate) fn seed(&self, name: &str) -> u64 {
        match self.value(name) {
            Some(Value::Count(x)) => *x,
            other => undeclared(name, other, 0),
        }
    }

    /// Value of a [`Kind::Number`].
    pub(crate) fn number(&self, name: &str) -> f64 {
        match self.value(name) {
            Some(Value::Number(x)) => *x,
            other => undeclared(name, other, 0.0),
        }
    }

    /// Value of a [`Kind::Flag`].
    pub(crate) fn flag(&self, name: &str) -> bool {
        match self.value(name) {
            Some(Value::Flag(x)) => *x,
            other => undeclared(name, other, false),
        }
    }

    /// Value of a [`Kind::Text`] or a [`Kind::Choice`].
    pub(crate) fn text(&self, name: &str) -> &str {
        match self.value(name) {
            Some(Value::Text(x)) => x,
            other => undeclared(name, other, ""),
        }
    }

    fn value(&self, name: &str) -> Option<&Value> {
        self.declared.iter().position(|p| p.name == name).map(|at| &self.values[at])
    }
}

/// A scene asks for a parameter that it does not declare: a mistake of ours, found by the test of all scenes.
fn undeclared<T>(name: &str, found: Option<&Value>, otherwise: T) -> T {
    debug_assert!(false, "scene reads parameter {name:?} as another kind than declared: {found:?}");
    otherwise
}

#[cfg(test)]
mod tests {
    use super::*;

    const DECLARED: &[Parameter] = &[
        Parameter { name: "links", kind: Kind::Count { default: 3, min: 1, max: 10 }, doc: "" },
        Parameter {
            name: "mass",
            kind: Kind::Number { default: 0.5, min: 0.1, max: 2.0, unit: "kg" },
            doc: "",
        },
        Parameter { name: "joints", kind: Kind::Choice { default: "a", among: &["a", "b"] }, doc: "" },
        Parameter { name: "free", kind: Kind::Flag { default: false }, doc: "" },
    ];

    #[test]
    fn defaults_stand_until_set() {
        let mut parameters = Parameters::new("test", DECLARED);
        assert_eq!((parameters.count("links"), parameters.number("mass")), (3, 0.5));
        parameters.set("links", " 7 ").unwrap();
        parameters.set("joints", "b").unwrap();
        parameters.set("free", "true").unwrap();
        assert_eq!(
            (parameters.count("links"), parameters.text("joints"), parameters.flag("free")),
            (7, "b", true)
        );
    }

    #[test]
    fn bad_values_are_refused_with_what_is_wanted() {
        for (name, text, wanted) in [
            ("links", "0", "a whole number from 1 to 10"),
            ("links", "11", "from 1 to 10"),
            ("links", "-1", "whole number"),
            ("links", "2.5", "whole number"),
            ("links", "many", "whole number"),
            ("links", "", "whole number"),
            ("links", "99999999999999999999999", "whole number"),
            ("mass", "NaN", "a number from 0.1 to 2 kg"),
            ("mass", "inf", "a number"),
            ("mass", "0", "a number"),
            ("joints", "c", "one of a, b"),
            ("free", "maybe", "true or false"),
            ("link", "3", "did you mean \"links\"?"),
            ("zzz", "3", "there are: links, mass, joints, free"),
        ] {
            let message = Parameters::new("test", DECLARED).set(name, text).unwrap_err().to_string();
            assert!(message.contains(wanted), "{name}={text}: {message}");
            assert!(message.contains(name) && message.contains("test"), "{message}");
        }
    }
}
