use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::marker::PhantomData;
use std::path::Path;

use glam::DVec3;
use serde::de::{DeserializeOwned, Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use supple::{Axes, Force, Load};

use crate::case::{normalize, quaternions};
use crate::loaded::NamedJoint;
use crate::{IoError, LoadOptions, Loaded, names, read};

/// A state by the names of a file: what `supple dynamics MODEL --state S.json` takes.
///
/// ```text
/// {"joints": {"elbow": {"q": [0.1], "qd": [0.2], "tau": [0]}},
///  "wrenches": {"hand": [τx, τy, τz, fx, fy, fz]},
///  "gravity": [0, 0, -9.81], "floating_base": false, "passive": true}
/// ```
///
/// Everything may be left out. Joints left out are where the file puts them (zero, mostly), at rest, without force.
/// Angles are in rad whatever unit the model file uses. Quaternions are `[x, y, z, w]`; a free joint has
/// q = `[position, quaternion]` and qd = `[angular, linear]`, both in *body axes*: MuJoCo's order is w first and
/// its velocity is `[linear in world axes, angular in body axes]`. The joint of a floating URDF base has the name of
/// the root link. Several MJCF joints on one body are named one by one, as in the file. A wrench is in its
/// body's axes about its body's origin.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct StateByName {
    /// Positions, velocities and forces of joints.
    #[serde(default, deserialize_with = "unique")]
    pub joints: BTreeMap<String, JointState>,
    /// External wrenches on bodies (τ; f) \[N·m, N], body axes about the body's origin.
    #[serde(default, deserialize_with = "unique")]
    pub wrenches: BTreeMap<String, [f64; 6]>,
    /// Gravity \[m/s²]; left out: the model's own, which for URDF is (0, 0, −9.81).
    #[serde(default)]
    pub gravity: Option<[f64; 3]>,
    /// Whether a URDF's root moves freely.
    #[serde(default)]
    pub floating_base: bool,
    /// Whether joint damping, friction, springs and limits act.
    #[serde(default = "yes")]
    pub passive: bool,
}

/// One joint of a [`StateByName`].
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct JointState {
    /// Position; left out: where the file puts it.
    #[serde(default)]
    pub q: Option<Vec<f64>>,
    /// Velocity; left out: zero.
    #[serde(default)]
    pub qd: Option<Vec<f64>>,
    /// Joint force; left out: zero.
    #[serde(default)]
    pub tau: Option<Vec<f64>>,
}

/// A state in the coordinates of a model, and what acts on it.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelState {
    /// Positions.
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// Joint forces.
    pub tau: Vec<f64>,
    /// External wrenches on bodies, in body axes.
    pub wrenches: Vec<Load>,
    /// Gravity \[m/s²].
    pub gravity: DVec3,
    /// Whether passive joint forces act.
    pub passive: bool,
}

impl Default for StateByName {
    fn default() -> Self {
        Self {
            joints: BTreeMap::new(),
            wrenches: BTreeMap::new(),
            gravity: None,
            floating_base: false,
            passive: true,
        }
    }
}

impl StateByName {
    /// Reads a state from JSON.
    pub fn parse(json: &str) -> Result<Self, IoError> {
        parse_json(json.strip_prefix('\u{feff}').unwrap_or(json))
    }

