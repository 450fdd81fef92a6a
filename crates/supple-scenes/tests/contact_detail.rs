//! What less detail changes of a fall.

use glam::DVec3;
use supple::detail::{Detail, Rule, Weights};
use supple_scenes::{Stage, active, stage};

/// Of the person who falls \[m].
const HEIGHT: f64 = 1.77;
/// With the base.
const JOINTS: f64 = 29.0;
const FALLS: std::ops::Range<i32> = 0..24;

/// Where the ends of all limbs are.
fn ends(stage: &Stage) -> Vec<DVec3> {
    let both = stage.shapes.iter().map(|shape| {
        let frame = stage.world.frame(shape.body).unwrap();
        [frame.point(shape.from), frame.point(shape.to)]
    });
    both.flatten().collect()
}

/// A second of a fall: where it ends, and how many joints were active on average.
fn fall(lean: i32, set: (&str, &str), prepare: impl FnOnce(&mut Stage)) -> (Vec<DVec3>, f64) {
    let mut stage = stage("falling-character", &[("lean", &lean.to_string()), set]).unwrap();
    prepare(&mut stage);
    let (mut joints, mut steps) = (0, 0);
    while stage.world.time() < 1.0 - 1e-9 {
        stage.step(stage.step_length(None).0).unwrap();
        joints += stage.world.articulations().map(|(_, person)| active(person)).sum::<usize>();
        steps += 1;
    }
    (ends(&stage), f64::from(joints as u32) / f64::from(steps))
}

/// Mean and greatest distance of the ends of limbs, as shares of the height.
fn error(a: &[DVec3], b: &[DVec3]) -> (f64, f64) {
    let far = a.iter().zip(b).map(|(a, b)| a.distance(*b) / HEIGHT);
    let (sum, most) = far.fold((0.0, 0.0f64), |(sum, most), x| (sum + x, most.max(x)));
    (sum / a.len() as f64, most)
}

/// Mean over all falls of the mean error, how many of them have less than a twentieth, and joints on average.
#[derive(Default)]
struct Sum {
    name: &'static str,
    mean: f64,
    most: f64,
    good: u32,
    joints: f64,
}

impl Sum {
    fn add(&mut self, full: &[DVec3], (end, joints): (Vec<DVec3>, f64)) -> f64 {
        let (mean, most) = error(full, &end);
        let falls = f64::from(FALLS.end);
        self.mean += mean / falls;
        self.most += most / falls;
        self.joints += joints / falls;
        self.good += u32::from(mean <= 0.05);
        mean
    }
}

/// Someone who falls in 24 ways with 14 of 28 joints, and the base, which is never frozen: a second later the ends of the limbs are 5 % of
/// the height away from where they would be with all joints, on average. Half the time step changes them by 4 %. With as many joints as it
/// takes, half of them on average over the second, it is 4 % too. A fall hangs on little: stiff thumbs change it by 2 %, a stiff head by 5 %.
#[test]
fn a_fall_looks_alike_with_half_of_the_joints() {
    let names = ["half of the joints", "half on average", "half the step"];
    let mut sums = names.map(|name| Sum { name, ..Sum::default() });
    for i in FALLS {
        let lean = 15 * i - 180;
        let (full, _) = fall(lean, ("active", "0"), |_| {});
        let errors = [
            sums[0].add(&full, fall(lean, ("active", "15"), |_| {})),
            sums[1].add(&full, fall(lean, ("left_out", "0.005"), |_| {})),
            sums[2].add(
                &full,
                fall(lean, ("active", "0"), |stage| {
                    stage.world.settings.contact.longest *= 0.5;
                    stage.world.settings.substeps = 4;
                }),
            ),
        ];
        println!("lean {lean}°: {errors:.3?}");
    }
    for Sum { name, mean, most, good, joints } in &sums {
        println!(
            "{name}: mean {mean:.4}, greatest {most:.4} of the height; {good} falls below 5 %; {joints:.1} joints"
        );
    }
    let [budget, error, _] = &sums;
    assert!(budget.mean < 0.055 && budget.good >= 12, "{} {}", budget.mean, budget.good);
    assert!(error.mean < 0.04 && error.good >= 18, "{} {}", error.mean, error.good);
    assert!(budget.joints < 0.5 * JOINTS && error.joints < 0.5 * JOINTS);
}

