//! The client files that Bugle writes, and the content of each.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bugle_client::setup::{
    Block, BlockKind, ClientSetup, Content, Folders, Holds, Roots, Scope, Target, TargetContent,
    status_line_is_own,
};
use bugle_client::{Client, is_definition, shell_word};
use bugle_core::reply::{SetupAction, SetupNote};

use super::{SetupRequest, disk, own_skills};
use crate::context::VariableSource;
use crate::skill_stub::{is_stub, stubs};
use crate::{AppError, Context, catalogue, roles};

/// A client's files, in the order in which they are written.
pub(super) fn targets(
    ctx: &Context,
    variables: VariableSource<'_>,
    request: &SetupRequest,
) -> Result<Vec<Target>, AppError> {
    let client = request.client;
    let folders = client_folders(ctx, variables, client, request.scope);
    let user_servers = match request.scope {
        Scope::Project => disk::read(&client_folders(ctx, variables, client, Scope::User).servers)
            .ok()
            .flatten(),
        Scope::User => None,
    };
    let store = ctx.bugle_home.canonicalize();
    let setup = ClientSetup {
        program: crate::context::absolute_program(variables)?,
        status_line: wants_status_line(request, &folders)?,
        store: store
            .unwrap_or_else(|_| ctx.bugle_home.clone())
            .to_string_lossy()
            .into_owned(),
        user_servers,
        folders: folders.clone(),
    };
    let mut targets = client.targets(&setup);
    targets.extend(skill_targets(ctx, variables, request, &folders.skills));
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
    // If the file already has a block, setup updates or removes the block even if this request does not ask for it.
    let has_block = |path: &Path, kind: BlockKind| -> Result<bool, AppError> {
        Ok(disk::read(path)?.is_some_and(|text| kind.is_in(&text)))
    };
    let kind = BlockKind::Instructions;
    if request.options.instructions || has_block(&folders.instructions, kind)? {
        let text = instructions(&ctx.program);
        targets.push(Target {
            path: folders.instructions,
            holds: Holds::Instructions,
            content: TargetContent::Part(Content::Block(Block { kind, text })),
        });
    }
    if request.scope == Scope::Project && ctx.is_repository() {
        let path = Path::new(&ctx.project).join("info/exclude");
        let kind = BlockKind::GitExclude(client);
        if request.options.git_exclude || has_block(&path, kind)? {
            let text = git_patterns(&ctx.root, &targets);
            targets.push(Target {
                path,
                holds: Holds::GitExclude,
                content: TargetContent::Part(Content::Block(Block { kind, text })),
            });
        }
    } else if request.options.git_exclude && request.action == SetupAction::Setup {
        return Err(AppError::Usage {
            what: format!(
                "{} is not in a git repository, so git cannot ignore files",
                ctx.root.display()
            ),
            hints: vec!["Nothing was changed. Leave out --git-exclude.".to_owned()],
        });
    }
    Ok(targets)
}

/// One sentence about each invalid skill, which the client does not list, with the command that lists its errors.
pub(crate) fn invalid_skills(
    ctx: &Context,
    variables: VariableSource<'_>,
    request: &SetupRequest,
) -> Vec<SetupNote> {
    let visible = visible_folders(ctx, variables, request.client);
    let note = |skill: String| SetupNote::InvalidSkill {
        check: ctx.command(&["skill", "check", &skill]),
        client: request.client.title().to_owned(),
        skill,
    };
    let invalid = own_skills::invalid(ctx, request.scope, &visible);
    invalid.into_iter().map(note).collect()
}

/// The folders whose skills the client lists itself.
fn visible_folders(ctx: &Context, variables: VariableSource<'_>, client: Client) -> [PathBuf; 2] {
    [Scope::Project, Scope::User].map(|scope| client_folders(ctx, variables, client, scope).skills)
}

/// The stubs for built-in skills and for the user's own skills, and obsolete stubs to remove.
fn skill_targets(
    ctx: &Context,
    variables: VariableSource<'_>,
    request: &SetupRequest,
    folder: &Path,
) -> Vec<Target> {
    let visible = visible_folders(ctx, variables, request.client);
    let mut wanted: BTreeMap<String, String> = stubs(&ctx.program).into_iter().collect();
    wanted.retain(|name, _| !catalogue::is_replaced(ctx, name));
    wanted.extend(own_skills::stubs(ctx, request.scope, &visible));
    let obsolete = own_skills::stubs_in(folder).into_iter();
    let obsolete = obsolete
        .filter(|name| !wanted.contains_key(name))
        .map(|name| Target {
            path: folder.join(name).join("SKILL.md"),
            holds: Holds::Skill,
            content: TargetContent::Obsolete,
        });
    let obsolete: Vec<Target> = obsolete.collect();
    let wanted = wanted.into_iter().map(|(name, text)| Target {
        path: folder.join(name).join("SKILL.md"),
        holds: Holds::Skill,
        content: TargetContent::Whole {
            text,
            is_own: is_stub,
        },
    });
    wanted.chain(obsolete).collect()
}

/// The patterns that match exactly the files that setup writes in a project.
fn git_patterns(root: &Path, targets: &[Target]) -> String {
    let kept = targets
        .iter()
        .filter(|target| !matches!(target.content, TargetContent::Obsolete));
    let inside = kept.filter_map(|target| target.path.strip_prefix(root).ok());
    inside
        .map(|path| format!("/{}\n", path.to_string_lossy()))
        .collect()
}

/// Whether to write the status line. True if this setup or an earlier setup requested it.
fn wants_status_line(request: &SetupRequest, folders: &Folders) -> Result<bool, AppError> {
    if !request.client.has_status_line() {
        return Ok(false);
    }
    let settings = disk::read(&folders.own.join("settings.json"))?;
    let is_own = settings.and_then(|text| status_line_is_own(&text));
    Ok(request.options.status_line || is_own == Some(true))
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
step. Each step ends with a command that prints the next step: run it as printed. After a
compaction or in a new session, run `{program} wake` to see your current step and what to
do next. `{program} skill list` lists the skills, `{program} task next` prints the next task.
"
    )
}
