//! Fits a skill's sections into the room that a wake-up has for them.

use super::relevance::Claim;
use super::size::Detail;

/// A section that may be shown.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    /// How strongly the work needs the section.
    pub claim: Claim,
    /// The section's score among the sections with the same claim.
    pub score: u32,
    /// The full text.
    pub full: &'a str,
    /// The instructions only.
    pub digest: &'a str,
}

impl<'a> Candidate<'a> {
    /// The section's text in one size.
    fn text(self, detail: Detail) -> &'a str {
        match detail {
            Detail::Full => self.full,
            Detail::Digest => self.digest,
            Detail::Pointer => "",
        }
    }
}

/// The size at which each section is shown within `room` bytes; `None` if the section is not shown. A skill that fits
/// is shown whole. Otherwise needed sections get room first: the digest of each, by score, then the full texts that
/// fit. Related sections follow in the same way. Other sections are not shown.
pub fn fit(candidates: &[Candidate<'_>], room: usize) -> Vec<Option<Detail>> {
    let worded = |candidate: &Candidate<'_>| !candidate.full.trim().is_empty();
    let whole: usize = candidates.iter().map(|candidate| candidate.full.len()).sum();
    if whole <= room {
        let shown = candidates.iter();
        return shown
            .map(|candidate| worded(candidate).then_some(Detail::Full))
            .collect();
    }
    let mut shown: Vec<Option<Detail>> = vec![None; candidates.len()];
    let mut left = room;
    for claim in [Claim::Needed, Claim::Related] {
        let mut places: Vec<usize> = (0..candidates.len())
            .filter(|at| candidates[*at].claim == claim)
            .collect();
        places.sort_by_key(|at| std::cmp::Reverse(candidates[*at].score));
        for detail in [Detail::Digest, Detail::Full] {
            for at in &places {
                let candidate = candidates[*at];
                let text = candidate.text(detail);
                let taken = shown[*at].map_or(0, |detail| candidate.text(detail).len());
                if !text.trim().is_empty() && text.len() <= left + taken {
                    left = left + taken - text.len();
                    shown[*at] = Some(detail);
                }
            }
        }
    }
    for (candidate, detail) in candidates.iter().zip(&mut shown) {
        if detail.is_some() && candidate.digest == candidate.full {
            *detail = Some(Detail::Full);
        }
    }
    shown
}
