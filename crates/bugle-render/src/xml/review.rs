//! The state of a review loop. Each pass is a fresh review: a reviewer that knows the earlier findings confirms them
//! instead of looking for others.

use std::fmt;

use super::element::Element;

/// Which side of the review loop an agent is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReviewMode {
    /// Reviewing, without knowledge of earlier findings.
    FreshReview,
    /// Fixing the findings of a review.
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

/// The state of a review loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateBanner<'a> {
    /// The gate that the loop belongs to.
    pub checkpoint: &'a str,
    /// The pass through the loop, starting at 1.
    pub iteration: u32,
    /// The reader's side of the loop.
    pub mode: ReviewMode,
    /// An explanation for the reader, if one is needed.
    pub explanation: Option<&'a str>,
}

/// `<state_banner>`: the state of a review loop.
///
/// The count comes from the store. If agents passed the count along in commands, an agent would omit it sooner or
/// later, and the loop would never reach its later, more lenient reviews or its limit.
pub fn state_banner(banner: &StateBanner<'_>) -> Element {
    Element::new("state_banner")
        .attribute("checkpoint", banner.checkpoint)
        .attribute("iteration", banner.iteration)
        .attribute("mode", banner.mode)
        .text(banner.explanation.unwrap_or_default())
}

/// `<state_banner>` for a reviewer: every pass is a fresh review.
///
/// A reviewer that is asked to confirm fixes looks only at the fixes. A complete review costs more, but also finds new
/// mistakes in the fixes.
pub fn qr_banner(checkpoint: &str, iteration: u32) -> Element {
    state_banner(&StateBanner {
        checkpoint,
        iteration,
        mode: ReviewMode::FreshReview,
        explanation: (iteration > 1).then_some("Review everything as if for the first time."),
    })
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
}
