//! Scenes as somebody who watches has them: pictures, policies, hands.

use glam::DVec3;
use supple::BodyId;
use supple::constraint::Frame;
use supple_scenes::file::{Syntax, open_text};
use supple_scenes::live::{Live, NodeState, Policy, Role};
use supple_scenes::{gallery, stage};

fn live(name: &str, settings: &[(&str, &str)]) -> Live {
    Live::new(stage(name, settings).unwrap_or_else(|e| panic!("{name}: {e}")))
}

/// Parameters that are set.
type Settings<'a> = &'a [(&'a str, &'a str)];

/// Scenes of both galleries that are built and stepped quickly.
fn quick() -> Vec<(&'static str, Vec<(&'static str, &'static str)>)> {
    let few = |name: &str| match name {
        "crowd-200" => vec![("characters", "10")],
        "dogs-100" => vec![("dogs", "5")],
        "crowd-50000" => vec![("characters", "50")],
        "ragdolls-100" | "ragdolls-1000" => vec![("count", "4")],
        "tree-wind" => vec![("joints", "200")],
        _ => vec![],
    };
    let heavy = ["rings", "skeletons", "robot", "bridge-rings", "net-boxes"];
    let names = gallery().iter().map(|s| s.name);
    names.filter(|name| !heavy.contains(name)).map(|name| (name, few(name))).collect()
}

/// Farthest that a picture has a body from where it is \[m], the angle too.
fn deviation(live: &Live) -> f64 {
    let mut farthest: f64 = 0.0;
    for (i, (role, _)) in live.cast().actors.iter().enumerate() {
        let posture = &live.picture().actors[i];
        for body in 0..live.cast().figure(i).bodies.len() {
            let is = match role {
                Role::Articulation(_) => {
                    let simulation = live.simulation(i).unwrap_or_else(|| panic!("actor {i}"));
                    Frame::from(simulation.body_pose(&simulation.kinematics(), BodyId::new(body)))
                }
                Role::Single(_) => posture.frame(body),
            };
            let seen = posture.frame(body);
            let turn = (is.rotation.conjugate() * seen.rotation).to_scaled_axis().length();
            farthest = farthest.max(is.position.distance(seen.position)).max(turn);
        }
    }
    farthest
}

#[test]
fn pictures_show_where_bodies_are() {
    for (name, settings) in quick() {
        let mut live = live(name, &settings);
        let first: Vec<Frame> = live.picture().actors.iter().map(|p| p.frame(p.bodies.len() - 1)).collect();
        let policies: Vec<Policy> = [Policy::Scene, Policy::Joints(2), Policy::Full]
            .into_iter()
            .filter(|policy| live.policies().contains(&policy.name()))
            .collect();
        for policy in policies {
            live.set_policy(policy).unwrap_or_else(|e| panic!("{name}: {e}"));
            for _ in 0..25 {
                live.step().unwrap_or_else(|e| panic!("{name}: {e}"));
                if live.steps().is_multiple_of(3) {
                    live.take_picture();
                }
            }
            live.take_picture();
            // angles near zero are known to the root of the rounding of their cosine
            let off = deviation(&live);
            assert!(off < 1e-6, "{name}, {policy:?}: {off}");
        }
        let moved =
            |(p, first): (&supple_scenes::live::Posture, &Frame)| p.frame(p.bodies.len() - 1) != *first;
        let any = live.picture().actors.iter().zip(&first).any(moved);
        // gusts come later, and what is to be assembled waits for that
        let still = ["stack-10", "card-house", "stewart", "tree-wind", "figures-joined"];
        assert!(any || still.contains(&name), "{name}: nothing moves");
    }
}

#[test]
fn pictures_have_only_what_changed() {
    let mut live = live("pendulum", &[("links", "100")]);
    live.set_policy(Policy::Joints(5)).unwrap();
    let mut regrouped = 0;
    for _ in 0..200 {
        live.step().unwrap();
        live.take_picture();
        let (picture, posture) = (live.picture(), &live.picture().actors[0]);
        assert_eq!(posture.moved, picture.number);
        assert!(posture.groups.len() <= 5);
        regrouped += u64::from(posture.regrouped == picture.number);
    }
    // an update every twenty steps, and some that loads bring forward
    assert!((1..=40).contains(&regrouped), "{regrouped}");
    assert!((live.time() - 200.0 * live.dt).abs() < 1e-9);
    let number = live.picture().number;
    live.take_picture();
    assert!(live.picture().actors[0].moved <= number, "nothing moved since the picture before");
}

