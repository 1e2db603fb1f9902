//! The review loop in each format, as the gate, the reviewer and the author see it.

use bugle_core::count::counted;
use bugle_core::reply::{DisputeView, FindingView, ReviewLoopView, VerdictView};
use bugle_core::review::Finding;
use bugle_core::review::Severity;

use crate::text;
use crate::xml::Element;
use crate::xml::review::{ReviewMode, StateBanner, qr_banner, state_banner};

fn blocks_line(blocking: &[Severity]) -> String {
    if blocking.len() == Severity::ALL.len() {
        return "In this review, every finding blocks, whatever its severity.".to_owned();
    }
    let blocking: Vec<&str> = blocking.iter().map(|severity| severity.as_str()).collect();
    format!(
        "In this review, only these severities block: {}.",
        blocking.join(", ")
    )
}

/// The state of a review loop, for agents.
pub(crate) fn loop_xml(view: &ReviewLoopView) -> Vec<Element> {
    match view {
        ReviewLoopView::Gate {
            gate,
            iteration,
            limit,
            // Bugle computes the verdict, so the orchestrator does not need the blocking severities.
            blocking: _,
        } => vec![
            Element::new("state_banner")
                .attribute("checkpoint", gate)
                .attribute("iteration", iteration)
                .attribute("limit", limit)
                .attribute("mode", "gate"),
        ],
        ReviewLoopView::Review {
            gate,
            iteration,
            checks,
            accepted,
            disputed,
            deferred,
        } => {
            let mut blocks = vec![qr_banner(gate, *iteration)];
            if !checks.is_empty() {
                let checks = checks.iter().map(|check| Element::with_text("check", check));
                blocks.push(
                    Element::new("verification_checklist")
                        .attribute("name", gate)
                        .child(Element::with_text("instruction", CHECKS))
                        .children(checks),
                );
            }
            for section in sections(accepted, disputed, deferred) {
                blocks.push(
                    Element::new(section.element)
                        .child(Element::with_text("instruction", section.instruction))
                        .children(section.findings.iter().map(ShownFinding::xml)),
                );
            }
            blocks
        }
        ReviewLoopView::Rework {
            gate,
            iteration,
            findings,
            count,
            command,
        } => {
            let explanation = rework_line(*count, findings.is_empty(), command.as_deref());
            let mut blocks = vec![state_banner(&StateBanner {
                checkpoint: gate,
                iteration: *iteration,
                mode: ReviewMode::Rework,
                explanation: Some(&explanation),
            })];
            if !findings.is_empty() {
                blocks.push(Element::new("open_findings").children(findings.iter().map(finding_xml)));
            }
            blocks
        }
    }
}

const CHECKS: &str = "Run each of these checks again and list each check in `checks`. A finding's category is the check that \
                      failed. If no check fits a finding, add a check.";
const ACCEPTED: &str = "The user accepted these risks. Don't report them again.";
const DISPUTED: &str = "Earlier reviews reported these findings, and the author disputes them. Test the author's evidence \
                        yourself. Report a finding again, with the same category and element, only if it is still valid.";
const DEFERRED: &str = "Earlier reviews reported these findings, which did not block. Check each finding and report it if it \
                        is still valid.";

/// The number of findings that sent the work back, and the next action.
fn rework_line(count: usize, by_reference: bool, command: Option<&str>) -> String {
    let action = rework_action(count, by_reference, command);
    match count {
        0 => action,
        _ => format!("{} sent the work back. {action}", counted(count, "finding")),
    }
}

fn rework_action(count: usize, by_reference: bool, command: Option<&str>) -> String {
    if count == 0 {
        return "The findings that sent the work back were accepted as risks. Nothing is left to fix."
            .to_owned();
    }
    match (by_reference, command) {
        (false, _) => format!(
            "Fix {}, or dispute it if the result has `disputes`.",
            if count == 1 { "the finding" } else { "each finding" }
        ),
        (true, Some(command)) => format!("To read the findings, run: {command}"),
        (true, None) => "The sub-agents receive the findings.".to_owned(),
    }
}

/// Earlier findings, and how the reviewer must handle them.
struct Section<'a> {
    element: &'static str,
    instruction: &'static str,
    findings: Vec<ShownFinding<'a>>,
}

/// A finding, with the author's evidence if the author disputes it.
struct ShownFinding<'a> {
    finding: &'a FindingView,
    evidence: Option<&'a str>,
}

