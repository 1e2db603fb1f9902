//! The built-in skills parse without problems.

use std::fs;
use std::path::PathBuf;

use bugle_skill::{parse_skill_file, parse_workflow};

use crate::support::path;

/// The folders of the built-in skills.
pub(crate) fn folders() -> Vec<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../skills");
    let mut folders: Vec<PathBuf> = fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("SKILL.md").is_file())
        .collect();
    folders.sort();
    assert!(!folders.is_empty(), "there are built-in skills");
    folders
}

/// The workflows of the built-in skills. A discipline has none.
pub(crate) fn workflows() -> Vec<PathBuf> {
    let files = folders().into_iter().map(|folder| folder.join("workflow.yaml"));
    files.filter(|file| file.is_file()).collect()
}

#[test]
fn built_in_workflows_parse() {
    for file in workflows() {
        let text = fs::read_to_string(&file).unwrap();
        let (definition, _, problems) = parse_workflow(&path("workflow.yaml"), &text);
        assert_eq!(problems, [], "{}", file.display());
        assert!(!definition.unwrap().steps.is_empty(), "{}", file.display());
    }
}

#[test]
fn built_in_skill_files_parse() {
    for folder in folders() {
        let text = fs::read_to_string(folder.join("SKILL.md")).unwrap();
        let read = parse_skill_file(&path("SKILL.md"), &text).unwrap();
        assert_eq!(read.manifest.name, folder.file_name().unwrap().to_str().unwrap());
        assert!(!read.body.trim().is_empty(), "{}", folder.display());
    }
}
