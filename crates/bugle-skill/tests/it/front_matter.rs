//! Invalid skill files, and the errors that their authors see.

use bugle_core::validate::Rule;
use bugle_skill::{parse_skill_file, skill_body};

use crate::support::{case, path, skill_file_problems, skill_files};

#[test]
fn missing_front_matter() {
    let cases = [
        case(
            "no front matter",
            "# Critic\n\nA skill.\n",
            &[Rule::BadFrontMatter],
        ),
        case("an empty file", "", &[Rule::BadFrontMatter]),
        case(
            "front matter that is never closed",
            "---\nname: critic\ndescription: Use it.\n\n# Critic\n",
            &[Rule::BadFrontMatter],
        ),
        case(
            "front matter after an empty line",
            "\n---\nname: critic\ndescription: Use it.\n---\n",
            &[Rule::BadFrontMatter],
        ),
        case(
            "empty front matter",
            "---\n---\n# Critic\n",
            &[Rule::BadFrontMatter],
        ),
        case(
            "front matter with only a comment",
            "---\n# later\n---\n# Critic\n",
            &[Rule::BadFrontMatter],
        ),
    ];
    insta::assert_snapshot!(skill_files(&cases));
}

#[test]
fn keys_and_values() {
    let cases = [
        case(
            "a misspelt key",
            "---\nname: critic\ndescription: Use it.\nlicence: MIT\n---\n",
            &[Rule::UnknownKey],
        ),
        case(
            "a key of another standard",
            "---\nname: critic\ndescription: Use it.\nversion: 2\n---\n",
            &[Rule::UnknownKey],
        ),
        case(
            "a duplicate key",
            "---\nname: critic\nname: other\ndescription: Use it.\n---\n",
            &[Rule::DuplicateKey],
        ),
        case(
            "a description is missing",
            "---\nname: critic\n---\n",
            &[Rule::BadFrontMatter],
        ),
        case(
            "a name that is a list",
            "---\nname: [critic]\ndescription: Use it.\n---\n",
            &[Rule::BadFrontMatter],
        ),
        case(
            "an empty name",
            "---\nname:\ndescription: Use it.\n---\n",
            &[Rule::BadFrontMatter],
        ),
        case(
            "metadata that is a word",
            "---\nname: critic\ndescription: Use it.\nmetadata: none\n---\n",
            &[Rule::BadFrontMatter],
        ),
        case(
            "nested metadata",
            "---\nname: critic\ndescription: Use it.\nmetadata:\n  author:\n    name: Ada\n---\n",
            &[Rule::BadFrontMatter],
        ),
        case(
            "tools as a list",
            "---\nname: critic\ndescription: Use it.\nallowed-tools: [Read, Grep]\n---\n",
            &[Rule::BadFrontMatter],
        ),
        case(
            "an unquoted colon in a description",
            "---\nname: critic\ndescription: Use it when: always\n---\n",
            &[Rule::BadFrontMatter],
        ),
        case(
            "a tab for indentation",
            "---\nname: critic\ndescription: Use it.\nmetadata:\n\tauthor: Ada\n---\n",
            &[Rule::BadFrontMatter],
        ),
    ];
    insta::assert_snapshot!(skill_files(&cases));
}

#[test]
fn locations_are_right_whatever_comes_before_them() {
    let cases = [
        case(
            "multi-byte characters before the mistake",
            "---\n# größe 🎺 日本\n\"name\": 'é', \n---\n",
            &[Rule::BadFrontMatter],
        ),
        case(
            "CRLF line endings",
            "---\r\nname: critic\r\ndescription: Use it.\r\nlicence: MIT\r\n---\r\n",
            &[Rule::UnknownKey],
        ),
        case(
            "a byte order mark",
            "\u{feff}---\nname: critic\ndescription: Use it.\nlicence: MIT\n---\n",
            &[Rule::UnknownKey],
        ),
    ];
    for case in &cases[1..] {
        let (_, span) = skill_file_problems(&case.text).remove(0);
        assert_eq!(&case.text[span.unwrap()], "licence", "{}", case.title);
    }
    insta::assert_snapshot!(skill_files(&cases));
}

#[test]
fn every_key_of_the_standard_is_parsed() {
    let text = "\
---
name: critic
description: >-
  Use it when a decision
  has to stand.
license: MIT
compatibility: Needs git 2.30
metadata:
  author: Ada
  version: \"1.0\"
allowed-tools: Read Grep
---

# Critic

---
A line above is part of the body.
";
    for text in [
        text.to_owned(),
        format!("\u{feff}{text}"),
        text.replace('\n', "\r\n"),
    ] {
        let read = parse_skill_file(&path("SKILL.md"), &text).unwrap();
        assert_eq!(read.manifest.name, "critic");
        assert_eq!(read.manifest.description, "Use it when a decision has to stand.");
        assert_eq!(read.manifest.license.as_deref(), Some("MIT"));
        assert_eq!(read.manifest.compatibility.as_deref(), Some("Needs git 2.30"));
        assert_eq!(read.manifest.metadata.len(), 2);
        assert_eq!(read.manifest.metadata["version"], "1.0");
        assert_eq!(read.manifest.allowed_tools.as_deref(), Some("Read Grep"));
        assert!(read.body.trim_start().starts_with("# Critic"));
        assert!(
            read.body
                .trim_end()
                .ends_with("A line above is part of the body.")
        );
    }
}

#[test]
fn unquoted_metadata_is_text() {
    let text = "---\nname: critic\ndescription: Use it.\nmetadata:\n  version: 1.0\n  stable: true\n---\n";
    let read = parse_skill_file(&path("SKILL.md"), text).unwrap();
    assert_eq!(read.manifest.metadata["version"], "1.0");
    assert_eq!(read.manifest.metadata["stable"], "true");
}

#[test]
fn the_body_follows_front_matter_that_only_a_client_knows() {
    let body = "# Title\n\nText.\n";
    let text = format!("---\nname: a\ndescription: b\ndisable-model-invocation: true\n---\n{body}");
    assert!(parse_skill_file(&path("SKILL.md"), &text).is_err());
    assert_eq!(skill_body(&text), body);
    assert_eq!(skill_body(body), body);
}