#[test]
fn a_hand_takes_what_it_holds_to_the_pointer() {
    // a chain, a character of a crowd at little detail, an articulation and a single body of worlds
    let cases: [(&str, Settings, usize, Policy); 5] = [
        ("pendulum", &[("links", "10")], 0, Policy::Full),
        ("crowd-200", &[("characters", "3")], 1, Policy::Joints(12)),
        ("crowd-200", &[("characters", "3")], 1, Policy::Budget(60)),
        ("ragdolls-100", &[("count", "2")], 0, Policy::Scene),
        ("stack-10", &[], 9, Policy::Scene),
    ];
    for (name, settings, actor, policy) in cases {
        let mut live = live(name, settings);
        live.set_policy(policy).unwrap();
        let body = live.cast().figure(actor).bodies.len() - 1;
        let from = live.picture().actors[actor].frame(body).position;
        // within reach: the chain is stretched out, and bends in one plane
        let to =
            from + if name == "pendulum" { DVec3::new(-0.4, 0.2, 0.0) } else { DVec3::new(0.1, 0.15, 0.1) };
        live.grab(actor, body, DVec3::ZERO, from).unwrap();
        live.pull(to).unwrap();
        for _ in 0..(3.0 / live.dt) as usize {
            live.step().unwrap_or_else(|e| panic!("{name}: {e}"));
        }
        live.take_picture();
        let off = live.picture().actors[actor].frame(body).position.distance(to);
        assert!(off < 0.06, "{name}, {policy:?}: {off} m from the pointer");
        live.drop().unwrap();
        for _ in 0..(1.0 / live.dt) as usize {
            live.step().unwrap_or_else(|e| panic!("{name}: {e}"));
        }
        assert!(live.hand().is_none());
    }
}

