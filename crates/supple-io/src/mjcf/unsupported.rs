//! What supple cannot do with a document: errors for what changes the motion, warnings for the rest.

use super::defaults::Classes;
use crate::warning::Warnings;
use crate::xml::Element;
use crate::{IoError, LoadOptions};

/// Looks through the whole document.
pub(super) fn check(
    document: &Element,
    classes: &Classes,
    options: &LoadOptions,
    warnings: &mut Warnings,
) -> Result<(), IoError> {
    let mut checker = Checker { classes, options, warnings };
    for section in &document.children {
        checker.section(section)?;
    }
    Ok(())
}

struct Checker<'a> {
    classes: &'a Classes,
    options: &'a LoadOptions,
    warnings: &'a mut Warnings,
}

impl Checker<'_> {
    fn section(&mut self, section: &Element) -> Result<(), IoError> {
        match section.tag.as_str() {
            "compiler" | "default" | "asset" | "size" | "visual" | "statistic" | "custom" | "keyframe" => {
                Ok(())
            }
            "option" => self.option(section),
            "worldbody" => self.body(section, None, false),
            "extension" => {
                self.each(section, "plugins are left out");
                Ok(())
            }
            // actuators and equalities are looked through when they are read
            "contact" | "actuator" | "equality" => Ok(()),
            "sensor" => {
                self.warnings.add(format!("{} sensors", section.children.len()), "sensors are left out");
                Ok(())
            }

            "tendon" => section.children.iter().try_for_each(|tendon| self.tendon(tendon)),
            "deformable" => section.children.iter().filter(|c| c.tag != "skin").try_for_each(|flex| {
                Err(IoError::Unsupported {
                    element: flex.label(),
                    advice: "supple has rigid bodies only".into(),
                })
            }),
            _ => Err(IoError::Unsupported {
                element: section.label(),
                advice: "the section is not known; remove it if it does not matter".into(),
            }),
        }
    }

    fn each(&mut self, section: &Element, message: &str) {
        for element in &section.children {
            self.warnings.add(element.label(), message);
        }
    }

    /// A force that is missing: an error, or a warning where forces do not count.
    fn force(&mut self, element: &Element, what: &str) -> Result<(), IoError> {
        if self.options.ignore_forces {
            self.warnings.add(element.label(), format!("{what}: left out"));
            return Ok(());
        }
        let advice = format!("{what}; remove it, or load the bare dynamics without such forces");
        Err(IoError::Unsupported { element: element.label(), advice })
    }

    fn option(&mut self, option: &Element) -> Result<(), IoError> {
        for (field, least, what) in [
            ("density", 1, "fluid density"),
            ("viscosity", 1, "fluid viscosity"),
            ("wind", 3, "wind (with fluid density or viscosity)"),
        ] {
            if nonzero(option, field, least, 3)? {
                self.force(option, what)?;
            }
        }
        Ok(())
    }

    fn body(&mut self, body: &Element, childclass: Option<&str>, in_frame: bool) -> Result<(), IoError> {
        if nonzero(body, "gravcomp", 1, 1)? {
            self.force(body, "gravity compensation (gravcomp)")?;
        }
        let childclass = body.get("childclass").or(childclass);
        let refuse = |element: &Element, advice: &str| {
            Err(IoError::Unsupported { element: element.label(), advice: advice.to_owned() })
        };
        for child in &body.children {
            match child.tag.as_str() {
                "geom" | "site" | "camera" | "light" => {}
                "joint" | "freejoint" | "inertial" if in_frame => {
                    refuse(child, "inside a <frame> it is not read; put it into the <body> itself")?;
                }
                "inertial" => {}
                "freejoint" if child.get("align") == Some("true") => {
                    refuse(child, "align=\"true\" moves the body frame; leave it out")?;
                }
                "freejoint" => {}
                "joint" => self.joint(&self.classes.fold(child, childclass)?)?,
                "body" => self.body(child, childclass, false)?,
                "frame" => self.body(child, childclass, true)?,
                "composite" | "flexcomp" | "replicate" | "attach" => {
                    refuse(
                        child,
                        "write the bodies out, for instance by saving the compiled model in MuJoCo",
                    )?;
                }
                "plugin" => refuse(child, "plugins have no counterpart in supple; remove it")?,
                _ => refuse(child, "the element is not known here; remove it if it does not matter")?,
            }
        }
        Ok(())
    }

    fn joint(&mut self, joint: &Element) -> Result<(), IoError> {
        for field in ["stiffness", "damping"] {
            let numbers = joint.numbers(field, 1, 8)?.unwrap_or_default();
            if numbers.iter().skip(1).any(|x| *x != 0.0) {
                self.force(joint, &format!("nonlinear {field}"))?;
            }
        }
        Ok(())
    }

    fn tendon(&mut self, tendon: &Element) -> Result<(), IoError> {
        // tendons of both kinds take their defaults from <tendon>
        let folded = Element { tag: "tendon".into(), ..tendon.clone() };
        let folded = Element { tag: tendon.tag.clone(), ..self.classes.fold(&folded, None)? };
        if nonzero(&folded, "armature", 1, 1)? {
            let advice = "tendon armature couples joints; remove it".into();
            return Err(IoError::Unsupported { element: folded.label(), advice });
        }
        for field in ["stiffness", "damping", "frictionloss"] {
            if nonzero(&folded, field, 1, 8)? {
                self.force(&folded, &format!("tendon {field}"))?;
            }
        }
        self.warnings.add(folded.label(), "tendons are left out, and so are their limits");
        Ok(())
    }
}

fn nonzero(element: &Element, field: &str, least: usize, most: usize) -> Result<bool, IoError> {
    Ok(element.numbers(field, least, most)?.is_some_and(|numbers| numbers.iter().any(|x| *x != 0.0)))
}
