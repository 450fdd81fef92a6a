//! Equality constraints: `<connect>`, `<weld>` and `<joint>`; hard ones, whatever softness the file gives them.
//!
//! MuJoCo's rules: an anchor is given in one body and taken over to the other at the first position; joints are measured from there.

use std::collections::{HashMap, HashSet};

use glam::{DQuat, DVec3};
use supple::constraint::Frame;
use supple::{BodyId, JointKind, Simulation};

use super::defaults::Classes;
use super::inertia::pose;
use super::plain::Settings;
use crate::warning::Warnings;
use crate::xml::Element;
use crate::{IoError, Loaded, Loop};

/// Attributes that are read.
const KNOWN: [&str; 20] = [
    "name",
    "class",
    "active",
    "solref",
    "solimp",
    "body1",
    "body2",
    "site1",
    "site2",
    "anchor",
    "relpose",
    "torquescale",
    "joint1",
    "joint2",
    "polycoef",
    "tendon1",
    "tendon2",
    "flex",
    "flexname",
    "group",
];

/// Names of the sites that equality constraints join.
pub(super) fn sites(document: &Element) -> HashSet<&str> {
    let all = document.all("equality").flat_map(|section| &section.children);
    all.flat_map(|e| [e.get("site1"), e.get("site2")]).flatten().collect()
}

/// Reads the `<equality>` sections into `loaded`, which is at the first position.
pub(super) fn read(
    document: &Element,
    mjcf: &mjcf_rs::Model,
    settings: &Settings,
    classes: &Classes,
    warnings: &mut Warnings,
    loaded: &mut Loaded,
) -> Result<(), IoError> {
    if settings.disabled("equality") {
        return Ok(());
    }
    let mut reader = Reader::new(mjcf, loaded);
    let mut loops = Vec::new();
    for element in document.all("equality").flat_map(|section| &section.children) {
        // constraints of all kinds take their defaults from <equality>
        let folded = classes.fold(&Element { tag: "equality".into(), ..element.clone() }, None)?;
        let element = Element { tag: element.tag.clone(), ..folded };
        match element.get("active").unwrap_or("true") {
            "true" => {}
            "false" => continue,
            other => return Err(element.bad("active", other, "true or false")),
        }
        for (name, _) in element.attributes.iter().filter(|(name, _)| !KNOWN.contains(&name.as_str())) {
            warnings.add(format!("{name:?} of {}", element.label()), "attribute is not known: left out");
        }
        let read = match element.tag.as_str() {
            "connect" => reader.connect(&element)?,
            "weld" => reader.weld(&element)?,
            "joint" => reader.joint(&element)?,
            _ => {
                warnings.add(element.label(), "equality constraints of tendons and flexes are left out");
                continue;
            }
        };
        if ["solref", "solimp"].iter().any(|field| element.get(field).is_some()) {
            warnings
                .add(element.label(), "softness (solref, solimp) is not simulated: the constraint is hard");
        }
        loops.push(read);
    }
    loaded.loops = loops;
    Ok(())
}

/// Two bodies, and a frame of each.
type Ends = ([BodyId; 2], [Frame; 2]);

struct Reader<'a> {
    mjcf: &'a mjcf_rs::Model,
    loaded: &'a Loaded,
    /// The first position, made when it is needed.
    first: Option<Simulation>,
    bodies: HashMap<&'a str, BodyId>,
}

impl<'a> Reader<'a> {
    fn new(mjcf: &'a mjcf_rs::Model, loaded: &'a Loaded) -> Self {
        let bodies = loaded.model.bodies().iter().enumerate();
        let bodies = bodies.map(|(i, body)| (body.name.as_str(), BodyId::new(i))).collect();
        Self { mjcf, loaded, first: None, bodies }
    }

    fn connect(&mut self, element: &Element) -> Result<Loop, IoError> {
        let name = element.get("name").unwrap_or_default().to_owned();
        if let Some((bodies, frames)) = self.sites(element)? {
            return Ok(Loop::Connect { name, bodies, points: frames.map(|f| f.position) });
        }
        let bodies = self.bodies(element)?;
        element.need("anchor")?;
        let anchor = DVec3::from_array(element.finite::<3>("anchor")?.unwrap_or_default());
        let points = [anchor, self.relative(bodies).inverse().point(anchor)];
        Ok(Loop::Connect { name, bodies, points })
    }

