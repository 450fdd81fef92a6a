//! Who falls asleep at the end of a step.
//!
//! Bodies that constraints join rest or move as one unit; so does an articulation, and every other single body. A unit falls asleep when
//! it has been slow for long enough, its motion does not grow, something that does not move holds it, and it does not fall about an edge
//! ([`super::balance`]): sleep takes what momentum is left, and only something fixed can take it from bodies.

use glam::DVec3;

use crate::bodies::{Node, Seen, Sleep};
use crate::constraint::island::Island;
use crate::constraint::topology::NodeIx;
use crate::contact::body_colliders::Group;
use crate::model::{Element, LinkJoint, Tree};
use crate::world::{AnyConstraint, Articulations, Holders, SingleBody, Slots, World};

/// What falls asleep as one, at the end of a step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Unit {
    /// How many bodies and articulations of it are awake.
    awake: u32,
    /// Whether it touches anything.
    touches: bool,
    /// Whether something of it is too fast for rest.
    fast: bool,
    /// Whether all of it has been calm for long enough.
    pub(super) rests: bool,
    mass: f64,
    /// Sum of mass times squared speed \[J].
    twice_energy: f64,
    /// What others gave it in the step, sum of sizes \[N·s].
    given: f64,
    /// From the frame of a body to the farthest point of its colliders \[m], the greatest.
    reach: f64,
    /// The reach of the single body that has this number, in an island or not \[m].
    pub(super) own_reach: f64,
}

/// What is at the other side of a contact or constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    /// Nothing moves it.
    Fixed,
    /// The user moves it.
    Led,
    Unit(usize),
}

/// Numbers of units: single bodies first, then articulations, then islands.
#[derive(Clone, Copy)]
struct Numbers<'a> {
    singles: &'a Slots<SingleBody>,
    articulations: &'a Articulations,
    island_of: &'a [Vec<Option<u32>>; 2],
}

impl Numbers<'_> {
    fn owners(self) -> usize {
        self.singles.places() + self.articulations.places()
    }

    fn of_single(self, place: usize) -> usize {
        match self.island_of[0].get(place) {
            Some(Some(island)) => self.owners() + *island as usize,
            _ => place,
        }
    }

    fn of_articulation(self, place: usize) -> usize {
        match self.island_of[1].get(place) {
            Some(Some(island)) => self.owners() + *island as usize,
            _ => self.singles.places() + place,
        }
    }

    #[inline]
    fn side(self, group: Group) -> Side {
        match group {
            Group::World => Side::Fixed,
            Group::Single(place) => {
                let body = self.singles.at(place as usize);
                if body.is_at_rest() || body.sleep.is_asleep() {
                    Side::Fixed
                } else if body.is_kinematic() {
                    Side::Led
                } else {
                    Side::Unit(self.of_single(place as usize))
                }
            }
            Group::Link(place, _) if self.articulations.at(place as usize).sleep.is_asleep() => Side::Fixed,
            Group::Link(place, _) => Side::Unit(self.of_articulation(place as usize)),
        }
    }

    fn side_of_node(self, node: Node) -> Side {
        match node {
            Node::Single { place } => self.side(Group::Single(place)),
            Node::Port { articulation, .. } => self.side(Group::Link(articulation, 0)),
        }
    }
}

impl World {
    /// Sends to sleep what rests, after a step of `dt` \[s].
    pub(super) fn send_to_sleep(&mut self, dt: f64) {
        let mut units = std::mem::take(&mut self.contacts.sleepers.units);
        self.see_units(&mut units, dt);
        self.note_calm(&mut units, dt);
        let any = units.iter().any(|unit| unit.awake > 0 && unit.rests);
        if any && self.keep_supported(&mut units) && self.keep_balanced(&mut units) {
            self.fall_asleep(&units);
        }
        self.contacts.sleepers.units = units;
    }

