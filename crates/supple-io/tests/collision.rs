//! Collision geometry of URDF and MJCF files: shapes, places, who touches whom.

use std::path::Path;

use glam::DVec3;
use supple::world::{BodyRef, QueryFilter, World};
use supple_io::{LoadOptions, Loaded, NamedCollider, load, load_mjcf_str, load_urdf_str};

fn urdf(links: &str) -> Loaded {
    let xml = format!("<robot name='r'>{links}</robot>");
    load_urdf_str(&xml, &LoadOptions { floating_base: true, ..LoadOptions::default() }).unwrap()
}

fn mjcf(xml: &str) -> Loaded {
    load_mjcf_str(&format!("<mujoco>{xml}</mujoco>"), None, &LoadOptions::default()).unwrap()
}

fn shapes(loaded: &Loaded) -> Vec<&'static str> {
    loaded.colliders.iter().map(|c| c.collider.shape.name()).collect()
}

fn warned(loaded: &Loaded, of: &str) -> bool {
    loaded.warnings.iter().any(|w| w.to_string().contains(of))
}

const MASS: &str = "<inertial><mass value='1'/><inertia ixx='.1' iyy='.1' izz='.1'/></inertial>";

#[test]
fn urdf_primitives_are_where_and_what_the_file_says() {
    let loaded = urdf(&format!(
        "<link name='a'>{MASS}
           <collision name='lid'><origin xyz='0 0 1' rpy='1.5707963267948966 0 0'/>
             <geometry><cylinder radius='0.2' length='1.0'/></geometry></collision>
           <collision><geometry><box size='1 2 3'/></geometry></collision>
           <collision><geometry><sphere radius='0.5'/></geometry></collision>
           <collision><geometry><capsule radius='0.1' length='0.6'/></geometry></collision>
           <collision><geometry><torus radius='0.5'/></geometry></collision>
           <collision><geometry><sphere radius='-1'/></geometry></collision>
           <collision><geometry><mesh filename='package://none/such.stl'/></geometry></collision>
         </link>"
    ));
    assert_eq!(shapes(&loaded), ["cylinder", "box", "sphere", "capsule"]);
    assert!(
        warned(&loaded, "torus")
            && warned(&loaded, "radius of a sphere is -1")
            && warned(&loaded, "such.stl")
    );
    let lid = &loaded.colliders[0];
    assert_eq!(lid.name, "lid");
    // lies along y, one metre up
    let mut world = World::new();
    world.add_collider(BodyRef::World, lid.collider.clone()).unwrap();
    let hit =
        world.cast_ray(DVec3::new(0.0, 3.0, 1.1), -DVec3::Y, 9.0, &QueryFilter::new()).unwrap().unwrap();
    assert!((hit.point.y - 0.5).abs() < 1e-9, "{hit:?}");
    // what a capsule's length is: of its cylinder
    let volume = loaded.colliders[3].collider.inertia(1.0).unwrap().mass;
    assert!((volume - std::f64::consts::PI * 0.01 * (0.6 + 4.0 / 3.0 * 0.1)).abs() < 1e-9);
    let bare = LoadOptions { no_colliders: true, ..LoadOptions::default() };
    let xml =
        "<robot name='r'><link name='a'><collision><geometry><box/></geometry></collision></link></robot>";
    assert!(load_urdf_str(xml, &bare).unwrap().colliders.is_empty());
    let error = load_urdf_str(xml, &LoadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("size"), "{error}");
}

/// A box of 2 × 1 × 1 m as text.
const CUBE: &str = "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 0 1 0\nv 0 0 1\nv 2 0 1\nv 2 1 1\nv 0 1 1\n\
    f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 3 4 8 7\nf 1 5 8 4\nf 2 3 7 6\n";

