//! Actuators on joints: motors, servos, and general ones that are the same thing.
//!
//! A class has one actuator by default, which all kinds share, as in MuJoCo: gear and ranges that `<motor>` gives there hold for
//! `<position>` too. Gains go from kind to the same kind or to and from `<general>`; where kinds differ, the classes around are
//! asked, and in the end MuJoCo's own defaults.

use std::collections::HashMap;

use supple::Actuator;
use supple::dynamics::check_actuators;

use super::defaults::Classes;
use super::plain::Settings;
use super::probe::Probe;
use crate::warning::Warnings;
use crate::xml::Element;
use crate::{IoError, Loaded};

/// Tags of actuators.
pub(super) const TAGS: [&str; 10] = [
    "general",
    "motor",
    "position",
    "velocity",
    "intvelocity",
    "damper",
    "cylinder",
    "muscle",
    "adhesion",
    "plugin",
];
/// Attributes that are read, or matter only together with others that are.
const KNOWN: [&str; 37] = [
    "name",
    "class",
    "group",
    "user",
    "ctrllimited",
    "ctrlrange",
    "forcelimited",
    "forcerange",
    "actlimited",
    "actrange",
    "actdim",
    "actearly",
    "lengthrange",
    "gear",
    "cranklength",
    "joint",
    "jointinparent",
    "tendon",
    "cranksite",
    "slidersite",
    "site",
    "refsite",
    "body",
    "dyntype",
    "dynprm",
    "gaintype",
    "gainprm",
    "biastype",
    "biasprm",
    "kp",
    "kv",
    "dampratio",
    "timeconst",
    "inheritrange",
    "plugin",
    "instance",
    "diameter",
];

/// Reads the `<actuator>` sections into `loaded`, whose joints are known.
pub(super) fn read(
    document: &Element,
    settings: &Settings,
    classes: &Classes,
    warnings: &mut Warnings,
    loaded: &mut Loaded,
) -> Result<(), IoError> {
    if settings.disabled("actuation") {
        return Ok(());
    }
    let mut limits = HashMap::new();
    for world in document.all("worldbody") {
        joint_limits(world, classes, None, &mut limits)?;
    }
    let off = settings.disabled_groups()?;
    let mut driven: HashMap<String, usize> = HashMap::new();
    for element in document.all("actuator").flat_map(|section| &section.children) {
        for (name, _) in element.attributes.iter().filter(|(name, _)| !KNOWN.contains(&name.as_str())) {
            warnings.add(format!("{name:?} of {}", element.label()), "attribute is not known: left out");
        }
        let setup = Setup::new(element, classes)?;
        if off.contains(&setup.group) {
            continue;
        }
        let joint = element.get("joint").or(element.get("jointinparent")).unwrap_or_default().to_owned();
        match actuator(element, &setup, settings, loaded, warnings)? {
            Ok(mut actuator) => {
                if let Some(limit) = limits.get(&joint) {
                    within(&mut actuator, *limit);
                }
                *driven.entry(joint).or_default() += 1;
                loaded.actuators.push(actuator);
            }
            Err(why) => warnings.add(element.label(), format!("{why}: left out, it drives nothing")),
        }
    }
    let mut several: Vec<&String> =
        limits.keys().filter(|joint| driven.get(*joint).is_some_and(|n| *n > 1)).collect();
    several.sort();
    for joint in several {
        let message = "several actuators share the joint's actuatorfrcrange: each alone is cut to it";
        warnings.add(format!("<joint {joint:?}>"), message);
    }
    check_actuators(&loaded.model, &loaded.actuators)?;
    Ok(())
}

