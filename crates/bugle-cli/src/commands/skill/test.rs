//! `bugle skill test`

use bugle_app::{AppError, Context, Exit, check_skills, read_skill, test_skill};
use bugle_core::reply::TestReports;
use bugle_render::skill as text;
use clap::Args;

use crate::output::Output;

/// Walk every path through a skill's workflow with sample results
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle skill test planner")]
pub(crate) struct TestArgs {
    /// Skill name or path [default: every skill with a workflow]
    name: Option<String>,
}

pub(super) fn run(ctx: &Context, args: &TestArgs, output: &Output) -> Result<Exit, AppError> {
    let names: Vec<String> = if let Some(name) = &args.name {
        vec![name.clone()]
    } else {
        let report = check_skills(None, ctx, None, false)?;
        report.skills.into_iter().map(|skill| skill.name).collect()
    };
    let mut tests = Vec::new();
    for name in names {
        tests.push(test_skill(ctx, &read_skill(ctx, &name)?)?);
    }
    let failed = tests.iter().any(|report| !report.failures.is_empty());
    let reports = TestReports { tests };
    output.answer(&reports, || reports.tests.iter().map(text::test).collect())?;
    Ok(if failed { Exit::Refused } else { Exit::Done })
}
