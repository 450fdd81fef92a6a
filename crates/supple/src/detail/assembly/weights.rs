//! Weights of joints in a motion metric: a symmetric positive definite matrix for each joint.

use std::fmt;
use std::sync::Arc;

use glam::DVec3;

use crate::dynamics::integrate::position::positions;
use crate::dynamics::kinematics::Kinematics;
use crate::model::{JointId, LinkId, LinkJoint, Model, Tree};

use crate::spatial::mat6::{self, Mat6};

/// A weight that cannot serve in a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("weight of joint {}: the matrix over its {dofs} degrees of freedom is not symmetric and positive definite", joint.0)]
pub struct BadWeight {
    /// The joint.
    pub joint: JointId,
    /// Its degrees of freedom.
    pub dofs: usize,
}

/// A weight that follows from the joint's position.
type WeightFunction = Arc<dyn Fn(&[f64]) -> Mat6 + Send + Sync>;

/// The weight of one joint. Of matrices the first d rows and columns count, d the joint's degrees of freedom.
#[derive(Clone)]
pub enum JointWeight {
    /// This multiple of the unit matrix.
    Scale(f64),
    /// A constant matrix.
    Matrix(Box<Mat6>),
    /// A function of the joint's own position, the numbers of q that are its. The result must be symmetric and
    /// positive definite; that is the caller's promise.
    Function(WeightFunction),
}

impl fmt::Debug for JointWeight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scale(s) => f.debug_tuple("Scale").field(s).finish(),
            Self::Matrix(m) => f.debug_tuple("Matrix").field(m).finish(),
            Self::Function(_) => f.write_str("Function"),
        }
    }
}

/// The weights of all joints of a tree; by default unit matrices.
#[derive(Clone, Debug, Default)]
pub struct Weights {
    /// By link; empty while all are unit matrices.
    of_link: Vec<JointWeight>,
}

impl Weights {
    /// Unit matrices.
    pub const fn identity() -> Self {
        Self { of_link: Vec::new() }
    }

    /// What each joint moves: the mean square, over all links of the body, of the way that their centres of mass go if the
    /// joint turns by one radian (or slides by one metre) in the neutral position \[m²]. With these weights the velocity metric
    /// is about the mean square velocity of the links, so that an arm counts for more than a finger. Distances are taken
    /// from the joint, not from its axis.
    pub fn by_reach(model: &Model) -> Self {
        Self::by_carried(model, |_| 1.0)
    }

    /// Weights by mass: the inertia that each joint carries, over the mass of the body \[m²]. The velocity
    /// metric is then about twice the kinetic energy per kilogram that is lost where joints stop. For bodies that are hit: what is light
    /// moves fast then, and changes nothing else.
    pub fn by_inertia(model: &Model) -> Self {
        Self::by_carried(model, |i| model.tree().links[i].inertia.mass)
    }

    /// Mean square of the ways of all links, counted by what each is `worth`.
    fn by_carried(model: &Model, worth: impl Fn(usize) -> f64) -> Self {
        let tree = model.tree();
        let mut poses = Kinematics::default();
        poses.update_poses(tree, model.neutral());
        let all: f64 = (0..tree.links.len()).map(&worth).sum();
        // of the links that a joint carries: how much they are worth, and sums of their centres and of the squares of those
        let mut sums = vec![(0.0, DVec3::ZERO, 0.0); tree.links.len()];
        let mut of_link = vec![JointWeight::Scale(1.0); tree.links.len()];
        for (i, link) in tree.links.iter().enumerate().rev() {
            let com = poses.links[i].pose().point(tree.central[i].com);
            let own = worth(i);
            let (carried, sum, squares) = &mut sums[i];
            *carried += own;
            *sum += own * com;
            *squares += own * com.length_squared();
            let (carried, sum, squares) = sums[i];
            if let Some(p) = link.parent {
                let parent = &mut sums[p.index()];
                *parent = (parent.0 + carried, parent.1 + sum, parent.2 + squares);
            }
            let origin = poses.links[i].position;
            let turning = squares - 2.0 * origin.dot(sum) + carried * origin.length_squared();
            // a link that turns about its own centre moves, too, and one without mass may
            let (turning, sliding) = ((turning / all).max(1e-6), (carried / all).max(1e-6));
            of_link[i] = match link.joint {
                LinkJoint::Prismatic => JointWeight::Scale(sliding),
                LinkJoint::Free => {
                    let mut m = mat6::ZERO;
                    for k in 0..6 {
                        m[k][k] = if k < 3 { turning } else { sliding };
                    }
                    JointWeight::Matrix(Box::new(m))
                }
                _ => JointWeight::Scale(turning),
            };
        }
        Self { of_link }
    }

    /// These, by link.
    pub(crate) const fn of_links(of_link: Vec<JointWeight>) -> Self {
        Self { of_link }
    }

    /// The weights by link; empty while all are unit matrices.
    pub fn by_link(&self) -> &[JointWeight] {
        &self.of_link
    }

    /// Sets the weight of a link's joint; an error if a constant one is not symmetric positive definite.
    pub fn set(&mut self, tree: &Tree, link: LinkId, weight: JointWeight) -> Result<(), BadWeight> {
        let joint = &tree.links[link.index()];
        let dofs = joint.joint.dofs();
        let good = match &weight {
            JointWeight::Scale(s) => s.is_finite() && *s > 0.0,
            JointWeight::Matrix(m) => is_positive(m, dofs),
            JointWeight::Function(_) => true,
        };
        if !good {
            return Err(BadWeight { joint: joint.id, dofs });
        }
        self.of_link.resize(tree.links.len().max(self.of_link.len()), JointWeight::Scale(1.0));
        self.of_link[link.index()] = weight;
        Ok(())
    }

    /// The weight A_J of a link's joint at q, in the first rows and columns.
    #[inline(always)]
    pub fn of(&self, tree: &Tree, link: LinkId, q: &[f64]) -> Mat6 {
        match self.of_link.get(link.index()) {
            None => mat6::IDENTITY,
            Some(JointWeight::Scale(s)) => mat6::IDENTITY.map(|row| row.map(|x| x * s)),
            Some(JointWeight::Matrix(m)) => **m,
            Some(JointWeight::Function(f)) => {
                let at = tree.links[link.index()].q as usize;
                f(&q[at..at + positions(tree, &tree.links[link.index()])])
            }
        }
    }

    /// `xᵀ A_J x` for rates x of a link's joint.
    #[inline]
    pub fn norm(&self, tree: &Tree, link: LinkId, q: &[f64], x: &[f64]) -> f64 {
        let squares = || x.iter().map(|x| x * x).sum::<f64>();
        match self.of_link.get(link.index()) {
            None => squares(),
            Some(JointWeight::Scale(s)) => s * squares(),
            Some(_) => {
                let a = self.of(tree, link, q);
                let row = |i: usize| x.iter().zip(&a[i]).map(|(x, a)| x * a).sum::<f64>();
                x.iter().enumerate().map(|(i, x)| x * row(i)).sum()
            }
        }
    }
}

fn is_positive(m: &Mat6, dofs: usize) -> bool {
    // padded to a 6×6 matrix that is positive exactly if the block is
    let mut padded = mat6::IDENTITY;
    for i in 0..dofs {
        for j in 0..dofs {
            if m[i][j] != m[j][i] {
                return false;
            }
            padded[i][j] = m[i][j];
        }
    }
    mat6::inverse_positive(&padded).is_some_and(|m| m.iter().flatten().all(|x| x.is_finite()))
}
