//! Default classes, folded into elements attribute by attribute as MuJoCo does.

use std::collections::HashMap;

use crate::IoError;
use crate::xml::{Element, count_attributes};

/// Attributes that say an orientation: an element has one of them at most, and it replaces an inherited one.
pub(super) const ORIENTATIONS: [&str; 5] = ["quat", "axisangle", "euler", "xyaxes", "zaxis"];

/// What a class has by default of actuators, in the order of the file and apart for each class around it: no tag has
/// this name.
const ACTUATORS: &str = "<actuator>";

/// Attributes of one class, per tag.
type Class = HashMap<String, Element>;

/// All default classes of a document.
#[derive(Debug, Default)]
pub(super) struct Classes {
    classes: HashMap<String, Class>,
    /// Name of the outermost class.
    main: String,
}

impl Classes {
    /// Reads the `<default>` sections.
    pub(super) fn read(document: &Element) -> Result<Self, IoError> {
        let mut classes = Self { classes: HashMap::new(), main: "main".into() };
        for (i, section) in document.all("default").enumerate() {
            if let (0, Some(name)) = (i, section.get("class")) {
                classes.main = name.to_owned();
            }
            let main = classes.main.clone();
            classes.class(section, &main, Class::new())?;
        }
        Ok(classes)
    }

    /// Reads one class: first its own attributes, then the classes within it, which begin as copies of it.
    fn class(&mut self, default: &Element, name: &str, inherited: Class) -> Result<(), IoError> {
        let mut class = self.classes.remove(name).unwrap_or(inherited);
        Self::actuator_level(default, &mut class);
        for element in default.children.iter().filter(|c| c.tag != "default") {
            let known = class.entry(element.tag.clone()).or_insert_with(|| Element::new(&element.tag));
            merge(known, element);
            count_attributes(known.attributes.len())?;
        }
        self.classes.insert(name.to_owned(), class.clone());
        for nested in default.all("default") {
            self.class(nested, nested.need("class")?, class.clone())?;
        }
        Ok(())
    }

    /// Adds the actuators of a class to those of the classes around it.
    fn actuator_level(default: &Element, class: &mut Class) {
        let is_actuator = |e: &&Element| super::actuator::TAGS.contains(&e.tag.as_str());
        let children: Vec<Element> = default.children.iter().filter(is_actuator).cloned().collect();
        if !children.is_empty() {
            let levels = class.entry(ACTUATORS.into()).or_insert_with(|| Element::new(ACTUATORS));
            levels.children.push(Element { children, ..Element::new("class") });
        }
    }

    /// The actuators that the class of an element and those around it have by default: one entry per class, from the
    /// outermost on.
    pub(super) fn actuators(&self, element: &Element) -> Result<&[Element], IoError> {
        let class = self.class_of(element, None)?;
        Ok(class.and_then(|c| c.get(ACTUATORS)).map_or(&[], |levels| &levels.children))
    }

    /// The element with all that its class gives it; `childclass` is the class of the elements around it.
    pub(super) fn fold(&self, element: &Element, childclass: Option<&str>) -> Result<Element, IoError> {
        let class = self.class_of(element, childclass)?;
        let mut folded = Element { line: element.line, ..Element::new(&element.tag) };
        if let Some(defaults) = class.and_then(|c| c.get(&element.tag)) {
            merge(&mut folded, defaults);
        }
        merge(&mut folded, element);
        Ok(folded)
    }

    fn class_of(&self, element: &Element, childclass: Option<&str>) -> Result<Option<&Class>, IoError> {
        match element.get("class").or(childclass) {
            Some(name) => self.classes.get(name).ok_or_else(|| unknown(element, name)).map(Some),
            None => Ok(self.classes.get(&self.main)),
        }
    }
}

fn unknown(element: &Element, class: &str) -> IoError {
    IoError::UnknownName {
        what: "default class",
        name: class.into(),
        hint: format!(" (used by {})", element.label()),
    }
}

/// Lets the attributes of `over` win over those of `base`.
fn merge(base: &mut Element, over: &Element) {
    if over.attributes.iter().any(|(n, _)| ORIENTATIONS.contains(&n.as_str())) {
        base.attributes.retain(|(n, _)| !ORIENTATIONS.contains(&n.as_str()));
    }
    for (name, value) in &over.attributes {
        match base.get(name) {
            // a shorter size leaves the other numbers as they were
            Some(inherited) if name == "size" => {
                let given = value.split_ascii_whitespace().count();
                let rest: Vec<&str> = inherited.split_ascii_whitespace().skip(given).collect();
                let value = format!("{value} {}", rest.join(" "));
                base.set(name, value.trim());
            }
            _ => base.set(name, value),
        }
    }
}
