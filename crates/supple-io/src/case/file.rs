//! A case as it stands in the file, for reading and writing alike.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Error, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::bodies::Bodies;
use super::loads::{Actuators, Springs};
use super::{Expected, Hybrid, Impulse, Rigidification};

#[derive(Deserialize, Serialize)]
pub(super) struct Case {
    #[serde(default)]
    pub(super) name: String,
    pub(super) gravity: [f64; 3],
    pub(super) bodies: Bodies,
    pub(super) q: Vec<f64>,
    pub(super) qd: Vec<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) tau: Option<Vec<f64>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) wrenches: Option<Vec<[f64; 6]>>,
    #[serde(default, skip_serializing_if = "Springs::is_empty")]
    pub(super) springs: Springs,
    #[serde(default, skip_serializing_if = "Actuators::is_empty")]
    pub(super) actuators: Actuators,
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

/// A body of a tree and the joint that carries it.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CaseBody {
    /// 0, 1, 2, … in the order of the list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<i64>,
    /// Unique.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
    /// Number of the body that carries it, or -1: the world.
    pub(super) parent: i64,
    pub(super) joint: CaseJoint,
    /// Joint frame in the parent's body frame.
    #[serde(default)]
    pub(super) placement: CasePose,
    /// Body frame in the joint's outboard frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) frame: Option<CasePose>,
    /// \[kg]
    pub(super) mass: f64,
    /// Centre of mass in the body's frame \[m].
    #[serde(default)]
    pub(super) com: [f64; 3],
    /// xx, xy, xz, yy, yz, zz about the centre of mass, body axes \[kg·m²].
    pub(super) inertia_com: [f64; 6],
    /// The same about the body's origin, where the last digits would be lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) about_origin: Option<CaseMoments>,
}

/// First and second moments about the origin of a body's frame.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CaseMoments {
    /// Mass times centre of mass \[kg·m].
    pub(super) moment: [f64; 3],
    /// xx, xy, xz, yy, yz, zz \[kg·m²].
    pub(super) inertia: [f64; 6],
}

/// A joint of a tree. Where its numbers are in q and qd may be left out.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CaseJoint {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
    /// fixed, revolute, continuous, prismatic, helical, cylindrical, universal, planar, spherical, free or compound.
    #[serde(rename = "type")]
    pub(super) kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) q_index: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) nq: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) v_index: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) nv: Option<usize>,
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

/// One of the joints in a row that a compound joint is.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
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

/// A soft stop.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
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

/// A frame in another one.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CasePose {
    /// \[m]
    #[serde(default)]
    pub(super) pos: [f64; 3],
    #[serde(default = "no_turn")]
    pub(super) quat_xyzw: [f64; 4],
    /// The same rotation, row by row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) rotation: Option<[[f64; 3]; 3]>,
}

impl Default for CasePose {
    fn default() -> Self {
        Self { pos: [0.0; 3], quat_xyzw: no_turn(), rotation: None }
    }
}

const fn no_turn() -> [f64; 4] {
    [0.0, 0.0, 0.0, 1.0]
}

/// One value for all degrees of freedom, or a list with one for each; `null` or "none" in the list is none.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(super) enum OneOrEach<T> {
    One(T),
    Each(Vec<Option<T>>),
}

impl<T: JsonSchema> JsonSchema for OneOrEach<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("OneOrEach{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let (one, each) = (generator.subschema_for::<T>(), generator.subschema_for::<Maybe<T>>());
        json_schema!({ "anyOf": [one, { "type": "array", "items": each }] })
    }
}

impl<T: JsonSchema> JsonSchema for Maybe<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Maybe{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = generator.subschema_for::<T>();
        json_schema!({ "anyOf": [one, { "type": "null" }, { "const": "none" }] })
    }
}

/// A value of a list, or none: `null`, or "none" for formats without it.
pub(super) struct Maybe<T>(pub(super) Option<T>);

/// By hand, for serde's own way would not tell what is wrong inside.
impl<'de, T: Deserialize<'de>> Deserialize<'de> for Maybe<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Either<T> {
            type Value = Maybe<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value, or \"none\"")
            }

            fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
                Ok(Maybe(None))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
                match text {
                    "none" => Ok(Maybe(None)),
                    _ => T::deserialize(text.into_deserializer()).map(|x| Maybe(Some(x))),
                }
            }

            fn visit_f64<E: Error>(self, value: f64) -> Result<Self::Value, E> {
                T::deserialize(value.into_deserializer()).map(|x| Maybe(Some(x)))
            }

            fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
                T::deserialize(value.into_deserializer()).map(|x| Maybe(Some(x)))
            }

            fn visit_u64<E: Error>(self, value: u64) -> Result<Self::Value, E> {
                T::deserialize(value.into_deserializer()).map(|x| Maybe(Some(x)))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(|x| Maybe(Some(x)))
            }
        }
        deserializer.deserialize_any(Either(PhantomData))
    }
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
                let list = Vec::<Maybe<T>>::deserialize(SeqAccessDeserializer::new(list))?;
                Ok(OneOrEach::Each(list.into_iter().map(|x| x.0).collect()))
            }
        }
        deserializer.deserialize_any(Either(PhantomData))
    }
}
