//! The JSON Schema of `workflow.yaml`, for completion in editors.

use crate::raw::RawWorkflow;

/// The schema as JSON, with a newline at the end.
pub fn workflow_schema() -> String {
    let mut schema = schemars::schema_for!(RawWorkflow);
    schema.insert("title".to_owned(), "Bugle workflow".into());
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.push('\n');
    text
}
