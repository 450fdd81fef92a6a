//! What a page is told of a scene before it moves.

use std::collections::HashMap;

use serde_json::{Value, json};
use supple::constraint::Frame;
use supple::contact::Shape;
use supple::view::{Camera, Mesh, Projection};
use supple_scenes::live::{Cast, Figure, Live};

use crate::source::Source;

/// Sides of what is round, where it is no ball, capsule, cylinder or cone.
const SIDES: u32 = 24;

/// The message `scene`.
pub(crate) fn scene(epoch: u32, source: &Source, live: &Live) -> String {
    let mut shapes = Shapes::default();
    let cast = live.cast();
    let (figures, actors) = figures(cast, &mut shapes);
    let walls: Vec<_> = cast
        .walls
        .iter()
        .map(|(at, shape)| json!({ "shape": shapes.number(shape), "at": place(at) }))
        .collect();
    let (summary, figure) = source.about();
    let camera = live.gaze().cameras(live.time()).first().map(|c| camera(c, cast_middle(live)));
    json!({
        "type": "scene",
        "epoch": epoch,
        "name": source.name,
        "summary": summary,
        "figure": figure,
        "settings": source.settings,
        "dt": live.dt,
        "joints": cast.joints(),
        "up": live.up().to_array(),
        "camera": camera,
        "shapes": shapes.list,
        "figures": figures,
        "actors": actors,
        "walls": walls,
        "policies": live.policies(),
    })
    .to_string()
}

/// The message `tree`.
pub(crate) fn tree(epoch: u32, actor: usize, strip: &supple_scenes::live::Strip) -> String {
    let child = |c: Option<u32>| c.map_or(-1, i64::from);
    let nodes: Vec<_> = strip
        .nodes
        .iter()
        .map(|n| [child(n.children[0]), child(n.children[1]), i64::from(n.joints)])
        .collect();
    json!({ "type": "tree", "epoch": epoch, "actor": actor, "nodes": nodes }).to_string()
}

/// Figures, each told once, and which of them every actor has.
fn figures(cast: &Cast, shapes: &mut Shapes) -> (Vec<Value>, Vec<usize>) {
    let (mut list, mut known) = (Vec::new(), HashMap::new());
    let numbers: Vec<usize> = cast
        .figures
        .iter()
        .map(|figure| {
            let value = figure_of(figure, shapes);
            *known.entry(value.to_string()).or_insert_with(|| {
                list.push(value);
                list.len() - 1
            })
        })
        .collect();
    let actors = cast.actors.iter().map(|(_, figure)| numbers[*figure]).collect();
    (list, actors)
}

fn figure_of(figure: &Figure, shapes: &mut Shapes) -> Value {
    let solids: Vec<_> = figure
        .solids
        .iter()
        .map(|solid| json!({ "body": solid.body, "shape": shapes.number(&solid.shape), "at": place(&solid.at) }))
        .collect();
    json!({ "bodies": figure.bodies, "joints": figure.joints, "solids": solids })
}

/// Shapes, each told once.
#[derive(Default)]
struct Shapes {
    list: Vec<Value>,
    known: HashMap<String, usize>,
}

impl Shapes {
    fn number(&mut self, shape: &Shape) -> usize {
        let value = shape_of(shape);
        *self.known.entry(value.to_string()).or_insert_with(|| {
            self.list.push(value);
            self.list.len() - 1
        })
    }
}

fn shape_of(shape: &Shape) -> Value {
    let parry = shape.parry();
    if let Some(ball) = parry.as_ball() {
        return json!({ "type": "sphere", "radius": ball.radius });
    }
    if let Some(cuboid) = parry.as_cuboid() {
        return json!({ "type": "box", "size": (2.0 * cuboid.half_extents).to_array() });
    }
    if let Some(capsule) = parry.as_capsule() {
        let (from, to) = (capsule.segment.a.to_array(), capsule.segment.b.to_array());
        return json!({ "type": "capsule", "from": from, "to": to, "radius": capsule.radius });
    }
    if let Some(cylinder) = parry.as_cylinder() {
        return json!({ "type": "cylinder", "height": 2.0 * cylinder.half_height, "radius": cylinder.radius });
    }
    if let Some(cone) = parry.as_cone() {
        return json!({ "type": "cone", "height": 2.0 * cone.half_height, "radius": cone.radius });
    }
    if parry.as_halfspace().is_some() {
        return json!({ "type": "half-space" });
    }
    let mesh = Mesh::of(shape, SIDES);
    let level = mesh.finest();
    let corners: Vec<f32> = level.corners().iter().flat_map(|c| c.as_vec3().to_array()).collect();
    let triangles: Vec<u32> = level.triangles().iter().flatten().copied().collect();
    json!({ "type": "mesh", "corners": corners, "triangles": triangles })
}

fn place(at: &Frame) -> [f64; 7] {
    let ([x, y, z], [a, b, c, d]) = (at.position.to_array(), at.rotation.to_array());
    [x, y, z, a, b, c, d]
}

/// How far ahead of the camera the middle of what plays is \[m]: what it turns about.
fn cast_middle(live: &Live) -> glam::DVec3 {
    let at = |posture: &supple_scenes::live::Posture| posture.groups.first().map(|g| g.frame.position);
    let points: Vec<_> = live.picture().actors.iter().filter_map(at).collect();
    points.iter().sum::<glam::DVec3>() / points.len().max(1) as f64
}

fn camera(camera: &Camera, middle: glam::DVec3) -> Value {
    let axes = camera.axes();
    let (up, ahead) = (axes.row(1), axes.row(2));
    let distance = ahead.dot(middle - camera.position).max(0.1);
    let field = match camera.projection {
        Projection::Perspective { field } => field,
        // as high where it looks at
        Projection::Orthographic { height } => 2.0 * (0.5 * height / distance).atan(),
    };
    json!({
        "eye": camera.position.to_array(),
        "target": (camera.position + distance * ahead).to_array(),
        "up": up.to_array(),
        "field": field,
    })
}
