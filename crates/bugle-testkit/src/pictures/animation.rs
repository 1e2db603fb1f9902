//! The timing of an animation. All times are in milliseconds.

use std::fmt::Write as _;

use super::scene::Recording;

const BEFORE_COMMAND: u32 = 500;
const TYPED: u32 = 900;
const BEFORE_OUTPUT: u32 = 400;
const TO_READ: u32 = 1_200;
const TO_READ_ROW: u32 = 160;
const LONGEST_TO_READ: u32 = 3_500;

/// Rows that appear together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) first: usize,
    /// One past the last row.
    pub(super) end: usize,
    pub(super) at: u32,
    pub(super) typed: bool,
}

/// The parts of a recording in order: the first command, its output, the next command, and so on.
pub(super) fn parts(recording: &Recording) -> Vec<Part> {
    let ends = recording.marks.iter().skip(1).copied();
    let ranges = recording
        .marks
        .iter()
        .copied()
        .zip(ends.chain([recording.rows.len()]));
    let mut time = 0;
    let mut parts = Vec::new();
    for (index, (first, end)) in ranges.enumerate() {
        let typed = index % 2 == 0;
        time += if typed { BEFORE_COMMAND } else { BEFORE_OUTPUT };
        parts.push(Part {
            first,
            end,
            at: time,
            typed,
        });
        let rows = u32::try_from(end.saturating_sub(first)).unwrap_or(0);
        time += if typed {
            TYPED
        } else {
            LONGEST_TO_READ.min(TO_READ + rows * TO_READ_ROW)
        };
    }
    parts
}

/// The CSS of an animation. If the reader has animations turned off, the last frame is shown.
pub(super) fn rules(parts: &[Part], window: usize, row_height: f64) -> String {
    let offset = |end: usize| {
        let rows = u32::try_from(end.saturating_sub(window)).unwrap_or(0);
        f64::from(rows) * row_height
    };
    let total = parts.last().map_or(1, |part| part.at + 1);
    let mut keyframes = String::new();
    for part in parts {
        let percent = f64::from(part.at) * 100.0 / f64::from(total);
        write!(
            keyframes,
            "{percent:.2}%{{transform:translateY(-{:.0}px)}}",
            offset(part.end)
        )
        .ok();
    }
    let last = parts.last().map_or(0.0, |part| offset(part.end));
    format!(
        ".scroll{{transform:translateY(-{last:.0}px);animation:scroll {total}ms step-end both}}\n\
         .part{{animation:appear 1ms step-end both}}\n\
         .cover{{transform:scaleX(0);transform-origin:right;transform-box:fill-box;animation:type {TYPED}ms both}}\n\
         @keyframes scroll{{0%{{transform:translateY(0)}}{keyframes}}}\n\
         @keyframes appear{{from{{opacity:0}}to{{opacity:1}}}}\n\
         @keyframes type{{from{{transform:scaleX(1)}}to{{transform:scaleX(0)}}}}\n\
         @media (prefers-reduced-motion:reduce){{.scroll,.part,.cover{{animation:none}}}}\n"
    )
}
