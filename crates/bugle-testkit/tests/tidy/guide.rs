//! The guide is complete: every page is in its table of contents, every link leads to an existing file and heading,
//! and no page links to a file outside the built book.

use std::collections::{BTreeMap, BTreeSet};

use crate::tree::{TextFile, assert_no_faults, root, texts};

const SUMMARY: &str = "docs/SUMMARY.md";

/// The lines of a document without code blocks and without code between backticks.
fn prose(document: &str) -> impl Iterator<Item = (usize, String)> {
    let mut fenced = false;
    document.lines().enumerate().filter_map(move |(index, line)| {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            return None;
        }
        (!fenced).then(|| (index + 1, line.to_owned()))
    })
}

/// The links of a document with their lines.
fn links(document: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (line, text) in prose(document) {
        let plain: String = text.split('`').step_by(2).collect();
        let after = |begin: &'static str, end: char| {
            let rests = plain.split(begin).skip(1);
            rests.filter_map(move |rest| rest.split(end).next())
        };
        let targets = after("](", ')').chain(after("src=\"", '"'));
        found.extend(targets.map(|target| (line, target.to_owned())));
    }
    found
}

/// The anchors of a document's headings.
fn anchors(document: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (_, line) in prose(document) {
        let Some(title) = line
            .strip_prefix('#')
            .map(|rest| rest.trim_start_matches('#'))
            .and_then(|rest| rest.strip_prefix(' '))
        else {
            continue;
        };
        let anchor: String = title
            .trim()
            .to_lowercase()
            .chars()
            .filter(|c| c.is_alphanumeric() || ['-', '_', ' '].contains(c))
            .map(|c| if c == ' ' { '-' } else { c })
            .collect();
        let mut name = anchor.clone();
        let mut number = 0;
        while !found.insert(name.clone()) {
            number += 1;
            name = format!("{anchor}-{number}");
        }
    }
    found
}

/// The path of a link's target from the root; `None` if it is above the root.
pub(crate) fn resolve(from: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

fn link_faults(
    file: &TextFile,
    documents: &BTreeMap<&str, &str>,
    exists: impl Fn(&str) -> bool,
) -> Vec<String> {
    let mut faults = Vec::new();
    for (line, target) in links(&file.text) {
        if target.contains("://") {
            continue;
        }
        let mut fault = |what: &str| faults.push(format!("{}:{line}: `{target}`: {what}", file.path));
        let (path, anchor) = target.split_once('#').unwrap_or((&target, ""));
        let found = if path.is_empty() {
            Some(file.path.clone())
        } else {
            resolve(&file.path, path)
        };
        let Some(found) = found.filter(|found| exists(found)) else {
            fault("there is no such file");
            continue;
        };
        if file.path.starts_with("docs/") && !found.starts_with("docs/") {
            fault("is not part of the guide, so the link breaks when the guide is built");
        }
        if !anchor.is_empty()
            && documents
                .get(found.as_str())
                .is_none_or(|text| !anchors(text).contains(anchor))
        {
            fault("there is no such heading");
        }
    }
    faults
}

/// Pages that the table of contents leaves out or names twice.
fn summary_faults(summary: &str, pages: &[&str]) -> Vec<String> {
    let named: Vec<String> = links(summary)
        .into_iter()
        .filter_map(|(_, target)| resolve(SUMMARY, &target))
        .collect();
    pages
        .iter()
        .filter(|page| **page != SUMMARY)
        .filter_map(|page| match named.iter().filter(|name| name == page).count() {
            1 => None,
            0 => Some(format!("{SUMMARY}: {page} is not in the table of contents")),
            _ => Some(format!(
                "{SUMMARY}: {page} is in the table of contents more than once"
            )),
        })
        .collect()
}

#[test]
fn a_broken_link_is_a_fault() {
    let other = "# Title\n\n## What is `denied`, and what is not\n\n## Twice\n\n## Twice\n";
    let documents = BTreeMap::from([("docs/b.md", other), ("README.md", "# It\n")]);
    let of = |text: &str| {
        let file = TextFile::new("docs/a.md", text);
        link_faults(&file, &documents, |path| documents.contains_key(path)).len()
    };
    assert_eq!(of("[b](b.md) [b](b.md#what-is-denied-and-what-is-not)\n"), 0);
    assert_eq!(of("[b](b.md#twice-1) [out](https://example.org/x)\n"), 0);
    assert_eq!(of("`[b](c.md)`\n\n```\n[b](c.md)\n```\n"), 0);
    assert_eq!(of("[b](c.md)\n"), 1);
    assert_eq!(of("<img src=\"c.svg\" alt=\"c\">\n"), 1);
    assert_eq!(of("[b](b.md#nothing)\n"), 1);
    assert_eq!(of("[b](../README.md)\n"), 1);
    assert_eq!(of("[b](../../b.md)\n"), 1);
}

#[test]
fn a_page_that_is_not_in_the_table_of_contents_is_a_fault() {
    let of = |summary: &str| summary_faults(summary, &["docs/SUMMARY.md", "docs/a.md", "docs/x/b.md"]).len();
    assert_eq!(of("- [A](a.md)\n  - [B](x/b.md)\n"), 0);
    assert_eq!(of("- [A](a.md)\n"), 1);
    assert_eq!(of("- [A](a.md)\n- [B](x/b.md)\n- [A](./a.md)\n"), 1);
}

#[test]
fn every_page_is_in_the_guide() {
    let files = texts();
    let pages: Vec<&str> = files
        .iter()
        .filter(|file| file.path.starts_with("docs/") && file.has_extension("md"))
        .map(|file| file.path.as_str())
        .collect();
    let summary = files.iter().find(|file| file.path == SUMMARY).unwrap();
    assert_no_faults(&summary_faults(&summary.text, &pages));
}

#[test]
fn no_link_is_broken() {
    let files = texts();
    let documents: BTreeMap<&str, &str> = files
        .iter()
        .filter(|file| file.has_extension("md"))
        .map(|file| (file.path.as_str(), file.text.as_str()))
        .collect();
    // Skills and conventions refer to files in other projects.
    let own = files
        .iter()
        .filter(|file| file.has_extension("md"))
        .filter(|file| !file.path.contains('/') || file.path.starts_with("docs/"));
    let faults = own.flat_map(|file| link_faults(file, &documents, |path| root().join(path).exists()));
    assert_no_faults(&faults.collect::<Vec<_>>());
}
