//! Rows of contacts at the present pose: manifolds that touch have rows at once, others when they are activated.
//!
//! Contacts are detected as far ahead as bodies may move within a step, so most of them never act: of a pile that lands, four points of
//! five. Those wait without rows. While contacts are solved, [`Contacts::activate`] finds which of them would penetrate by the present
//! velocities, and makes rows for these.

use glam::DVec3;

use crate::bodies::Node;
use crate::contact::body_colliders::Group;
use crate::contact::pair::{Pair, WarmStart};
use crate::contact::reduce;
use crate::contact::solver::{self, ContactSolver, Surface};
use crate::contact::{Material, Meeting, Side};
use crate::spatial::Force;
use crate::spatial::vec8::Vec8;
use crate::world::contacts::{ColliderRegistry, ContactProblem, Detection};
use crate::world::contacts::{Contacts, NONE};
use crate::world::fast_after_impact::update_pushed_motions;
use crate::world::{Articulations, SingleBody, Slots, World};

/// Manifolds with points nearer than this have rows from the start \[m].
const NEAR: f64 = 1e-3;
/// Points that would be nearer than this at the end of the step are about to touch \[m].
const SOON: f64 = 2e-4;

/// Manifolds without rows, which may never act.
#[derive(Clone, Debug, Default)]
pub(crate) struct Waiting {
    manifolds: Vec<Near>,
    points: Vec<NearPoint>,
}

#[derive(Clone, Copy, Debug)]
struct Near {
    groups: [Group; 2],
    movers: [u32; 2],
    collider_sets: [u32; 2],
    pair: u32,
    manifold: u32,
    surface: Surface,
    normal: DVec3,
    first: u32,
    count: u32,
    /// Whether it is to have rows.
    needs_rows: bool,
}

#[derive(Clone, Copy, Debug)]
struct NearPoint {
    at: DVec3,
    separation: f64,
    place: u32,
    warm_start: WarmStart,
}

impl Waiting {
    pub(crate) fn is_empty(&self) -> bool {
        self.manifolds.is_empty()
    }

    fn clear(&mut self) {
        self.manifolds.clear();
        self.points.clear();
    }

    fn push(&mut self, near: Near) {
        let needs_rows = |p: &NearPoint| p.separation <= NEAR || p.warm_start != WarmStart::default();
        let (first, count) = (near.first, self.points.len() as u32 - near.first);
        let needs_rows = self.points[first as usize..].iter().any(needs_rows);
        self.manifolds.push(Near { count, needs_rows, ..near });
    }

    /// Marks the manifolds that need rows; whether there are any.
    fn ask(&mut self, needs_rows: impl Fn(&Near, &NearPoint) -> bool) -> bool {
        let Self { manifolds, points } = self;
        let mut any = false;
        for near in manifolds {
            near.needs_rows = points[near.range()].iter().any(|point| needs_rows(near, point));
            any |= near.needs_rows;
        }
        any
    }
}

impl Near {
    fn range(&self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }
}

impl World {
    /// Makes the movers at the present pose, and rows of manifolds that touch. The solver fills in velocities.
    pub(super) fn make_rows(&mut self) {
        self.gather_near();
        let Self { contacts, articulations, singles, islands, .. } = self;
        contacts.add_due(articulations, singles);
        let Contacts { problem: ContactProblem { solver, mover_of, first_of, pushed, .. }, .. } = contacts;
        let mut movers = Movers { mover_of, first_of, singles };
        // islands that contacts push, whole
        for (i, island) in islands.iter().enumerate() {
            pushed[i] = !island.is_asleep() && island.nodes().iter().any(|node| movers.find(*node).is_some());
            if pushed[i] {
                for node in island.nodes() {
                    match *node {
                        Node::Single { place } => movers.single(place, solver),
                        Node::Port { articulation, .. } => {
                            if movers.find(*node).is_none() {
                                // pushed through its constraints alone
                                articulations.at_mut(articulation as usize).factor_root();
                            }
                            movers.articulation(articulation, solver, articulations)
                        }
                    };
                }
            }
        }
    }

