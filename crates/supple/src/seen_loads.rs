use glam::DVec3;

use crate::dynamics::integrate::{Load, Loads};
use crate::dynamics::spring::Spring;

/// The loads of the last update of an active region: one that is new or has changed much calls for the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct SeenLoads {
    wrenches: Vec<Load>,
    drives: Vec<(u32, f64)>,
    springs: Vec<Spring>,
    controls: Vec<f64>,
    gravity: DVec3,
}

impl SeenLoads {
    /// Takes note of all loads.
    pub(crate) fn look(&mut self, loads: &Loads) {
        self.gravity = loads.gravity;
        self.wrenches.clear();
        self.wrenches.extend_from_slice(loads.wrenches);
        self.drives.clear();
        self.drives.extend(loads.driven.iter().map(|dof| (*dof, loads.tau[*dof as usize])));
        self.springs.clear();
        self.springs.extend_from_slice(loads.springs);
        self.controls.clear();
        self.controls.extend(loads.actuators.iter().map(|a| a.control));
    }

    /// Whether all loads, gravity too, are just what they were.
    pub(crate) fn are_same(&self, loads: &Loads) -> bool {
        let drive = |((dof, old), now): (&(u32, f64), &u32)| dof == now && *old == loads.tau[*now as usize];
        self.gravity == loads.gravity
            && self.wrenches == loads.wrenches
            && self.springs == loads.springs
            && self.drives.len() == loads.driven.len()
            && self.drives.iter().zip(loads.driven).all(drive)
            && self.controls.len() == loads.actuators.len()
            && self.controls.iter().zip(loads.actuators).all(|(old, new)| *old == new.control)
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
        if self.controls.len() != loads.actuators.len() || self.springs != loads.springs {
            return true;
        }
        let (mut change2, mut old2, mut new2) = (0.0, 0.0, 0.0);
        for (old, new) in self.controls.iter().zip(loads.actuators.iter().map(|a| a.control)) {
            change2 += (new - old) * (new - old);
            (old2, new2) = (old2 + old * old, new2 + new * new);
        }
        much(change2, old2, new2)
            || self.wrenches.iter().zip(loads.wrenches).any(wrench)
            || self.drives.iter().zip(loads.driven).any(drive)
    }
}
