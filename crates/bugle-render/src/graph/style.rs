//! The SVG's style sheet, with colours for light and dark.

use std::fmt::Write as _;

/// A colour by its purpose. Each colour is a custom property of the style sheet, so that a page can override it.
#[derive(Debug, Clone, Copy)]
enum Colour {
    Canvas,
    Ink,
    Muted,
    Surface,
    Border,
    Terminal,
    Ask,
    AskBorder,
    Dispatch,
    DispatchBorder,
    Gate,
    GateBorder,
    Visited,
    VisitedBorder,
    Current,
    CurrentBorder,
    Line,
    Loop,
    Back,
    Error,
}

impl Colour {
    const ALL: [Self; 20] = [
        Self::Canvas,
        Self::Ink,
        Self::Muted,
        Self::Surface,
        Self::Border,
        Self::Terminal,
        Self::Ask,
        Self::AskBorder,
        Self::Dispatch,
        Self::DispatchBorder,
        Self::Gate,
        Self::GateBorder,
        Self::Visited,
        Self::VisitedBorder,
        Self::Current,
        Self::CurrentBorder,
        Self::Line,
        Self::Loop,
        Self::Back,
        Self::Error,
    ];

    /// The custom property, and its value for light and dark.
    fn values(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Canvas => ("canvas", "#ffffff", "#12161c"),
            Self::Ink => ("ink", "#1c2530", "#e6ebf1"),
            Self::Muted => ("muted", "#5c6875", "#9aa7b5"),
            Self::Surface => ("surface", "#f6f8fa", "#1e252e"),
            Self::Border => ("border", "#8a96a3", "#65727f"),
            Self::Terminal => ("terminal", "#e4e9ee", "#2b343f"),
            Self::Ask => ("ask", "#fff6dc", "#332b14"),
            Self::AskBorder => ("ask-border", "#b07d12", "#d5a53a"),
            Self::Dispatch => ("dispatch", "#eaf1ff", "#182844"),
            Self::DispatchBorder => ("dispatch-border", "#3d68c4", "#7aa2f0"),
            Self::Gate => ("gate", "#f5ecfa", "#2f1f3a"),
            Self::GateBorder => ("gate-border", "#8a46ad", "#c38ae0"),
            Self::Visited => ("visited", "#e3f4e8", "#16301f"),
            Self::VisitedBorder => ("visited-border", "#2f8550", "#5dbb80"),
            Self::Current => ("current", "#ffedd9", "#402611"),
            Self::CurrentBorder => ("current-border", "#d4560a", "#ff9a4d"),
            Self::Line => ("line", "#66727f", "#8d9aa8"),
            Self::Loop => ("loop", "#2c6fb3", "#6cb0f2"),
            Self::Back => ("back", "#a86f0c", "#dba73f"),
            Self::Error => ("error", "#c23232", "#f27979"),
        }
    }
}

/// Selectors, properties and colours. Later entries take precedence.
const PAINT: &[(&str, &str, Colour)] = &[
    (".canvas", "fill", Colour::Canvas),
    ("text", "fill", Colour::Ink),
    (".detail", "fill", Colour::Muted),
    (".shape", "fill", Colour::Surface),
    (".shape, .trim", "stroke", Colour::Border),
    (".start .shape, .end .shape", "fill", Colour::Terminal),
    (".ask .shape", "fill", Colour::Ask),
    (".ask .shape, .ask .trim", "stroke", Colour::AskBorder),
    (".dispatch .shape", "fill", Colour::Dispatch),
    (
        ".dispatch .shape, .dispatch .trim",
        "stroke",
        Colour::DispatchBorder,
    ),
    (".gate .shape", "fill", Colour::Gate),
    (".gate .shape, .gate .trim", "stroke", Colour::GateBorder),
    (".visited .shape", "fill", Colour::Visited),
    (".visited .shape, .visited .trim", "stroke", Colour::VisitedBorder),
    (".current .shape", "fill", Colour::Current),
    (".current .shape, .current .trim", "stroke", Colour::CurrentBorder),
    (".caption", "fill", Colour::Canvas),
    (".forward .line, .forward .caption", "stroke", Colour::Line),
    (".head-forward", "fill", Colour::Line),
    (".loop .line, .loop .caption", "stroke", Colour::Loop),
    (".head-loop", "fill", Colour::Loop),
    (".back .line, .back .caption", "stroke", Colour::Back),
    (".head-back", "fill", Colour::Back),
    (".error .line, .error .caption", "stroke", Colour::Error),
    (".head-error", "fill", Colour::Error),
];

/// The rules without colours.
const SHAPE: &str = "\
.bugle-graph text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',sans-serif;font-size:14px;text-anchor:middle}
.bugle-graph .heading{font-size:17px;font-weight:600;text-anchor:start}
.bugle-graph .detail,.bugle-graph .edge text{font-size:11.5px}
.bugle-graph .shape{stroke-width:1.3}
.bugle-graph .trim{fill:none;stroke-width:1.3}
.bugle-graph .current .shape{stroke-width:2.8}
.bugle-graph .line{fill:none;stroke-width:1.5;stroke-linecap:round}
.bugle-graph .back .line{stroke-dasharray:6 4}
.bugle-graph .error .line{stroke-dasharray:2 4}
.bugle-graph .caption{stroke-width:.8}
";

/// The style sheet for the drawings.
pub fn style_sheet() -> String {
    let mut sheet = String::from(SHAPE);
    for (selectors, property, colour) in PAINT {
        let (name, light, _) = colour.values();
        let scoped: Vec<String> = selectors
            .split(", ")
            .map(|selector| format!(".bugle-graph {selector}"))
            .collect();
        // Programs that do not support custom properties use the plain value.
        let _ = writeln!(
            sheet,
            "{}{{{property}:{light};{property}:var(--bugle-{name})}}",
            scoped.join(",")
        );
    }
    let _ = writeln!(sheet, ".bugle-graph{{{}}}", properties(|(_, light, _)| light));
    let dark = properties(|(_, _, dark)| dark);
    let _ = writeln!(
        sheet,
        "@media (prefers-color-scheme:dark){{.bugle-graph{{{dark}}}}}"
    );
    sheet
}

type Values = (&'static str, &'static str, &'static str);

fn properties(pick: fn(Values) -> &'static str) -> String {
    let declarations: Vec<String> = Colour::ALL
        .iter()
        .map(|colour| format!("--bugle-{}:{}", colour.values().0, pick(colour.values())))
        .collect();
    declarations.join(";")
}
