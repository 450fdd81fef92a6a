//! The plain document that mjcf-rs gets: what bears on motion, classes folded, numbers checked.

use std::collections::HashSet;
use supple::spatial::rotation;

use glam::{DQuat, DVec3};

use super::defaults::{Classes, ORIENTATIONS};
use crate::IoError;
use crate::warning::Warnings;
use crate::xml::{Element, count_attributes, words};
use supple::spatial::math;

/// What holds for the whole document and is not in mjcf-rs's model.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    /// The `<compiler>` elements as one; the last value of an attribute counts.
    compiler: Element,
    /// The `<option>` elements as one.
    option: Element,
    /// Geom groups that give bodies their mass, first and last.
    pub(super) inertia_groups: [f64; 2],
    /// Whether angles are in degrees.
    pub(super) degrees: bool,
    /// Effects switched off by `<flag>`.
    disabled: Vec<String>,
    /// Whether meshes count as solid exactly (older files), not by MuJoCo's legacy rule.
    exact_meshes: bool,
}

impl Settings {
    /// Whether a `<flag>` switches this effect off.
    pub(super) fn disabled(&self, effect: &str) -> bool {
        self.disabled.iter().any(|d| d == effect)
    }

    /// Groups whose actuators are switched off.
    pub(super) fn disabled_groups(&self) -> Result<Vec<f64>, IoError> {
        Ok(self.option.numbers("actuatorgroupdisable", 0, 31)?.unwrap_or_default())
    }

    /// Length of a step \[s], if the file names one.
    pub(super) fn timestep(&self) -> Result<Option<f64>, IoError> {
        match self.option.finite::<1>("timestep")? {
            Some([step]) if !(step > 0.0) => {
                Err(self.option.bad("timestep", &step.to_string(), "a positive number of seconds"))
            }
            step => Ok(step.map(|[step]| step)),
        }
    }

    /// Whether a range alone makes a limit.
    pub(super) fn auto_limits(&self) -> bool {
        self.compiler.get("autolimits") != Some("false")
    }
}

