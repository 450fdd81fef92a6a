use super::SceneFile;

/// The JSON Schema of scene files, as `docs/scene.schema.json` has it.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(SceneFile).to_value()
}