#[test]
fn no_pull_is_too_strong() {
    for (name, settings, actor) in
        [("pendulum", &[("links", "30")][..], 0), ("ragdolls-100", &[("count", "2")], 0), ("bridge", &[], 5)]
    {
        let mut live = live(name, settings);
        let body = live.cast().figure(actor).bodies.len() - 1;
        let from = live.picture().actors[actor].frame(body).position;
        live.grab(actor, body, DVec3::new(0.01, 0.0, 0.0), from).unwrap();
        for i in 0..240 {
            // kilometres away, to and fro
            let far = if i / 10 % 2 == 0 { 1e3 } else { -1e3 };
            live.pull(from + DVec3::new(far, 0.3 * far, 0.1 * far)).unwrap();
            live.step().unwrap_or_else(|e| panic!("{name}, step {i}: {e}"));
        }
        live.drop().unwrap();
        for i in 0..240 {
            live.step().unwrap_or_else(|e| panic!("{name}, step {i} after it was let go: {e}"));
        }
        live.take_picture();
        let there =
            live.picture().actors.iter().all(|p| p.groups.iter().all(|g| g.frame.position.is_finite()));
        assert!(there, "{name}");
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let mut live = live("pendulum", &[("links", "3")]);
    assert!(live.grab(1, 0, DVec3::ZERO, DVec3::ZERO).is_err());
    assert!(live.grab(0, 9, DVec3::ZERO, DVec3::ZERO).is_err());
    assert!(live.grab(0, 0, DVec3::NAN, DVec3::ZERO).is_err());
    live.grab(0, 2, DVec3::ZERO, DVec3::ZERO).unwrap();
    assert!(live.pull(DVec3::INFINITY).is_err());
    assert!(live.grab(0, 2, DVec3::X * 1e300, DVec3::ZERO).is_err() && live.pull(DVec3::Y * 1e300).is_err());
    assert!(Policy::parse("joints", Some(f64::NAN)).is_none() && Policy::parse("some", None).is_none());
    assert!(Policy::parse("error", Some(-1.0)).is_none() && Policy::parse("pixels", None).is_none());
    live.set_policy(Policy::Joints(1_000_000)).unwrap();
    live.set_policy(Policy::Joints(0)).unwrap();
    live.step().unwrap();
    let mut world = self::live("stack-10", &[]);
    assert!(world.set_policy(Policy::Budget(3)).is_err());
}

/// As far as can be, however silly: nobody is to be able to stop the scene for all who watch it.
#[test]
fn a_hand_does_not_break_the_scene() {
    for (name, body) in [("crowd-200", 9), ("pendulum", 2), ("ragdolls-100", 5)] {
        let few: &[(&str, &str)] = match name {
            "crowd-200" => &[("characters", "4")],
            "pendulum" => &[("links", "3")],
            _ => &[("count", "2")],
        };
        let mut live = live(name, few);
        for (point, to) in [(1e3, 1e6), (-1e3, 1e6), (1e3, -1e6)] {
            live.grab(0, body, DVec3::new(point, 0.0, point), DVec3::new(0.0, to, to)).unwrap();
            for step in 0..200 {
                live.step().unwrap_or_else(|error| panic!("{name}, step {step}: {error}"));
            }
        }
    }
}

#[test]
fn all_policies_can_be_had_one_after_the_other() {
    for (name, settings) in [("crowd-200", vec![("characters", "6")]), ("dogs-100", vec![("dogs", "4")])] {
        let mut live = live(name, &settings);
        let policies = [
            Policy::Joints(5),
            Policy::Budget(30),
            Policy::Pixels(10.0),
            Policy::Scene,
            Policy::Error(1.0),
            Policy::Pixels(1.0),
            Policy::Full,
            Policy::Budget(10),
            Policy::Scene,
        ];
        for policy in policies {
            live.set_policy(policy).unwrap_or_else(|e| panic!("{name}, {policy:?}: {e}"));
            for _ in 0..10 {
                live.step().unwrap_or_else(|e| panic!("{name}, {policy:?}: {e}"));
            }
            live.take_picture();
            let (active, joints) = (live.tally().active, live.cast().joints());
            let most = match policy {
                Policy::Joints(n) => n * live.cast().actors.len(),
                Policy::Budget(n) => n,
                _ => joints,
            };
            assert!(active <= most, "{name}, {policy:?}: {active} active joints");
            if policy == Policy::Full {
                assert_eq!(active, joints);
            }
        }
    }
}

#[test]
fn the_strip_knows_the_front() {
    let mut live = live("pendulum-300", &[]);
    live.set_policy(Policy::Joints(8)).unwrap();
    let strip = live.strip(0);
    live.step().unwrap();
    let states = strip.states(live.simulation(0).unwrap(), &[]);
    assert_eq!(strip.nodes.last().map(|n| n.joints), Some(300));
    assert_eq!(states.last(), Some(&NodeState::Open));
    let count = |state| states.iter().filter(|s| **s == state).count();
    // of each open node two children hang, open or not
    let open = count(NodeState::Open);
    assert!(open >= 8 && count(NodeState::Front) > 0 && count(NodeState::New) == 0);
}

/// An arm of two bodies, a stone, and another arm, of which the second body is drawn.
const TWO_MODELS: &str = include_str!("../../../examples/scenes/two-models.toml");

/// All of a crowd used to be taken for its first member: who looked at a member with fewer bodies panicked.
#[test]
fn a_crowd_may_have_several_models() {
    let open = || {
        let opened = open_text("two.toml", TWO_MODELS, Syntax::Toml).unwrap_or_else(|e| panic!("{e}"));
        Live::new(opened)
    };
    let mut live = open();
    let cast = live.cast();
    let figures: Vec<usize> = cast.actors.iter().map(|(_, figure)| *figure).collect();
    assert_eq!((cast.figures.len(), figures), (2, vec![0, 1, 0]));
    let drawn = |actor| {
        let figure = cast.figure(actor);
        figure.solids.iter().map(|solid| &figure.bodies[solid.body][..]).collect::<Vec<_>>()
    };
    assert_eq!([drawn(0), drawn(1), drawn(2)], [vec!["lower"], vec!["stone"], vec!["lower"]]);
    assert_eq!(cast.joints(), 5);
    for policy in [
        Policy::Scene,
        Policy::Joints(1),
        Policy::Error(1.0),
        Policy::Pixels(5.0),
        Policy::Budget(4),
        Policy::Full,
    ] {
        live.set_policy(policy).unwrap_or_else(|e| panic!("{policy:?}: {e}"));
        for actor in 0..3 {
            let body = live.cast().figure(actor).bodies.len() - 1;
            live.grab(actor, body, DVec3::ZERO, DVec3::Z).unwrap_or_else(|e| panic!("{policy:?}: {e}"));
            for _ in 0..20 {
                live.step().unwrap_or_else(|e| panic!("{policy:?}: {e}"));
            }
            live.drop().unwrap_or_else(|e| panic!("{policy:?}: {e}"));
            assert!(!live.strip(actor).nodes.is_empty());
        }
        live.take_picture();
        let off = deviation(&live);
        assert!(off < 1e-6, "{policy:?}: {off}");
    }
    assert!(live.grab(1, 1, DVec3::ZERO, DVec3::ZERO).is_err(), "the stone has one body");
    // the camera that it is looked at from has them all
    let [camera] = open().gaze().cameras(0.0)[..] else { panic!("one camera") };
    assert!(camera.position.is_finite() && camera.position.y < -2.0, "{camera:?}");
}
