//! Motors, friction and limits that act on one loop from different joints: which of them give way, and that stops are held.

use glam::DVec3;
use supple::RigidInertia;
use supple::constraint::{Action, Frame, Hinge};
use supple::world::{BodyRef, ConstraintId, SingleBody, SingleId, Solver, World};

/// The linkage moves in the xz-plane; angles grow from x to z.
const AXIS: DVec3 = DVec3::NEG_Y;
const SWEEPS: Solver = Solver::Sweeps { sweeps: 15 };
const DISPLACEMENT: Solver = Solver::Displacement { outer: 3, inner: 50 };

/// A four-bar linkage: ground 1 m, crank 0.3 m, coupler 0.9 m, rocker 0.7 m, rods of 1 kg each.
struct FourBar {
    world: World,
    crank: ConstraintId,
    rocker: ConstraintId,
    bodies: [SingleId; 3],
}

impl FourBar {
    fn new() -> Self {
        let base = 0.7f64;
        let along = (0.81 - 0.49 + base * base) / (2.0 * base);
        let up = (0.81 - along * along).sqrt();
        let p = [DVec3::ZERO, DVec3::X * 0.3, DVec3::new(0.3 + along, 0.0, up), DVec3::X];
        let mut world = World::new();
        let bodies = [0, 1, 2].map(|i| {
            let rod = RigidInertia::solid_capsule(1.0, DVec3::ZERO, p[i + 1] - p[i], 0.02);
            world
                .add_body(SingleBody::new(["crank", "coupler", "rocker"][i], rod).at(Frame::at(p[i])))
                .unwrap()
        });
        let [crank, coupler, rocker] = bodies.map(BodyRef::from);
        let at = |i: usize| Frame::with_z(p[i], AXIS);
        world.join(Hinge, crank, coupler, at(1)).unwrap();
        world.join(Hinge, coupler, rocker, at(2)).unwrap();
        let rocker = world.join(Hinge, BodyRef::World, rocker, at(3)).unwrap();
        let crank = world.join(Hinge, BodyRef::World, crank, at(0)).unwrap();
        Self { world, crank, rocker, bodies }
    }

    fn act(&mut self, joint: ConstraintId, action: Action) {
        let constraint = self.world.constraint(joint).unwrap().unwrap().clone();
        self.world.change(joint, constraint.action(action)).unwrap();
    }

    fn motor(&mut self, torque: f64) {
        self.act(self.crank, Action::Motor { coordinate: 0, speed: 3.0, force: torque });
    }

    fn limit(&mut self, low: f64, high: f64) {
        self.act(self.rocker, Action::Limit { coordinate: 0, low, high });
    }

    /// Speed of the crank \[rad/s].
    fn speed(&self) -> f64 {
        self.world.body(self.bodies[0]).unwrap().omega().dot(AXIS)
    }

    /// The motor's moment \[N·m]: the hinge itself has none about its axis.
    fn moment(&self) -> f64 {
        self.world.force_of(self.crank).unwrap().angular.dot(AXIS)
    }

    fn angle(&self) -> f64 {
        self.world.coordinate(self.rocker, 0).unwrap()
    }
}

/// The greatest speed of the crank, and how far it is from stalled, in the last 2 s of 4.
#[derive(Debug, Default)]
struct Stall {
    unsolved: u32,
    /// Greatest speeds \[rad/s], of all and of the last 2 s.
    fastest: f64,
    speed: f64,
    /// Least and greatest moment of the last 2 s \[N·m].
    moment: [f64; 2],
    /// Greatest excess of the limit \[rad].
    excess: f64,
}

fn stall(solver: Solver, torque: f64, rate: u32) -> Stall {
    let mut bar = FourBar::new();
    bar.world.settings.solver = solver;
    bar.motor(torque);
    bar.limit(-0.1, 0.1);
    let mut seen = Stall { moment: [f64::INFINITY, f64::NEG_INFINITY], ..Stall::default() };
    for step in 0..4 * rate {
        let report = bar.world.step(1.0 / f64::from(rate)).unwrap();
        seen.unsolved += u32::from(report.unsolved > 0);
        seen.fastest = seen.fastest.max(bar.speed().abs());
        seen.excess = seen.excess.max(bar.angle().abs() - 0.1);
        if step >= 2 * rate {
            seen.speed = seen.speed.max(bar.speed().abs());
            seen.moment = [seen.moment[0].min(bar.moment()), seen.moment[1].max(bar.moment())];
        }
    }
    println!("{solver:?}, {torque} N·m, {rate} Hz: {seen:?}");
    seen
}

