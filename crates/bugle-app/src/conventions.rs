//! Conventions: the project's, the user's and the built-in ones, whole or by section.

use std::collections::{BTreeMap, BTreeSet};

use bugle_core::path::SkillPath;
use bugle_skill::{Convention, convention_body, parse_convention, section, section_titles};
use bugle_wire::{ConventionDetail, ConventionEntry, ConventionList};

use crate::files::{Shared, shared};
use crate::{AppError, Place, builtin};

/// Where a convention comes from, and its text.
struct Found {
    source: &'static str,
    text: String,
}

/// Every convention there is, by name; the project's come before the user's, and both before the built-in ones.
pub fn conventions(place: &Place) -> ConventionList {
    let entries = all(place).into_iter().map(|(name, found)| {
        let parsed = read(&name, &found.text);
        ConventionEntry {
            description: parsed
                .as_ref()
                .map(|parsed| parsed.description.clone())
                .unwrap_or_default(),
            roles: parsed
                .iter()
                .flat_map(|parsed| &parsed.roles)
                .map(ToString::to_string)
                .collect(),
            sections: section_titles(convention_body(&found.text))
                .into_iter()
                .map(str::to_owned)
                .collect(),
            source: found.source.to_owned(),
            name,
        }
    });
    ConventionList {
        conventions: entries.collect(),
    }
}

/// A convention, or the section after a `#`.
pub fn show_convention(place: &Place, wanted: &str) -> Result<ConventionDetail, AppError> {
    let (name, title) = wanted
        .split_once('#')
        .map_or((wanted, None), |(name, title)| (name, Some(title)));
    let known = all(place);
    let missing = |what: String, names: Vec<&str>| AppError::NotFound {
        what,
        hints: vec![format!("There are: {}.", names.join(", "))],
    };
    shared(place, Shared::Convention, name).map_err(|problem| AppError::Text {
        what: problem.message,
        hints: vec![format!("What to do: {}.", problem.fix)],
    })?;
    let found = known.get(name).ok_or_else(|| {
        missing(
            format!("there is no convention `{name}`"),
            known.keys().map(String::as_str).collect(),
        )
    })?;
    let body = convention_body(&found.text);
    let text = match title {
        None => body,
        Some(title) => section(body, title).ok_or_else(|| {
            missing(
                format!("the convention `{name}` has no section `{title}`"),
                section_titles(body),
            )
        })?,
    };
    Ok(ConventionDetail {
        name: wanted.to_owned(),
        source: found.source.to_owned(),
        text: text.to_owned(),
    })
}

/// What a step may ask for: every convention by name, and every section as `name#title`.
pub(crate) fn known_names(place: &Place) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (name, found) in all(place) {
        let titles = section_titles(convention_body(&found.text));
        names.extend(titles.into_iter().map(|title| format!("{name}#{title}")));
        names.insert(name);
    }
    names
}

/// The part of a convention's text that a step asked for.
pub(crate) fn asked_for(text: &str, wanted: &str) -> Option<String> {
    let body = convention_body(text);
    match wanted.split_once('#') {
        None => Some(body.to_owned()),
        Some((_, title)) => section(body, title).map(str::to_owned),
    }
}

fn read(name: &str, text: &str) -> Option<Convention> {
    let file = SkillPath::new(&format!("conventions/{name}.md")).ok()?;
    parse_convention(&file, name, text).ok()
}

fn all(place: &Place) -> BTreeMap<String, Found> {
    let own = [
        ("project", place.root.join(".bugle/conventions")),
        ("user", place.bugle_home.join("conventions")),
    ];
    let mut names: BTreeMap<String, &'static str> = BTreeMap::new();
    for (source, folder) in own {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let file = entry.file_name().to_string_lossy().into_owned();
            if let Some(name) = file.strip_suffix(".md").filter(|name| *name != "README") {
                names.entry(name.to_owned()).or_insert(source);
            }
        }
    }
    for name in builtin::conventions().keys() {
        names.entry((*name).to_owned()).or_insert("built-in");
    }
    names
        .into_iter()
        .filter_map(|(name, source)| {
            let file = shared(place, Shared::Convention, &name).ok()??;
            let text = String::from_utf8(file.bytes).ok()?;
            Some((name, Found { source, text }))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_convention_is_in_order() {
        for (name, file) in builtin::conventions() {
            let path = SkillPath::new(&format!("conventions/{name}.md")).unwrap();
            let text = std::str::from_utf8(file.bytes).unwrap();
            let convention =
                parse_convention(&path, name, text).unwrap_or_else(|bad| panic!("{name}: {bad:?}"));
            assert!(!convention.roles.is_empty(), "{name} serves nobody");
            assert!(
                !section_titles(&convention.body).is_empty(),
                "{name} has no sections"
            );
        }
    }

    #[test]
    fn the_code_quality_convention_has_thirty_categories() {
        let file = builtin::conventions()["code-quality"];
        let body = convention_body(std::str::from_utf8(file.bytes).unwrap());
        assert_eq!(section_titles(body).len(), 30);
        for title in section_titles(body) {
            let text = section(body, title).unwrap();
            for part in ["Principle", "Detect", "Violations", "Exceptions", "Threshold"] {
                assert!(text.contains(part), "{title} has no {part}");
            }
        }
    }
}
