//! URDF: what is read, what is read leniently, what is refused.

use glam::DVec3;
use supple::JointKind;
use supple_io::{LoadOptions, Loaded, load, load_urdf_str};

const INERTIAL: &str = r#"<inertial><mass value="2"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>"#;

/// A base and an arm on it, by a joint with this type and content.
fn robot(kind: &str, joint: &str) -> String {
    format!(
        r#"<?xml version="1.0"?><!-- a comment --><robot name="r"><link name="base"/><link name="arm">{INERTIAL}</link>
        <joint name="j" type="{kind}"><parent link="base"/><child link="arm"/>{joint}</joint>
        <transmission name="t"/><gazebo><anything/></gazebo></robot>"#
    )
}

fn read(xml: &str) -> Loaded {
    load_urdf_str(xml, &LoadOptions::default()).unwrap()
}

fn refused(xml: &str) -> String {
    load_urdf_str(xml, &LoadOptions::default()).expect_err(xml).to_string()
}

#[test]
fn every_joint_type_is_read() {
    let axis = r#"<axis xyz="0 0 2"/>"#;
    let z = DVec3::new(0.0, 0.0, 2.0);
    for (kind, expected) in [
        ("fixed", JointKind::Fixed),
        ("revolute", JointKind::Revolute { axis: z }),
        ("continuous", JointKind::Continuous { axis: z }),
        ("prismatic", JointKind::Prismatic { axis: z }),
        ("planar", JointKind::Planar { normal: z }),
        ("floating", JointKind::Free),
        ("spherical", JointKind::Spherical),
    ] {
        let loaded = read(&robot(kind, axis));
        assert_eq!(loaded.model.joints()[1].kind, expected);
        assert_eq!(loaded.joints.len(), usize::from(kind != "fixed"));
    }
}

#[test]
fn limits_and_dynamics_are_read() {
    let loaded = read(&robot(
        "revolute",
        r#"<limit lower="-1" upper="2" effort="30" velocity="4"/><dynamics damping="0.5" friction="0.2"/>"#,
    ));
    let dof = loaded.model.dofs()[0];
    let limit = dof.limit.unwrap();
    assert_eq!((limit.lower, limit.upper), (-1.0, 2.0));
    assert_eq!((dof.effort_limit, dof.velocity_limit), (Some(30.0), Some(4.0)));
    assert_eq!((dof.damping, dof.friction), (0.5, 0.2));
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
    // without an axis it is x
    assert_eq!(loaded.model.joints()[1].kind, JointKind::Revolute { axis: DVec3::X });
}

/// Roll, pitch, yaw about fixed axes, and the inertia in its own frame.
#[test]
fn poses_and_inertia_frames_are_read() {
    let xml = r#"<robot name="r"><link name="base"/><link name="arm"><inertial>
        <origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/><mass value="2"/>
        <inertia ixx="1" ixy="0.1" ixz="0" iyy="2" iyz="0" izz="2.5"/></inertial></link>
        <joint name="j" type="fixed"><origin xyz="4 5 6" rpy="1.5707963267948966 0 1.5707963267948966"/>
        <parent link="base"/><child link="arm"/></joint></robot>"#;
    let model = read(xml).model;
    let inertia = model.bodies()[1].inertia;
    assert_eq!(inertia.com().to_array().map(f64::round), [1.0, 2.0, 3.0]);
    let expected = [2.0, -0.1, 0.0, 1.0, 0.0, 2.5];
    for (a, b) in inertia.inertia_com().to_array().iter().zip(expected) {
        assert!((a - b).abs() < 1e-14, "{inertia:?}");
    }
    // Rz(90°) Rx(90°) takes y to z
    let pose = model.bodies()[1].link_from_body;
    assert!((pose.rotation * DVec3::Y - DVec3::Z).length() < 1e-15);
    assert!((pose.rotation * DVec3::X - DVec3::Y).length() < 1e-15);
    assert_eq!(pose.translation, DVec3::new(4.0, 5.0, 6.0));
}

