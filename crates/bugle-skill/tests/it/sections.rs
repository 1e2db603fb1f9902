//! Sections of a body: nothing is lost, sizes only shrink, no words are added, and the relevance of sections is
//! explained.

use std::fmt::Write as _;
use std::fs;

use bugle_core::digest::{
    BlockKind, Detail, DigestedSkill, Need, Relevance, Size, SkillOutline, WorkPosition, digest, relevance,
    work_stage,
};
use bugle_core::role::AgentRole;
use bugle_skill::{parse_sections, parse_skill_file, section, section_titles};
use proptest::prelude::*;
use proptest::sample::select;

use crate::support::path;

const SKILLS: [&str; 3] = ["naming-things", "reading-markdown", "coordinating-releases"];

fn body(skill: &str) -> String {
    let file = format!("{}/tests/skills/{skill}/SKILL.md", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(file).unwrap();
    parse_skill_file(&path("SKILL.md"), &text).unwrap().body
}

fn digested(body: &str) -> DigestedSkill {
    digest(body, &parse_sections(body))
}

/// The sections as a table of contents, with the size of each level of detail.
fn contents(body: &str) -> String {
    let mut page = String::new();
    for (at, section) in digested(body).sections.iter().enumerate() {
        let depth = "  ".repeat(section.level.into());
        let sizes = [Detail::Full, Detail::Digest, Detail::Pointer]
            .map(|detail| section.at(detail).size)
            .map(|size| format!("{}/{}/{}", size.characters, size.utf16, size.bytes));
        let _ = writeln!(
            page,
            "{at:>3} {depth}{:?} [{:?}] {}",
            section.title,
            section.kind,
            sizes.join(" > ")
        );
    }
    page
}

fn at(body: &str, detail: Detail) -> String {
    let sections = digested(body).sections;
    let texts: Vec<&str> = sections
        .iter()
        .map(|section| section.at(detail).text.as_str())
        .collect();
    texts.join("\n")
}

/// Which sections a task needs, and why.
fn explained(body: &str, need: &Need<'_>) -> String {
    let skill = digested(body);
    let mut page = String::new();
    for found in relevance(&skill, need)
        .into_iter()
        .filter(|found| found.score > 3)
    {
        let title = &skill.sections[found.section].title;
        let claim = found.claim.as_str();
        let _ = write!(page, "{:>3} {claim:<11} {title:?} {:?}", found.score, found.kind);
        if let Some(stage) = &found.stage {
            let _ = write!(page, ", {} ({:?}: {})", stage.stage, stage.place, stage.points);
        }
        for word in found.matches {
            let _ = write!(
                page,
                ", {} ({:?} in {:?}: {})",
                word.word, word.source, word.place, word.points
            );
        }
        page.push('\n');
    }
    page
}

#[test]
fn the_contents_of_three_skills() {
    for skill in SKILLS {
        insta::assert_snapshot!(format!("contents_of_{skill}"), contents(&body(skill)));
    }
    let long = body("coordinating-releases").len();
    assert!((26_000..30_000).contains(&long), "{long}");
}

#[test]
fn the_digests_of_three_skills() {
    for skill in SKILLS {
        insta::assert_snapshot!(format!("digest_of_{skill}"), at(&body(skill), Detail::Digest));
    }
}

#[test]
fn a_long_skill_has_a_short_digest_and_shorter_pointers() {
    let body = body("coordinating-releases");
    let [full, digest, pointer] =
        [Detail::Full, Detail::Digest, Detail::Pointer].map(|detail| Size::of(&at(&body, detail)).characters);
    assert!(
        digest * 3 < full * 2 && pointer * 8 < full,
        "{full} > {digest} > {pointer}"
    );
}

#[test]
fn the_relevance_of_sections_is_explained() {
    let body = body("coordinating-releases");
    let mut page = String::new();
    for (title, step, role) in [
        ("Task 7: Prepare the migration of the orders table", None, None),
        ("Roll out 1.4", Some("Going back"), Some(AgentRole::Orchestrator)),
        ("Write release notes", None, Some(AgentRole::TechnicalWriter)),
        ("", None, None),
    ] {
        let stage = work_stage(&WorkPosition {
            title,
            role,
            ..WorkPosition::default()
        });
        let need = Need {
            title,
            step,
            stage: stage.as_ref(),
        };
        let _ = writeln!(
            page,
            "=== {title:?} {step:?} {role:?}\n{}",
            explained(&body, &need)
        );
    }
    insta::assert_snapshot!(page);
}

#[test]
fn second_level_headings_are_the_sections_of_conventions() {
    for skill in ["naming-things", "coordinating-releases"] {
        let body = body(skill);
        let outline = parse_sections(&body);
        let second: Vec<&str> = outline
            .sections
            .iter()
            .filter(|section| section.level == 2)
            .map(|section| section.title.as_str())
            .collect();
        assert_eq!(second, section_titles(&body));
        for found in outline.sections.iter().filter(|found| found.level == 2) {
            assert_eq!(
                section(&body, &found.title).unwrap(),
                body[found.whole.clone()].trim_end(),
                "{}",
                found.title
            );
        }
    }
}

#[test]
fn a_text_without_headings_is_one_section() {
    let outline = parse_sections("Write it.\n");
    assert_eq!(outline.sections.len(), 1);
    assert_eq!(
        (outline.sections[0].level, outline.sections[0].own.clone()),
        (0, 0..10)
    );
    assert_eq!(parse_sections(""), SkillOutline::default());
}

#[test]
fn many_headings_take_linear_time() {
    let body = "## a\n".repeat(60_000) + "# b\n";
    let outline = parse_sections(&body);
    assert_eq!(outline.sections.len(), 60_001);
}

/// Building blocks of bodies, and common ways to break them.
const PIECES: [&str; 44] = [
    "# A\n",
    "## Overview\n",
    "### Red flags\n",
    "###### x ######\n",
    "#\n",
    "##  \n",
    "   ## ok\n",
    "    ## code\n",
    "####### no\n",
    "```\n",
    "````md\n",
    "````\n",
    "~~~\n",
    "```sh x\n",
    "  ```\n",
    "``` ` \n",
    "- item. More.\n",
    "* Write it\n",
    "1. one. two.\n",
    "2) Stop!\n",
    "- [ ] open\n",
    "- [x] done\n  more\n",
    "| a | b |\n",
    "|---|---|\n",
    "a | b\n",
    "--- | ---\n",
    "| \\| | x |\n",
    "\n",
    "\r\n",
    "   \n",
    "Never do it. It is so.\n",
    "A fact",
    ". ",
    "größe 🎺 ",
    "> You must. \n",
    "`code. more` ",
    "e.g. this ",
    "\u{feff}",
    "\t",
    "\u{2028}",
    "先写。再",
    "**Bold:** run it\n",
    "x\n",
    "!?\n",
];

fn bodies() -> impl Strategy<Value = String> {
    let soup = prop::collection::vec(select(&PIECES[..]), 0..40).prop_map(|pieces| pieces.concat());
    let cut = (select(&SKILLS[..]), any::<prop::sample::Index>()).prop_map(|(skill, end)| {
        let body = body(skill);
        let mut end = end.index(body.len() + 1);
        while !body.is_char_boundary(end) {
            end -= 1;
        }
        body[..end].to_owned()
    });
    prop_oneof![4 => soup, 1 => any::<String>(), 1 => cut]
}

/// Whether the words of one string appear in another in the same order.
fn is_taken_from(part: &str, whole: &str) -> Result<(), String> {
    let mut rest = whole;
    for word in part.split_whitespace() {
        let found = rest.find(word).ok_or_else(|| word.to_owned())?;
        rest = &rest[found + word.len()..];
    }
    Ok(())
}

proptest! {
    #[test]
    fn sections_cover_the_whole_text(body in bodies()) {
        let outline = parse_sections(&body);
        let again: String = outline.sections.iter().flat_map(|section| &section.blocks).map(|block| &body[block.range.clone()]).collect();
        prop_assert_eq!(&again, &body);
        let own: String = outline.sections.iter().map(|section| &body[section.own.clone()]).collect();
        prop_assert_eq!(&own, &body);
        for (at, section) in outline.sections.iter().enumerate() {
            prop_assert_eq!(section.own.start, section.whole.start);
            prop_assert!(section.own.end <= section.whole.end);
            let heads = section.blocks.iter().filter(|block| block.kind == BlockKind::Heading).count();
            prop_assert_eq!(heads, usize::from(section.level > 0));
            if let Some(parent) = section.parent {
                let above = &outline.sections[parent];
                prop_assert!(parent < at && above.level < section.level);
                prop_assert!(above.whole.start <= section.whole.start && section.whole.end <= above.whole.end);
                prop_assert!(outline.children(parent).any(|child| child == at));
            }
        }
    }

    #[test]
    fn sizes_shrink_and_are_correct(body in bodies()) {
        for section in digested(&body).sections {
            let [full, digest, pointer] = [Detail::Full, Detail::Digest, Detail::Pointer].map(|detail| section.at(detail));
            prop_assert!(digest.size.fits(full.size), "{full:?} {digest:?}");
            prop_assert!(pointer.size.fits(digest.size), "{digest:?} {pointer:?}");
            prop_assert!(!pointer.text.contains('\n'));
            for rendering in [full, digest, pointer] {
                prop_assert_eq!(rendering.size, Size::of(&rendering.text));
            }
        }
    }

    #[test]
    fn no_words_are_added(body in bodies()) {
        let outline = parse_sections(&body);
        for (section, digested) in outline.sections.iter().zip(digest(&body, &outline).sections) {
            // Table bars and code markers are not in the section's text, so such lines are ignored here.
            let kept: Vec<&str> = digested.digest.text.lines().filter(|line| !line.starts_with("[code omitted, lines: ")).collect();
            let bare = |text: &str| text.replace(['|', '>'], " ");
            let taken = is_taken_from(&bare(&kept.join("\n")), &bare(&body[section.own.clone()]));
            prop_assert_eq!(taken, Ok(()));
        }
    }

    #[test]
    fn digests_and_rankings_are_deterministic(body in bodies(), title in select(vec!["Write the overview", "Fix größe", ""])) {
        let (one, other) = (digested(&body), digested(&body));
        prop_assert_eq!(&one, &other);
        let stage = work_stage(&WorkPosition { title, role: Some(AgentRole::Developer), ..WorkPosition::default() });
        let need = Need { title, step: Some("red flags"), stage: stage.as_ref() };
        let ranked = relevance(&one, &need);
        prop_assert_eq!(&ranked, &relevance(&other, &need));
        prop_assert_eq!(ranked.len(), one.sections.len());
        for pair in ranked.windows(2) {
            let order = |found: &Relevance| (found.claim, std::cmp::Reverse(found.score), found.section);
            prop_assert!(order(&pair[0]) < order(&pair[1]));
        }
        for found in ranked {
            let points: u32 = found.matches.iter().map(|word| word.points).sum();
            let staged = found.stage.as_ref().map_or(0, |stage| stage.points);
            prop_assert_eq!(found.score, found.prior + points + staged);
            prop_assert!(found.prior <= found.kind.points());
        }
    }

    #[test]
    fn a_stored_digest_reads_back(body in bodies()) {
        let skill = digested(&body);
        let json = serde_json::to_string(&skill).unwrap();
        prop_assert_eq!(serde_json::from_str::<DigestedSkill>(&json).unwrap(), skill);
    }
}
