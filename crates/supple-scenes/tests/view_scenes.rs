//! The scenes of Kim, Redon & Kim 2008: what they are made of, and that what they show is there to be seen.

use std::sync::Arc;

use glam::DVec3;
use supple::Simulation;
use supple::constraint::Frame;
use supple::contact::Shape;
use supple::detail::Detail;
use supple::view::{Camera, Looks, Viewer};
use supple::world::BodyRef;
use supple_scenes::{Puppet, Stage, gallery, simulation, stage};

const DT: f64 = 1.0 / 60.0;

type Settings = &'static [(&'static str, &'static str)];

/// Name, settings, members, and of each member bodies and joints that move.
const SCENES: [(&str, Settings, usize, usize, usize); 6] = [
    ("pendulum-20", &[], 1, 20, 19),
    ("pendulum-300-threshold", &[], 1, 300, 300),
    ("pendulum-300-distance", &[("distance", "100")], 1, 300, 300),
    ("dogs-100", &[], 100, 16, 16),
    ("dog-puppet", &[], 1, 16, 16),
    ("crowd-50000", &[("characters", "50"), ("budget", "500")], 50, 29, 29),
];

fn open(name: &str, settings: &[(&str, &str)]) -> Stage {
    stage(name, settings).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn run(show: &mut Stage, steps: usize, mut look: impl FnMut(&Stage)) {
    for _ in 0..steps {
        show.step(DT).unwrap_or_else(|e| panic!("{e}"));
        look(show);
    }
}

fn finite(show: &Stage) -> bool {
    show.articulations().all(|m| m.state.q.iter().chain(&m.state.v).all(|x| x.is_finite()))
}

/// Whether what a camera would see at a point \[m] is behind one of the walls, which are boxes.
fn hidden(camera: &Camera, walls: &[(Frame, Shape)], point: DVec3) -> bool {
    walls.iter().any(|(frame, shape)| {
        let half = shape.parry().as_cuboid().unwrap().half_extents;
        let [from, to] = [camera.position, point].map(|x| frame.inverse().point(x));
        let (mut enter, mut leave) = (0.0f64, 1.0f64);
        for axis in 0..3 {
            let (a, b) = ((-half[axis] - from[axis]), (half[axis] - from[axis]));
            let way = to[axis] - from[axis];
            let (a, b) = if way < 0.0 { (b / way, a / way) } else { (a / way, b / way) };
            (enter, leave) = (enter.max(a), leave.min(b));
        }
        enter < leave
    })
}

/// The highest points of a body \[m]: above both ends of its capsule.
fn tops(stage: &Stage, simulation: &Simulation, body: &str) -> Vec<DVec3> {
    let body = simulation.model.body(body).unwrap();
    let pose = simulation.pose_of(body);
    let capsules = stage.shapes.iter().filter(|c| matches!(c.body, BodyRef::Of(_, of) if of == body));
    capsules.flat_map(|c| [c.from, c.to].map(|end| pose.point(end) + DVec3::Z * c.radius)).collect()
}

#[test]
fn scenes_have_the_bodies_and_joints_of_the_paper() {
    for (name, settings, members, bodies, joints) in SCENES {
        let stage = open(name, settings);
        assert_eq!(stage.articulations().count(), members, "{name}");
        for member in stage.articulations() {
            assert!(Arc::ptr_eq(&member.model, &stage.first().unwrap().1.model), "{name}");
            assert_eq!(
                (member.model.bodies().len(), member.model.moving_joints()),
                (bodies, joints),
                "{name}"
            );
        }
    }
    // 100 dogs have 1,500 joints between bodies, and each floats
    let dog = simulation("dogs-100", &[]).unwrap().model;
    assert_eq!(dog.tree().links.iter().filter(|link| link.floats()).count(), 1);
}

#[test]
fn scenes_run_at_any_detail() {
    for (name, settings, ..) in SCENES {
        let mut full = open(name, settings);
        full.set_detail(&Detail::default()).unwrap();
        run(&mut full, 60, |show| assert!(finite(show), "{name}"));
        let kinetic: f64 = full.articulations().map(|m| m.energy().kinetic).sum();
        assert!(kinetic > 1e-3, "{name} stands still: {kinetic} J");
        let mut few = open(name, settings);
        few.set_detail(&Detail::joints(5)).unwrap();
        run(&mut few, 60, |show| assert!(finite(show), "{name}"));
        assert!(few.active() <= 5 * few.articulations().count(), "{name}: {}", few.active());
    }
}

/// Every scene has cameras that can take an image, and a body of it is in that image at the start.
#[test]
fn every_scene_is_seen() {
    let seen = |cameras: &[Camera], points: &[DVec3]| {
        cameras.iter().any(|camera| {
            let [width, height] = camera.viewport.map(f64::from);
            points.iter().any(|point| {
                let view = camera.to_view(*point);
                let at = camera.to_pixels(view);
                view.z > 0.0 && at.x > 0.0 && at.x < width && at.y > 0.0 && at.y < height
            })
        })
    };
    for scene in gallery() {
        let stage = scene.build(&scene.small()).unwrap();
        let cameras = stage.gaze_or_framed().cameras(0.0);
        assert!(Viewer::new(cameras.clone()).is_ok(), "{}", scene.name);
        let places: Vec<_> = stage
            .articulations()
            .flat_map(|s| {
                let kinematics = s.kinematics();
                let bodies = 0..s.model.bodies().len();
                bodies
                    .map(|i| s.body_pose(&kinematics, supple::BodyId::new(i)).translation)
                    .collect::<Vec<_>>()
            })
            .collect();
        assert!(places.is_empty() || seen(&cameras, &places), "{}", scene.name);
        let singles = stage.shapes.iter().filter(|s| !matches!(s.body, BodyRef::Of(..)));
        let shapes: Vec<_> = singles.map(|s| stage.world.frame(s.body).unwrap().point(s.from)).collect();
        assert!(shapes.is_empty() || seen(&cameras, &shapes), "{}", scene.name);
        assert!(places.len() + shapes.len() > 0, "{}", scene.name);
    }
}

/// The paper's viewer moves away from the character that falls.
#[test]
fn the_viewer_recedes() {
    let far = |settings: &[(&str, &str)], time| {
        stage("falling-character", settings).unwrap().gaze.unwrap().cameras(time)[0].position.length()
    };
    assert!(far(&[], 2.0) > far(&[], 0.0) + 7.5);
    assert_eq!(far(&[("recede", "0")], 2.0), far(&[], 0.0));
}

#[test]
fn dogs_keep_hanging() {
    let stage = open("dogs-100", &[]);
    let start: Vec<_> =
        stage.articulations().map(|dog| dog.pose_of(supple::BodyId::new(0)).translation).collect();
    let mut show = stage;
    let (mut farthest, mut turned) = (0.0f64, 0);
    run(&mut show, 300, |show| {
        for (dog, start) in show.articulations().zip(&start) {
            farthest = farthest.max(dog.pose_of(supple::BodyId::new(0)).translation.distance(*start));
            turned += dog.wrenches.len();
        }
    });
    println!("a rump was {farthest:.2} m from where it began; torques in {turned} of 30000 steps");
    assert!(farthest < 0.4, "{farthest}");
    assert!((1500..6000).contains(&turned), "{turned}");
}

/// Some dogs are beyond the edges of the image, some straight behind others, the farthest five times as far as the nearest.
#[test]
fn dogs_are_spread_in_depth() {
    let stage = open("dogs-100", &[]);
    let camera = stage.gaze_or_framed().cameras(0.0)[0];
    let views: Vec<_> =
        stage.articulations().map(|dog| camera.to_view(DVec3::from_slice(&dog.state.q))).collect();
    let out = views.iter().filter(|v| !(0.0..640.0).contains(&camera.to_pixels(**v).x)).count();
    println!("{out} of 100 rumps are out of view");
    assert!((10..40).contains(&out), "{out}");
    let depths = views.iter().map(|v| v.z);
    assert!(depths.clone().fold(0.0, f64::max) > 5.0 * depths.fold(f64::INFINITY, f64::min));
}

/// Legs of the puppet, by body.
const LEGS: [&str; 10] = [
    "left_upper_foreleg",
    "right_upper_foreleg",
    "left_foreleg",
    "right_foreleg",
    "left_thigh",
    "right_thigh",
    "left_shank",
    "right_shank",
    "left_paw",
    "right_paw",
];

/// Strings hold the dog, and are never longer than by a twentieth; the stick takes it along.
#[test]
fn the_puppet_hangs_on_its_strings() {
    let (stage, puppet) = Puppet::stage().unwrap();
    let mut show = Stage { script: open("dog-puppet", &[]).script, ..stage };
    let (mut longest, mut lowest, mut lifted) = (0.0f64, f64::INFINITY, 0.0f64);
    run(&mut show, (12.0 / DT) as usize, |show| {
        let dog = show.first().unwrap().1;
        longest = puppet.stretch(dog).into_iter().fold(longest, f64::max);
        let height = |name| dog.pose_of(dog.model.body(name).unwrap()).translation.z;
        lowest = lowest.min(height("rump"));
        lifted = lifted.max((height("left_foreleg") - height("right_foreleg")).abs());
    });
    println!(
        "longest string {longest:.3} of its length, rump no lower than {lowest:.3} m, paws lifted {lifted:.3} m"
    );
    assert!(longest < 1.05, "{longest}");
    assert!(lowest > 0.33 && lifted > 0.05, "{lowest} {lifted}");
    let (dog, stick) = (show.first().unwrap().1, Puppet::path(12.0));
    assert!((dog.pose_of(supple::BodyId::new(0)).translation.x - stick.position.x).abs() < 0.1);
}

/// A hand, too, can hold the stick: the dog follows where it goes.
#[test]
fn the_puppet_follows_any_hand() {
    let (stage, puppet) = Puppet::stage().unwrap();
    let (mut dog, start) = (stage.first().unwrap().1.clone(), Puppet::path(0.0));
    for i in 0..240 {
        let up = 0.3 * (i as f64 / 120.0).min(1.0);
        puppet.pull(&mut dog, Frame::new(start.position + DVec3::Z * up, start.rotation));
        dog.step(DT).unwrap();
    }
    assert!((dog.state.q[2] - 0.68).abs() < 0.05, "{}", dog.state.q[2]);
}

/// Figure 2: legs are behind the wall when they should be, at the ends of the way they are not, and the head never is.
#[test]
fn the_wall_hides_the_legs_and_not_the_head() {
    let plan = open("dog-puppet", &[]);
    let mut show = plan.clone();
    let (from, to) = Puppet::HIDDEN;
    let sees = |show: &Stage, body: &str| {
        let (camera, dog) = (
            show.gaze.as_ref().unwrap().cameras(show.first().unwrap().1.state.time)[0],
            show.first().unwrap().1,
        );
        let mut tops = tops(&plan, dog, body).into_iter();
        tops.any(|top| !hidden(&camera, &show.walls, top))
    };
    assert!(LEGS.iter().all(|leg| sees(&show, leg)));
    run(&mut show, (12.0 / DT) as usize, |show| {
        let time = show.first().unwrap().1.state.time;
        if (from..to).contains(&time) {
            for leg in LEGS {
                assert!(!sees(show, leg), "{leg} is seen at {time:.2} s");
            }
        }
        for seen in ["head", "chest", "rump", "tail"] {
            assert!(sees(show, seen), "{seen} is hidden at {time:.2} s");
        }
    });
    assert!(LEGS.iter().all(|leg| sees(&show, leg)));
}

/// A crowd shares what does not move; who is left alone stands still, and gusts and pushes come to all.
#[test]
fn the_crowd_shares_one_model_and_keeps_its_places() {
    let plan = open("crowd-50000", &[("characters", "50"), ("budget", "1450")]);
    let looks: Arc<Looks> = plan.first().unwrap().1.looks().unwrap().clone();
    assert_eq!(looks.shapes().len(), 29);
    let start: Vec<_> =
        plan.articulations().map(|p| DVec3::new(p.state.q[0], p.state.q[1], p.state.q[2])).collect();
    let mut show = plan;
    let first = show.first().unwrap().1.clone();
    assert_eq!(show.world.budget(), Some(1450));
    let mut felt = [0; 50];
    run(&mut show, 900, |show| {
        for (felt, person) in felt.iter_mut().zip(show.articulations()) {
            *felt += usize::from(!person.wrenches.is_empty());
        }
    });
    println!("steps of 900 in which somebody feels a force: {felt:?}");
    assert!(felt.iter().all(|n| *n > 50));
    for (person, start) in show.articulations().zip(&start) {
        assert!(Arc::ptr_eq(&person.model, &first.model));
        let now = DVec3::new(person.state.q[0], person.state.q[1], person.state.q[2]);
        assert!((now - *start).abs().max_element() < 0.3, "{now} {start}");
    }
    // nobody touches the first one
    let mut alone = first;
    alone.set_detail(Detail::default()).unwrap();
    let q = alone.state.q.clone();
    for _ in 0..60 {
        alone.step(DT).unwrap();
    }
    assert!(alone.state.q.iter().zip(&q).all(|(a, b)| (a - b).abs() < 1e-12));
}

/// Who asks the drive when forces come next misses none of them.
#[test]
fn the_drive_of_the_crowd_tells_when_it_comes() {
    let plan = open("crowd-50000", &[("characters", "50")]);
    let mut person = plan.first().unwrap().1.clone();
    let drive = plan.script.drive.unwrap();
    for i in 0..50 {
        let (mut next, mut rested) = (0.0, 0.0);
        for step in 0..2400 {
            let time = f64::from(step) * DT;
            person.state.time = time;
            drive.act(i, &mut person);
            // a force begins softly, from zero
            let force: f64 = person.wrenches.iter().map(|load| load.wrench.linear.length()).sum();
            if time < next {
                assert!(force < 1e-9, "person {i}: {force} N at {time} s, before {next} s");
                rested += DT;
            } else {
                next = drive.next(i, time);
                assert!(next > time || !person.wrenches.is_empty() || force < 1e-9);
            }
        }
        assert!(rested > 20.0, "person {i} is left alone for {rested} of 40 s");
    }
}

/// The camera walks along an aisle: nobody stands in its way, people are on both sides.
#[test]
fn the_camera_walks_between_people() {
    let stage = open("crowd-50000", &[("characters", "900")]);
    let gaze = stage.gaze.clone().unwrap();
    for second in 0..20 {
        let eye = gaze.cameras(f64::from(second))[0].position;
        let aside = |p: &Simulation| DVec3::new(p.state.q[0] - eye.x, p.state.q[1] - eye.y, 0.0);
        let nearest = stage.articulations().map(|p| aside(p).length()).fold(f64::INFINITY, f64::min);
        assert!(nearest > 0.5, "{nearest} m at {second} s");
        let near = |left: bool| {
            stage.articulations().filter(|p| aside(p).length() < 6.0 && (aside(p).y > 0.0) == left).count()
        };
        assert!(near(true) > 5 && near(false) > 5, "{second} s");
    }
}
