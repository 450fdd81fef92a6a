use crate::world_stage::WorldStage;
use crate::{Parameters, SceneError, Stage, find, find_world, gallery, names, robot, worlds};

/// A scene of either gallery, or a file.
#[derive(Debug)]
pub enum Opened {
    /// Articulated bodies, each for itself.
    Bodies(Box<Stage>),
    /// A world with constraints.
    World(Box<WorldStage>),
}

/// Opens the scene of this name with some parameters set, whichever gallery it is in. A file with closed loops or coupled joints, by
/// the scene `robot`, is a world.
pub fn open(name: &str, settings: &[(&str, &str)]) -> Result<Opened, SceneError> {
    let set = |mut parameters: Parameters| {
        settings.iter().try_for_each(|(key, value)| parameters.set(key, value)).map(|()| parameters)
    };
    if let Ok(scene) = find_world(name) {
        return Ok(Opened::World(Box::new(scene.build(&set(scene.parameters())?)?)));
    }
    let scene = find(name).map_err(|_| {
        let all = gallery().iter().map(|s| s.name).chain(worlds().iter().map(|s| s.name));
        SceneError::UnknownScene { name: name.into(), hint: names::hint(name, all) }
    })?;
    let parameters = set(scene.parameters())?;
    if scene.name == robot::SCENE.name {
        return robot::open(&parameters);
    }
    Ok(Opened::Bodies(Box::new(scene.build(&parameters)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_in_both_galleries() {
        for scene in worlds() {
            assert!(find(scene.name).is_err(), "{}", scene.name);
        }
    }

    #[test]
    fn either_gallery_is_opened() {
        assert!(matches!(open("pendulum", &[("links", "3")]), Ok(Opened::Bodies(_))));
        assert!(matches!(open("pendulum-constraints", &[("links", "3")]), Ok(Opened::World(_))));
        let message = open("magnet", &[]).unwrap_err().to_string();
        assert!(message.contains("did you mean \"magnets\"?"), "{message}");
    }
}
