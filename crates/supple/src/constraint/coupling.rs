use crate::bodies::ArticulationId;

/// A degree of freedom of an articulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DofRef {
    /// The articulation.
    pub articulation: ArticulationId,
    /// Its degree of freedom, of a joint whose position is one number per degree of freedom (no ball, no free joint).
    pub dof: usize,
}

/// Joints that move together: `q_follower = offset + Σ_k coefficients\[k] (q_leader)^(k+1)`. URDF's mimic joints and MJCF's joint
/// equalities; without a leader the follower is held at `offset`.
#[derive(Clone, Debug, PartialEq)]
pub struct Coupling {
    /// For messages and reports.
    pub name: String,
    /// What follows.
    pub follower: DofRef,
    /// What it follows.
    pub leader: Option<DofRef>,
    /// Value of the follower where the leader is at zero \[rad or m].
    pub offset: f64,
    /// Polynomial of the leader's position, without its constant.
    pub coefficients: Vec<f64>,
}

impl Coupling {
    /// Error and its derivative along the leader, where both are at these positions.
    pub(crate) fn error(&self, follower: f64, leader: f64) -> (f64, f64) {
        let (mut value, mut slope) = (0.0, 0.0);
        // Horner, with the derivative beside it
        for c in self.coefficients.iter().rev() {
            slope = slope * leader + value + c;
            value = (value + c) * leader;
        }
        // slope above is d(value)/dx: value_k = (value_{k+1} + c) x
        (follower - self.offset - value, -slope)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::World;
    use crate::{Body, Joint, ModelBuilder, RigidInertia, Simulation};

    #[test]
    fn the_slope_is_that_of_the_error() {
        let body = Body::new("slider", Joint::prismatic(glam::DVec3::X)).inertia(RigidInertia::solid_sphere(
            1.0,
            0.1,
            glam::DVec3::ZERO,
        ));
        let model = ModelBuilder::new().body(body).finish().expect("a slider");
        let dof = DofRef { articulation: World::new().add_articulation(Simulation::new(model)), dof: 0 };
        let coefficients = vec![0.5, -0.3, 0.2, 0.7];
        let c = Coupling { name: String::new(), follower: dof, leader: Some(dof), offset: 0.1, coefficients };
        let x = 0.8f64;
        let exact = 0.25 - 0.1 - (0.5 * x - 0.3 * x.powi(2) + 0.2 * x.powi(3) + 0.7 * x.powi(4));
        let (error, slope) = c.error(0.25, x);
        assert!((error - exact).abs() < 1e-15, "{error} {exact}");
        let h = 1e-6;
        let difference = (c.error(0.25, x + h).0 - c.error(0.25, x - h).0) / (2.0 * h);
        assert!((slope - difference).abs() < 1e-9, "{slope} {difference}");
    }
}