/// One actuator, or why supple has none like it.
fn actuator(
    element: &Element,
    setup: &Setup,
    settings: &Settings,
    loaded: &Loaded,
    warnings: &mut Warnings,
) -> Result<Result<Actuator, String>, IoError> {
    if let Kind::Other = setup.kind {
        return Ok(Err(format!("actuators of the kind <{}> are not simulated", element.tag)));
    }
    let Some(name) = element.get("joint").or(element.get("jointinparent")) else {
        let through = ["tendon", "site", "body", "cranksite", "slidersite"];
        let through = through.into_iter().find(|t| element.get(t).is_some());
        return match through {
            Some(through) => Ok(Err(format!("actuators that act through a {through} are not simulated"))),
            None => {
                Err(IoError::Missing { element: element.label(), what: "the attribute \"joint\"".into() })
            }
        };
    };
    let named = loaded.joint(name)?;
    let (dof, zero) = (named.v.start, named.zero);
    if named.v.len() != 1 {
        return Ok(Err(format!("actuators of {} joints are not simulated", named.kind)));
    }
    let Some(joint) = loaded.model.joint_of_dof(dof) else {
        return Ok(Err("the joint does not move".into()));
    };
    if setup.dynamics {
        return Ok(Err("actuators with a state of their own (dyntype, timeconst) are not simulated".into()));
    }
    if !setup.fixed_gain || setup.bias_type == BiasType::Other {
        return Ok(Err("only fixed gains and affine biases are simulated".into()));
    }
    let [offset, b1, mut b2] = if setup.bias_type == BiasType::None { [0.0; 3] } else { setup.bias };
    if let Some(ratio) = setup.damping_ratio {
        // 1 is critical for the inertia about this joint at the first position, as the actuator feels it
        let inverse = Probe::new(&loaded.model, &loaded.q).inverse_inertia(dof) * setup.gear * setup.gear;
        b2 = -2.0 * ratio * (setup.gain.max(0.0) / inverse).sqrt();
    }
    if b1 > 0.0 || b2 > 0.0 || !b2.is_finite() {
        return Ok(Err("actuators that push away from where they are are not simulated".into()));
    }
    let mut actuator = Actuator {
        gear: setup.gear,
        gain: setup.gain,
        offset,
        stiffness: -b1,
        damping: -b2,
        zero,
        axis: dof - loaded.model.joints()[joint.index()].v,
        ..Actuator::motor(joint).named(element.get("name").unwrap_or_default())
    };
    actuator.force_range = setup.force.range(element, "force", settings, warnings)?;
    actuator.control_range = match setup.inherit_range {
        0.0 => setup.control.range(element, "ctrl", settings, warnings)?,
        share => {
            let Some(limit) = loaded.model.dofs()[dof].limit else {
                return Ok(Err("inheritrange needs a joint with limits".into()));
            };
            let (middle, half) =
                (0.5 * (limit.lower + limit.upper) + zero, 0.5 * (limit.upper - limit.lower));
            Some([middle - share * half, middle + share * half])
        }
    };
    if settings.disabled("clampctrl") {
        actuator.control_range = None;
    }
    Ok(Ok(actuator))
}

/// Cuts the force of an actuator so that its joint feels no more than `limit`.
fn within(actuator: &mut Actuator, limit: [f64; 2]) {
    if actuator.gear == 0.0 {
        return;
    }
    let [a, b] = limit.map(|x| x / actuator.gear);
    let (lower, upper) = (a.min(b), a.max(b));
    let own = actuator.force_range.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
    actuator.force_range = Some(own.map(|x| x.max(lower).min(upper)));
}