/// The crank's motor drives until the rocker is at its stop, and then holds with all that it has.
#[test]
fn a_motor_stalls_at_a_limit_elsewhere_in_the_loop() {
    for torque in [5.0, 50.0, 500.0] {
        for rate in [60, 240] {
            let seen = stall(Solver::Together, torque, rate);
            assert_eq!(seen.unsolved, 0, "{torque} N·m, {rate} Hz: {seen:?}");
            assert!(seen.speed < 1e-3, "{torque} N·m, {rate} Hz: {seen:?}");
            assert!(
                seen.moment.iter().all(|m| (m / torque - 1.0).abs() < 1e-6),
                "{torque} N·m, {rate} Hz: {seen:?}"
            );
            assert!(seen.excess <= 1e-7, "{torque} N·m, {rate} Hz: {seen:?}");
        }
    }
}

/// The other solvers are not exact, but nothing grows.
#[test]
fn the_other_solvers_stay_bounded_where_a_motor_stalls() {
    for solver in [SWEEPS, DISPLACEMENT] {
        for torque in [5.0, 50.0] {
            for rate in [60, 240] {
                let seen = stall(solver, torque, rate);
                // the motor's own speed is 3 rad/s; sweeps that do not close the loop leave it 39 mrad beyond the stop at 60 Hz
                let excess = if solver == SWEEPS { 0.05 } else { 0.02 };
                assert!(seen.fastest < 20.0, "{solver:?}, {torque} N·m, {rate} Hz: {seen:?}");
                assert!(seen.excess < excess, "{solver:?}, {torque} N·m, {rate} Hz: {seen:?}");
            }
        }
    }
}

/// A brick on a hinge of the world, turning at this speed \[rad/s], without gravity.
fn hinged(solver: Solver, omega: f64) -> (World, SingleId, ConstraintId) {
    let mut world = World::new();
    world.gravity = DVec3::ZERO;
    world.settings.solver = solver;
    let inertia = RigidInertia::solid_box(2.0, DVec3::new(0.1, 0.2, 0.5), DVec3::ZERO);
    let body =
        world.add_body(SingleBody::new("brick", inertia).moving(DVec3::ZERO, DVec3::Z * omega)).unwrap();
    let hinge = world.join(Hinge, BodyRef::World, body, Frame::IDENTITY).unwrap();
    (world, body, hinge)
}

fn add_limit(world: &mut World, hinge: ConstraintId, low: f64, high: f64) {
    let constraint = world.constraint(hinge).unwrap().unwrap().clone();
    world.change(hinge, constraint.limit(0, low, high)).unwrap();
}

/// At 30 rad/s a step is several ranges long, in which the other stop is the nearer one when it begins; and angles go round.
#[test]
fn a_fast_joint_does_not_jump_over_its_range() {
    for solver in [Solver::Together, SWEEPS, DISPLACEMENT] {
        for (low, high) in [(-0.01, 0.05), (-0.05, 0.01), (-0.01, 3.1), (-3.1, 0.01), (0.0, 0.0)] {
            for omega in [30.0, -30.0] {
                let (mut world, body, hinge) = hinged(solver, omega);
                add_limit(&mut world, hinge, low, high);
                let mut excess = 0.0f64;
                for _ in 0..30 {
                    world.step(1.0 / 60.0).unwrap();
                    let angle = world.coordinate(hinge, 0).unwrap();
                    excess = excess.max(low - angle).max(angle - high);
                }
                let speed = world.body(body).unwrap().omega().length();
                println!(
                    "{solver:?}, {low} to {high}, {omega} rad/s: excess {excess:.1e}, then {speed:.1e} rad/s"
                );
                assert!(excess < 1e-3, "{solver:?}, {low} to {high}, {omega} rad/s: {excess}");
                assert!(speed < 1e-3, "{solver:?}, {low} to {high}, {omega} rad/s: {speed} rad/s");
            }
        }
    }
}