/// Someone lies on the floor and taps with the fingers of one hand: of 29 joints three or four are active on average, the base, those of the
/// hand, and some that the floor shakes; where nobody taps, the base and one. Soon after all of it sleeps.
#[test]
fn fingers_that_tap_keep_few_joints_awake() {
    // 5 times a second, with as much as lifts the hand \[N·m]
    const TAP: f64 = 0.05;
    let joints = |taps: bool| {
        let mut stage = stage("falling-character", &[("left_out", "0.007")]).unwrap();
        while stage.step(stage.step_length(None).0).unwrap().awake > 0 {
            assert!(stage.world.time() < 5.0, "no rest after a fall");
        }
        let person = stage.world.articulations().next().unwrap().0;
        let simulation = stage.world.articulation_mut(person).unwrap();
        // 60 rad/s² and 1 rad/s, any joint alike
        let detail = Detail { rule: Rule::Free, update_every: 1, ..Detail::error(60.0 * 60.0, 1.0) };
        simulation.set_weights(Weights::default());
        simulation.set_detail(detail).unwrap();
        let dof = simulation.model.joints()[simulation.model.joint("right_fingers").unwrap().index()].v;
        let (mut sum, mut fastest) = (0, 0f64);
        for step in 0..180 {
            let tap = (f64::from(step) * std::f64::consts::TAU / 12.0).sin();
            // touched by hand, it does not sleep
            stage.world.articulation_mut(person).unwrap().tau[dof] = if taps { TAP * tap } else { 0.0 };
            stage.step(stage.step_length(None).0).unwrap();
            if step >= 60 {
                let simulation = stage.world.articulation(person).unwrap();
                sum += active(simulation);
                fastest = fastest.max(simulation.state.v[dof].abs());
            }
        }
        stage.world.articulation_mut(person).unwrap().tau[dof] = 0.0;
        let stopped = stage.world.time();
        while stage.step(stage.step_length(None).0).unwrap().awake > 0 {
            assert!(stage.world.time() < stopped + 2.0, "no rest after tapping");
        }
        (f64::from(sum as u32) / 120.0, fastest)
    };
    let (calm, still) = joints(false);
    let (tapping, fastest) = joints(true);
    println!("{calm} joints at rest, {tapping} while fingers tap at {fastest} rad/s");
    assert!(calm <= 2.0 && still < 0.1, "{calm} joints active, {still} rad/s");
    assert!(tapping <= 8.0 && fastest > 3.0, "{tapping} joints active, {fastest} rad/s");
}

/// Twenty people who fall on a floor and on each other with eight joints each have no more of them active at any time, impacts included;
/// where impacts may have eight more, they take some of them, and no more.
#[test]
fn a_number_of_joints_is_never_exceeded() {
    for extra in [0, 8] {
        let mut stage = stage("ragdolls-100", &[("count", "20")]).unwrap();
        let people: Vec<_> = stage.world.articulations().map(|(id, _)| id).collect();
        for id in people {
            let person = stage.world.articulation_mut(id).unwrap();
            person.set_detail(Detail::joints(8).impact_extra(extra)).unwrap();
        }
        let mut most = 0;
        for _ in 0..240 {
            // a step of this length is one part: nothing happens unseen
            stage.step(stage.world.settings.contact.longest).unwrap();
            most = stage.world.articulations().map(|(_, person)| active(person)).fold(most, usize::max);
        }
        println!("{most} joints at most with {extra} for impacts");
        assert!(most <= 8 + extra, "{most} joints with {extra} for impacts");
        assert!(most > 8 || extra == 0, "impacts took none of {extra}");
    }
}
