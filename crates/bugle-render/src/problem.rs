//! Problems in skills: the source line, a mark below it, and the fix.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use bugle_core::validate::{Problem, ProblemLevel};

use crate::text::printable;

/// A problem with its source line; `source` is the file's text and the problem's byte range.
pub fn problem(
    problem: &Problem,
    path: &str,
    source: Option<(&str, std::ops::Range<usize>)>,
    colour: bool,
) -> String {
    let level = match problem.rule.severity() {
        ProblemLevel::Error => Level::ERROR,
        ProblemLevel::Warning => Level::WARNING,
    };
    let title = level
        .primary_title(printable(&problem.message))
        .id(problem.rule.code());
    let group = match source {
        Some((text, span)) => {
            // A replacement of the same length keeps byte offsets valid.
            let text = text.replace(|c| matches!(c, '\u{80}'..='\u{9F}'), "\u{BF}");
            let span = within(&text, span);
            let snippet = Snippet::source(text)
                .path(printable(path))
                .annotation(AnnotationKind::Primary.span(span));
            title.element(snippet)
        }
        None => title.element(annotate_snippets::Origin::path(printable(path))),
    };
    let help = Group::with_title(Level::HELP.secondary_title(printable(&problem.fix)));
    let renderer = if colour {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    renderer.decor_style(DecorStyle::Ascii).render(&[group, help])
}

/// The span, moved to character boundaries inside the text and cut to one line.
fn within(text: &str, span: std::ops::Range<usize>) -> std::ops::Range<usize> {
    let mut start = span.start.min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let line_end = text[start..]
        .find('\n')
        .map_or(text.len(), |length| start + length);
    let mut end = span.end.clamp(start, line_end.max(start));
    while !text.is_char_boundary(end) {
        end += 1;
    }
    start..end
}

/// The line and column of a byte offset, both 1-based; the column counts characters.
pub fn line_and_column(text: &str, byte: usize) -> (usize, usize) {
    let mut at = byte.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let before = &text[..at];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (line, column)
}
