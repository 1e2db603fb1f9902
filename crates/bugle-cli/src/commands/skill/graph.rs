//! `bugle skill graph`

use bugle_app::{AppError, Context, Exit, read_skill};
use bugle_render::graph::{self, TerminalStyle};
use bugle_render::run_graph;
use clap::{Args, ValueEnum};

use crate::output::Output;

/// Draw a skill's workflow
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle skill graph planner --to svg")]
pub(crate) struct GraphArgs {
    /// Skill name or path
    name: String,
    /// Output format
    #[arg(long, value_enum, default_value_t = GraphFormat::Terminal)]
    to: GraphFormat,
}

/// Output format of a graph
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GraphFormat {
    /// Boxes and lines for a terminal
    Terminal,
    /// An SVG image
    Svg,
    /// Mermaid source
    Mermaid,
    /// Graphviz source
    Dot,
}

pub(super) fn run(ctx: &Context, args: &GraphArgs, output: &Output) -> Result<Exit, AppError> {
    let package = read_skill(ctx, &args.name)?;
    let Some(definition) = &package.definition else {
        return Err(AppError::Usage {
            what: format!("the skill `{}` has no readable workflow", args.name),
            hints: vec![format!(
                "`{}` shows why.",
                ctx.command(&["skill", "check", &args.name])
            )],
        });
    };
    let graph = run_graph::workflow_graph(&package.found.address, definition)
        .map_err(|error| AppError::System(error.to_string()))?;
    let drawn = match args.to {
        GraphFormat::Terminal => {
            let style = TerminalStyle {
                width: output.width(),
                colour: output.colour(),
            };
            let picture = graph::terminal(&graph, style);
            format!("{}\n\n{}", picture.trim_end(), graph::checks(&graph))
        }
        GraphFormat::Svg => graph::svg(&graph),
        GraphFormat::Mermaid => graph::mermaid(&graph),
        GraphFormat::Dot => graph::dot(&graph),
    };
    Output::text(&format!("{}\n", drawn.trim_end()))?;
    Ok(Exit::Done)
}