    fn numbers(&self) -> Numbers<'_> {
        Numbers { singles: &self.singles, articulations: &self.articulations, island_of: &self.island_of }
    }

    /// Who is slow, who touches something, and what holds it.
    fn see_units(&self, units: &mut Vec<Unit>, dt: f64) {
        units.clear();
        units.resize(self.numbers().owners() + self.islands.len(), Unit::default());
        self.see_speeds(units);
        // most steps of what moves end here: a pile that falls has hundreds of pairs
        if units.iter().any(|unit| unit.awake > 0 && !unit.fast) {
            self.see_support(units, dt);
        }
    }

    /// How fast units are, of all that is awake.
    fn see_speeds(&self, units: &mut [Unit]) {
        let (slow, long) = (self.settings.contact.slow, self.settings.contact.calm);
        let numbers = self.numbers();
        let Self { contacts, singles, articulations, islands, .. } = self;
        for collider_set in &contacts.registry.collider_sets {
            let reach = collider_set.radius.min(1e3);
            if let Side::Unit(unit) = numbers.side(collider_set.group) {
                units[unit].reach = units[unit].reach.max(reach);
            }
            if let Group::Single(place) = collider_set.group {
                units[place as usize].own_reach = reach;
            }
        }
        // what is small moves by its own size at a lower speed
        let limit = |reach: f64| if reach > 0.0 { slow.min(reach / long) } else { slow };
        for (id, body) in singles.iter().filter(|(_, b)| !b.is_kinematic() && !b.sleep.is_asleep()) {
            let own_reach = units[id.index()].own_reach;
            let unit = &mut units[numbers.of_single(id.index())];
            unit.awake += 1;
            if unit.fast {
                continue;
            }
            // the fastest point of its colliders
            let speed = body.velocity().length() + body.omega().length() * own_reach;
            unit.fast = !(speed < limit(unit.reach));
            unit.mass += body.mass();
            // of bodies that hang together as of links: an extremity that trembles counts as far as it weighs
            let is_loose = numbers.of_single(id.index()) == id.index();
            unit.twice_energy +=
                if is_loose { body.mass() * speed * speed } else { 2.0 * body.kinetic_energy() };
        }
        for (id, it) in articulations.iter().filter(|(_, a)| !a.sleep.is_asleep()) {
            let unit = &mut units[numbers.of_articulation(id.index())];
            unit.awake += 1;
            if unit.fast {
                continue;
            }
            unit.fast = !it.is_slow(limit(unit.reach));
            if unit.fast {
                continue;
            }
            let mass = it.mass();
            unit.mass += mass;
            unit.twice_energy += mass * it.speed() * it.speed();
        }
        for (i, island) in islands.iter().enumerate().filter(|(_, island)| !island.is_asleep()) {
            let unit = &mut units[numbers.owners() + i];
            unit.fast |= island.nodes().iter().any(|node| numbers.side_of_node(*node) == Side::Led);
        }
    }

    /// What units touch, and what others gave them in a step of `dt` \[s].
    fn see_support(&self, units: &mut [Unit], dt: f64) {
        let numbers = self.numbers();
        let Self { contacts, articulations, islands, constraints, .. } = self;
        for pair in contacts.detection.broad.pairs.iter().filter(|pair| !pair.sensor && !pair.is_idle()) {
            let sides = pair.collider_sets.map(|collider_set| {
                numbers.side(contacts.registry.collider_sets[collider_set as usize].group)
            });
            for side in sides {
                if let Side::Unit(unit) = side {
                    units[unit].touches |= pair.touches;
                    if sides[0] != sides[1] {
                        units[unit].given += pair.impulse.length();
                    }
                }
            }
        }
        for (id, it) in articulations.iter().filter(|(_, a)| !a.sleep.is_asleep()) {
            let unit = &mut units[numbers.of_articulation(id.index())];
            if unit.touches && !unit.fast && is_anchored(it.simulation.model.tree()) {
                // its base holds at least its weight
                unit.given += it.mass() * self.gravity.length() * dt;
            }
        }
        for (i, island) in islands.iter().enumerate().filter(|(_, island)| !island.is_asleep()) {
            let unit = &mut units[numbers.owners() + i];
            if unit.touches && !unit.fast {
                unit.given += dt * fixed_joints(island, constraints, numbers).sum::<f64>();
            }
        }
    }

    /// Notes how bodies moved, and who has been calm for long enough.
    fn note_calm(&mut self, units: &mut [Unit], dt: f64) {
        let (slow, long) = (self.settings.contact.slow, self.settings.contact.calm);
        for unit in units.iter_mut() {
            unit.rests = true;
        }
        let Self { singles, articulations, island_of, .. } = self;
        let owners = singles.places() + articulations.places();
        let mut note = |unit: Option<u32>, own: usize, sleep: &mut Sleep| {
            if sleep.is_asleep() {
                return;
            }
            let unit = &mut units[unit.map_or(own, |island| owners + island as usize)];
            let history = sleep.history();
            if unit.touches && !unit.fast {
                let seen =
                    Seen { square: unit.twice_energy / unit.mass, push: unit.given / (unit.mass * dt) };
                history.note(seen, dt, long);
            } else {
                history.forget();
            }
            unit.rests &= history.is_at_rest(dt, slow);
        };
        let places = singles.places();
        for (id, body) in singles.iter_mut().filter(|(_, body)| !body.is_kinematic()) {
            let island = island_of[0].get(id.index()).copied().flatten();
            note(island, id.index(), &mut body.sleep);
        }
        for (id, it) in articulations.iter_mut() {
            let island = island_of[1].get(id.index()).copied().flatten();
            note(island, places + id.index(), &mut it.sleep);
        }
    }

    /// Of what rests, keeps that which hangs together with something fixed by contacts and constraints that pushed in the last step;
    /// whether anything is left.
    fn keep_supported(&mut self, units: &mut [Unit]) -> bool {
        let mut root = std::mem::take(&mut self.contacts.sleepers.roots);
        let numbers = self.numbers();
        let Self { contacts, islands, constraints, articulations, .. } = &*self;
        let fixed = units.len();
        root.clear();
        root.extend(0..=fixed as u32);
        let mut join = |sides: [Side; 2]| {
            let ends = sides.map(|side| match side {
                Side::Fixed => Some(fixed),
                Side::Led => None,
                Side::Unit(unit) => Some(unit),
            });
            if let [Some(a), Some(b)] = ends {
                let (a, b) = (super::connect::find(&mut root, a), super::connect::find(&mut root, b));
                root[a.min(b)] = a.max(b) as u32;
            }
        };
        for pair in &contacts.detection.broad.pairs {
            if !pair.sensor && pair.impulse != DVec3::ZERO {
                join(pair.collider_sets.map(|collider_set| {
                    numbers.side(contacts.registry.collider_sets[collider_set as usize].group)
                }));
            }
        }
        for (i, island) in islands.iter().enumerate() {
            if fixed_joints(island, constraints, numbers).any(|force| force > 0.0) {
                join([Side::Unit(numbers.owners() + i), Side::Fixed]);
            }
        }
        for (id, it) in articulations.iter() {
            let unit = numbers.of_articulation(id.index());
            if units[unit].rests && is_anchored(it.simulation.model.tree()) {
                join([Side::Unit(unit), Side::Fixed]);
            }
        }
        let mut any = false;
        let ground = super::connect::find(&mut root, fixed);
        for (i, unit) in units.iter_mut().enumerate() {
            unit.rests &= unit.awake > 0 && super::connect::find(&mut root, i) == ground;
            any |= unit.rests;
        }
        self.contacts.sleepers.roots = root;
        any
    }

    /// Lets the units that rest fall asleep.
    fn fall_asleep(&mut self, units: &[Unit]) {
        let Self { contacts, singles, articulations, islands, island_of, .. } = self;
        let owners = singles.places() + articulations.places();
        let rests =
            |island: Option<u32>, own: usize| units[island.map_or(own, |i| owners + i as usize)].rests;
        let places = singles.places();
        for (id, body) in singles.iter_mut().filter(|(_, b)| !b.is_kinematic() && !b.sleep.is_asleep()) {
            if rests(island_of[0].get(id.index()).copied().flatten(), id.index()) {
                body.sleep.fall();
                body.set_motion(DVec3::ZERO, DVec3::ZERO);
            }
        }
        for (id, it) in articulations.iter_mut().filter(|(_, a)| !a.sleep.is_asleep()) {
            if rests(island_of[1].get(id.index()).copied().flatten(), places + id.index()) {
                it.sleep.fall();
                it.stop();
            }
        }
        for (island, _) in islands.iter_mut().zip(&units[owners..]).filter(|(_, unit)| unit.rests) {
            island.fall_asleep();
            island.clear_impulses();
        }
        for pair in &mut contacts.detection.broad.pairs {
            pair.asleep_impulse = pair.impulse;
        }
        // what was solved for has fewer movers now
        contacts.detection.detected = false;
        self.known = self.known.min(super::Known::Islands);
    }
}