    /// Reads a state from a JSON file.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, IoError> {
        let path = path.as_ref();
        read::read_text(path).and_then(|text| Self::parse(&text)).map_err(|e| e.in_file(path))
    }

    /// How to load the model that this state is meant for.
    pub fn load_options(&self) -> LoadOptions {
        LoadOptions {
            floating_base: self.floating_base,
            ignore_forces: !self.passive,
            ..LoadOptions::default()
        }
    }

    /// The state in the coordinates of a model; what is left out stays as loaded.
    pub fn of(&self, loaded: &Loaded) -> Result<ModelState, IoError> {
        let mut state = ModelState {
            q: loaded.q.clone(),
            v: loaded.v.clone(),
            tau: loaded.tau.clone(),
            wrenches: loaded.wrenches.clone(),
            gravity: loaded.gravity,
            passive: self.passive,
        };
        let joints: HashMap<&str, &NamedJoint> = loaded.joints.iter().map(|j| (j.name.as_str(), j)).collect();
        for (name, given) in &self.joints {
            let joint = match joints.get(name.as_str()) {
                Some(joint) => joint,
                None => loaded.joint(name)?,
            };
            let what = || format!("joint {name:?} of the state");
            if let Some(q) = &given.q {
                let q = position(loaded, joint, q, &what)?;
                state.q[joint.q.clone()].copy_from_slice(&q);
            }
            for (field, list, target) in
                [("qd", &given.qd, &mut state.v), ("tau", &given.tau, &mut state.tau)]
            {
                if let Some(list) = list {
                    numbers(&what, field, list, joint.v.len())?;
                    target[joint.v.clone()].copy_from_slice(list);
                }
            }
        }
        for (name, wrench) in &self.wrenches {
            let bodies = loaded.model.bodies();
            let body = loaded.model.body(name).ok_or_else(|| IoError::UnknownName {
                what: "body",
                name: name.clone(),
                hint: names::hint(name, bodies.iter().map(|b| b.name.as_str())),
            })?;
            numbers(&|| format!("wrench on {name:?} of the state"), "wrench", wrench, 6)?;
            state.wrenches.retain(|load| load.body != body);
            state.wrenches.push(Load { body, wrench: Force::from_array(*wrench), axes: Axes::Body });
        }
        if let Some(gravity) = self.gravity {
            numbers(&|| "state".into(), "gravity", &gravity, 3)?;
            state.gravity = DVec3::from_array(gravity);
        }
        Ok(state)
    }
}

/// A joint's position as supple has it, quaternions of unit length.
fn position(
    loaded: &Loaded,
    joint: &NamedJoint,
    q: &[f64],
    what: &dyn Fn() -> String,
) -> Result<Vec<f64>, IoError> {
    numbers(what, "q", q, joint.q.len())?;
    let mut q = q.to_vec();
    for at in quaternions_of(loaded, joint) {
        normalize(&what(), "q", &mut q[at..at + 4])?;
    }
    if let [x] = q.as_mut_slice() {
        *x -= joint.zero;
    }
    Ok(q)
}

/// Where quaternions begin among a joint's numbers.
fn quaternions_of(loaded: &Loaded, joint: &NamedJoint) -> Vec<usize> {
    if joint.kind == "compound"
        && let Some(id) = loaded.model.joint(&joint.name)
    {
        return quaternions(&loaded.model.joints()[id.index()].kind);
    }
    // with more numbers in q than in v it ends in a quaternion
    if joint.q.len() == joint.v.len() + 1 { vec![joint.q.len() - 4] } else { Vec::new() }
}

fn numbers(what: &dyn Fn() -> String, field: &str, list: &[f64], need: usize) -> Result<(), IoError> {
    if list.len() != need {
        return Err(IoError::WrongLength { element: what(), field: field.into(), got: list.len(), need });
    }
    match list.iter().find(|x| !x.is_finite()) {
        Some(&value) => Err(IoError::NotFinite { element: what(), field: field.into(), value }),
        None => Ok(()),
    }
}

/// JSON as a value of type `T`.
pub(crate) fn parse_json<T: DeserializeOwned>(text: &str) -> Result<T, IoError> {
    use serde_json::error::Category;
    // serde would also take a list with the fields in order
    if !text.trim_start().starts_with('{') {
        return Err(IoError::WrongShape {
            element: "JSON (line 1)".into(),
            message: "expected an object: {…}".into(),
        });
    }
    serde_json::from_str(text).map_err(|e| match e.classify() {
        Category::Data => {
            let at = format!("JSON (line {}, column {})", e.line(), e.column());
            let message = e.to_string();
            // serde appends the position, which the element tells already
            let message = message.split(" at line ").next().unwrap_or(&message).to_owned();
            IoError::WrongShape { element: at, message }
        }
        _ => IoError::Syntax { format: "JSON", message: e.to_string() },
    })
}

fn yes() -> bool {
    true
}

/// An object whose keys must be unique: JSON lets the last of equal keys win, and a state would be lost silently.
fn unique<'de, D, T>(deserializer: D) -> Result<BTreeMap<String, T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    struct Unique<T>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for Unique<T> {
        type Value = BTreeMap<String, T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object with names as keys")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
            let mut map = BTreeMap::new();
            while let Some(key) = access.next_key::<String>()? {
                if map.contains_key(&key) {
                    return Err(A::Error::custom(format!("{key:?} is given twice")));
                }
                let value = access.next_value()?;
                map.insert(key, value);
            }
            Ok(map)
        }
    }
    deserializer.deserialize_map(Unique(PhantomData))
}
