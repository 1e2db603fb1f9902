//! Which files count as made or changed in a visit.

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

/// What is known if a step with this pattern is entered now.
fn entered(template: &str, root: &Path) -> Before {
    let pattern = recorded_pattern(template, &json!({})).unwrap();
    let listing = listing(&pattern, root, &mut MOST_HASHED.clone());
    Before {
        since: Timestamp(0),
        files: Some(Baseline::from([(pattern, listing)])),
    }
}

fn look(pattern: &str, root: &Path, before: &Before) -> Finding {
    find((pattern, pattern), false, root, &json!({}), before)
}

fn names(paths: &[&str]) -> Vec<String> {
    paths.iter().map(|path| (*path).to_owned()).collect()
}

#[test]
fn a_file_counts_by_its_content_whatever_its_time() {
    let folder = project(&[("docs/a.md", "one"), ("docs/deep/b.md", "two")]);
    let root = folder.path();
    let before = entered("docs/**/*.md", root);
    let unchanged = Finding::OnlyOlderFiles(names(&["docs/a.md", "docs/deep/b.md"]));
    assert_eq!(look("docs/**/*.md", root, &before), unchanged);
    // Written again with the same content, which is what `touch` does.
    fs::write(root.join("docs/a.md"), "one").unwrap();
    assert_eq!(look("docs/**/*.md", root, &before), unchanged);
    // Changed, with a time long before the visit.
    let file = fs::File::create(root.join("docs/deep/b.md")).unwrap();
    std::io::Write::write_all(&mut &file, b"TWO").unwrap();
    file.set_modified(UNIX_EPOCH).unwrap();
    assert_eq!(
        look("docs/**/*.md", root, &before),
        Finding::Files(names(&["docs/deep/b.md"]))
    );
    assert_eq!(
        look("docs/*.md", root, &entered("docs/*.md", root)),
        Finding::OnlyOlderFiles(names(&["docs/a.md"])),
        "a star stays in its folder"
    );
}

#[test]
fn a_new_file_counts_and_an_empty_one_or_a_folder_does_not() {
    let folder = project(&[("other", "x")]);
    let root = folder.path();
    let before = entered("proof.md", root);
    assert_eq!(look("proof.md", root, &before), Finding::NoFile);
    fs::create_dir(root.join("proof.md")).unwrap();
    assert_eq!(look("proof.md", root, &before), Finding::NoFile);
    fs::remove_dir(root.join("proof.md")).unwrap();
    fs::write(root.join("proof.md"), "").unwrap();
    assert_eq!(
        look("proof.md", root, &before),
        Finding::OnlyEmptyFiles(names(&["proof.md"]))
    );
    fs::write(root.join("proof.md"), "x").unwrap();
    assert_eq!(
        look("proof.md", root, &before),
        Finding::Files(names(&["proof.md"]))
    );
}

#[cfg(unix)]
#[test]
fn a_link_never_counts_wherever_it_leads() {
    use std::os::unix::fs::symlink;
    let folder = project(&[("real.md", "x"), ("sub/x.md", "x")]);
    let outside = project(&[("secret.md", "x")]);
    let root = folder.path();
    let before = entered("*.md", root);
    symlink(outside.path().join("secret.md"), root.join("a.md")).unwrap();
    assert_eq!(
        look("a.md", root, &entered("a.md", root)),
        Finding::OnlyLinks(names(&["a.md"]))
    );
    symlink(root.join("real.md"), root.join("b.md")).unwrap();
    assert_eq!(
        look("*.md", root, &before),
        Finding::OnlyOlderFiles(names(&["real.md"]))
    );
    symlink(outside.path(), root.join("away")).unwrap();
    for pattern in ["away/*.md", "away/secret.md"] {
        assert!(
            matches!(look(pattern, root, &entered(pattern, root)), Finding::NotChecked(why) if why.contains("leaves"))
        );
    }
    assert!(matches!(look("../x", root, &before), Finding::NotChecked(_)));
}

#[test]
fn a_pattern_that_needs_the_result_is_judged_against_its_whole_folder() {
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
    let look = |name: &str| {
        let values = json!({ "result": { "name": name } });
        find(
            (template, &format!("docs/{name}.md")),
            false,
            root,
            &values,
            &before,
        )
    };
    assert_eq!(look("old"), Finding::OnlyOlderFiles(names(&["docs/old.md"])));
    fs::write(root.join("docs/new.md"), "y").unwrap();
    assert_eq!(look("new"), Finding::Files(names(&["docs/new.md"])));
}

#[test]
fn what_is_recorded_is_bounded_in_bytes_and_still_proves_a_change() {
    let folder = project(&[("a", "aaaa"), ("b", "bbbb"), ("c", "cccc")]);
    let root = folder.path();
    let listing = listing("*", root, &mut 8);
    let kinds: Vec<bool> = listing
        .files
        .values()
        .map(|mark| matches!(mark, Mark::Whole(_)))
        .collect();
    assert_eq!(kinds, [true, true, false]);
    fs::write(root.join("c"), "ccccc").unwrap();
    let before = Before {
        since: Timestamp(0),
        files: Some(Baseline::from([("*".to_owned(), listing)])),
    };
    assert_eq!(look("*", root, &before), Finding::Files(names(&["c"])));
}

#[test]
fn a_large_file_is_known_by_its_size_and_its_ends() {
    let folder = project(&[]);
    let file = folder.path().join("large");
    let size = usize::try_from(LARGEST_WHOLE).unwrap() + 10;
    let mut bytes = vec![b'x'; size];
    fs::write(&file, &bytes).unwrap();
    let before = mark(&file, size as u64, &mut MOST_HASHED.clone());
    assert!(matches!(before, Mark::Ends(..)));
    assert_eq!(mark_like(&before, &file), Some(before.clone()));
    bytes[size - 1] = b'y';
    fs::write(&file, &bytes).unwrap();
    assert_ne!(mark_like(&before, &file), Some(before.clone()));
    fs::write(&file, "short").unwrap();
    assert_ne!(mark_like(&before, &file), Some(before));
}

#[test]
fn a_visit_from_before_files_were_recorded_is_judged_by_time() {
    let folder = project(&[("a", "x")]);
    let later = Before {
        since: Timestamp(i64::MAX),
        files: None,
    };
    assert_eq!(
        look("a", folder.path(), &later),
        Finding::OnlyOlderFiles(names(&["a"]))
    );
    let earlier = Before {
        since: Timestamp(0),
        files: None,
    };
    assert_eq!(look("a", folder.path(), &earlier), Finding::Files(names(&["a"])));
}
