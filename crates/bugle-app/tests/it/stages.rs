//! Measures which of the sections that a stage of work needs are shown, on labelled cases.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::{env, fs};

use bugle_core::digest::{
    Candidate, Detail, DigestedSkill, Need, StepKind, WorkPosition, digest, fit, relevance, work_stage,
};
use bugle_core::role::AgentRole;
use bugle_skill::{parse_sections, skill_body};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

/// The room that a wake-up of 9,000 characters with a plan and tasks leaves for the skill.
const ROOM: usize = 5_500;

/// The smallest share of needed sections that must be shown, in percent.
const SHOWN: usize = 95;

/// The same for the skills that were kept aside: a floor, so that it gets no worse.
const SHOWN_HELD_OUT: usize = 90;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cases {
    skills: Vec<Skill>,
}

/// A skill with its labelled cases. Skills from public repositories are not part of this repository.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Skill {
    /// Empty for a skill in this repository.
    #[serde(default)]
    repository: String,
    #[serde(default)]
    commit: String,
    path: String,
    #[serde(default)]
    sha256: String,
    /// Whether the skill's cases were kept aside while the rules were written.
    #[serde(default)]
    held_out: bool,
    /// The room for the skill, if it differs from [`ROOM`].
    room: Option<usize>,
    cases: Vec<Case>,
}

/// One position of an agent, with the headings of the sections that the agent needs there.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    task: String,
    #[serde(default)]
    open: Vec<String>,
    role: Option<String>,
    step: Option<String>,
    /// The stage, if one is clearly right.
    stage: Option<String>,
    needed: Vec<String>,
    /// Sections that belong to another stage.
    #[serde(default)]
    unwanted: Vec<String>,
}

/// What the cases measured.
#[derive(Default)]
struct Measure {
    cases: usize,
    stages: (usize, usize),
    needed: (usize, usize),
    whole: usize,
    unwanted: (usize, usize),
    misses: String,
}

fn step_kind(word: &str) -> StepKind {
    match word {
        "ask" => StepKind::Asks,
        "dispatch" => StepKind::Dispatches,
        "review" => StepKind::Reviews,
        "rework" => StepKind::Reworks,
        other => panic!("no such step: {other}"),
    }
}

fn measure(skill: &Skill, digested: &DigestedSkill, measured: &mut Measure) {
    for case in &skill.cases {
        let open: Vec<&str> = case.open.iter().map(String::as_str).collect();
        let stage = work_stage(&WorkPosition {
            title: &case.task,
            open_beside: &open,
            step: case.step.as_deref().map(step_kind),
            step_title: None,
            role: case
                .role
                .as_deref()
                .map(|role| role.parse::<AgentRole>().unwrap()),
            delegates: digested.delegates(),
        });
        let need = Need {
            title: &case.task,
            step: None,
            stage: stage.as_ref(),
        };
        let found = relevance(digested, &need);
        let candidates: Vec<Candidate<'_>> = (0..digested.sections.len())
            .map(|at| {
                let section = &digested.sections[at];
                let relevance = found.iter().find(|found| found.section == at).unwrap();
                Candidate {
                    claim: relevance.claim,
                    score: relevance.score,
                    full: &section.full.text,
                    digest: &section.digest.text,
                }
            })
            .collect();
        let shown = fit(&candidates, skill.room.unwrap_or(ROOM));
        let detail = |heading: &String| -> Option<Detail> {
            let at = digested
                .sections
                .iter()
                .position(|section| section.title == *heading);
            shown[at.unwrap_or_else(|| panic!("{}: no section {heading:?}", skill.path))]
        };
        measured.cases += 1;
        let now = stage.as_ref().map(|stage| stage.now.as_str());
        if let Some(expected) = &case.stage {
            measured.stages.1 += 1;
            measured.stages.0 += usize::from(now == Some(expected.as_str()));
        }
        let missing: Vec<&String> = case
            .needed
            .iter()
            .filter(|heading| detail(heading).is_none())
            .collect();
        let wrong: Vec<&String> = case
            .unwanted
            .iter()
            .filter(|heading| detail(heading).is_some())
            .collect();
        measured.needed.0 += case.needed.len() - missing.len();
        measured.needed.1 += case.needed.len();
        measured.whole += case
            .needed
            .iter()
            .filter(|heading| detail(heading) == Some(Detail::Full))
            .count();
        measured.unwanted.0 += wrong.len();
        measured.unwanted.1 += case.unwanted.len();
        let is_wrong = case
            .stage
            .as_deref()
            .is_some_and(|expected| now != Some(expected));
        if !missing.is_empty() || !wrong.is_empty() || is_wrong {
            let _ = writeln!(
                measured.misses,
                "{}: {:?}: stage {now:?} (expected {:?}), missing {missing:?}, unwanted {wrong:?}",
                skill.path, case.task, case.stage
            );
            if env::var_os("BUGLE_STAGE_DETAILS").is_some() {
                for (at, (section, detail)) in digested.sections.iter().zip(&shown).enumerate() {
                    let relevance = found.iter().find(|found| found.section == at).unwrap();
                    let _ = writeln!(
                        measured.misses,
                        "      {:>3} {:<11} {:<8} {:>5}/{:>5} {}: {:?} {:?}",
                        relevance.score,
                        relevance.claim.as_str(),
                        detail.map_or("", Detail::as_str),
                        section.digest.text.len(),
                        section.full.text.len(),
                        section.title,
                        relevance
                            .stage
                            .as_ref()
                            .map(|found| (found.stage.as_str(), found.place)),
                        relevance
                            .matches
                            .iter()
                            .map(|found| found.word.as_str())
                            .collect::<Vec<_>>(),
                    );
                }
            }
        }
    }
}

