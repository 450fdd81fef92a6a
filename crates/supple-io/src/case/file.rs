//! A case as it stands in the file, for reading and writing alike.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Error, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::loads::{CaseActuator, CaseSpring};
use super::{Expected, Hybrid, Impulse, Rigidification};

#[derive(Deserialize, Serialize)]
pub(super) struct Case {
    #[serde(default)]
    pub(super) name: String,
    pub(super) gravity: [f64; 3],
    pub(super) bodies: Vec<CaseBody>,
    pub(super) q: Vec<f64>,
    pub(super) qd: Vec<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) tau: Option<Vec<f64>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) wrenches: Option<Vec<[f64; 6]>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) springs: Option<Vec<CaseSpring>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) actuators: Option<Vec<CaseActuator>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) expected: Option<Expected>,
    #[serde(default, skip_serializing)]
    pub(super) hybrid: Option<Hybrid>,
    #[serde(default, skip_serializing)]
    pub(super) rigidification: Option<Rigidification>,
    #[serde(default, skip_serializing)]
    pub(super) impulse: Option<Impulse>,
}

// Below, unknown fields are errors: a misspelled "damping" would change the motion silently.

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CaseBody {
    pub(super) id: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
    pub(super) parent: i64,
    pub(super) joint: CaseJoint,
    pub(super) placement: CasePose,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) frame: Option<CasePose>,
    pub(super) mass: f64,
    pub(super) com: [f64; 3],
    pub(super) inertia_com: [f64; 6],
}

#[derive(Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CaseJoint {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) q_index: usize,
    pub(super) nq: usize,
    pub(super) v_index: usize,
    pub(super) nv: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) axis: Option<[f64; 3]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) axes: Option<[[f64; 3]; 2]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) pitch: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) elements: Option<Vec<CaseElement>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) damping: Option<OneOrEach<f64>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) stiffness: Option<OneOrEach<f64>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) rest: Option<OneOrEach<f64>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) armature: Option<OneOrEach<f64>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) friction: Option<OneOrEach<f64>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) effort_limit: Option<OneOrEach<f64>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) velocity_limit: Option<OneOrEach<f64>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) limits: Option<OneOrEach<CaseLimit>>,
}

#[derive(Clone, Copy, Deserialize, Serialize)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum CaseElement {
    Hinge {
        axis: [f64; 3],
        #[serde(default)]
        anchor: [f64; 3],
    },
    Slide {
        axis: [f64; 3],
    },
    Ball {
        #[serde(default)]
        anchor: [f64; 3],
    },
}

#[derive(Clone, Copy, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CaseLimit {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) lower: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) upper: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) stiffness: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) damping: Option<f64>,
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CasePose {
    pub(super) pos: [f64; 3],
    pub(super) quat_xyzw: [f64; 4],
    /// The same rotation, row by row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) rotation: Option<[[f64; 3]; 3]>,
}

/// One value for all degrees of freedom, or a list with one for each; `null` in the list is none.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum OneOrEach<T> {
    One(T),
    Each(Vec<Option<T>>),
}

/// By hand, for serde's own way would not tell what is wrong inside.
impl<'de, T: Deserialize<'de>> Deserialize<'de> for OneOrEach<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Either<T> {
            type Value = OneOrEach<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("one value for all degrees of freedom, or a list with one for each")
            }

            fn visit_f64<E: Error>(self, value: f64) -> Result<Self::Value, E> {
                T::deserialize(value.into_deserializer()).map(OneOrEach::One)
            }

            fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
                T::deserialize(value.into_deserializer()).map(OneOrEach::One)
            }

            fn visit_u64<E: Error>(self, value: u64) -> Result<Self::Value, E> {
                T::deserialize(value.into_deserializer()).map(OneOrEach::One)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(OneOrEach::One)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(list)).map(OneOrEach::Each)
            }
        }
        deserializer.deserialize_any(Either(PhantomData))
    }
}
