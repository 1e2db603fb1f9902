//! How a reviewer looks at the work.
//!
//! Three findings shape these elements. A reviewer who knows the earlier
//! findings confirms them instead of looking; so each pass starts anew. A check
//! made with the author's claim in view tends to repeat the claim; so checks are
//! factored. A question that can be answered by agreeing will be; so questions
//! are open.

use std::fmt;

use super::element::Element;

/// Which side of the review loop an agent is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReviewMode {
    /// Reviewing, without knowledge of earlier findings.
    FreshReview,
    /// Repairing what a review found.
    Rework,
}

impl fmt::Display for ReviewMode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::FreshReview => "fresh_review",
            Self::Rework => "rework",
        })
    }
}

/// Where a review loop stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateBanner<'a> {
    /// The gate that the loop belongs to.
    pub checkpoint: &'a str,
    /// The pass through the loop, from 1.
    pub iteration: u32,
    /// Which side of the loop this is.
    pub mode: ReviewMode,
    /// What that means for the reader, if anything needs to be said.
    pub explanation: Option<&'a str>,
}

/// What a reviewer hands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpectedOutput<'a> {
    /// The report if nothing was found.
    pub if_pass: &'a str,
    /// The report if something was.
    pub when_issues: Option<&'a str>,
    /// The categories a finding may carry; none if they are free.
    pub categories: &'a [&'a str],
}

/// One thing to look for in the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Check<'a> {
    /// The part of the work that is looked at.
    pub element: &'a str,
    /// What it must satisfy.
    pub criterion: &'a str,
    /// What to report if it does not.
    pub if_missing: &'a str,
}

/// `<state_banner>`: where a review loop stands.
///
/// The count comes from the store. A count that agents carry along in their
/// commands is lost at the first one that omits it, and then the loop neither
/// relaxes nor ends.
pub fn state_banner(banner: &StateBanner<'_>) -> Element {
    Element::new("state_banner")
        .attribute("checkpoint", banner.checkpoint)
        .attribute("iteration", banner.iteration)
        .attribute("mode", banner.mode)
        .text(banner.explanation.unwrap_or_default())
}

/// `<state_banner>` for a reviewer: every pass is a fresh review.
///
/// Asked to confirm that earlier findings were fixed, a reviewer looks only
/// there, and finds them fixed. Judging the whole work again costs more and
/// finds what the repair broke.
pub fn qr_banner(checkpoint: &str, iteration: u32) -> Element {
    state_banner(&StateBanner {
        checkpoint,
        iteration,
        mode: ReviewMode::FreshReview,
        explanation: (iteration > 1).then_some("Judge the whole work as if for the first time."),
    })
}

/// `<expected_output>`: what to hand in, for either result.
///
/// Showing the clean report first makes "nothing found" an answer like any
/// other. A reviewer who knows only the shape of a finding feels obliged to
/// produce one.
pub fn expected_output(output: &ExpectedOutput<'_>) -> Element {
    let categories = (!output.categories.is_empty()).then(|| {
        let items = output
            .categories
            .iter()
            .map(|name| Element::with_text("category", *name));
        Element::new("categories").children(items)
    });
    Element::new("expected_output")
        .child(Element::with_text("if_pass", output.if_pass))
        .children(
            output
                .when_issues
                .map(|text| Element::with_text("when_issues", text)),
        )
        .children(categories)
}

/// `<detection_questions>`: what to ask of the work in one category.
///
/// Concrete questions find more than a general request to review (the
/// verification questions of Chain-of-Verification, Dhuliawala et al. 2023). The
/// ids count from 1, so that a finding can say which question it answers.
pub fn detection_questions<Question: AsRef<str>>(category: &str, questions: &[Question]) -> Element {
    let items = (1..).zip(questions).map(|(id, question): (u32, _)| {
        Element::with_text("question", question.as_ref()).attribute("id", id)
    });
    Element::new("detection_questions")
        .attribute("category", category)
        .children(items)
}