/// What joints may feel of their actuators, by name.
fn joint_limits(
    body: &Element,
    classes: &Classes,
    childclass: Option<&str>,
    limits: &mut HashMap<String, [f64; 2]>,
) -> Result<(), IoError> {
    let childclass = body.get("childclass").or(childclass);
    for child in &body.children {
        match child.tag.as_str() {
            "body" | "frame" => joint_limits(child, classes, childclass, limits)?,
            "joint" => {
                let joint = classes.fold(child, childclass)?;
                let range = joint.finite::<2>("actuatorfrcrange")?.filter(|[lower, upper]| lower < upper);
                if let (Some(name), Some(range)) = (joint.get("name"), range)
                    && joint.get("actuatorfrclimited") != Some("false")
                {
                    limits.insert(name.to_owned(), range);
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// A kind of actuator that supple has, or another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    General,
    Motor,
    Position,
    Velocity,
    Other,
}

/// How the bias of a general actuator is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BiasType {
    /// Whatever its numbers, it is not there.
    None,
    Affine,
    Other,
}

/// A range that may be switched off.
#[derive(Clone, Copy, Debug, Default)]
struct Bounds {
    range: Option<[f64; 2]>,
    /// `None`: where there is a range.
    limited: Option<bool>,
}

impl Bounds {
    fn update(&mut self, element: &Element, range: &str, limited: &str) -> Result<(), IoError> {
        if let Some(range) = element.finite::<2>(range)? {
            self.range = Some(range);
        }
        self.limited = match element.get(limited) {
            None => self.limited,
            Some("auto") => None,
            Some("true") => Some(true),
            Some("false") => Some(false),
            Some(other) => return Err(element.bad(limited, other, "one of true, false, auto")),
        };
        Ok(())
    }

    /// The range, if it counts.
    fn range(
        self,
        element: &Element,
        what: &str,
        settings: &Settings,
        warnings: &mut Warnings,
    ) -> Result<Option<[f64; 2]>, IoError> {
        let given = self.range.filter(|[lower, upper]| lower < upper);
        match self.limited {
            Some(false) => Ok(None),
            Some(true) if given.is_none() => {
                let found = self.range.map_or_else(|| "missing".into(), |[a, b]| format!("{a} {b}"));
                Err(element.bad(&format!("{what}range"), &found, "two numbers, the second above the first"))
            }
            None if given.is_some() && !settings.auto_limits() => {
                let message = format!(
                    "a {what}range without {what}limited=\"true\" and with autolimits=\"false\": no limit"
                );
                warnings.add(element.label(), message);
                Ok(None)
            }
            _ => Ok(given),
        }
    }
}

/// What attributes and classes say of an actuator.
#[derive(Clone, Copy, Debug)]
struct Setup {
    kind: Kind,
    group: f64,
    gear: f64,
    control: Bounds,
    force: Bounds,
    gain: f64,
    bias: [f64; 3],
    fixed_gain: bool,
    bias_type: BiasType,
    dynamics: bool,
    damping_ratio: Option<f64>,
    inherit_range: f64,
}

impl Setup {
    /// MuJoCo's defaults: a general actuator that is a motor.
    const DEFAULT: Self = Self {
        kind: Kind::General,
        group: 0.0,
        gear: 1.0,
        control: Bounds { range: None, limited: None },
        force: Bounds { range: None, limited: None },
        gain: 1.0,
        bias: [0.0; 3],
        fixed_gain: true,
        bias_type: BiasType::None,
        dynamics: false,
        damping_ratio: None,
        inherit_range: 0.0,
    };

    /// An actuator with all that its class and the classes around it give.
    fn new(element: &Element, classes: &Classes) -> Result<Self, IoError> {
        let mut levels = vec![Self::DEFAULT];
        for class in classes.actuators(element)? {
            levels.push(levels[levels.len() - 1]);
            for default in &class.children {
                let updated = Self::updated(&levels, default)?;
                if let Some(level) = levels.last_mut() {
                    *level = updated;
                }
            }
        }
        Self::updated(&levels, element)
    }

    /// The innermost of `levels` (one per class, from the outermost on) with the attributes of an element.
    fn updated(levels: &[Self], element: &Element) -> Result<Self, IoError> {
        let kind = match element.tag.as_str() {
            "general" => Kind::General,
            "motor" => Kind::Motor,
            "position" => Kind::Position,
            "velocity" => Kind::Velocity,
            _ => Kind::Other,
        };
        let mut setup = levels.last().copied().unwrap_or(Self::DEFAULT);
        // gains of another kind mean something else
        let same = |s: &&Self| s.kind == kind || s.kind == Kind::General && s.fixed_gain;
        let from = levels.iter().rev().find(same).copied().unwrap_or(Self::DEFAULT);
        if kind != Kind::General {
            (setup.gain, setup.bias, setup.dynamics) = (from.gain, from.bias, from.dynamics);
            (setup.damping_ratio, setup.inherit_range) = (from.damping_ratio, from.inherit_range);
            (setup.fixed_gain, setup.bias_type) = (true, BiasType::Affine);
        }
        setup.kind = kind;
        setup.common(element)?;
        match kind {
            Kind::General => setup.general(element)?,
            Kind::Motor => {
                setup.bias_type = BiasType::None;
                (setup.gain, setup.bias, setup.dynamics) = (1.0, [0.0; 3], false);
                (setup.damping_ratio, setup.inherit_range) = (None, 0.0);
            }
            Kind::Position => setup.position(element)?,
            Kind::Velocity => {
                setup.gain = not_negative(element, "kv")?.unwrap_or(setup.gain);
                (setup.bias, setup.dynamics) = ([0.0, 0.0, -setup.gain], false);
                (setup.damping_ratio, setup.inherit_range) = (None, 0.0);
            }
            Kind::Other => {}
        }
        Ok(setup)
    }

    fn common(&mut self, element: &Element) -> Result<(), IoError> {
        if let Some([group]) = element.finite("group")? {
            self.group = group;
        }
        if let Some(gear) = element.numbers("gear", 1, 6)? {
            if let Some(&value) = gear.iter().find(|x| !x.is_finite()) {
                return Err(IoError::NotFinite { element: element.label(), field: "gear".into(), value });
            }
            self.gear = gear[0];
        }
        self.control.update(element, "ctrlrange", "ctrllimited")?;
        self.force.update(element, "forcerange", "forcelimited")
    }

    fn general(&mut self, element: &Element) -> Result<(), IoError> {
        for (field, into) in [("gainprm", std::slice::from_mut(&mut self.gain)), ("biasprm", &mut self.bias)]
        {
            let numbers = element.numbers(field, 1, 10)?.unwrap_or_default();
            if let Some(&value) = numbers.iter().find(|x| !x.is_finite()) {
                return Err(IoError::NotFinite { element: element.label(), field: field.into(), value });
            }
            into.iter_mut().zip(numbers).for_each(|(into, x)| *into = x);
        }
        if let Some(kind) = element.get("gaintype") {
            self.fixed_gain = kind == "fixed";
        }
        if let Some(kind) = element.get("dyntype") {
            self.dynamics = kind != "none";
        }
        match element.get("biastype") {
            Some("affine") => self.bias_type = BiasType::Affine,
            Some("none") => self.bias_type = BiasType::None,
            Some(_) => self.bias_type = BiasType::Other,
            None => {}
        }
        Ok(())
    }

    fn position(&mut self, element: &Element) -> Result<(), IoError> {
        self.gain = not_negative(element, "kp")?.unwrap_or(self.gain);
        (self.bias[0], self.bias[1]) = (0.0, -self.gain);
        if let Some(kv) = not_negative(element, "kv")? {
            (self.bias[2], self.damping_ratio) = (-kv, None);
        }
        if let Some(ratio) = not_negative(element, "dampratio")? {
            self.damping_ratio = (ratio > 0.0).then_some(ratio);
        }
        if let Some([time]) = element.finite("timeconst")? {
            self.dynamics = time != 0.0;
        }
        if let Some(share) = not_negative(element, "inheritrange")? {
            self.inherit_range = share;
        }
        Ok(())
    }
}

/// A number that must be finite and not negative; `None` if it is not there.
fn not_negative(element: &Element, field: &str) -> Result<Option<f64>, IoError> {
    match element.finite::<1>(field)? {
        Some([value]) if value < 0.0 => {
            Err(element.bad(field, &value.to_string(), "a number that is not negative"))
        }
        other => Ok(other.map(|[value]| value)),
    }
}
