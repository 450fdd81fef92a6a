//! The further questions that a case may ask: accelerations with frozen joints, joints that stop, a blow.

use serde::Serialize;
use supple::detail::{Rigidifier, reduce, rigidify};
use supple::dynamics::articulated::Sweep;
use supple::dynamics::kinematics::Kinematics;
use supple::dynamics::response::Response;
use supple::dynamics::wrench::Wrenches;
use supple::dynamics::{EquationOfMotion, aba};
use supple::model::{Model, Tree};
use supple::{Axes, BodyId, Force, Load};
use supple_io::{Loaded, ModelState};

/// Answers to the blocks that the case has.
#[derive(Default, Serialize)]
pub(crate) struct Blocks {
    /// Accelerations with the joints of `hybrid` frozen.
    #[serde(skip_serializing_if = "Option::is_none")]
    hybrid_qdd: Option<Vec<f64>>,
    /// Velocities after the joints of `rigidification` have been stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    qd_after: Option<Vec<f64>>,
    /// Jump of the velocities under the impulses of `impulse`.
    #[serde(skip_serializing_if = "Option::is_none")]
    dqd: Option<Vec<f64>>,
}

impl Blocks {
    pub(crate) fn new(loaded: &Loaded, state: &ModelState) -> Self {
        let Some(case) = &loaded.case else { return Self::default() };
        let model = &loaded.model;
        Self {
            hybrid_qdd: case.hybrid.as_ref().map(|h| hybrid(model, state, &h.rigid_joints, &h.qd)),
            qd_after: case.rigidification.as_ref().map(|r| stop(model, state, &r.rigid_joints, &r.qd_before)),
            dqd: case.impulse.as_ref().map(|i| blow(model, state, &i.wrenches)),
        }
    }
}

/// The tree with the joints of these bodies frozen.
fn groups(model: &Model, state: &ModelState, rigid_joints: &[usize]) -> Tree {
    let mut active = vec![true; model.tree().links.len()];
    for link in rigid_joints.iter().filter_map(|&body| model.joints()[body].link) {
        active[link.index()] = false;
    }
    let mut tree = Tree::default();
    reduce(model.tree(), &state.q, &active, &mut tree);
    tree
}

fn hybrid(model: &Model, state: &ModelState, rigid_joints: &[usize], v: &[f64]) -> Vec<f64> {
    let tree = groups(model, state, rigid_joints);
    let mut kinematics = Kinematics::new(&tree);
    kinematics.update(&tree, &state.q, v);
    let mut wrenches = Wrenches::new();
    wrenches.set(model, &tree, &kinematics, &state.wrenches);
    let mut qdd = vec![0.0; model.nv()];
    let (armature, mut sweep) = (model.armature(), Sweep::new(&tree));
    let equation = EquationOfMotion {
        tree: &tree,
        kinematics: &kinematics,
        gravity: state.gravity,
        diagonal: armature,
        wrenches: &wrenches,
    };
    aba::accelerations(&equation, &state.tau, &mut sweep, &mut qdd);
    qdd
}

fn stop(model: &Model, state: &ModelState, rigid_joints: &[usize], v: &[f64]) -> Vec<f64> {
    let (before, after) = (groups(model, state, &[]), groups(model, state, rigid_joints));
    let mut v = v.to_vec();
    rigidify(&before, &after, &state.q, model.armature(), &mut v, &mut Rigidifier::default());
    v
}

fn blow(model: &Model, state: &ModelState, wrenches: &[[f64; 6]]) -> Vec<f64> {
    let tree = model.tree();
    let mut kinematics = Kinematics::new(tree);
    kinematics.update(tree, &state.q, &state.v);
    let load = |(body, wrench): (usize, &[f64; 6])| Load {
        body: BodyId::new(body),
        wrench: Force::from_array(*wrench),
        axes: Axes::Body,
    };
    let loads: Vec<Load> = wrenches.iter().enumerate().map(load).collect();
    let mut impulses = Wrenches::new();
    impulses.set(model, tree, &kinematics, &loads);
    let mut response = Response::default();
    response.factor(tree, &kinematics, model.armature());
    let mut dv = vec![0.0; model.nv()];
    response.apply(tree, &kinematics, impulses.entries(), &[], &mut dv);
    dv
}
