//! What is shown: a scene of the gallery, or a file.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use supple_scenes::file::is_scene_file;
use supple_scenes::live::{Live, LiveError};
use supple_scenes::{SceneError, Stage, find};

/// A scene of the gallery or a file, with its settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// Name of the scene, or path of the file.
    pub name: String,
    /// Parameters that are set.
    pub settings: BTreeMap<String, String>,
    /// Whether the name is the path of a file.
    pub is_file: bool,
    /// What makes it, if it is neither of the gallery nor of a file.
    pub made: Option<Made>,
}

/// A scene that a program makes, as often as it is reset.
#[derive(Clone)]
pub struct Made(Arc<dyn Fn() -> Result<Stage, SceneError> + Send + Sync>);

impl Made {
    /// What makes a scene.
    pub fn new(make: impl Fn() -> Result<Stage, SceneError> + Send + Sync + 'static) -> Self {
        Self(Arc::new(make))
    }
}

impl fmt::Debug for Made {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Made")
    }
}

impl PartialEq for Made {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
impl Eq for Made {}

/// Why a scene cannot be shown.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// It cannot be built.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// It cannot have the detail that was asked for.
    #[error(transparent)]
    Live(#[from] LiveError),
    /// A parameter of a scene file, which has none.
    #[error("a scene file has no parameters, but {name:?} was set: change it in the file")]
    Setting {
        /// The parameter.
        name: String,
    },
    /// A page asked for a file.
    #[error("pages may open scenes of the gallery only: start `supple view FILE` to see a file")]
    File,
}

impl Source {
    /// A scene of the gallery that a page asks for. Files of this machine are not for pages.
    pub fn of_page(name: String, settings: BTreeMap<String, String>) -> Result<Self, OpenError> {
        if settings.contains_key("file") {
            return Err(OpenError::File);
        }
        Ok(Self { name, settings, ..Self::default() })
    }

    /// Opens it.
    pub(crate) fn open(&self) -> Result<Live, OpenError> {
        let settings: Vec<_> = self.settings.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
        let stage = if let Some(Made(make)) = &self.made {
            make()?
        } else if self.is_file && is_scene_file(Path::new(&self.name)) {
            if let Some((name, _)) = settings.first() {
                return Err(OpenError::Setting { name: (*name).into() });
            }
            supple_scenes::open_file(&self.name)?
        } else if self.is_file {
            let with_file: Vec<_> = settings.into_iter().chain([("file", self.name.as_str())]).collect();
            supple_scenes::stage("robot", &with_file)?
        } else {
            supple_scenes::stage(&self.name, &settings)?
        };
        Ok(Live::new(stage))
    }

    /// What the gallery says of it, and the figure of a paper that it is: both empty for files.
    pub(crate) fn about(&self) -> (&'static str, &'static str) {
        let scene = find(&self.name).ok().filter(|_| !self.is_file && self.made.is_none());
        scene.map(|scene| (scene.summary, scene.figure)).unwrap_or_default()
    }
}
