//! Closed loops and coupled joints of files hold while they move.

use glam::DVec3;
use supple::BodyId;
use supple::world::{BodyRef, World};
use supple_io::{IoError, LoadOptions, Loaded, Loop, load_mjcf_str, load_urdf_str};

const DT: f64 = 1.0 / 240.0;

fn mjcf(text: &str) -> Loaded {
    load_mjcf_str(text, None, &LoadOptions::default()).unwrap()
}

/// A rod of MJCF from its joint at the body's origin to `to`, with more inside.
fn rod(name: &str, pos: &str, to: &str, inside: &str) -> String {
    format!(
        r#"<body name="{name}" pos="{pos}"><joint name="{name}" axis="0 1 0"/>
        <geom type="capsule" size="0.02" fromto="0 0 0 {to}"/>{inside}</body>"#
    )
}

/// Three rods and the ground. The crank, the shortest, can turn all around and the linkage is never flat: 0.3 + 0.62 < 0.46 + 0.5.
fn four_bar(equality: &str) -> String {
    let tip = r#"<site name="tip" pos="0.6 0 0.15"/>"#;
    let coupler = rod("coupler", "0 0 0.3", "0.6 0 0.15", tip);
    let crank = rod("crank", "0 0 0", "0 0 0.3", &coupler);
    let rocker =
        rod("rocker", "0.5 0 0", "0.1 0 0.45", r#"<site name="top" pos="0.1 0 0.45" euler="0 90 0"/>"#);
    format!("<mujoco><worldbody>{crank}{rocker}</worldbody><equality>{equality}</equality></mujoco>")
}

/// Steps for `seconds`; the greatest gap \[m] and angle \[rad] on the way.
fn run(world: &mut World, seconds: f64) -> (f64, f64) {
    let (mut gap, mut angle) = (0.0f64, 0.0f64);
    for _ in 0..(seconds / DT).round() as usize {
        let report = world.step(DT).unwrap();
        assert_eq!(report.unsolved, 0, "{report:?}");
        gap = gap.max(report.gap_max);
        angle = angle.max(report.angle_max);
    }
    (gap, angle)
}

/// Where a point of a body is \[m].
fn point(world: &World, loaded: &Loaded, body: &str, at: DVec3) -> DVec3 {
    let (id, _) = world.articulations().next().unwrap();
    world.frame(BodyRef::Of(id, loaded.model.body(body).unwrap())).unwrap().point(at)
}

/// Position and velocity of a joint.
fn joint(world: &World, loaded: &Loaded, name: &str) -> (f64, f64) {
    let (_, simulation) = world.articulations().next().unwrap();
    let joint = loaded.joint(name).unwrap();
    (simulation.state.q[joint.q.start], simulation.state.v[joint.v.start])
}

#[test]
fn a_four_bar_closed_by_connect_stays_closed() {
    for equality in [
        r#"<connect name="pin" body1="coupler" body2="rocker" anchor="0.6 0 0.15"/>"#,
        r#"<connect name="pin" site1="tip" site2="top"/>"#,
        r#"<weld name="pin" body1="rocker" body2="coupler" anchor="0.6 0 0.15" torquescale="0"/>"#,
    ] {
        let loaded = mjcf(&four_bar(equality));
        assert!(loaded.warnings.iter().all(|w| w.message.contains("contact")), "{:?}", loaded.warnings);
        let [Loop::Connect { name, points, .. }] = &loaded.loops[..] else { panic!("{:?}", loaded.loops) };
        assert_eq!(name, "pin");
        assert!(points.iter().any(|p| (*p - DVec3::new(0.1, 0.0, 0.45)).length() < 1e-12), "{points:?}");
        let mut world = loaded.world().unwrap();
        let energy = world.energy();
        let mut farthest = 0.0f64;
        for _ in 0..12 {
            let (gap, _) = run(&mut world, 0.25);
            assert!(gap <= 1e-6, "{equality}: {gap}");
            farthest = farthest.max(joint(&world, &loaded, "crank").0.abs());
        }
        let (a, b) = (DVec3::new(0.6, 0.0, 0.15), DVec3::new(0.1, 0.0, 0.45));
        let apart = point(&world, &loaded, "coupler", a) - point(&world, &loaded, "rocker", b);
        assert!(apart.length() <= 1e-6, "{apart}");
        // it swings: nobody took its energy
        let drift = (world.energy().total() - energy.total()) / energy.potential.abs();
        assert!(farthest > 0.5 && drift.abs() < 0.02, "{farthest} {drift}");
    }
}

#[test]
fn inactive_and_disabled_equalities_do_nothing() {
    let pin = r#"<connect body1="coupler" body2="rocker" anchor="0.6 0 0.15" active="false"/>"#;
    assert!(mjcf(&four_bar(pin)).loops.is_empty());
    let pin = pin.replace(" active=\"false\"", "");
    assert_eq!(mjcf(&four_bar(&pin)).loops.len(), 1);
    let off =
        four_bar(&pin).replace("<worldbody>", "<option><flag equality=\"disable\"/></option><worldbody>");
    assert!(mjcf(&off).loops.is_empty());
    let off =
        four_bar(&pin).replace("<worldbody>", "<default><equality active=\"false\"/></default><worldbody>");
    assert!(mjcf(&off).loops.is_empty());
}

/// Two free bodies that are welded move as one; to the world, not at all.
#[test]
fn welds_hold_the_first_pose_or_the_one_given() {
    let free = |name: &str, pos: &str| {
        format!(
            r#"<body name="{name}" pos="{pos}" euler="10 20 30"><freejoint/><geom type="box" size="0.1 0.2 0.3"/></body>"#
        )
    };
    let file = |equality: &str| {
        let bodies = free("a", "0 0 0") + &free("b", "0.5 0.1 0");
        mjcf(&format!("<mujoco><worldbody>{bodies}</worldbody><equality>{equality}</equality></mujoco>"))
    };
    let loaded = file(r#"<weld body1="a" body2="b"/>"#);
    let mut world = loaded.world().unwrap();
    let before = point(&world, &loaded, "b", DVec3::ZERO) - point(&world, &loaded, "a", DVec3::ZERO);
    let (gap, angle) = run(&mut world, 1.0);
    let after = point(&world, &loaded, "b", DVec3::ZERO) - point(&world, &loaded, "a", DVec3::ZERO);
    assert!(gap <= 1e-6 && angle <= 1e-6, "{gap} {angle}");
    assert!((after - before).length() < 1e-6 && point(&world, &loaded, "a", DVec3::ZERO).z < -4.0);

    let loaded = file(r#"<weld body1="a" body2="b"/><weld body1="a"/>"#);
    let mut world = loaded.world().unwrap();
    run(&mut world, 1.0);
    assert!(point(&world, &loaded, "a", DVec3::ZERO).length() < 1e-6);

    // a pose that is not the first: the bodies come together
    let loaded = file(r#"<weld body1="a" body2="b" relpose="0 0 1 1 0 0 0"/>"#);
    let mut world = loaded.world().unwrap();
    for _ in 0..480 {
        world.step(DT).unwrap();
    }
    let [x, y] = [DVec3::Z, DVec3::Z + DVec3::X].map(|p| point(&world, &loaded, "a", p));
    assert!((point(&world, &loaded, "b", DVec3::ZERO) - x).length() < 1e-6);
    assert!((point(&world, &loaded, "b", DVec3::X) - y).length() < 1e-6);
}

/// Joints are measured from where the file puts them, `ref` and all.
#[test]
fn coupled_joints_follow_the_polynomial() {
    let rods = rod("a", "0 0 0", "0.4 0 0", "") + &rod("b", "0 1 0", "0.2 0 0", "");
    let rods = rods.replace(r#"<joint name="b""#, r#"<joint name="b" ref="20""#);
    let file = |equality: &str| {
        mjcf(&format!("<mujoco><worldbody>{rods}</worldbody><equality>{equality}</equality></mujoco>"))
    };
    let loaded = file(r#"<joint name="gear" joint1="b" joint2="a" polycoef="0.1 -0.5 0.2 0.05"/>"#);
    let mut world = loaded.world().unwrap();
    for _ in 0..500 {
        let report = world.step(DT).unwrap();
        assert_eq!(report.unsolved, 0);
        let ((b, v), (a, u)) = (joint(&world, &loaded, "b"), joint(&world, &loaded, "a"));
        assert!((b - (0.1 - 0.5 * a + 0.2 * a * a + 0.05 * a * a * a)).abs() < 1e-6, "{a} {b}");
        assert!((v - (-0.5 + 0.4 * a + 0.15 * a * a) * u).abs() < 1e-5, "{u} {v}");
    }
    assert!(joint(&world, &loaded, "a").1.abs() > 1e-3);

    // without a leader it is held, with the default the two are equal
    let loaded = file(r#"<joint joint1="b" polycoef="0.3 0 0 0 0"/>"#);
    let mut world = loaded.world().unwrap();
    run(&mut world, 0.5);
    assert!((joint(&world, &loaded, "b").0 - 0.3).abs() < 1e-6);
    let loaded = file(r#"<joint joint1="b" joint2="a"/>"#);
    let Loop::Joint { polynomial, .. } = &loaded.loops[0] else { panic!("{:?}", loaded.loops) };
    assert_eq!(polynomial, &[0.0, 1.0]);
}

#[test]
fn a_gripper_of_urdf_closes_with_both_fingers() {
    let finger = |name: &str, y: &str, more: &str| {
        format!(
            r#"<link name="{name}"><inertial><mass value="0.2"/><inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial></link>
            <joint name="{name}" type="prismatic"><parent link="palm"/><child link="{name}"/><axis xyz="0 {y} 0.1"/>
            <limit lower="-9" upper="9" effort="9" velocity="9"/>{more}</joint>"#
        )
    };
    let fingers = finger("left", "1", "")
        + &finger("right", "-1", r#"<mimic joint="left" multiplier="1.5" offset="0.02"/>"#)
        + &finger("third", "1", r#"<mimic joint="right"/>"#);
    let text = format!(r#"<robot name="gripper"><link name="palm"/>{fingers}</robot>"#);
    let loaded = load_urdf_str(&text, &LoadOptions::default()).unwrap();
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
    assert_eq!(loaded.loops.len(), 2);
    let mut world = loaded.world().unwrap();
    assert_eq!(joint(&world, &loaded, "third").0, 0.02);
    run(&mut world, 0.5);
    let [(left, v), (right, u), (third, _)] = ["left", "right", "third"].map(|j| joint(&world, &loaded, j));
    assert!((right - 1.5 * left - 0.02).abs() < 1e-6 && (u - 1.5 * v).abs() < 1e-6, "{left} {right}");
    assert!((third - right).abs() < 1e-6 && left.abs() > 0.01, "{third} {right} {left}");
}

/// Softness is told, for here it is hard.
#[test]
fn softness_is_a_warning() {
    let pin = r#"<connect name="pin" body1="coupler" body2="rocker" anchor="0.6 0 0.15" solref="0.01 1"/>"#;
    let loaded = mjcf(&four_bar(pin));
    let text: Vec<String> = loaded.warnings.iter().map(ToString::to_string).collect();
    assert!(text.iter().any(|w| w.contains("<connect \"pin\">") && w.contains("hard")), "{text:?}");
}

#[test]
fn bad_equalities_say_what_is_wrong() {
    for (equality, words) in [
        (r#"<connect body1="none" body2="rocker" anchor="0 0 0"/>"#, "\"none\""),
        (r#"<connect body1="crank" body2="rocker"/>"#, "anchor"),
        (r#"<connect body1="crank" body2="crank" anchor="0 0 0"/>"#, "another body"),
        (r#"<connect body1="crank" anchor="0 0 inf"/>"#, "anchor"),
        (r#"<connect anchor="0 0 0"/>"#, "body1"),
        (r#"<connect site1="tip" site2="nowhere"/>"#, "nowhere"),
        (r#"<connect site1="tip"/>"#, "site2"),
        (r#"<weld body1="crank" relpose="0 0"/>"#, "relpose"),
        (r#"<joint joint1="crank" joint2="none"/>"#, "none"),
        (r#"<joint joint1="crank" joint2="crank"/>"#, "another joint"),
        (r#"<joint joint1="crank" polycoef="x"/>"#, "polycoef"),
        (r#"<joint joint1="crank" active="maybe"/>"#, "maybe"),
    ] {
        let error = load_mjcf_str(&four_bar(equality), None, &LoadOptions::default()).unwrap_err();
        assert!(error.to_string().contains(words), "{words}: {error}");
    }
    let ball = r#"<mujoco><worldbody><body name="b"><joint name="j" type="ball"/><geom size="1"/></body></worldbody>
        <equality><joint joint1="j"/></equality></mujoco>"#;
    let error = load_mjcf_str(ball, None, &LoadOptions::default()).unwrap_err();
    assert!(matches!(error.root(), IoError::BadValue { .. }), "{error}");
}

/// Constraints between what stands still are no trouble.
#[test]
fn a_weld_of_the_ground_to_itself_is_idle() {
    let text = r#"<mujoco><worldbody><body name="table"><geom size="1"/></body>
        <body name="b"><joint/><geom size="0.1" pos="1 0 0"/></body></worldbody>
        <equality><weld body1="table"/></equality></mujoco>"#;
    let loaded = mjcf(text);
    assert_eq!(loaded.loops.len(), 1);
    let mut world = loaded.world().unwrap();
    world.step(DT).unwrap();
    assert!(loaded.model.body("table") == Some(BodyId::new(1)));
}
