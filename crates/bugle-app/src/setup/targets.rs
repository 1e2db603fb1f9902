//! The client files that Bugle writes, and the content of each.

use bugle_client::setup::{
    Block, ClientSetup, Content, Folders, Holds, Roots, Scope, Target, TargetContent, has_block,
    status_line_is_own,
};
use bugle_client::{Client, is_definition, shell_word};

use super::{SetupRequest, disk};
use crate::context::VariableSource;
use crate::skill_stub::{is_stub, stubs};
use crate::{AppError, Context, roles};

/// A client's files, in the order in which they are written.
pub(super) fn targets(
    ctx: &Context,
    variables: VariableSource<'_>,
    request: &SetupRequest,
) -> Result<Vec<Target>, AppError> {
    let client = request.client;
    let folders = client_folders(ctx, variables, client, request.scope);
    let setup = ClientSetup {
        program: crate::context::absolute_program(variables)?,
        status_line: wants_status_line(request, &folders)?,
        folders: folders.clone(),
    };
    let mut targets = client.targets(&setup);
    for (name, text) in stubs(&ctx.program) {
        targets.push(Target {
            path: folders.skills.join(name).join("SKILL.md"),
            holds: Holds::Skill,
            content: TargetContent::Whole {
                text,
                is_own: is_stub,
            },
        });
    }
    if let Some(format) = client.agent_format() {
        let ctx = match request.scope {
            Scope::User => ctx.rooted(&ctx.home.to_string_lossy()),
            Scope::Project => ctx.clone(),
        };
        for (name, text) in roles::definitions(&ctx, format)? {
            targets.push(Target {
                path: folders.own.join("agents").join(name),
                holds: Holds::Agent,
                content: TargetContent::Whole {
                    text,
                    is_own: is_definition,
                },
            });
        }
    }
    // Once the user has requested the block, setup updates and removes it without another request.
    if request.instructions || disk::read(&folders.instructions)?.is_some_and(|text| has_block(&text)) {
        targets.push(Target {
            path: folders.instructions,
            holds: Holds::Instructions,
            content: TargetContent::Part(Content::Block(Block {
                text: instructions(&ctx.program),
            })),
        });
    }
    Ok(targets)
}

/// Whether to write the status line: the user requests it now, or requested it before.
fn wants_status_line(request: &SetupRequest, folders: &Folders) -> Result<bool, AppError> {
    if !request.client.has_status_line() {
        return Ok(false);
    }
    let settings = disk::read(&folders.own.join("settings.json"))?;
    let is_own = settings.and_then(|text| status_line_is_own(&text));
    Ok(request.status_line || is_own == Some(true))
}

/// A client's folders.
pub(crate) fn client_folders(
    ctx: &Context,
    variables: VariableSource<'_>,
    client: Client,
    scope: Scope,
) -> Folders {
    let variable = |name: &str| {
        let value = variables(name).filter(|value| !value.is_empty())?;
        Some(ctx.directory.join(value))
    };
    let roots = Roots {
        root: &ctx.root,
        home: &ctx.home,
        variable: &variable,
        exists: &|path| path.symlink_metadata().is_ok(),
    };
    client.folders(&roots, scope)
}

fn instructions(program: &str) -> String {
    let program = shell_word(program);
    format!(
        "## Bugle

Bugle runs skills step by step. `{program} start NAME` starts a skill and prints its first
step. Each step ends with the command that leads to the next: run it as printed. After a
compaction or in a new session, run `{program} wake` to see your current step and what to
do next. `{program} skill list` lists the skills, `{program} task next` prints the next task.
"
    )
}