/// Numbers of an attribute: its name, how few and how many.
type Numbers = (&'static str, usize, usize);

const POSE: [Numbers; 6] =
    [("pos", 3, 3), ("quat", 4, 4), ("axisangle", 4, 4), ("euler", 3, 3), ("xyaxes", 6, 6), ("zaxis", 3, 3)];
const INERTIAL: [Numbers; 3] = [("mass", 1, 1), ("diaginertia", 3, 3), ("fullinertia", 6, 6)];
const JOINT: [Numbers; 10] = [
    ("pos", 3, 3),
    ("axis", 3, 3),
    ("range", 2, 2),
    ("stiffness", 1, 1),
    ("damping", 1, 1),
    ("springref", 1, 1),
    ("springdamper", 2, 2),
    ("armature", 1, 1),
    ("frictionloss", 1, 1),
    ("ref", 1, 1),
];
const GEOM: [Numbers; 4] = [("size", 1, 3), ("mass", 1, 1), ("density", 1, 1), ("group", 1, 1)];
const MESH: [Numbers; 3] = [("scale", 3, 3), ("refpos", 3, 3), ("refquat", 4, 4)];
/// Attributes that do not bear on motion (or are checked elsewhere): no warning when they are left out.
const HARMLESS: [&str; 33] = [
    "name",
    "class",
    "childclass",
    "user",
    "group",
    "sleep",
    "gravcomp",
    "mocap",
    "priority",
    "solmix",
    "solref",
    "solimp",
    "margin",
    "gap",
    "fromto",
    "hfield",
    "fitscale",
    "rgba",
    "material",
    "fluidshape",
    "fluidcoef",
    "solreflimit",
    "solimplimit",
    "solreffriction",
    "solimpfriction",
    "actuatorfrclimited",
    "actuatorfrcrange",
    "actuatorgravcomp",
    "align",
    "shellinertia",
    "surfacevel",
    "adhesion",
    "simple",
];

/// Reads what holds for the whole document.
pub(super) fn settings(document: &Element) -> Result<Settings, IoError> {
    let mut compiler = Element::new("compiler");
    let mut option = Element::new("option");
    let mut disabled = Vec::new();
    for section in &document.children {
        let into = match section.tag.as_str() {
            "compiler" => &mut compiler,
            "option" => &mut option,
            _ => continue,
        };
        into.line = section.line;
        section.attributes.iter().for_each(|(name, value)| into.set(name, value));
        count_attributes(into.attributes.len())?;
        for flag in section.all("flag") {
            for (name, value) in &flag.attributes {
                disabled.retain(|d| d != name);
                match value.as_str() {
                    "disable" => disabled.push(name.clone()),
                    "enable" => {}
                    other => return Err(flag.bad(name, other, "enable or disable")),
                }
            }
        }
    }
    choice(&compiler, "angle", &["degree", "radian"])?;
    choice(&compiler, "inertiafromgeom", &["true", "false", "auto"])?;
    choice(&compiler, "coordinate", &["local", "global"])?;
    for field in ["autolimits", "balanceinertia", "exactmeshinertia", "strippath", "alignfree"] {
        choice(&compiler, field, &["true", "false"])?;
    }
    for (field, value, advice) in [
        ("coordinate", "global", "convert the file to local coordinates"),
        ("alignfree", "true", "it moves the frames of free bodies; leave it out"),
    ] {
        if compiler.get(field) == Some(value) {
            let element = format!("{} with {field}={value:?}", compiler.label());
            return Err(IoError::Unsupported { element, advice: advice.into() });
        }
    }
    let sequence = compiler.get("eulerseq").unwrap_or("xyz");
    if sequence.len() != 3 || !sequence.bytes().all(|b| b"xyzXYZ".contains(&b)) {
        let expected = "three of x, y, z (turning axes) or X, Y, Z (fixed axes)";
        return Err(compiler.bad("eulerseq", sequence, expected));
    }
    for field in ["boundmass", "boundinertia", "settotalmass"] {
        compiler.finite::<1>(field)?;
    }
    option.finite::<3>("gravity")?;
    Ok(Settings {
        inertia_groups: compiler.finite::<2>("inertiagrouprange")?.unwrap_or([0.0, 5.0]),
        degrees: compiler.get("angle") != Some("radian"),
        exact_meshes: compiler.get("exactmeshinertia") == Some("true"),
        disabled,
        compiler,
        option,
    })
}

/// Makes the plain document, with `sites` of these names only.
pub(super) fn plain(
    document: &Element,
    settings: &Settings,
    classes: &Classes,
    sites: &HashSet<&str>,
    warnings: &mut Warnings,
) -> Result<Element, IoError> {
    let mut plain = Element::new("mujoco");
    let mut compiler = Element::new("compiler");
    for field in [
        "angle",
        "eulerseq",
        "inertiafromgeom",
        "autolimits",
        "balanceinertia",
        "strippath",
        "boundmass",
        "boundinertia",
        "settotalmass",
        "meshdir",
        "assetdir",
    ] {
        if let Some(value) = settings.compiler.get(field) {
            compiler.set(field, value);
        }
    }
    plain.children.push(compiler);
    let mut option = Element::new("option");
    if let Some(gravity) = settings.option.finite::<3>("gravity")? {
        option.set("gravity", words(&gravity));
    }
    plain.children.push(option);
    let mut assets = Element::new("asset");
    for asset in document.all("asset") {
        for mesh in asset.all("mesh") {
            let mut mesh = classes.fold(mesh, None)?;
            if mesh.get("inertia").is_none() {
                mesh.set("inertia", if settings.exact_meshes { "exact" } else { "legacy" });
            }
            assets.children.push(self::mesh(&mesh)?);
        }
    }
    plain.children.push(assets);
    let mut world = Element::new("worldbody");
    let mut writer = Writer { classes, sites, warnings };
    for section in document.all("worldbody") {
        writer.children(section, None, &mut world)?;
    }
    plain.children.push(world);
    Ok(plain)
}

fn mesh(mesh: &Element) -> Result<Element, IoError> {
    choice(mesh, "inertia", &["convex", "exact", "legacy", "shell"])?;
    let mut plain = copy(mesh, &[&MESH], &["name", "file", "inertia"])?;
    if let Some(vertices) = mesh.numbers("vertex", 0, usize::MAX)? {
        plain.set("vertex", words(&vertices));
    }
    if let Some(faces) = mesh.numbers("face", 0, usize::MAX)? {
        let limit = f64::from(u32::MAX);
        if let Some(bad) = faces.iter().find(|f| !(0.0..limit).contains(*f) || f.fract() != 0.0) {
            return Err(mesh.bad("face", &bad.to_string(), "indices of vertices, from zero"));
        }
        plain.set("face", words(&faces));
    }
    Ok(plain)
}

struct Writer<'a> {
    classes: &'a Classes,
    sites: &'a HashSet<&'a str>,
    warnings: &'a mut Warnings,
}

