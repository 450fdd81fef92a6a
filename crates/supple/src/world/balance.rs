//! Whether what is about to fall asleep falls: single bodies that stand on an edge or on a corner.
//!
//! A fall from just beyond the balance is hidden at first by what is left of an impact or by what the solver leaves, which is faster, and
//! dies away: by their speeds alone ([`crate::bodies::motion_history`]) such bodies rest. But whatever points on a line give, they do not turn a body about
//! that line. Where the weight does, and the body turns as it says, it falls.

use glam::DVec3;

use crate::contact::solver::Pushed;
use crate::world::fall_asleep::Unit;
use crate::world::{SingleBody, World};

/// A body is in balance if its weight passes the line on which it stands at less than this share of its reach: what is
/// left of rounding a kilometre from the origin is a hundredth of that, for a body of a centimetre.
const BALANCED: f64 = 1e-7;
/// Points are on a line if they are off it by less than this share of the reach of their body: those of an edge are by rounding, those of
/// the narrow side of a sheet of a metre that is 10 µm thick are not.
const STRAIGHT: f64 = 1e-6;

/// A point that holds a single body.
struct Hold {
    place: u32,
    at: DVec3,
    /// Whether it resists rolling, which turns about any line.
    rolls: bool,
}

impl World {
    /// Of the units that rest, keeps those that do not fall; whether any are left.
    pub(super) fn keep_balanced(&self, units: &mut [Unit]) -> bool {
        let solver = &self.contacts.problem.solver;
        // a point farther away holds nothing before the body has moved by more than the solver leaves
        let near = self.settings.contact.tolerance;
        let mut holds = Vec::new();
        for touch in &solver.touches {
            for side in touch.sides {
                // of those that are joined to others the own number is that of no unit, which does not rest
                if let Pushed::Single(place) = solver.movers[side.mover as usize].body
                    && units[place as usize].rests
                {
                    let points = solver.points[touch.range()].iter();
                    let points = points.filter(|p| p.impulse[0] > 0.0 || p.separation <= near);
                    let rolls = touch.rolling > 0.0;
                    holds.extend(points.map(|point| Hold { place, at: point.at, rolls }));
                }
            }
        }
        holds.sort_by_key(|hold| hold.place);
        for holds in holds.chunk_by(|a, b| a.place == b.place) {
            let place = holds[0].place as usize;
            let unit = &mut units[place];
            unit.rests = !falls(self.singles.at(place), unit.own_reach, holds, self.gravity);
        }
        units.iter().any(|unit| unit.rests)
    }
}

/// Whether a body falls about the line, or the point, on which it stands.
fn falls(body: &SingleBody, reach: f64, holds: &[Hold], gravity: DVec3) -> bool {
    let first = holds[0].at;
    let way = holds
        .iter()
        .map(|hold| hold.at - first)
        .fold(DVec3::ZERO, |far, way| if way.length_squared() > far.length_squared() { way } else { far });
    let along = way.normalize_or_zero();
    let straight = holds.iter().all(|hold| (hold.at - first).cross(along).length() <= STRAIGHT * reach);
    if !straight || holds.iter().any(|hold| hold.rolls) {
        return false;
    }
    let force = gravity * body.mass() + body.wrench.linear;
    let arm = body.centre() - first;
    // what hangs below, as a hook does, comes back
    if arm.dot(force) >= 0.0 {
        return false;
    }
    let moment = arm.cross(force) + body.wrench.angular;
    // of one point about any axis
    let moment = if way.length() > STRAIGHT * reach { along * along.dot(moment) } else { moment };
    moment.length() > BALANCED * reach * force.length() && moment.dot(body.omega()) > 0.0
}
