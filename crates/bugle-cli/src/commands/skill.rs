//! The commands of skills.

use bugle_app::{
    App, AppError, Exit, Place, check_skills, eject, new_skill, preview, read_skill, test_skill,
};
use bugle_render::graph::{self, TerminalStyle};
use bugle_render::{picture, skill as text};
use bugle_wire::TestReports;

use super::run::local_time;
use crate::arguments::{
    GraphArguments, GraphFormat, NewArguments, PreviewArguments, SkillCommand, SkillName, TrustArguments,
    TrustCommand,
};
use crate::output::Output;

pub(crate) fn skill(place: Place, command: SkillCommand, output: &Output) -> Result<Exit, AppError> {
    match command {
        SkillCommand::List => {
            let list = App::open(place)?.skills()?;
            output.answer(&list, || text::list(&list, output.width()))?;
        }
        SkillCommand::Show(arguments) => {
            let detail = App::open(place)?.skill(&arguments.name)?;
            output.answer(&detail, || text::detail(&detail))?;
        }
        SkillCommand::Check(arguments) => {
            let report = check_skills(&place, arguments.name.as_deref(), output.colour())?;
            output.answer(&report, || text::check(&report))?;
            return Ok(if report.errors > 0 {
                Exit::Refused
            } else {
                Exit::Done
            });
        }
        SkillCommand::Graph(arguments) => draw(&place, &arguments, output)?,
        SkillCommand::New(arguments) => {
            let made = new_skill(&skills_folder(&place, &arguments), &arguments.name)?;
            let check = place.command(&["skill", "check", &arguments.name]);
            output.line(&format!("Made {}. Next: {check}", made.display()))?;
        }
        SkillCommand::Eject(arguments) => {
            let made = eject(&skills_folder(&place, &arguments), &arguments.name)?;
            let trust = if arguments.user {
                ""
            } else {
                " If it runs commands, it has to be trusted first: `bugle trust`."
            };
            output.line(&format!(
                "Copied to {}, which now comes before the built-in one.{trust}",
                made.display()
            ))?;
        }
        SkillCommand::Preview(arguments) => show_step(&place, &arguments, output)?,
        SkillCommand::Schema => Output::text(&bugle_skill::workflow_schema())?,
        SkillCommand::Test(arguments) => return test(&place, arguments.name.as_deref(), output),
        SkillCommand::Trust(arguments) => return trust(&mut App::open(place)?, &arguments, output),
    }
    Ok(Exit::Done)
}

fn skills_folder(place: &Place, arguments: &NewArguments) -> std::path::PathBuf {
    if arguments.user {
        place.bugle_home.join("skills")
    } else {
        place.root.join(".bugle/skills")
    }
}

fn draw(place: &Place, arguments: &GraphArguments, output: &Output) -> Result<(), AppError> {
    let package = read_skill(place, &arguments.name)?;
    let Some(definition) = &package.definition else {
        return Err(AppError::Usage {
            what: format!(
                "the skill `{}` has no workflow that could be read",
                arguments.name
            ),
            hints: vec![format!(
                "`{}` says why.",
                place.command(&["skill", "check", &arguments.name])
            )],
        });
    };
    let graph = picture::picture(&package.found.address, definition)
        .map_err(|error| AppError::System(error.to_string()))?;
    let drawn = match arguments.format {
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
    Ok(())
}

fn show_step(place: &Place, arguments: &PreviewArguments, output: &Output) -> Result<(), AppError> {
    let package = read_skill(place, &arguments.name)?;
    let view = preview(
        place,
        &package,
        arguments.child.as_deref(),
        arguments.step.as_deref(),
    )?;
    Output::text(&bugle_render::step::step(
        &view,
        output.format(arguments.format.format),
    ))?;
    Ok(())
}

fn test(place: &Place, name: Option<&str>, output: &Output) -> Result<Exit, AppError> {
    let names: Vec<String> = if let Some(name) = name {
        vec![name.to_owned()]
    } else {
        let report = check_skills(place, None, false)?;
        report.skills.into_iter().map(|skill| skill.name).collect()
    };
    let mut tests = Vec::new();
    for name in names {
        tests.push(test_skill(place, &read_skill(place, &name)?)?);
    }
    let failed = tests.iter().any(|report| !report.failures.is_empty());
    let reports = TestReports { tests };
    output.answer(&reports, || reports.tests.iter().map(text::test).collect())?;
    Ok(if failed { Exit::Refused } else { Exit::Done })
}

pub(crate) fn trust_command(
    app: &mut App,
    arguments: TrustArguments,
    output: &Output,
) -> Result<Exit, AppError> {
    match (arguments.command, arguments.name) {
        (Some(TrustCommand::Revoke { skill }), _) => {
            for version in app.revoke_trust(&skill)? {
                output.line(&format!("Revoked trust in {version}."))?;
            }
        }
        (None, Some(name)) => return trust(app, &SkillName { name }, output),
        (Some(TrustCommand::List) | None, _) => {
            let list = app.trusted()?;
            output.answer(&list, || text::trusted(&list, &local_time))?;
        }
    }
    Ok(Exit::Done)
}

fn trust(app: &mut App, arguments: &SkillName, output: &Output) -> Result<Exit, AppError> {
    let (name, commands) = app.trust(&arguments.name)?;
    let list: String = commands.iter().map(|command| format!("\n  {command}")).collect();
    let what = if commands.is_empty() {
        " It runs no commands.".to_owned()
    } else {
        format!(" It may run:{list}")
    };
    output.line(&format!(
        "The skill {name} is trusted as it is now; a change takes the trust away.{what}"
    ))?;
    Ok(Exit::Done)
}
