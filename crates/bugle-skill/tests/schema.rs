//! The schema in docs equals the schema that the program prints.

#[test]
fn the_schema_in_docs_is_current() {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/workflow.schema.json");
    let kept = std::fs::read_to_string(file).unwrap_or_default();
    assert!(
        kept == bugle_skill::workflow_schema(),
        "docs/workflow.schema.json is out of date. Regenerate it from the root of the repository:\n\n    \
         cargo run -p bugle-cli -- skill schema > docs/workflow.schema.json\n"
    );
}