#[test]
fn meshes_are_found_and_touch_as_their_hulls() {
    let folder = std::env::temp_dir().join(format!("supple-collision-{}", std::process::id()));
    let robots = folder.join("some_robot").join("urdf");
    std::fs::create_dir_all(&robots).unwrap();
    std::fs::write(folder.join("some_robot").join("cube.obj"), CUBE).unwrap();
    std::fs::write(robots.join("broken.stl"), "solid nothing").unwrap();
    let mesh = |file: &str| {
        format!("<collision><geometry><mesh filename='{file}' scale='1 1 2'/></geometry></collision>")
    };
    let [good, broken] = [mesh("package://some_robot/cube.obj"), mesh("broken.stl")];
    let text = format!("<robot name='r'><link name='a'>{MASS}{good}{good}{broken}</link></robot>");
    std::fs::write(robots.join("r.urdf"), text).unwrap();
    let loaded = load(robots.join("r.urdf"), &LoadOptions::default()).unwrap();
    assert_eq!(shapes(&loaded), ["convex hull"; 2]);
    assert!(warned(&loaded, "touches nothing"), "{:?}", loaded.warnings);
    let inertia = loaded.colliders[0].collider.inertia(1.0).unwrap();
    assert!((inertia.mass - 4.0).abs() < 1e-9 && (inertia.com() - DVec3::new(1.0, 0.5, 1.0)).length() < 1e-9);

    // MuJoCo's: scaled, and moved by refpos first
    let xml =
        "<mujoco><asset><mesh name='m' file='cube.obj' scale='1 1 2' refpos='1 0 0'/></asset><worldbody>
        <body><freejoint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>
          <geom type='mesh' mesh='m' pos='0 0 3'/></body></worldbody></mujoco>";
    let loaded = load_mjcf_str(xml, Some(&folder.join("some_robot")), &LoadOptions::default()).unwrap();
    let com = loaded.colliders[0].collider.inertia(1.0).unwrap().com();
    assert!((com - DVec3::new(0.0, 0.5, 4.0)).length() < 1e-9, "{com}");
    // without the folder it is not there, and that is no error
    let loaded = load_mjcf_str(xml, None, &LoadOptions::default()).unwrap();
    assert!(loaded.colliders.is_empty() && warned(&loaded, "cube.obj"), "{:?}", loaded.warnings);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn mjcf_geoms_are_where_and_what_the_file_says() {
    let loaded = mjcf(
        "<default><default class='skin'><geom contype='0' conaffinity='0'/></default>
           <geom friction='0.7' condim='3'/></default>
         <worldbody>
           <geom name='floor' type='plane' size='1 1 1' pos='0 0 -1'/>
           <body name='shelf' pos='0 0 9'><geom type='box' size='1 2 3' mass='1'/></body>
           <body name='b' pos='0 0 2'><freejoint/>
             <geom name='ball' size='0.2' friction='0.5 0.1 0.03' condim='6'/>
             <geom type='capsule' fromto='0 0 0 1 0 0' size='0.1'/>
             <geom type='cylinder' size='0.1 0.4'/>
             <geom type='ellipsoid' size='0.1 0.2 0.3'/>
             <geom class='skin' type='sphere' size='9'/>
             <geom type='hfield' mass='0'/>
           </body>
         </worldbody>",
    );
    let kinds = ["half-space", "box", "sphere", "capsule", "cylinder", "convex hull"];
    assert_eq!(shapes(&loaded), kinds);
    let body = loaded.model.body("b");
    assert_eq!(
        loaded.colliders.iter().map(|c| c.body).collect::<Vec<_>>(),
        [None, None, body, body, body, body]
    );
    // what stands still is of the world, at its place in it
    assert_eq!(loaded.colliders[1].collider.frame.position, DVec3::Z * 9.0);
    let [floor, ball] = [&loaded.colliders[0].collider, &loaded.colliders[2].collider];
    assert_eq!((floor.material.friction, floor.material.rolling), (0.7, 0.0));
    assert_eq!((ball.material.friction, ball.material.rolling), (0.5, 0.03));
    let inertia = |i: usize| loaded.colliders[i].collider.inertia(1.0).unwrap();
    assert!((inertia(3).com() - DVec3::X * 0.5).length() < 1e-12);
    assert!((inertia(4).mass - std::f64::consts::PI * 0.01 * 0.8).abs() < 1e-12);
    let whole = 4.0 / 3.0 * std::f64::consts::PI * 0.006;
    assert!((inertia(5).mass / whole - 1.0).abs() < 0.03, "{} of {whole}", inertia(5).mass);
    assert!(warned(&loaded, "height fields"));
}

fn touches(loaded: &Loaded, a: &str, b: &str) -> bool {
    let find = |name: &str| -> &NamedCollider { loaded.colliders.iter().find(|c| c.name == name).unwrap() };
    find(a).collider.groups.allow(&find(b).collider.groups)
}

/// MuJoCo: `(contype1 & conaffinity2) || (contype2 & conaffinity1)`.
#[test]
fn contype_and_conaffinity_count_either_way_round() {
    let kinds = [(1, 1), (1, 0), (0, 1), (2, 0), (0, 2), (3, 4), (4, 4), (1, -2)];
    let geoms: String = kinds
        .iter()
        .enumerate()
        .map(|(i, (t, a))| format!("<geom name='{i}' size='1' contype='{t}' conaffinity='{a}'/>"))
        .collect();
    let loaded = mjcf(&format!(
        "<worldbody>{geoms}<body><freejoint/><geom size='0.1' contype='0' conaffinity='0'/></body></worldbody>"
    ));
    assert_eq!(loaded.colliders.len(), kinds.len());
    for (i, (t1, a1)) in kinds.iter().enumerate() {
        for (j, (t2, a2)) in kinds.iter().enumerate() {
            let expected = t1 & a2 != 0 || t2 & a1 != 0;
            assert_eq!(touches(&loaded, &i.to_string(), &j.to_string()), expected, "{i}, {j}");
        }
    }
}

/// Links that overlap do not push each other apart, links that do not do touch; excluded ones never.
#[test]
fn bodies_that_overlap_at_first_never_touch() {
    let link = |name: &str, x: f64| {
        format!(
            "<link name='{name}'>{MASS}<collision><origin xyz='{x} 0 0'/><geometry><sphere radius='0.3'/></geometry></collision></link>"
        )
    };
    let joint = |child: &str, parent: &str| {
        format!(
            "<joint name='{child}' type='continuous'><parent link='{parent}'/><child link='{child}'/></joint>"
        )
    };
    // c overlaps a, from which b is between; d is apart
    let links = [link("a", 0.0), link("b", 0.1), link("c", 0.5), link("d", 2.0)].concat();
    let loaded = urdf(&[links, joint("b", "a"), joint("c", "b"), joint("d", "c")].concat());
    let id = |name: &str| loaded.model.body(name).unwrap();
    assert_eq!(loaded.ignored, [[id("a"), id("c")]]);
    assert!(
        warned(&loaded, "\"a\" and \"c\" (100.000 mm): bodies of one tree overlap"),
        "{:?}",
        loaded.warnings
    );
    let mut world = loaded.world().unwrap();
    world.gravity = DVec3::ZERO;
    for _ in 0..10 {
        world.step(0.01).unwrap();
    }
    let (_, simulation) = world.articulations().next().unwrap();
    assert!(simulation.state.v.iter().all(|v| v.abs() < 1e-9), "{:?}", simulation.state.v);

    let loaded = mjcf(
        "<worldbody>
           <body name='a'><freejoint/><geom size='0.3'/></body>
           <body name='b' pos='2 0 0'><freejoint/><geom size='0.3'/></body>
           <body name='c' pos='0 5 0'><freejoint/><geom size='0.3'/></body>
         </worldbody>
         <contact><exclude body1='b' body2='a'/></contact>",
    );
    let id = |name: &str| loaded.model.body(name).unwrap();
    assert_eq!(loaded.ignored, [[id("a"), id("b")]]);
    let mut world = loaded.world().unwrap();
    world.gravity = DVec3::ZERO;
    let (model, _) = world.articulations().next().unwrap();
    let push = |world: &mut World, from: usize| {
        let simulation = world.articulation_mut(model).unwrap();
        simulation.state.v.fill(0.0);
        simulation.state.v[from..from + 3].copy_from_slice(&[2.0, 0.0, 0.0]);
        for _ in 0..100 {
            world.step(0.01).unwrap();
        }
        world.articulation(model).unwrap().state.v.clone()
    };
    // a passes through b
    let v = push(&mut world, 3);
    assert!((v[3] - 2.0).abs() < 1e-6 && v[9].abs() < 1e-6, "{v:?}");
}

/// Heights of bodies after a time on a 0.002 s step \[m].
fn heights(loaded: &Loaded, seconds: f64, bodies: &[&str]) -> Vec<f64> {
    let mut world = loaded.world().unwrap();
    for _ in 0..(seconds / 0.002).round() as u32 {
        world.step(0.002).unwrap();
    }
    let (_, simulation) = world.articulations().next().unwrap();
    bodies.iter().map(|name| simulation.pose_of(loaded.model.body(name).unwrap()).translation.z).collect()
}

/// A ball 0.1 mm inside a table that is a body without joints fell through it, and with it every other free body of the file: all of them counted
/// as joined to the world, and so did the table, for good.
#[test]
fn a_table_that_stands_still_holds_what_lies_a_little_in_it() {
    let ball = |name: &str, x: f64, z: f64| {
        format!("<body name='{name}' pos='{x} 0 {z}'><freejoint/><geom size='0.1'/></body>")
    };
    for depth in [1e-4, 0.02] {
        let loaded = mjcf(&format!(
            "<worldbody><body name='table' pos='0 0 0.5'><geom type='box' size='1 1 0.5'/></body>{}{}</worldbody>",
            ball("ball", 0.0, 1.1 - depth),
            ball("other", 0.5, 1.5),
        ));
        assert!(loaded.ignored.is_empty(), "{:?}", loaded.ignored);
        for height in heights(&loaded, 1.0, &["ball", "other"]) {
            assert!((height - 1.1).abs() < 1e-3, "{depth} m deep: {height} m");
        }
    }
}

/// Three boxes that stand on each other with no gap sank into each other, as bodies of one model that overlap.
#[test]
fn boxes_that_stand_on_each_other_go_on_to_stand() {
    let boxes: String = [("a", 0.1), ("b", 0.3), ("c", 0.5)]
        .map(|(name, z)| {
            format!("<body name='{name}' pos='0 0 {z}'><freejoint/><geom type='box' size='.1 .1 .1'/></body>")
        })
        .concat();
    let loaded = mjcf(&format!("<worldbody><geom type='plane' size='0 0 1'/>{boxes}</worldbody>"));
    assert!(loaded.ignored.is_empty() && loaded.warnings.is_empty(), "{:?}", loaded.warnings);
    for (height, expected) in heights(&loaded, 2.0, &["a", "b", "c"]).into_iter().zip([0.1, 0.3, 0.5]) {
        assert!((height - expected).abs() < 1e-3, "{height} m, not {expected} m");
    }
}

/// An arm that stands on its base overlaps it, which stays the arm's; a table beside it holds what falls on it, and the arm.
#[test]
fn a_base_is_of_its_arm_and_a_table_is_not() {
    let loaded = mjcf(
        "<worldbody>
           <body name='base'><geom type='box' size='.1 .1 .1'/>
             <body name='link' pos='0 0 .1'><joint axis='0 0 1'/><geom type='box' size='.05 .05 .05'/>
               <body name='hand' pos='0 0 -.05'><joint axis='0 1 0'/><geom size='.08'/></body></body></body>
           <body name='table' pos='1 0 0.5'><geom type='box' size='.5 .5 .5'/>
             <body name='top' pos='0 0 0.45'><geom type='box' size='.5 .5 .1'/></body></body>
           <body name='ball' pos='1 0 1.2'><freejoint/><geom size='0.1'/></body>
         </worldbody>",
    );
    let id = |name: &str| loaded.model.body(name).unwrap();
    assert_eq!(loaded.ignored, [[id("base"), id("hand")]]);
    assert!(warned(&loaded, "\"base\" and \"hand\" (13"), "{:?}", loaded.warnings);
    let height = heights(&loaded, 1.0, &["ball"])[0];
    assert!((height - 1.15).abs() < 1e-3, "{height} m");
}

#[test]
fn a_body_falls_on_the_floor_of_its_file() {
    let loaded = mjcf(
        "<worldbody><geom type='plane' size='5 5 1'/>
           <body name='b' pos='0 0 1'><freejoint/><geom type='box' size='0.1 0.2 0.3'/>
             <body pos='0 0 0.5'><joint axis='1 0 0'/><geom type='sphere' size='0.1'/></body></body>
         </worldbody>",
    );
    let mut world = loaded.world().unwrap();
    for _ in 0..240 {
        world.step(1.0 / 120.0).unwrap();
    }
    let (_, simulation) = world.articulations().next().unwrap();
    let height = simulation.pose_of(loaded.model.body("b").unwrap()).translation.z;
    assert!(height > 0.09 && height < 0.4, "{height}");
}

#[test]
fn names_that_do_not_exist_are_told() {
    let xml = "<mujoco><worldbody><body name='a'><freejoint/><geom size='1'/></body></worldbody>
        <contact><exclude body1='a' body2='nobody'/></contact></mujoco>";
    let error = load_mjcf_str(xml, Some(Path::new(".")), &LoadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("nobody") && error.contains("exclude"), "{error}");
    let switched = "<mujoco><option><flag contact='disable'/></option><worldbody>
        <body name='a'><freejoint/><geom size='1'/></body></worldbody></mujoco>";
    assert!(load_mjcf_str(switched, None, &LoadOptions::default()).unwrap().colliders.is_empty());
}
