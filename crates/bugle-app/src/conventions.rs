//! Lists and shows the project's, the user's and the built-in conventions, whole or by section.

use std::collections::{BTreeMap, BTreeSet};

use bugle_core::path::SkillPath;
use bugle_core::reply::{ConventionDetail, ConventionEntry, ConventionList};
use bugle_skill::{Convention, convention_body, parse_convention, section, section_titles};

use crate::files::{Shared, shared};
use crate::{AppError, Context, builtin};

/// A convention's source and text.
struct Found {
    source: &'static str,
    text: String,
}

/// All conventions by name. The project's file takes precedence over the user's, and the user's over the built-in one.
pub fn conventions(ctx: &Context) -> ConventionList {
    let entries = all(ctx).into_iter().map(|(name, found)| {
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

/// Shows a convention, or the section that `name#title` selects.
pub fn show_convention(ctx: &Context, wanted: &str) -> Result<ConventionDetail, AppError> {
    let (name, title) = wanted
        .split_once('#')
        .map_or((wanted, None), |(name, title)| (name, Some(title)));
    let known = all(ctx);
    let missing = |what: String, names: Vec<&str>| AppError::NotFound {
        what,
        hints: vec![format!("Available: {}.", names.join(", "))],
    };
    shared(ctx, Shared::Convention, name).map_err(|problem| AppError::Text {
        what: problem.message,
        hints: vec![format!("To fix this: {}.", problem.fix)],
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

/// The names that a step may use: `name` for a convention, `name#title` for a section.
pub(crate) fn known_names(ctx: &Context) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (name, found) in all(ctx) {
        let titles = section_titles(convention_body(&found.text));
        names.extend(titles.into_iter().map(|title| format!("{name}#{title}")));
        names.insert(name);
    }
    names
}

/// The text of a convention, or of its section if `wanted` names one.
pub(crate) fn excerpt(text: &str, wanted: &str) -> Option<String> {
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

fn all(ctx: &Context) -> BTreeMap<String, Found> {
    let own = [
        ("project", ctx.root.join(".bugle/conventions")),
        ("user", ctx.bugle_home.join("conventions")),
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
            let file = shared(ctx, Shared::Convention, &name).ok()??;
            let text = String::from_utf8(file.bytes).ok()?;
            Some((name, Found { source, text }))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_convention_has_roles_and_sections() {
        for (name, file) in builtin::conventions() {
            let path = SkillPath::new(&format!("conventions/{name}.md")).unwrap();
            let text = std::str::from_utf8(file.bytes).unwrap();
            let convention =
                parse_convention(&path, name, text).unwrap_or_else(|bad| panic!("{name}: {bad:?}"));
            assert!(!convention.roles.is_empty(), "{name} has no roles");
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
