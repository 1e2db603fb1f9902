//! Rules about SKILL.md.

use std::collections::BTreeMap;

use bugle_core::validate::{MAX_DESCRIPTION, Manifest, Rule, check_manifest};
use bugle_core::workflow::WorkflowDef;
use bugle_testkit::spelling::skill_path;

use super::{Case, rules};
use crate::support::{Build, step};

rules! {
    a_name_breaks_the_standard breaks BadName;
    a_name_is_not_the_folders breaks NameMismatch;
    front_matter_breaks_the_standard breaks BadFrontMatter;
    a_description_is_too_long breaks LongDescription;
    a_description_counts_steps breaks StepCountInText;
    a_description_retells_the_workflow breaks RetellingDescription;
}

fn manifest(name: &str, description: &str) -> Manifest {
    Manifest {
        name: name.to_owned(),
        description: description.to_owned(),
        license: None,
        compatibility: None,
        metadata: BTreeMap::new(),
        allowed_tools: None,
    }
}

fn skill(rule: Rule, place: &'static str, manifest: &Manifest) -> Case {
    let definition = WorkflowDef::new([step("scan").to("sort"), step("sort").to("tell"), step("tell")]);
    let found = check_manifest(
        &skill_path("SKILL.md"),
        Some("critic"),
        manifest,
        Some(&definition),
    );
    Case {
        rule,
        place,
        problems: found.into_iter().filter(|problem| problem.rule == rule).collect(),
    }
}

pub(super) fn cases() -> Vec<Case> {
    let described = |rule, text: &str| skill(rule, "SKILL.md description", &manifest("critic", text));
    let demanding = Manifest {
        compatibility: Some("x".repeat(501)),
        ..manifest("critic", "Use before a decision")
    };
    let good = "Use before a decision";
    vec![
        skill(Rule::BadName, "SKILL.md name", &manifest("Critic", good)),
        skill(Rule::NameMismatch, "SKILL.md name", &manifest("critics", good)),
        described(Rule::BadFrontMatter, "  "),
        skill(Rule::BadFrontMatter, "SKILL.md compatibility", &demanding),
        described(Rule::LongDescription, &"ä".repeat(MAX_DESCRIPTION + 1)),
        described(Rule::StepCountInText, "A seven-step critique"),
        described(Rule::StepCountInText, "Critique in 7 steps"),
        described(Rule::StepCountInText, "Use before step 2"),
        described(
            Rule::RetellingDescription,
            "Work on scan, work on sort, work on tell",
        ),
        described(Rule::RetellingDescription, "Looks, then sorts, then tells"),
    ]
}

#[test]
fn a_description_of_maximum_length_is_accepted() {
    let described = manifest("critic", &"ä".repeat(MAX_DESCRIPTION));
    let found = check_manifest(&skill_path("SKILL.md"), Some("critic"), &described, None);
    assert!(found.is_empty(), "{found:?}");
}