/// `<verification_checklist>`: what must be there, and what to report if it is not.
///
/// A fixed list makes reviews converge: the second pass looks for the same
/// things as the first, so the work is not chasing a target that moves.
pub fn verification_checklist(name: &str, checks: &[Check<'_>]) -> Element {
    Element::new("verification_checklist")
        .attribute("name", name)
        .children(checks.iter().map(|check| {
            Element::new("check")
                .attribute("element", check.element)
                .child(Element::with_text("criterion", check.criterion))
                .child(Element::with_text("if_missing", check.if_missing))
        }))
}

/// `<factored_verification>`: how to keep a check independent of the claim.
///
/// In Chain-of-Verification the factored form, where each question is answered
/// without sight of the draft, removes more errors than answering all of them
/// beside it: a model repeats what it can see.
pub fn factored_verification() -> Element {
    const STEPS: [&str; 3] = [
        "From the brief alone, write down what the work would have to contain.",
        "Open the work and answer each question from it, one at a time, without the author's \
         description and without the other answers.",
        "Only then compare the answers with what was expected and with what the author claims. \
         Each difference is a finding.",
    ];
    Element::new("factored_verification")
        .child(Element::with_text(
            "rationale",
            "A check made with the claim in view tends to repeat the claim.",
        ))
        .children(STEPS.map(|step| Element::with_text("step", step)))
}

/// `<verification_principle>`: questions that cannot be answered by agreeing.
///
/// Yes-or-no questions invite a yes, whatever the facts; the authors of
/// Chain-of-Verification measured worse results with them than with questions
/// that ask for the fact itself.
pub fn verification_principle() -> Element {
    Element::new("verification_principle")
        .child(Element::with_text(
            "principle",
            "Ask what, where, which or how, and answer with something that can be pointed at: a \
             file and line, a value, the output of a command.",
        ))
        .child(Element::with_text(
            "open",
            "Which callers handle the timeout, and how?",
        ))
        .child(Element::with_text("closed", "Is the timeout handled?"))
        .child(Element::with_text(
            "difference",
            "The closed question can be answered by agreeing with it. The open one can only be \
             answered by looking.",
        ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn state_banner_shows_count_and_mode() {
        let banner = StateBanner {
            checkpoint: "Completeness",
            iteration: 3,
            mode: ReviewMode::Rework,
            explanation: None,
        };
        insta::assert_snapshot!(state_banner(&banner).render());
    }

    #[test]
    fn qr_banner_announces_a_fresh_review() {
        insta::assert_snapshot!(qr_banner("Completeness", 2).render());
    }

    #[test]
    fn expected_output_shows_both_reports() {
        let output = ExpectedOutput {
            if_pass: "`findings`: an empty list.",
            when_issues: Some("`findings`: one entry per problem, each with its location."),
            categories: &["missing-test", "unstated-assumption"],
        };
        insta::assert_snapshot!(expected_output(&output).render());
    }

    #[test]
    fn expected_output_leaves_out_what_is_not_given() {
        let output = ExpectedOutput {
            if_pass: "done",
            when_issues: None,
            categories: &[],
        };
        let rendered = expected_output(&output).render();
        assert!(!rendered.contains("when_issues") && !rendered.contains("categories"));
    }

    #[test]
    fn detection_questions_are_numbered() {
        let questions = [
            "Which comments describe how the code used to be?",
            "Which names appear in the text but no longer in the code?",
        ];
        insta::assert_snapshot!(detection_questions("temporal", &questions).render());
    }

    #[test]
    fn verification_checklist_says_what_to_report() {
        let checks = [
            Check {
                element: "Milestones",
                criterion: "Each names the files it changes.",
                if_missing: "must, structure: milestone without files",
            },
            Check {
                element: "Decision log",
                criterion: "Each entry gives a reason, not only \"chosen\".",
                if_missing: "should, rationale: decision without a reason",
            },
        ];
        insta::assert_snapshot!(verification_checklist("Plan", &checks).render());
    }

    #[test]
    fn factored_verification_orders_the_steps() {
        insta::assert_snapshot!(factored_verification().render());
    }

    #[test]
    fn verification_principle_contrasts_two_questions() {
        insta::assert_snapshot!(verification_principle().render());
    }
}
