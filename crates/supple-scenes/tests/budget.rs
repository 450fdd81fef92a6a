//! One number of joints for articulations that touch: it is never exceeded, and it is spent.

use supple_scenes::{Stage, stage};

/// Steps a scene; the budget holds at every step, and joints are active in some.
fn within(name: &str, mut stage: Stage, budget: usize, steps: usize) {
    assert_eq!(stage.world.budget(), Some(budget), "{name}");
    let (dt, _) = stage.step_length(None);
    let (mut most, mut touched) = (0, false);
    for step in 0..steps {
        let report = stage.step(dt).unwrap_or_else(|error| panic!("{name}: {error}"));
        let active = stage.active();
        assert!(active <= budget, "{name}: {active} of {budget} after step {step}");
        most = most.max(active);
        touched |= report.contacts > 0;
    }
    println!("{name}: {most} of {budget} joints at most");
    assert!(touched, "{name}: nothing touched");
    let bases = stage.articulations().count();
    assert!(most > bases, "{name}: {most} joints at most, no more than its {bases} bases");
}

#[test]
fn piles_keep_their_budget() {
    let settings = [("count", "6"), ("budget", "40")];
    within("ragdolls-100", stage("ragdolls-100", &settings).unwrap(), 40, 180);
}

#[test]
fn a_person_who_falls_keeps_a_budget() {
    let mut stage = stage("falling-character", &[]).unwrap();
    stage.set_budget(8).unwrap();
    within("falling-character", stage, 8, 120);
}

#[test]
fn people_on_a_bridge_keep_their_budget() {
    let settings = [("count", "4"), ("planks", "8"), ("budget", "24")];
    within("bridge-people", stage("bridge-people", &settings).unwrap(), 24, 360);
}

/// A budget that is lowered while people lie on each other holds from the next step on.
#[test]
fn a_budget_may_be_lowered() {
    let mut stage = stage("ragdolls-100", &[("count", "4"), ("budget", "60")]).unwrap();
    for budget in [60, 20, 4, 30] {
        stage.set_budget(budget).unwrap();
        for step in 0..40 {
            stage.step(1.0 / 60.0).unwrap();
            assert!(stage.active() <= budget, "{} of {budget} after step {step}", stage.active());
        }
    }
}
