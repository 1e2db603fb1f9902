//! Tests which files count as created or changed in a visit.

use serde_json::json;

use super::*;

/// A project with these files.
fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, content) in files {
        let file = folder.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
    }
    folder
}

/// The start of a visit to a step with this artifact pattern.
fn entered(template: &str, root: &Path) -> VisitStart {
    let pattern = recorded_pattern(template, &json!({})).unwrap();
    let listing = listing(&pattern, root, &mut MAX_HASHED_BYTES.clone());
    VisitStart {
        since: Timestamp(0),
        files: Some(Baseline::from([(pattern, listing)])),
    }
}

fn check(pattern: &str, root: &Path, before: &VisitStart) -> EvidenceFinding {
    find(pattern, pattern, false, root, &json!({}), before)
}

fn names(paths: &[&str]) -> Vec<String> {
    paths.iter().map(|path| (*path).to_owned()).collect()
}

#[test]
fn a_file_counts_if_its_content_changed_regardless_of_its_time() {
    let folder = project(&[("docs/a.md", "one"), ("docs/deep/b.md", "two")]);
    let root = folder.path();
    let before = entered("docs/**/*.md", root);
    let unchanged = EvidenceFinding::OnlyOlderFiles(names(&["docs/a.md", "docs/deep/b.md"]));
    assert_eq!(check("docs/**/*.md", root, &before), unchanged);
    // Rewrite a file with the same content: only its modification time changes.
    fs::write(root.join("docs/a.md"), "one").unwrap();
    assert_eq!(check("docs/**/*.md", root, &before), unchanged);
    // Change a file, but give it a modification time long before the visit.
    let file = fs::File::create(root.join("docs/deep/b.md")).unwrap();
    std::io::Write::write_all(&mut &file, b"TWO").unwrap();
    file.set_modified(UNIX_EPOCH).unwrap();
    assert_eq!(
        check("docs/**/*.md", root, &before),
        EvidenceFinding::Files(names(&["docs/deep/b.md"]))
    );
    assert_eq!(
        check("docs/*.md", root, &entered("docs/*.md", root)),
        EvidenceFinding::OnlyOlderFiles(names(&["docs/a.md"])),
        "`*` does not match across folders"
    );
}

#[test]
fn a_new_file_counts_but_an_empty_file_or_a_folder_does_not() {
    let folder = project(&[("other", "x")]);
    let root = folder.path();
    let before = entered("proof.md", root);
    assert_eq!(check("proof.md", root, &before), EvidenceFinding::NoFile);
    fs::create_dir(root.join("proof.md")).unwrap();
    assert_eq!(check("proof.md", root, &before), EvidenceFinding::NoFile);
    fs::remove_dir(root.join("proof.md")).unwrap();
    fs::write(root.join("proof.md"), "").unwrap();
    assert_eq!(
        check("proof.md", root, &before),
        EvidenceFinding::OnlyEmptyFiles(names(&["proof.md"]))
    );
    fs::write(root.join("proof.md"), "x").unwrap();
    assert_eq!(
        check("proof.md", root, &before),
        EvidenceFinding::Files(names(&["proof.md"]))
    );
}

#[cfg(unix)]
#[test]
fn a_link_never_counts() {
    use std::os::unix::fs::symlink;
    let folder = project(&[("real.md", "x"), ("sub/x.md", "x")]);
    let outside = project(&[("secret.md", "x")]);
    let root = folder.path();
    let before = entered("*.md", root);
    symlink(outside.path().join("secret.md"), root.join("a.md")).unwrap();
    assert_eq!(
        check("a.md", root, &entered("a.md", root)),
        EvidenceFinding::OnlyLinks(names(&["a.md"]))
    );
    symlink(root.join("real.md"), root.join("b.md")).unwrap();
    assert_eq!(
        check("*.md", root, &before),
        EvidenceFinding::OnlyOlderFiles(names(&["real.md"]))
    );
    symlink(outside.path(), root.join("away")).unwrap();
    for pattern in ["away/*.md", "away/secret.md"] {
        assert!(
            matches!(check(pattern, root, &entered(pattern, root)), EvidenceFinding::NotChecked(why) if why.contains("outside the project"))
        );
    }
    assert!(matches!(
        check("../x", root, &before),
        EvidenceFinding::NotChecked(_)
    ));
}