/// Forces \[N] of the joints of an island to something fixed. What couples joints of articulations holds nothing up.
fn fixed_joints<'a>(
    island: &'a Island,
    constraints: &'a Holders,
    numbers: Numbers<'a>,
) -> impl Iterator<Item = f64> + 'a {
    // what broke in this step is gone, and the islands do not know yet
    let joints = island.joints().iter().filter(move |joint| constraints.is_taken(joint.constraint()));
    joints.filter_map(move |joint| {
        let is_fixed =
            |end: &Option<NodeIx>| end.is_none_or(|n| numbers.side_of_node(island.nodes()[n]) == Side::Fixed);
        let holder = constraints.at(joint.constraint());
        let holds = matches!(holder.constraint, AnyConstraint::Joint(_)) && joint.ends().iter().any(is_fixed);
        holds.then(|| holder.force.linear.length())
    })
}

/// Whether no part of an articulation can drift away without turning.
fn is_anchored(tree: &Tree) -> bool {
    let slides = |joint: LinkJoint| match joint {
        LinkJoint::Revolute | LinkJoint::Spherical => false,
        LinkJoint::Prismatic | LinkJoint::Helical { .. } | LinkJoint::Free => true,
        LinkJoint::Compound { first, count, .. } => tree.elements[first as usize..(first + count) as usize]
            .iter()
            .any(|element| matches!(element, Element::Slide { .. })),
    };
    !tree.links.iter().any(|link| link.parent.is_none() && slides(link.joint))
}
