//! How files name bodies and joints.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// A body or a joint, by its number or by its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Ref {
    /// Its place in the list.
    Number(i64),
    /// Its name.
    Name(String),
}

impl Ref {
    /// The number, once names are resolved.
    pub(crate) fn number(&self) -> Option<usize> {
        match self {
            Self::Number(number) => usize::try_from(*number).ok(),
            Self::Name(_) => None,
        }
    }
}

impl From<usize> for Ref {
    fn from(number: usize) -> Self {
        Self::Number(number as i64)
    }
}

impl fmt::Display for Ref {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Name(name) => write!(f, "{name:?}"),
        }
    }
}

/// By hand, for serde's own way would not tell what is expected.
impl<'de> Deserialize<'de> for Ref {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl Visitor<'_> for Either {
            type Value = Ref;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number or a name")
            }

            fn visit_i64<E: Error>(self, value: i64) -> Result<Ref, E> {
                Ok(Ref::Number(value))
            }

            fn visit_u64<E: Error>(self, value: u64) -> Result<Ref, E> {
                Ok(Ref::Number(i64::try_from(value).unwrap_or(i64::MAX)))
            }

            fn visit_str<E: Error>(self, value: &str) -> Result<Ref, E> {
                Ok(Ref::Name(value.to_owned()))
            }
        }
        deserializer.deserialize_any(Either)
    }
}

impl JsonSchema for Ref {
    fn schema_name() -> Cow<'static, str> {
        "Ref".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "description": "A body or a joint, by its number or by its name", "type": ["integer", "string"] })
    }
}