    /// Collects all manifolds that may push something, and makes movers for the bodies that they may push.
    fn gather_near(&mut self) {
        let Self { contacts, articulations, singles, islands, .. } = self;
        let Contacts {
            registry: ColliderRegistry { collider_sets, colliders, hooks, .. },
            detection: Detection { broad, .. },
            problem: ContactProblem { solver, waiting, mover_of, first_of, pushed },
            ..
        } = contacts;
        solver.clear();
        waiting.clear();
        mover_of.clear();
        mover_of.resize(singles.places(), NONE);
        first_of.clear();
        first_of.resize(articulations.places(), NONE);
        pushed.clear();
        pushed.resize(islands.len(), false);
        let mut movers = Movers { mover_of, first_of, singles };
        let pushes = |(_, pair): &(usize, &Pair)| !pair.sensor && pair.has_points();
        for (p, pair) in broad.pairs.iter().enumerate().filter(pushes) {
            let both = pair.collider_sets.map(|s| &collider_sets[s as usize]);
            let groups = both.map(|collider_set| collider_set.group);
            if both[0].still && both[1].still || groups[0] == groups[1] {
                continue;
            }
            let parts = [0, 1].map(|i| &both[i].parts[pair.parts[i] as usize]);
            let attached = parts.map(|part| colliders.at(part.collider as usize));
            let material = attached[0].collider.material.with(&attached[1].collider.material);
            for (m, manifold) in pair.manifolds.iter().enumerate() {
                if manifold.points.is_empty() {
                    continue;
                }
                let first = manifold.subshape_pos1().map_or(parts[0].pose, |p| parts[0].pose * *p);
                let second = manifold.subshape_pos2().map_or(parts[1].pose, |p| parts[1].pose * *p);
                let normal = first.rotation * manifold.local_n1;
                if !(normal.is_finite() && normal.length_squared() > 0.5) {
                    continue;
                }
                let mut meeting = Meeting {
                    sides: [0, 1].map(|i| Side {
                        id: colliders.id_at(parts[i].collider as usize),
                        collider: &attached[i].collider,
                        body: attached[i].body,
                    }),
                    normal,
                    material,
                    pushes: true,
                };
                if let Some(hooks) = hooks {
                    hooks.meets(&mut meeting);
                }
                if !meeting.pushes {
                    continue;
                }
                let Some(met) = movers.meet(groups, solver, articulations) else { continue };
                let Material { friction, restitution, rolling } = meeting.material;
                let begin = waiting.points.len() as u32;
                let chosen = (manifold.points.len() > reduce::ENOUGH).then(|| {
                    let points = &manifold.points;
                    reduce::choose(
                        points.len(),
                        |i| points[i].local_p1,
                        manifold.local_n1,
                        |i| -points[i].dist,
                    )
                });
                for (k, point) in manifold.points.iter().enumerate() {
                    if chosen.is_some_and(|chosen| !chosen.contains(&k)) {
                        continue;
                    }
                    let at = 0.5 * (first * point.local_p1 + second * point.local_p2);
                    if !at.is_finite() || !point.dist.is_finite() {
                        continue;
                    }
                    let mut warm_start = point.data;
                    if let Some(chosen) = chosen {
                        // what is left out now may have held something before
                        let place = |i: usize| manifold.points[i].local_p1;
                        for left in reduce::left_to(&chosen, k, manifold.points.len(), place) {
                            warm_start.impulse += manifold.points[left].data.impulse;
                            warm_start.normal += manifold.points[left].data.normal;
                        }
                    }
                    waiting.points.push(NearPoint {
                        at,
                        separation: point.dist,
                        place: k as u32,
                        warm_start,
                    });
                }
                waiting.push(Near {
                    groups,
                    movers: met,
                    collider_sets: pair.collider_sets,
                    pair: p as u32,
                    manifold: m as u32,
                    surface: Surface { friction, restitution, rolling },
                    normal,
                    first: begin,
                    count: 0,
                    needs_rows: false,
                });
            }
        }
    }
}

impl Contacts {
    /// Whether anything touches, or may within the step.
    pub(super) fn are_any(&self) -> bool {
        !self.problem.solver.touches.is_empty() || !self.problem.waiting.is_empty()
    }