impl Writer<'_> {
    /// The children of a body or frame.
    fn children(&mut self, of: &Element, childclass: Option<&str>, out: &mut Element) -> Result<(), IoError> {
        for child in &of.children {
            let plain = match child.tag.as_str() {
                "body" | "frame" => {
                    let mut plain = copy(child, &[&POSE], &["name", "mocap"])?;
                    choice(child, "mocap", &["true", "false"])?;
                    orientation(child, &mut plain)?;
                    self.children(child, child.get("childclass").or(childclass), &mut plain)?;
                    plain
                }
                "inertial" => {
                    let mut plain = copy(child, &[&POSE, &INERTIAL], &[])?;
                    child.need("pos")?;
                    child.need("mass")?;
                    orientation(child, &mut plain)?;
                    plain
                }
                "freejoint" => copy(child, &[], &["name"])?,
                "joint" => self.joint(&self.classes.fold(child, childclass)?)?,
                "geom" => geom(&self.classes.fold(child, childclass)?)?,
                "site" => {
                    if child.get("name").is_some_and(|name| self.sites.contains(name)) {
                        out.children.push(site(&self.classes.fold(child, childclass)?)?);
                    }
                    continue;
                }
                _ => continue,
            };
            self.unknown_attributes(child, &plain);
            out.children.push(plain);
        }
        Ok(())
    }

    fn joint(&mut self, joint: &Element) -> Result<Element, IoError> {
        choice(joint, "type", &["hinge", "slide", "ball", "free"])?;
        choice(joint, "limited", &["true", "false", "auto"])?;
        let mut joint = joint.clone();
        for field in ["stiffness", "damping"] {
            // the higher coefficients are zero, or were refused or warned about already
            if let Some(numbers) = joint.numbers(field, 1, 8)? {
                joint.set(field, words(&numbers[..1]));
            }
        }
        copy(&joint, &[&JOINT], &["name", "type", "limited"])
    }

    /// Warns of attributes that are neither read nor known to be harmless: most are typing errors.
    fn unknown_attributes(&mut self, element: &Element, plain: &Element) {
        for (name, _) in &element.attributes {
            let known = HARMLESS.contains(&name.as_str()) || ORIENTATIONS.contains(&name.as_str());
            if !known && plain.get(name).is_none() {
                let attribute = format!("{name:?} of {}", element.label());
                self.warnings.add(attribute, "attribute is not known: left out");
            }
        }
    }
}

fn geom(geom: &Element) -> Result<Element, IoError> {
    const TYPES: [&str; 9] =
        ["plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf"];
    choice(geom, "type", &TYPES)?;
    let mut plain = copy(geom, &[&POSE, &GEOM], &["name", "type", "mesh"])?;
    orientation(geom, &mut plain)?;
    if let Some(group) = plain.get("group") {
        let whole = group.trim().parse::<i32>();
        plain.set("group", whole.map_err(|_| geom.bad("group", group, "a whole number"))?.to_string());
    }
    for field in ["contype", "conaffinity", "condim"] {
        if let Some(value) = geom.get(field) {
            let whole = value.trim().parse::<i32>().map_err(|_| geom.bad(field, value, "a whole number"))?;
            // bits of a mask, the first of which may be a sign
            plain.set(field, whole.cast_unsigned().to_string());
        }
    }
    if let Some(given) = geom.numbers("friction", 1, 3)? {
        if let Some(&value) = given.iter().find(|x| !x.is_finite()) {
            return Err(IoError::NotFinite { element: geom.label(), field: "friction".into(), value });
        }
        let mut friction = [1.0, 0.005, 0.0001];
        friction[..given.len()].copy_from_slice(&given);
        plain.set("friction", words(&friction));
    }
    if geom.get("shellinertia") == Some("true") {
        // refused later if it gives a body its mass
        plain.set("material", super::inertia::SHELL);
    }
    if let Some(ends) = geom.finite::<6>("fromto")? {
        from_to(geom, &mut plain, ends)?;
    }
    Ok(plain)
}

