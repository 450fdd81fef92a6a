use glam::DVec3;

use crate::dynamics::actuator::Actuator;
use crate::dynamics::integrate::{Load, Loads};
use crate::dynamics::spring::Spring;

/// The loads of the last update of an active region: one that is new or has changed much calls for the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct SeenLoads {
    wrenches: Vec<Load>,
    drives: Vec<(u32, f64)>,
    springs: Vec<Spring>,
    actuators: Vec<[f64; 13]>,
    gravity: DVec3,
}

impl SeenLoads {
    /// Stores all loads.
    pub(crate) fn note_loads(&mut self, loads: &Loads) {
        self.gravity = loads.gravity;
        self.wrenches.clear();
        self.wrenches.extend_from_slice(loads.wrenches);
        self.drives.clear();
        self.drives.extend(loads.driven.iter().map(|dof| (*dof, loads.tau[*dof as usize])));
        self.springs.clear();
        self.springs.extend_from_slice(loads.springs);
        self.actuators.clear();
        self.actuators.extend(loads.actuators.iter().map(numbers));
    }

    /// Whether all loads, gravity too, are just what they were.
    pub(crate) fn are_same(&self, loads: &Loads) -> bool {
        let drive = |((dof, old), now): (&(u32, f64), &u32)| dof == now && *old == loads.tau[*now as usize];
        self.gravity == loads.gravity
            && self.wrenches == loads.wrenches
            && self.springs == loads.springs
            && self.drives.len() == loads.driven.len()
            && self.drives.iter().zip(loads.driven).all(drive)
            && self.actuators.len() == loads.actuators.len()
            && self.actuators.iter().zip(loads.actuators).all(|(old, new)| *old == numbers(new))
    }

    /// Whether some load is new, is gone, or has changed by more than `share` of itself: wrenches and joint forces each,
    /// the controls of actuators all together, springs at all.
    pub(crate) fn changed(&self, loads: &Loads, share: f64) -> bool {
        let much = |change2: f64, old2: f64, new2: f64| change2 > share * share * old2.max(new2);
        if share.is_infinite() {
            return false;
        }
        if self.wrenches.len() != loads.wrenches.len() || self.drives.len() != loads.driven.len() {
            return true;
        }
        let square = |x: [f64; 6]| x.iter().map(|x| x * x).sum::<f64>();
        let wrench = |(old, new): (&Load, &Load)| {
            let (a, b) = (old.wrench.to_array(), new.wrench.to_array());
            let change = std::array::from_fn(|k| b[k] - a[k]);
            (old.body, old.axes) != (new.body, new.axes) || much(square(change), square(a), square(b))
        };
        let drive = |((dof, old), now): (&(u32, f64), &u32)| {
            let new = loads.tau[*now as usize];
            dof != now || much((new - old) * (new - old), old * old, new * new)
        };
        if self.actuators.len() != loads.actuators.len()
            || self.springs != loads.springs
            || self.gravity != loads.gravity
        {
            return true;
        }
        let (mut change2, mut old2, mut new2) = (0.0, 0.0, 0.0);
        for (old, new) in self.actuators.iter().zip(loads.actuators.iter().map(numbers)) {
            if old[1..] != new[1..] {
                return true;
            }
            change2 += (new[0] - old[0]) * (new[0] - old[0]);
            (old2, new2) = (old2 + old[0] * old[0], new2 + new[0] * new[0]);
        }
        much(change2, old2, new2)
            || self.wrenches.iter().zip(loads.wrenches).any(wrench)
            || self.drives.iter().zip(loads.driven).any(drive)
    }
}

/// All that an actuator does follows from these numbers: its control first, then what else it is.
fn numbers(a: &Actuator) -> [f64; 13] {
    let [control_from, control_to] = a.control_range.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
    let [force_from, force_to] = a.force_range.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
    let (joint, axis) = (f64::from(a.joint.0), a.axis as f64);
    let (a1, a2) = ([a.control, joint, axis, a.gear, a.gain], [a.offset, a.stiffness, a.damping, a.zero]);
    let ranges = [control_from, control_to, force_from, force_to];
    std::array::from_fn(|i| match i {
        0..5 => a1[i],
        5..9 => a2[i - 5],
        _ => ranges[i - 9],
    })
}