#[test]
fn a_pattern_that_uses_the_result_is_compared_with_its_whole_folder() {
    let values = json!({ "params": { "topic": "auth" }, "result": { "name": "late" } });
    for (template, recorded) in [
        ("{{ result.file }}", "**"),
        ("docs/{{ result.name }}.md", "docs/**"),
        ("docs/{{ params.topic }}/x-{{ result.name }}.md", "docs/auth/**"),
        ("{% if params.topic %}a/{{ result.name }}{% endif %}", "**"),
        ("docs/{{ params.topic }}.md", "docs/auth.md"),
        (" docs/result.md ", "docs/result.md"),
    ] {
        assert_eq!(
            recorded_pattern(template, &values).as_deref(),
            Some(recorded),
            "{template}"
        );
    }
    let folder = project(&[("docs/old.md", "x")]);
    let root = folder.path();
    let template = "docs/{{ result.name }}.md";
    let before = entered(template, root);
    let check = |name: &str| {
        let values = json!({ "result": { "name": name } });
        find(
            template,
            &format!("docs/{name}.md"),
            false,
            root,
            &values,
            &before,
        )
    };
    assert_eq!(
        check("old"),
        EvidenceFinding::OnlyOlderFiles(names(&["docs/old.md"]))
    );
    fs::write(root.join("docs/new.md"), "y").unwrap();
    assert_eq!(check("new"), EvidenceFinding::Files(names(&["docs/new.md"])));
}

#[test]
fn files_beyond_the_hash_budget_are_compared_by_size() {
    let folder = project(&[("a", "aaaa"), ("b", "bbbb"), ("c", "cccc")]);
    let root = folder.path();
    let listing = listing("*", root, &mut 8);
    let kinds: Vec<bool> = listing
        .files
        .values()
        .map(|fingerprint| matches!(fingerprint, Fingerprint::Whole(_)))
        .collect();
    assert_eq!(kinds, [true, true, false]);
    fs::write(root.join("c"), "ccccc").unwrap();
    let before = VisitStart {
        since: Timestamp(0),
        files: Some(Baseline::from([("*".to_owned(), listing)])),
    };
    assert_eq!(check("*", root, &before), EvidenceFinding::Files(names(&["c"])));
}

#[test]
fn a_large_file_is_compared_by_its_size_and_its_ends() {
    let folder = project(&[]);
    let file = folder.path().join("large");
    let size = usize::try_from(MAX_WHOLE_BYTES).unwrap() + 10;
    let mut bytes = vec![b'x'; size];
    fs::write(&file, &bytes).unwrap();
    let before = fingerprint(&file, size as u64, &mut MAX_HASHED_BYTES.clone());
    assert!(matches!(before, Fingerprint::Ends(..)));
    assert_eq!(fingerprint_like(&before, &file), Some(before.clone()));
    bytes[size - 1] = b'y';
    fs::write(&file, &bytes).unwrap();
    assert_ne!(fingerprint_like(&before, &file), Some(before.clone()));
    fs::write(&file, "short").unwrap();
    assert_ne!(fingerprint_like(&before, &file), Some(before));
}

#[test]
fn a_visit_without_recorded_files_is_judged_by_time() {
    let folder = project(&[("a", "x")]);
    let later = VisitStart {
        since: Timestamp(i64::MAX),
        files: None,
    };
    assert_eq!(
        check("a", folder.path(), &later),
        EvidenceFinding::OnlyOlderFiles(names(&["a"]))
    );
    let earlier = VisitStart {
        since: Timestamp(0),
        files: None,
    };
    assert_eq!(
        check("a", folder.path(), &earlier),
        EvidenceFinding::Files(names(&["a"]))
    );
}