    /// Makes rows for manifolds that would penetrate within `dt` \[s] by the velocities found so far; how many of them.
    pub(super) fn activate(
        &mut self,
        articulations: &mut Articulations,
        singles: &Slots<SingleBody>,
        dt: f64,
    ) -> usize {
        if self.problem.waiting.is_empty() {
            return 0;
        }
        update_pushed_motions(&self.problem.solver, &self.problem.first_of, articulations);
        let Self { problem: ContactProblem { solver, waiting, mover_of, first_of, .. }, .. } = self;
        let velocity = |group: Group, at: DVec3| match group {
            Group::Single(place) if mover_of[place as usize] != NONE => {
                let body = singles.at(place as usize);
                let mover = mover_of[place as usize] as usize;
                // what nothing pushes has a velocity of its own
                let is_fixed = solver.movers[mover].is_fixed();
                let motion = if is_fixed { body.moving.motion() } else { solver.motion(mover) };
                motion.at(at - body.centre()).linear
            }
            Group::Link(place, link) if first_of[place as usize] != NONE => {
                articulations.at(place as usize).pushed_at(link, at).linear
            }
            _ => DVec3::ZERO,
        };
        let any = waiting.ask(|near, point| {
            if !near.movers.iter().any(|mover| solver.has_changed(*mover)) {
                return false;
            }
            let [a, b] = near.groups.map(|group| velocity(group, point.at));
            point.separation + dt * near.normal.dot(b - a) < SOON
        });
        solver.note_asked();
        if !any {
            return 0;
        }
        let before = self.problem.solver.touches.len();
        let count = self.add_due(articulations, singles);
        self.problem.solver.join(before, dt, |place| singles.at(place as usize).moving.motion());
        count
    }

    /// Whether any manifold has restitution.
    pub(super) fn bounces(&self) -> bool {
        self.problem.solver.touches.iter().any(|touch| touch.restitution > 0.0)
            || self.problem.waiting.manifolds.iter().any(|near| near.surface.restitution > 0.0)
    }

    /// Makes rows for manifolds with points nearer than this \[m].
    pub(super) fn activate_near(
        &mut self,
        articulations: &mut Articulations,
        singles: &Slots<SingleBody>,
        near: f64,
    ) {
        if self.problem.waiting.ask(|_, point| point.separation < near) {
            self.add_due(articulations, singles);
        }
    }

    /// Makes rows for the manifolds that need them; how many.
    fn add_due(&mut self, articulations: &mut Articulations, singles: &Slots<SingleBody>) -> usize {
        let Self { problem: ContactProblem { solver, waiting, mover_of, first_of, .. }, .. } = self;
        let mut movers = Movers { mover_of, first_of, singles };
        let Waiting { manifolds, points } = waiting;
        let before = solver.touches.len();
        for near in manifolds.iter().filter(|near| near.needs_rows) {
            let ends = movers.ends(near.groups, solver, articulations);
            solver.begin_touch(ends.map(|end| end.side), near.pair, near.manifold, near.surface);
            if let Some(touch) = solver.touches.last_mut() {
                touch.collider_sets = near.collider_sets;
            }
            let mut row = |solver: &ContactSolver, side: usize, force: Force, row: &mut [Vec8]| {
                fill_row(solver, articulations, &ends, side, force, row);
            };
            for point in &points[near.range()] {
                let it = solver.add_point(point.at, near.normal, point.separation, &mut row);
                (it.place, it.warm_start) = (point.place, point.warm_start);
            }
            solver.end_touch(&mut row);
        }
        manifolds.retain(|near| !near.needs_rows);
        solver.touches.len() - before
    }
}

/// One end of a manifold: its side, and the link if it is one.
#[derive(Clone, Copy)]
struct End {
    side: solver::Side,
    link: Option<(u32, u32)>,
}

/// Finds movers by their bodies, and makes them when they are first needed.
struct Movers<'a> {
    mover_of: &'a mut [u32],
    first_of: &'a mut [u32],
    singles: &'a Slots<SingleBody>,
}