    fn weld(&mut self, element: &Element) -> Result<Loop, IoError> {
        let name = element.get("name").unwrap_or_default().to_owned();
        let turns = element.finite::<1>("torquescale")?.is_none_or(|[scale]| scale != 0.0);
        let (bodies, frames) = match self.sites(element)? {
            Some(both) => both,
            None => {
                let bodies = self.bodies(element)?;
                let anchor = Frame::at(DVec3::from_array(element.finite::<3>("anchor")?.unwrap_or_default()));
                let [x, y, z, w, i, j, k] = element.finite::<7>("relpose")?.unwrap_or_default();
                let relative = if [w, i, j, k] == [0.0; 4] {
                    self.relative(bodies)
                } else {
                    Frame::new(DVec3::new(x, y, z), DQuat::from_xyzw(i, j, k, w))
                };
                (bodies, [relative * anchor, anchor])
            }
        };
        if turns {
            return Ok(Loop::Weld { name, bodies, frames });
        }
        // a weld that no torque holds
        Ok(Loop::Connect { name, bodies, points: frames.map(|f| f.position) })
    }

    fn joint(&mut self, element: &Element) -> Result<Loop, IoError> {
        let name = element.get("name").unwrap_or_default().to_owned();
        let follower = self.dof(element, "joint1")?;
        let leader = match element.get("joint2") {
            Some(_) => Some(self.dof(element, "joint2")?),
            None => None,
        };
        if leader == Some(follower) {
            let expected = "another joint than joint1";
            return Err(element.bad("joint2", element.get("joint2").unwrap_or_default(), expected));
        }
        let mut polynomial = vec![0.0, 1.0, 0.0, 0.0, 0.0];
        if let Some(given) = element.numbers("polycoef", 1, 5)? {
            if let Some(&value) = given.iter().find(|x| !x.is_finite()) {
                return Err(IoError::NotFinite { element: element.label(), field: "polycoef".into(), value });
            }
            polynomial[..given.len()].copy_from_slice(&given);
        }
        while polynomial.len() > 1 && polynomial.last() == Some(&0.0) {
            polynomial.pop();
        }
        Ok(Loop::Joint { name, follower, leader, polynomial })
    }

    /// The two bodies, the second of which may be the world.
    fn bodies(&self, element: &Element) -> Result<[BodyId; 2], IoError> {
        let find = |name: &str| {
            self.bodies.get(name).copied().ok_or_else(|| IoError::UnknownName {
                what: "body",
                name: name.into(),
                hint: format!(" (of {})", element.label()),
            })
        };
        let second = element.get("body2").map_or(Ok(BodyId::new(0)), find)?;
        let bodies = [find(element.need("body1")?)?, second];
        if bodies[0] == bodies[1] {
            return Err(element.bad(
                "body2",
                element.get("body2").unwrap_or("world"),
                "another body than body1",
            ));
        }
        Ok(bodies)
    }

    /// The bodies of two sites and the sites in them, if the constraint is between sites.
    fn sites(&self, element: &Element) -> Result<Option<Ends>, IoError> {
        if element.get("site1").is_none() && element.get("site2").is_none() {
            return Ok(None);
        }
        let find = |field: &str| -> Result<(BodyId, Frame), IoError> {
            let name = element.need(field)?;
            let hint = || format!(" (of {})", element.label());
            let (body, site) = self.mjcf.site_by_name(name).ok_or_else(|| IoError::UnknownName {
                what: "site",
                name: name.into(),
                hint: hint(),
            })?;
            let site = &self.mjcf.bodies[body].body.sites[site];
            Ok((BodyId::new(body), Frame::from(pose(&site.pose))))
        };
        let (a, b) = (find("site1")?, find("site2")?);
        if a.0 == b.0 {
            return Err(element.bad(
                "site2",
                element.get("site2").unwrap_or_default(),
                "a site of another body",
            ));
        }
        Ok(Some(([a.0, b.0], [a.1, b.1])))
    }

    /// The second body as seen from the first, at the first position.
    fn relative(&mut self, bodies: [BodyId; 2]) -> Frame {
        let first = self.first.get_or_insert_with(|| self.loaded.simulation());
        let [a, b] = bodies.map(|body| Frame::from(first.pose_of(body)));
        a.inverse() * b
    }

    /// The degree of freedom of a hinge or slide.
    fn dof(&self, element: &Element, field: &str) -> Result<usize, IoError> {
        let name = element.need(field)?;
        let joint = self.loaded.joint(name)?;
        let whole =
            self.loaded.model.joint_of_dof(joint.v.start).map(|j| &self.loaded.model.joints()[j.index()]);
        match whole {
            Some(whole) if joint.v.len() == 1 && whole.nq == whole.nv => Ok(joint.v.start),
            Some(whole) if joint.v.len() == 1 && matches!(whole.kind, JointKind::Compound(_)) => {
                let advice = "a joint beside a ball joint cannot be coupled yet; put a body between them";
                Err(IoError::Unsupported { element: element.label(), advice: advice.into() })
            }
            _ => Err(element.bad(field, name, "a hinge or a slide")),
        }
    }
}