#[test]
fn a_floating_base_moves() {
    let xml = robot("continuous", "")
        .replace(r#"<link name="base"/>"#, &format!(r#"<link name="base">{INERTIAL}</link>"#));
    let options = LoadOptions { floating_base: true, ..LoadOptions::default() };
    let loaded = load_urdf_str(&xml, &options).unwrap();
    assert_eq!((loaded.model.nq(), loaded.model.nv()), (8, 7));
    assert_eq!(loaded.joints[0].name, "base");
    assert_eq!(loaded.joints[0].kind, "free");
}

/// What ROS tools accept is read, with a warning that names the element.
#[test]
fn lenient_reading_warns() {
    for (xml, words) in [
        (robot("revolute", r#"<limit lower="-1" upper="1" effort="3"/>"#), "velocity limit is missing"),
        (robot("revolute", r#"<limit lower="-1" upper="1" velocity="3"/>"#), "effort limit is missing"),
        (
            robot("revolute", r#"<limit lower="-1" upper="1" velocity="3" effort="0"/>"#),
            "effort limit is not positive",
        ),
        (robot("revolute", r#"<limit velocity="3" effort="1"/>"#), "no position limits"),
        (robot("prismatic", ""), "no position limits"),
        (robot("continuous", r#"<mimic joint="other" multiplier="2"/>"#), "\"other\" is not there"),
        (robot("fixed", "").replace(r#"<mass value="2"/>"#, ""), "has no mass"),
        (robot("fixed", "").replace(r#"ixy="0""#, ""), "lacks components"),
    ] {
        let loaded = read(&xml);
        let text: Vec<String> = loaded.warnings.iter().map(ToString::to_string).collect();
        assert!(text.iter().any(|w| w.contains(words) && w.contains('"')), "{words}: {text:?}");
    }
    // no warnings for what nobody cares for: visuals that urdf-rs would refuse, missing inertia of fixed links
    let visual = r#"<visual><geometry><blob size="?"/></geometry><material/></visual>"#;
    let xml = robot("continuous", "")
        .replace(r#"<link name="base"/>"#, &format!(r#"<link name="base">{visual}</link>"#));
    assert!(read(&xml).warnings.is_empty());
    // a joint may have the name of the root link
    assert_eq!(
        read(&robot("continuous", "").replace(r#"name="j""#, r#"name="base""#)).joints[0].name,
        "base"
    );
    // the same about many is said once
    let joints: String = (0..9)
        .map(|i| {
            format!(
                r#"<link name="l{i}">{INERTIAL}</link>
                <joint name="p{i}" type="prismatic"><parent link="arm"/><child link="l{i}"/></joint></robot>"#
            )
        })
        .collect::<String>()
        .replace("</robot>", "");
    let loaded = read(&robot("continuous", "").replace("</robot>", &format!("{joints}</robot>")));
    assert_eq!(loaded.warnings.len(), 3);
    assert!(loaded.warnings[0].elements.ends_with("and 5 more"), "{:?}", loaded.warnings);
}

/// Files that print the inertia of parts with few digits: impossible alone, possible together (as in anymal).
#[test]
fn impossible_inertia_counts_with_the_links_it_is_fixed_to() {
    let odd = r#"<inertial><mass value="0.001"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="3e-6"/></inertial>"#;
    let massless = r#"<inertial><mass value="0"/><inertia ixx="1e-6" ixy="0" ixz="0" iyy="1e-6" iyz="0" izz="1e-6"/></inertial>"#;
    for part in [odd, massless] {
        let more = format!(
            r#"<link name="part">{part}</link><joint name="weld" type="fixed"><origin xyz="0.5 0 0"/>
            <parent link="arm"/><child link="part"/></joint></robot>"#
        );
        let loaded = read(&robot("continuous", "").replace("</robot>", &more));
        assert!(loaded.warnings[0].to_string().contains("\"part\""), "{:?}", loaded.warnings);
        let i = loaded.model.tree().links[0].inertia;
        // about the axis x only the part's own share differs from the arm alone
        let own = if part == odd { 0.0 } else { 1e-6 };
        assert!(
            (i.inertia.trace() - (0.3 + if part == odd { 3e-6 + 0.002 * 0.25 } else { 3.0 * own })).abs()
                < 1e-15
        );
        // on a fixed base it is left out
        let more = more.replace("\"arm\"", "\"base\"");
        let loaded = read(&robot("continuous", "").replace("</robot>", &more));
        assert!(loaded.warnings[0].message.contains("left out"), "{:?}", loaded.warnings);
    }
    // alone on a moving joint it stays an error that names the link
    let message = refused(&robot("continuous", "").replace(INERTIAL, odd));
    assert!(message.contains("\"arm\"") && message.contains("triangle"), "{message}");
}

#[test]
fn bad_files_say_what_is_wrong() {
    let ok = robot("continuous", r#"<axis xyz="0 0 1"/>"#);
    for (xml, words) in [
        (ok.replace("<robot", "<robot <"), ["not well-formed XML", "1:"]),
        (ok[..200].to_owned(), ["not well-formed XML", ""]),
        ("<robot/>".to_owned(), ["<robot>", "any <link>"]),
        ("<sdf/>".to_owned(), ["<sdf>", "URDF"]),
        (
            ok.replace("<robot", "<robot xmlns:xacro=\"http://www.ros.org/wiki/xacro\"")
                .replace("</robot>", "<xacro:arm name=\"a\"/></robot>"),
            ["<xacro:arm \"a\">", "run xacro"],
        ),
        (ok.replace("0 0 1", "0 0 0"), ["\"j\"", "axis is zero"]),
        (ok.replace("0 0 1", "0 0"), ["<axis>", "3 numbers, found 2"]),
        (ok.replace("0 0 1", "0 0 one"), ["xyz", "could not read \"one\""]),
        (ok.replace("0 0 1", "0 0 NaN"), ["xyz", "NaN"]),
        (ok.replace("0 0 1", "0 0 inf"), ["xyz must be finite", "inf"]),
        (
            ok.replace("continuous", "hinge"),
            ["<joint \"j\"> (line 2)", "\"hinge\": expected one of fixed, revolute"],
        ),
        (ok.replace(r#"<parent link="base"/>"#, ""), ["<joint \"j\">", "lacks a <parent"]),
        (
            ok.replace(r#"<parent link="base"/>"#, r#"<parent link="bose"/>"#),
            ["\"bose\"", "did you mean \"base\"?"],
        ),
        (
            ok.replace(r#"<child link="arm"/>"#, r#"<child link="base"/>"#),
            ["carry each other in a circle", "base"],
        ),
        (ok.replace(r#"<link name="base"/>"#, r#"<link name="arm"/>"#), ["link \"arm\"", "twice"]),
        (ok.replace(r#"<link name="base"/>"#, "<link/>"), ["<link>", "\"name\""]),
        (ok.replace(r#"<mass value="2"/>"#, r#"<mass value="-2"/>"#), ["\"arm\"", "-2 kg"]),
        (ok.replace(INERTIAL, ""), ["\"arm\"", "give the last bodies mass"]),
        (ok.replace("</robot>", r#"<link name="other"/></robot>"#), ["\"base\" and \"other\"", "both roots"]),
        (
            ok.replace(
                "</robot>",
                r#"<joint name="k" type="fixed"><parent link="base"/><child link="arm"/></joint></robot>"#,
            ),
            ["<joint \"k\">", "(joint \"j\" does already)"],
        ),
        (
            robot("revolute", r#"<limit lower="2" upper="1" effort="1" velocity="1"/>"#),
            ["\"j\"", "lower 2 is above upper 1"],
        ),
        (robot("continuous", r#"<dynamics damping="-1"/>"#), ["\"j\"", "damping must not be negative"]),
        (robot("continuous", "<mimic/>"), ["<mimic>", "\"joint\""]),
        (robot("continuous", r#"<mimic joint="j"/>"#), ["<mimic>", "another joint"]),
        (robot("continuous", r#"<mimic joint="j" multiplier="two"/>"#), ["multiplier", "two"]),
    ] {
        let message = refused(&xml);
        for word in words {
            assert!(message.contains(word), "{word:?} not in {message:?}");
        }
    }
}

#[test]
fn errors_name_the_file() {
    let path = std::env::temp_dir().join(format!("supple-io-{}.urdf", std::process::id()));
    std::fs::write(&path, "<robot/>").unwrap();
    let message = load(&path, &LoadOptions::default()).unwrap_err().to_string();
    std::fs::remove_file(&path).unwrap();
    assert!(message.starts_with(&path.display().to_string()), "{message}");
    assert!(
        load("/no/such/file.urdf", &LoadOptions::default()).unwrap_err().to_string().contains("cannot read")
    );
    assert!(load(std::env::temp_dir(), &LoadOptions::default()).is_err());
}
