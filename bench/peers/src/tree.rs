//! Articulations: trees of bodies in the case format (docs/case-format.md), as lists of bodies and joints.

use anyhow::{Context, Result, bail, ensure};
use rapier3d_f64::math::{Pose, Rotation, Vector};
use serde::Deserialize;

use crate::world::Body;

#[derive(Debug, Clone, Deserialize)]
pub struct Articulation {
    /// Number of its first body in the world.
    first: i64,
    case: Case,
}

#[derive(Debug, Clone, Deserialize)]
struct Case {
    bodies: Vec<CaseBody>,
    q: Vec<f64>,
    expected: Expected,
}

#[derive(Debug, Clone, Deserialize)]
struct Expected {
    body_pos_quat: Vec<([f64; 3], [f64; 4])>,
    /// (w; v) at the body's origin, in its axes.
    body_velocity: Vec<[f64; 6]>,
}

#[derive(Debug, Clone, Deserialize)]
struct CaseBody {
    name: Option<String>,
    parent: i64,
    joint: CaseJoint,
    placement: CasePose,
    frame: Option<CasePose>,
    mass: f64,
    com: [f64; 3],
    inertia_com: [f64; 6],
}

#[derive(Debug, Clone, Deserialize)]
struct CasePose {
    pos: [f64; 3],
    quat_xyzw: [f64; 4],
}

#[derive(Debug, Clone, Deserialize)]
struct CaseJoint {
    #[serde(rename = "type")]
    kind: String,
    q_index: usize,
    nq: usize,
    nv: usize,
    axis: Option<[f64; 3]>,
    axes: Option<[[f64; 3]; 2]>,
    rest: Option<OneOrEach<f64>>,
    damping: Option<OneOrEach<f64>>,
    stiffness: Option<OneOrEach<f64>>,
    armature: Option<OneOrEach<f64>>,
    limits: Option<OneOrEach<Limit>>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
struct Limit {
    lower: Option<f64>,
    upper: Option<f64>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum OneOrEach<T> {
    Each(Vec<Option<T>>),
    One(T),
}

/// A joint of a tree: body `child` stands at `parent_frame · J(q) · child_frame⁻¹` in `parent`.
#[derive(Debug, Clone)]
pub struct TreeJoint {
    /// Numbers of bodies, -1 for the world.
    pub parent: i64,
    pub child: i64,
    pub parent_frame: Pose,
    pub child_frame: Pose,
    pub kind: TreeKind,
    /// Position at the start.
    pub q: Vec<f64>,
    /// Position at which springs are at rest.
    pub rest: Vec<f64>,
    /// By degree of freedom.
    pub damping: Vec<f64>,
    pub stiffness: Vec<f64>,
    pub armature: Vec<f64>,
    pub limits: Vec<Option<[f64; 2]>>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TreeKind {
    Fixed,
    Revolute(Vector),
    Prismatic(Vector),
    Universal([Vector; 2]),
    Spherical,
    Free,
}

impl Articulation {
    /// Appends its bodies and joints to those that there are.
    pub fn unfold(self, bodies: &mut Vec<Body>, tree: &mut Vec<TreeJoint>) -> Result<()> {
        let Self { first, case } = self;
        ensure!(first == bodies.len() as i64, "an articulation starts at {first}, not at {}", bodies.len());
        for (i, body) in case.bodies.iter().enumerate() {
            let name = body.name.clone().unwrap_or_else(|| format!("body{i}"));
            let joint = body.tree_joint(first, i, &case.q).with_context(|| name.clone())?;
            let (position, rotation) = case.expected.body_pos_quat[i];
            let turn = Rotation::from_array(rotation);
            let [wx, wy, wz, vx, vy, vz] = case.expected.body_velocity[i];
            bodies.push(Body {
                name,
                position,
                rotation,
                velocity: (turn * Vector::new(vx, vy, vz)).to_array(),
                omega: (turn * Vector::new(wx, wy, wz)).to_array(),
                mass: body.mass,
                com: body.com,
                inertia: body.inertia_com,
                fixed: joint.parent < 0 && joint.kind == TreeKind::Fixed,
                moves: Vec::new(),
            });
            tree.push(joint);
        }
        Ok(())
    }
}

impl CaseBody {
    fn tree_joint(&self, first: i64, number: usize, q: &[f64]) -> Result<TreeJoint> {
        let joint = &self.joint;
        let direction = |axis: [f64; 3]| Vector::from(axis).normalize();
        let axis = || joint.axis.map(direction).context("a joint without axis");
        let kind = match joint.kind.as_str() {
            "fixed" => TreeKind::Fixed,
            "revolute" | "continuous" => TreeKind::Revolute(axis()?),
            "prismatic" => TreeKind::Prismatic(axis()?),
            "universal" => {
                TreeKind::Universal(joint.axes.context("a universal joint without axes")?.map(direction))
            }
            "spherical" => TreeKind::Spherical,
            "free" => TreeKind::Free,
            other => bail!("no {other} joint is known here"),
        };
        let zero = |given: &Option<OneOrEach<f64>>| {
            each(given, joint.nv).into_iter().map(Option::unwrap_or_default).collect()
        };
        let neutral =
            if kind == TreeKind::Spherical { vec![0.0, 0.0, 0.0, 1.0] } else { vec![0.0; joint.nq] };
        let rest: Option<Vec<f64>> = each(&joint.rest, joint.nq).into_iter().collect();
        let limit =
            |limit: Limit| [limit.lower.unwrap_or(f64::NEG_INFINITY), limit.upper.unwrap_or(f64::INFINITY)];
        Ok(TreeJoint {
            parent: if self.parent < 0 { -1 } else { first + self.parent },
            child: first + number as i64,
            parent_frame: self.placement.pose(),
            child_frame: self.frame.as_ref().map_or(Pose::IDENTITY, CasePose::pose).inverse(),
            kind,
            q: q[joint.q_index..][..joint.nq].to_vec(),
            rest: rest.filter(|rest| rest.len() == joint.nq).unwrap_or(neutral),
            damping: zero(&joint.damping),
            stiffness: zero(&joint.stiffness),
            armature: zero(&joint.armature),
            limits: each(&joint.limits, joint.nv).into_iter().map(|l| l.map(limit)).collect(),
        })
    }
}

impl CasePose {
    fn pose(&self) -> Pose {
        Pose::from_parts(Vector::from(self.pos), Rotation::from_array(self.quat_xyzw).normalize())
    }
}

/// One value for each of `count`.
fn each<T: Clone>(given: &Option<OneOrEach<T>>, count: usize) -> Vec<Option<T>> {
    match given {
        None => vec![None; count],
        Some(OneOrEach::One(value)) => vec![Some(value.clone()); count],
        Some(OneOrEach::Each(values)) => values.clone(),
    }
}
