//! The bodies of a tree: from the file and back.

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use supple::spatial::Sym3;
use supple::{Body, Model, ModelBuilder, Pose, RigidInertia};

use super::file::{CaseBody, CaseMoments};
use super::{joint, pose};
use crate::warning::Warnings;
use crate::{IoError, Warning};

/// How far moments about the origin may be from what mass, centre and inertia tell, as a share.
const MOMENT_TOLERANCE: f64 = 1e-6;

/// The bodies of a tree with their joints, as files have them: a model that can be written and read.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Bodies(pub(super) Vec<CaseBody>);

impl Bodies {
    /// The bodies of a model.
    pub fn of(model: &Model) -> Self {
        Self((0..model.bodies().len()).map(|i| write(model, i)).collect())
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Names of the bodies, and of the joints that carry them.
    pub fn names(&self) -> impl Iterator<Item = (String, String)> {
        self.0.iter().enumerate().map(|(i, body)| {
            let body_name = name(body, i);
            let joint = body.joint.name.clone().unwrap_or_else(|| body_name.clone());
            (body_name, joint)
        })
    }

    /// The model that they make, to the bit the one that was written, and what of it was left out. An error names the body as
    /// "body N", N its place in the list, or by its name.
    pub fn model(&self) -> Result<(Model, Vec<Warning>), IoError> {
        let mut warnings = Warnings::new();
        let model = self.build(&mut warnings)?;
        Ok((model, warnings.finish()))
    }

    pub(super) fn build(&self, warnings: &mut Warnings) -> Result<Model, IoError> {
        let mut builder = ModelBuilder::new();
        let (mut q_index, mut v_index) = (0, 0);
        for (i, body) in self.0.iter().enumerate() {
            let what = format!("body {i}");
            let joint = joint::read(&what, &body.joint, warnings)?;
            let (nq, nv) = joint.kind.sizes();
            for (field, got, need) in [
                ("id", body.id, i),
                ("joint.q_index", body.joint.q_index.map(index), q_index),
                ("joint.nq", body.joint.nq.map(index), nq),
                ("joint.v_index", body.joint.v_index.map(index), v_index),
                ("joint.nv", body.joint.nv.map(index), nv),
            ] {
                if let Some(got) = got.filter(|got| *got != index(need)) {
                    return Err(IoError::BadValue {
                        element: what,
                        field: field.into(),
                        value: got.to_string(),
                        expected: format!("{need}: bodies stand in order, q and qd follow them"),
                    });
                }
            }
            (q_index, v_index) = (q_index + nq, v_index + nv);
            builder.add(self.body(i, body, joint, &what)?);
        }
        Ok(builder.finish()?)
    }

    fn body(&self, i: usize, body: &CaseBody, joint: supple::Joint, what: &str) -> Result<Body, IoError> {
        let placement = pose::read(what, "placement", &body.placement)?;
        let mut made = Body::new(name(body, i), joint).at(placement).inertia(inertia(what, body)?);
        if let Some(frame) = &body.frame {
            made.frame = pose::read(what, "frame", frame)?;
        }
        if body.parent == -1 {
            return Ok(made);
        }
        let parent = usize::try_from(body.parent).ok().and_then(|p| Some((self.0.get(p)?, p)));
        match parent {
            Some((parent, id)) => Ok(made.on(name(parent, id))),
            None => Err(IoError::BadValue {
                element: what.into(),
                field: "parent".into(),
                value: body.parent.to_string(),
                expected: "-1 (the world) or the id of a body".into(),
            }),
        }
    }
}

fn name(body: &CaseBody, i: usize) -> String {
    body.name.clone().unwrap_or_else(|| format!("body{i}"))
}

fn index(i: usize) -> i64 {
    i64::try_from(i).unwrap_or(i64::MAX)
}

fn inertia(what: &str, body: &CaseBody) -> Result<RigidInertia, IoError> {
    let given = RigidInertia::new(body.mass, DVec3::from_array(body.com), Sym3::new(body.inertia_com));
    let Some(CaseMoments { moment, inertia }) = body.about_origin else { return Ok(given) };
    let exact =
        RigidInertia { mass: body.mass, moment: DVec3::from_array(moment), inertia: Sym3::new(inertia) };
    let near = |a: &[f64], b: &[f64]| {
        let size = a.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        // a NaN is not near either
        a.iter().zip(b).all(|(a, b)| (a - b).abs() <= MOMENT_TOLERANCE * size)
    };
    let moments = near(&given.moment.to_array(), &moment);
    if moments && near(&given.inertia.to_array(), &inertia) {
        return Ok(exact);
    }
    Err(IoError::BadValue {
        element: what.into(),
        field: "about_origin".into(),
        value: format!("{moment:?}, {inertia:?}"),
        expected: "what mass, com and inertia_com are about the origin; it may be left out".into(),
    })
}

fn write(model: &Model, i: usize) -> CaseBody {
    let body = &model.bodies()[i];
    let (mass, com, central) = (body.inertia.mass, body.inertia.com(), body.inertia.inertia_com());
    let rounds = RigidInertia::new(mass, com, central) != body.inertia;
    let exact =
        || CaseMoments { moment: body.inertia.moment.to_array(), inertia: body.inertia.inertia.to_array() };
    CaseBody {
        id: Some(index(i)),
        name: Some(body.name.clone()),
        parent: body.parent.map_or(-1, |p| index(p.index())),
        joint: joint::write(model, i),
        placement: pose::write(&body.placement),
        frame: (body.frame != Pose::IDENTITY).then(|| pose::write(&body.frame)),
        mass,
        com: com.to_array(),
        inertia_com: central.to_array(),
        about_origin: rounds.then(exact),
    }
}
