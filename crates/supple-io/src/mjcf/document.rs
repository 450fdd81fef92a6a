//! The document with all included files in it.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::IoError;
use crate::read::read_text;
use crate::xml::{self, DEEPEST, Element};

/// Most files included; each may be included once, as in MuJoCo.
const MOST_FILES: usize = 1000;

/// Reads a document and puts included files in place of their `<include>`.
pub(super) fn read(text: &str, directory: Option<&Path>) -> Result<Element, IoError> {
    let mut root = xml::parse(text)?;
    if root.tag != "mujoco" {
        return Err(IoError::UnknownFormat { found: format!("root element <{}>", xml::shorten(&root.tag)) });
    }
    let mut includes = Includes { directory, seen: HashSet::new() };
    includes.expand(&mut root, directory, 1)?;
    Ok(root)
}

struct Includes<'a> {
    /// Directory of the main file.
    directory: Option<&'a Path>,
    seen: HashSet<PathBuf>,
}

impl Includes<'_> {
    /// Expands all includes below `element`, whose file is in `here`.
    fn expand(&mut self, element: &mut Element, here: Option<&Path>, depth: usize) -> Result<(), IoError> {
        if depth > DEEPEST {
            return Err(IoError::TooMany { what: "nesting of elements", found: depth, limit: DEEPEST });
        }
        if element.children.iter().all(|c| c.tag != "include") {
            return element.children.iter_mut().try_for_each(|c| self.expand(c, here, depth + 1));
        }
        for mut child in std::mem::take(&mut element.children) {
            if child.tag != "include" {
                self.expand(&mut child, here, depth + 1)?;
                element.children.push(child);
                continue;
            }
            let (mut included, path) = self.include(&child, here)?;
            // depth + 1, so that includes cannot nest without end
            self.expand(&mut included, path.parent(), depth + 1).map_err(|e| e.in_file(&path))?;
            element.children.append(&mut included.children);
        }
        Ok(())
    }

    /// The document that an `<include>` names, and its path.
    fn include(&mut self, include: &Element, here: Option<&Path>) -> Result<(Element, PathBuf), IoError> {
        let file = include.need("file")?;
        let needs = |path: &Path, message: &str| IoError::Needs {
            element: include.label(),
            needed: path.to_owned(),
            message: message.to_owned(),
        };
        let Some(directory) = self.directory else {
            return Err(needs(Path::new(file), "a model given as text cannot include files"));
        };
        // MuJoCo looks beside the main file first, then beside the including one
        let mut path = directory.join(file);
        if !path.is_file() {
            path = here.unwrap_or(directory).join(file);
        }
        if !path.is_file() {
            return Err(needs(&path, "there is no such file"));
        }
        let canonical = path.canonicalize().unwrap_or_else(|_| path.clone());
        if !self.seen.insert(canonical) {
            return Err(needs(&path, "the file is included already; include each file once"));
        }
        if self.seen.len() > MOST_FILES {
            return Err(IoError::TooMany {
                what: "included file",
                found: self.seen.len(),
                limit: MOST_FILES,
            });
        }
        let read = || xml::parse(&read_text(&path)?);
        let document = read().map_err(|e| e.in_file(&path))?;
        Ok((document, path))
    }
}