impl<'a> ShownFinding<'a> {
    fn undisputed(finding: &'a FindingView) -> Self {
        Self {
            finding,
            evidence: None,
        }
    }

    fn disputed(dispute: &'a DisputeView) -> Self {
        Self {
            finding: &dispute.finding,
            evidence: Some(&dispute.evidence),
        }
    }

    fn xml(&self) -> Element {
        let evidence = self
            .evidence
            .map(|text| Element::with_text("author_evidence", text));
        finding_xml(self.finding).children(evidence)
    }

    fn lines(&self) -> String {
        let lines = finding_lines(self.finding);
        match self.evidence {
            None => lines,
            Some(evidence) => {
                let evidence: Vec<&str> = evidence.lines().collect();
                format!("{lines}\n  the author's evidence: {}", evidence.join("\n    "))
            }
        }
    }
}

/// The sections that have findings, in display order.
fn sections<'a>(
    accepted: &'a [FindingView],
    disputed: &'a [DisputeView],
    deferred: &'a [FindingView],
) -> impl Iterator<Item = Section<'a>> {
    let sections = [
        Section {
            element: "accepted_risks",
            instruction: ACCEPTED,
            findings: accepted.iter().map(ShownFinding::undisputed).collect(),
        },
        Section {
            element: "disputed_findings",
            instruction: DISPUTED,
            findings: disputed.iter().map(ShownFinding::disputed).collect(),
        },
        Section {
            element: "deferred_findings",
            instruction: DEFERRED,
            findings: deferred.iter().map(ShownFinding::undisputed).collect(),
        },
    ];
    sections
        .into_iter()
        .filter(|section| !section.findings.is_empty())
}

pub(crate) fn finding_xml(view: &FindingView) -> Element {
    let finding = &view.finding;
    Element::new("finding")
        .attribute("severity", finding.severity)
        .attribute("category", &finding.category)
        .attribute("seen", view.seen)
        .optional_attribute("number", view.number.map(|number| number.to_string()))
        .child(Element::with_text("location", &finding.location))
        .child(Element::with_text("element", &finding.element))
        .child(Element::with_text("problem", &finding.problem))
        .child(Element::with_text("action", &finding.action))
}

pub(crate) fn finding_lines(view: &FindingView) -> String {
    let Finding {
        severity,
        category,
        location,
        element,
        problem,
        action,
    } = &view.finding;
    let again = match view.seen {
        0 | 1 => String::new(),
        seen => format!(", found {seen} times"),
    };
    let number = view.number.map(|number| format!("{number} ")).unwrap_or_default();
    format!(
        "{number}[{severity}] {category}, {location}{again}\n  element: {element}\n  problem: {problem}\n  action:  {action}"
    )
}

/// The state of a review loop, for people. `verdict` is the verdict that the step already shows.
pub(crate) fn loop_text(view: &ReviewLoopView, verdict: Option<&VerdictView>) -> Vec<String> {
    match view {
        ReviewLoopView::Gate {
            gate,
            iteration,
            limit,
            blocking,
        } => vec![format!(
            "{gate}: this is review {iteration}. If review {limit} fails, the user decides. {}",
            blocks_line(blocking)
        )],
        ReviewLoopView::Review {
            gate,
            iteration,
            checks,
            accepted,
            disputed,
            deferred,
        } => {
            let mut blocks = vec![format!("{gate}: this is review {iteration}.")];
            if !checks.is_empty() {
                blocks.push(text::list(CHECKS, checks));
            }
            for section in sections(accepted, disputed, deferred) {
                let lines: Vec<String> = section.findings.iter().map(ShownFinding::lines).collect();
                blocks.push(text::list(section.instruction, &lines));
            }
            blocks
        }
        ReviewLoopView::Rework {
            gate,
            iteration,
            findings,
            count,
            command,
        } => {
            let (by_reference, command) = (findings.is_empty(), command.as_deref());
            let is_verdict_of =
                |verdict: &VerdictView| verdict.gate == *gate && verdict.iteration == *iteration;
            let mut blocks = vec![if verdict.is_some_and(is_verdict_of) {
                rework_action(*count, by_reference, command)
            } else {
                let line = rework_line(*count, by_reference, command);
                format!("{gate}, after review {iteration}: {line}")
            }];
            if !findings.is_empty() {
                let lines: Vec<String> = findings.iter().map(finding_lines).collect();
                blocks.push(text::list("Open findings:", &lines));
            }
            blocks
        }
    }
}