/// A site: its pose alone.
fn site(site: &Element) -> Result<Element, IoError> {
    let mut plain = copy(site, &[&POSE], &["name"])?;
    orientation(site, &mut plain)?;
    if let Some(ends) = site.finite::<6>("fromto")? {
        from_to(site, &mut plain, ends)?;
        plain.attributes.retain(|(name, _)| name != "size");
    }
    Ok(plain)
}

/// A segment instead of pose and length: midpoint, z along it, half its length as the last size.
fn from_to(geom: &Element, plain: &mut Element, ends: [f64; 6]) -> Result<(), IoError> {
    let kind = geom.get("type").unwrap_or("sphere");
    let along = match kind {
        "capsule" | "cylinder" => 1,
        "box" | "ellipsoid" => 2,
        _ => {
            return Err(geom.bad("type", kind, "capsule, cylinder, box or ellipsoid, since fromto is given"));
        }
    };
    if geom.finite::<3>("pos")?.is_some_and(|p| p != [0.0; 3]) {
        return Err(geom.bad("pos", geom.get("pos").unwrap_or_default(), "none, since fromto is given"));
    }
    let (from, to) = (DVec3::from_slice(&ends[..3]), DVec3::from_slice(&ends[3..]));
    let length = (from - to).length();
    if !(length > 1e-14) {
        return Err(geom.bad("fromto", geom.get("fromto").unwrap_or_default(), "two points apart"));
    }
    let mut size = geom.numbers("size", 1, 3)?.unwrap_or_else(|| vec![0.0]);
    size.resize(3, 0.0);
    size[1] = size[0];
    size[along] = 0.5 * length;
    plain.attributes.retain(|(name, _)| !ORIENTATIONS.contains(&name.as_str()));
    plain.set("size", words(&size));
    plain.set("pos", words(&(0.5 * (from + to)).to_array()));
    plain.set("quat", wxyz(z_to(from - to)));
    Ok(())
}

/// At most one orientation; `zaxis` becomes a quaternion here, where it is exact for every direction.
fn orientation(element: &Element, plain: &mut Element) -> Result<(), IoError> {
    let given: Vec<&str> = ORIENTATIONS.into_iter().filter(|o| element.get(o).is_some()).collect();
    if given.len() > 1 {
        return Err(element.bad(
            given[1],
            element.get(given[1]).unwrap_or_default(),
            format!("{} alone", given[0]),
        ));
    }
    if let Some(axis) = element.finite::<3>("zaxis")? {
        plain.attributes.retain(|(name, _)| name != "zaxis");
        plain.set("quat", wxyz(z_to(DVec3::from_array(axis))));
    }
    Ok(())
}

/// The shortest rotation that takes z to this direction; half a turn about x for −z.
fn z_to(direction: DVec3) -> DQuat {
    let axis = DVec3::Z.cross(direction);
    let sine = axis.length();
    if sine == 0.0 && direction.z == 0.0 {
        return DQuat::IDENTITY;
    }
    let axis = if sine < 1e-10 * direction.length() { DVec3::X } else { axis / sine };
    rotation::about(axis, math::atan2(sine, direction.z))
}

fn wxyz(q: DQuat) -> String {
    words(&[q.w, q.x, q.y, q.z])
}

/// A copy with these attributes only, all their numbers finite.
fn copy(element: &Element, numbers: &[&[Numbers]], texts: &[&str]) -> Result<Element, IoError> {
    let mut plain = Element { line: element.line, ..Element::new(&element.tag) };
    for name in texts {
        if let Some(value) = element.get(name) {
            plain.set(name, value);
        }
    }
    for &(name, least, most) in numbers.iter().copied().flatten() {
        let Some(list) = element.numbers(name, least, most)? else { continue };
        if let Some(&value) = list.iter().find(|x| !x.is_finite()) {
            return Err(IoError::NotFinite { element: element.label(), field: name.into(), value });
        }
        plain.set(name, words(&list));
    }
    Ok(plain)
}

/// Checks that an attribute, if there, is one of these words.
fn choice(element: &Element, field: &str, choices: &[&str]) -> Result<(), IoError> {
    match element.get(field) {
        Some(value) if !choices.contains(&value) => {
            Err(element.bad(field, value, format!("one of {}", choices.join(", "))))
        }
        _ => Ok(()),
    }
}
