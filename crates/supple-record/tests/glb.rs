//! Animations are read back by another library.

use std::collections::BTreeMap;

use glam::{DQuat, DVec3};
use supple_record::Glb;
use supple_scenes::live::{Live, Policy};

type Failed = Box<dyn std::error::Error>;

/// As far as a body may be from where it was \[m].
const NEAR: f64 = 1e-5;

/// A node as it is at one sample.
#[derive(Clone)]
struct Node {
    name: String,
    parent: Option<usize>,
    translation: DVec3,
    rotation: DQuat,
}

fn world(nodes: &[Node], mut at: usize) -> DVec3 {
    let mut point = DVec3::ZERO;
    loop {
        point = nodes[at].rotation * point + nodes[at].translation;
        match nodes[at].parent {
            Some(parent) => at = parent,
            None => return point,
        }
    }
}

/// Records a scene, reads it back, and compares all bodies at all samples. Tells how many channels there are.
fn there_and_back(mut live: Live, samples: usize, steps: usize) -> Result<usize, Failed> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("scene.glb");
    let mut glb = Glb::create(&path, live.cast(), live.up(), samples as u64)?;
    let mut exact: Vec<Vec<DVec3>> = Vec::new();
    for _ in 0..samples {
        live.take_picture();
        glb.sample(live.picture(), live.gaze().cameras(live.time()).first());
        let postures = live.picture().actors.iter();
        exact.push(postures.flat_map(|p| (0..p.bodies.len()).map(|b| p.frame(b).position)).collect());
        (0..steps).try_for_each(|_| live.step())?;
    }
    assert_eq!(glb.finish()?, samples as u64);

    let gltf::Gltf { document, blob } = gltf::Gltf::open(&path)?;
    let blob = blob.ok_or("no numbers")?;
    let mut nodes: Vec<Node> = document
        .nodes()
        .map(|node| {
            let (t, r, _) = node.transform().decomposed();
            let (translation, rotation) = (t.map(f64::from), r.map(f64::from));
            Node {
                name: node.name().unwrap_or_default().to_owned(),
                parent: None,
                translation: translation.into(),
                rotation: DQuat::from_array(rotation).normalize(),
            }
        })
        .collect();
    for node in document.nodes() {
        node.children().for_each(|child| {
            assert!(nodes[child.index()].parent.is_none(), "a node has one parent");
            nodes[child.index()].parent = Some(node.index());
        });
    }
    // bodies in the order of the cast, by their names
    let numbers: BTreeMap<&str, usize> =
        nodes.iter().enumerate().map(|(i, n)| (n.name.as_str(), i)).collect();
    let cast = live.cast();
    let mut bodies = Vec::new();
    for (actor, (_, figure)) in cast.actors.iter().enumerate() {
        let figure = &cast.figures[*figure];
        for body in &figure.bodies {
            let full = format!("{actor}/{body}");
            let name = if cast.actors.len() > 1 && figure.bodies.len() > 1 { &full } else { body };
            // who comes later under the same name has a number
            let plain = numbers.get(name.as_str()).filter(|node| !bodies.contains(*node));
            let node = plain.or_else(|| numbers.get(format!("{name} #{actor}").as_str()));
            bodies.push(*node.ok_or_else(|| format!("no node {name:?}"))?);
        }
    }
    let channels: Vec<_> = document.animations().flat_map(|a| a.channels().collect::<Vec<_>>()).collect();
    // the root turns up to y
    let root = nodes[0].rotation;
    assert!((root * live.up()).distance(DVec3::Y) < 1e-6);
    for sample in 0..samples {
        let mut now = nodes.clone();
        for channel in &channels {
            let reader = channel.reader(|_| Some(&blob));
            assert_eq!(reader.read_inputs().map(|i| i.count()), Some(samples));
            let node = &mut now[channel.target().node().index()];
            match reader.read_outputs() {
                Some(gltf::animation::util::ReadOutputs::Translations(mut t)) => {
                    node.translation = t.nth(sample).ok_or("short")?.map(f64::from).into();
                }
                Some(gltf::animation::util::ReadOutputs::Rotations(r)) => {
                    let r = r.into_f32().nth(sample).ok_or("short")?.map(f64::from);
                    node.rotation = DQuat::from_array(r).normalize();
                }
                _ => return Err("neither moves nor turns".into()),
            }
        }
        for (body, exact) in bodies.iter().zip(&exact[sample]) {
            let read = root.inverse() * world(&now, *body);
            assert!(read.distance(*exact) < NEAR, "{} at {sample}: {read} is not {exact}", now[*body].name);
        }
    }
    Ok(channels.len())
}

#[test]
fn a_crowd_is_where_it_was() -> Result<(), Failed> {
    let live = Live::new(supple_scenes::stage("crowd-200", &[("characters", "3")])?);
    assert!(there_and_back(live, 8, 5)? > 30);
    Ok(())
}

#[test]
fn errors_do_not_add_up_along_a_chain() -> Result<(), Failed> {
    let live = Live::new(supple_scenes::stage("pendulum-300", &[])?);
    there_and_back(live, 6, 20)?;
    Ok(())
}

#[test]
fn rigid_joints_have_no_channels() -> Result<(), Failed> {
    let mut live = Live::new(supple_scenes::stage("pendulum", &[("links", "40")])?);
    live.set_policy(Policy::Joints(1))?;
    live.step()?;
    let channels = there_and_back(live, 5, 1)?;
    assert!(channels < 20, "{channels} channels of 40 links that are nearly one");
    Ok(())
}

#[test]
fn a_world_is_where_it_was() -> Result<(), Failed> {
    let live = Live::new(supple_scenes::stage("bridge", &[])?);
    there_and_back(live, 6, 10)?;
    Ok(())
}

/// Members used to be taken for the first one.
#[test]
fn a_crowd_of_several_models_is_where_it_was() -> Result<(), Failed> {
    let scene = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/scenes/two-models.toml");
    let mut live = Live::new(supple_scenes::open_file(scene)?);
    live.grab(0, 1, DVec3::ZERO, DVec3::Z)?;
    live.grab(1, 0, DVec3::X, DVec3::Z)?;
    assert!(there_and_back(live, 6, 10)? >= 3);
    Ok(())
}