fn report(name: &str, measured: &Measure) -> String {
    let percent = |(part, all): (usize, usize)| (part * 100).checked_div(all).unwrap_or(100);
    format!(
        "{name}: {} cases; needed sections shown {}/{} ({} %), {} of them in full; sections of another stage shown {}/{}; \
         stages right {}/{} ({} %)",
        measured.cases,
        measured.needed.0,
        measured.needed.1,
        percent(measured.needed),
        measured.whole,
        measured.unwanted.0,
        measured.unwanted.1,
        measured.stages.0,
        measured.stages.1,
        percent(measured.stages),
    )
}

fn cases(file: &str) -> Vec<Skill> {
    let file = format!("{}/tests/stages/{file}", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str::<Cases>(&fs::read_to_string(file).unwrap())
        .unwrap()
        .skills
}

fn digested(text: &str) -> DigestedSkill {
    let body = skill_body(text);
    digest(body, &parse_sections(body))
}

/// `BUGLE_SKILL_CORPUS` is a folder with a checkout of each repository at `owner/name`.
#[test]
fn public_skills_show_the_sections_that_the_stage_needs() {
    let Some(corpus) = env::var_os("BUGLE_SKILL_CORPUS").map(PathBuf::from) else {
        eprintln!(
            "skipped: set BUGLE_SKILL_CORPUS to a folder with the repositories of tests/stages/public-skills.json"
        );
        return;
    };
    let mut measures: BTreeMap<bool, Measure> = BTreeMap::new();
    let mut absent = 0;
    for skill in cases("public-skills.json") {
        let file = corpus.join(&skill.repository).join(&skill.path);
        let Ok(text) = fs::read_to_string(&file) else {
            eprintln!("absent: {} (commit {})", file.display(), skill.commit);
            absent += 1;
            continue;
        };
        let hash = Sha256::digest(text.as_bytes());
        let hash = hash.iter().fold(String::new(), |mut hash, byte| {
            let _ = write!(hash, "{byte:02x}");
            hash
        });
        assert_eq!(
            hash,
            skill.sha256,
            "{}: not commit {}",
            file.display(),
            skill.commit
        );
        measure(
            &skill,
            &digested(&text),
            measures.entry(skill.held_out).or_default(),
        );
    }
    for (held_out, measured) in &measures {
        let name = if *held_out { "held out" } else { "built with" };
        eprintln!("{}", report(name, measured));
        if !held_out || env::var_os("BUGLE_SHOW_HELD_OUT").is_some() {
            eprintln!("{}", measured.misses);
        }
    }
    eprintln!("skills absent: {absent}");
    for (held_out, measured) in &measures {
        let (shown, all) = measured.needed;
        let least = if *held_out { SHOWN_HELD_OUT } else { SHOWN };
        assert!(shown * 100 >= all * least, "{shown} of {all}");
        assert!(*held_out || measured.unwanted.0 == 0, "{}", measured.misses);
    }
}

/// Skills of this repository: the built-in ones and those in `tests/stages/skills`.
#[test]
fn own_skills_show_the_sections_that_the_stage_needs() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut measured = Measure::default();
    for skill in cases("own-skills.json") {
        let text = fs::read_to_string(root.join(&skill.path)).unwrap();
        measure(&skill, &digested(&text), &mut measured);
    }
    assert!(measured.cases >= 30, "{} cases", measured.cases);
    assert_eq!(measured.misses, "", "{}", report("own skills", &measured));
}