impl Movers<'_> {
    fn find(&self, node: Node) -> Option<u32> {
        let mover = match node {
            Node::Single { place } => self.mover_of[place as usize],
            Node::Port { articulation, .. } => self.first_of[articulation as usize],
        };
        (mover != NONE).then_some(mover)
    }

    fn single(&mut self, place: u32, solver: &mut ContactSolver) -> u32 {
        let body = self.singles.at(place as usize);
        if body.sleep.is_asleep() {
            return 0;
        }
        if self.mover_of[place as usize] == NONE {
            let inertia = body.moving.inverse_inertia_world();
            self.mover_of[place as usize] =
                solver.add_single(place, body.centre(), body.moving.inverse_mass, inertia);
        }
        self.mover_of[place as usize]
    }

    fn articulation(&mut self, place: u32, solver: &mut ContactSolver, articulations: &Articulations) -> u32 {
        let owner = articulations.at(place as usize);
        if owner.sleep.is_asleep() || owner.alone {
            return 0;
        }
        if self.first_of[place as usize] == NONE {
            let links = owner.simulation.stepped_tree().links.len();
            self.first_of[place as usize] = solver.add_articulation(place, links, owner.contact.root.len());
        }
        self.first_of[place as usize]
    }

    /// Movers of the two ends of a manifold, if any of them moves.
    fn meet(
        &mut self,
        groups: [Group; 2],
        solver: &mut ContactSolver,
        articulations: &Articulations,
    ) -> Option<[u32; 2]> {
        let movers = groups.map(|group| match group {
            Group::World => 0,
            Group::Single(place) => self.single(place, solver),
            Group::Link(place, _) => self.articulation(place, solver, articulations),
        });
        movers.iter().any(|mover| !solver.movers[*mover as usize].is_fixed()).then_some(movers)
    }

    /// Both ends of a manifold of which something moves.
    fn ends(
        &mut self,
        groups: [Group; 2],
        solver: &mut ContactSolver,
        articulations: &mut Articulations,
    ) -> [End; 2] {
        if let [Group::Link(a, i), Group::Link(b, j)] = groups
            && a == b
        {
            let mover = self.articulation(a, solver, articulations);
            let root = &mut articulations.at_mut(a as usize).contact.root;
            let sides = solver.own_sides(mover, [i as usize, j as usize], root);
            return [End { side: sides[0], link: Some((a, i)) }, End { side: sides[1], link: Some((b, j)) }];
        }
        groups.map(|group| match group {
            Group::World => End { side: solver.side(0), link: None },
            Group::Single(place) => {
                let mover = self.single(place, solver);
                End { side: solver.side(mover), link: None }
            }
            Group::Link(place, link) => {
                let mover = self.articulation(place, solver, articulations);
                if mover == 0 {
                    return End { side: solver.side(0), link: None };
                }
                let root = &mut articulations.at_mut(place as usize).contact.root;
                End { side: solver.link_side(mover, link as usize, root), link: Some((place, link)) }
            }
        })
    }
}

/// The row of a force on one end of a manifold.
fn fill_row(
    solver: &ContactSolver,
    articulations: &mut Articulations,
    ends: &[End; 2],
    side: usize,
    force: Force,
    row: &mut [Vec8],
) {
    let own = ends.iter().all(|end| end.link.is_some()) && ends[1].side.mover == 0;
    if own {
        // both links are on the first side
        if side == 0 {
            let first = solver.first(ends[0].side.mover);
            let way = solver.way(&ends[0].side);
            for (end, sign) in ends.iter().zip([1.0, -1.0]) {
                let Some((place, link)) = end.link else { continue };
                articulations.at_mut(place as usize).add_row(link as usize, force * sign, |dof, x| {
                    if let Ok(at) = way.binary_search(&(first + dof)) {
                        row.as_flattened_mut()[at] += x;
                    }
                });
            }
        }
        return;
    }
    match ends[side].link {
        None => solver.single_row(ends[side].side.mover, force, row),
        Some((place, link)) => articulations.at_mut(place as usize).fill_row(link as usize, force, row),
    }
}