/// A limit that a joint is beyond when it is added: the joint comes back at the speed of approach, and does not keep it. (What moves by
/// displacements does: its velocity is the way over the step. What is nearer than a tenth of the way of a step is accuracy for sweeps, and they keep that speed.)
#[test]
fn a_limit_that_is_exceeded_gives_no_speed() {
    for (solver, kept) in [(Solver::Together, 1e-3), (SWEEPS, 1.0)] {
        for (omega, expected) in [(0.0, 0.0), (1.0, 1.0), (-1.0, 0.0)] {
            let (mut world, body, hinge) = hinged(solver, omega);
            add_limit(&mut world, hinge, 0.17, 2.0);
            let (dt, approach) = (1.0 / 240.0, world.settings.approach);
            let mut before = 0.0;
            for _ in 0..10 {
                world.step(dt).unwrap();
                let angle = world.coordinate(hinge, 0).unwrap();
                assert!(
                    (angle - before).abs() <= approach * dt * 1.001,
                    "{solver:?}, {omega} rad/s: {before} to {angle}"
                );
                before = angle;
            }
            let speed = world.body(body).unwrap().omega().z;
            println!("{solver:?}, {omega} rad/s: {before} at {speed} rad/s");
            assert!(before > 0.17 - 1e-4, "{solver:?}, {omega} rad/s: {before}");
            assert!((speed - expected).abs() < kept, "{solver:?}, {omega} rad/s: {speed} rad/s");
        }
        // and in a loop
        for rate in [60, 240] {
            let mut bar = FourBar::new();
            bar.world.settings.solver = solver;
            bar.world.gravity = DVec3::ZERO;
            bar.limit(0.17, 1.0);
            let mut fastest = 0.0f64;
            for _ in 0..rate {
                bar.world.step(1.0 / f64::from(rate)).unwrap();
                fastest = fastest.max(bar.speed().abs());
            }
            println!("{solver:?}, {rate} Hz: {} rad, at most {fastest} rad/s", bar.angle());
            assert!(bar.angle() > 0.17 - 1e-3, "{solver:?}, {rate} Hz: {}", bar.angle());
            // the crank turns about three times as fast as the rocker
            assert!(fastest < 4.0 * kept, "{solver:?}, {rate} Hz: {fastest} rad/s");
        }
    }
}

/// A stiff servo that is cut to its greatest force, on a light link that a stop holds. With the force that it has before it is cut the link
/// would go round by a turn in one step, to the angle at which it is: that is no solution.
#[test]
fn a_servo_that_is_cut_does_not_throw_a_link_round() {
    for rate in [30, 50, 60, 100, 120, 240] {
        for (stiffness, damping) in [(1e3, 0.0), (1e4, 0.0), (1e4, 1.0), (1e4, 10.0), (1e5, 0.0), (1e6, 0.0)]
        {
            let mut world = World::new();
            let rod = RigidInertia::solid_capsule(0.5, DVec3::ZERO, DVec3::Z * 0.5, 0.02);
            let rod = world.add_body(SingleBody::new("rod", rod)).unwrap();
            let hinge = world.join(Hinge, BodyRef::World, rod, Frame::with_z(DVec3::ZERO, DVec3::Y)).unwrap();
            let constraint = world.constraint(hinge).unwrap().unwrap().clone();
            let servo = Action::Servo { coordinate: 0, target: 1.0, stiffness, damping, force: 100.0 };
            let limit = Action::Limit { coordinate: 0, low: -0.5, high: 0.5 };
            world.change(hinge, constraint.action(servo).action(limit)).unwrap();
            let (mut kinetic, mut unsolved) = (0.0f64, 0);
            for _ in 0..3 * rate {
                unsolved += world.step(1.0 / f64::from(rate)).unwrap().unsolved;
                kinetic = kinetic.max(world.energy().kinetic);
            }
            let (angle, case) =
                (world.coordinate(hinge, 0).unwrap(), format!("{rate} Hz, {stiffness}, {damping}"));
            // what 100 N·m give over half a radian, and as much again for rounding up to a step
            assert!(kinetic <= 100.0, "{case}: {kinetic} J");
            assert!((angle - 0.5).abs() < 1e-6 && unsolved == 0, "{case}: {angle} rad, {unsolved} unsolved");
            assert!(world.energy().kinetic < 1e-9, "{case}: {} J at the end", world.energy().kinetic);
        }
    }
}

/// The same on the rocker of a linkage, whose stop is on the crank: all comes to rest, where nothing but the servo damps slowly.
#[test]
fn a_servo_that_is_cut_does_not_throw_a_linkage_round() {
    for rate in [60, 240] {
        for target in [-1.0, 1.0] {
            let mut it = FourBar::new();
            let servo = Action::Servo { coordinate: 0, target, stiffness: 1e4, damping: 10.0, force: 100.0 };
            it.act(it.rocker, servo);
            it.act(it.crank, Action::Limit { coordinate: 0, low: -0.3, high: 0.3 });
            let start = it.world.energy().total();
            let mut kinetic = 0.0f64;
            for _ in 0..4 * rate {
                it.world.step(1.0 / f64::from(rate)).unwrap();
                kinetic = kinetic.max(it.world.energy().kinetic);
            }
            let end = it.world.energy().kinetic;
            // 100 N·m over the radian that the rocker has at most
            assert!(kinetic <= 100.0 && end < 0.01, "{rate} Hz, {target}: {kinetic} J, {end} J of {start} J");
        }
    }
}
