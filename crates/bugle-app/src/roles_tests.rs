//! Tests the built-in roles, the precedence of role files, and exports.

use std::ffi::OsString;

use bugle_client::Client;
use bugle_skill::section_titles;
use tempfile::TempDir;

use super::*;
use crate::Context;

/// The tools that change files, under all their names, because a client compares a role's tools by name.
const EDITING: [&str; 4] = ["Edit", "Write", "MultiEdit", "NotebookEdit"];
const STARTING: [&str; 2] = ["Agent", "Task"];

/// A project and a home in a temporary folder.
fn test_project() -> (TempDir, Context) {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    let project = folder.path().join("project");
    fs::create_dir_all(project.join(".git")).unwrap();
    let variables = |name: &str| (name == "HOME").then(|| OsString::from(&home));
    let ctx = Context::find(&variables, &project, false).unwrap();
    (folder, ctx)
}

fn agents_of(client: Client) -> &'static AgentFormat {
    client.agent_format().unwrap()
}

fn write(base: &Path, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
    let file = base.join("roles").join(format!("{name}.md"));
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, text).unwrap();
    file
}

fn role_file(name: &str, description: &str, more: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n{more}---\n\nDo it.\n")
}

fn built_in(name: AgentRole) -> Role {
    let (_folder, ctx) = test_project();
    let found = find(&ctx, name).unwrap_or_else(|error| panic!("{name}: {:?}", error.view()));
    assert_eq!((found.source, found.path), ("built-in", None));
    found.role
}

fn denies(role: &Role, tool: &str) -> bool {
    role.tools.denied().iter().any(|denied| denied == tool)
}

#[test]
fn every_built_in_role_has_a_brief_constraints_and_a_report() {
    let known: Vec<&str> = builtin::roles().into_keys().collect();
    for name in AgentRole::ALL {
        assert!(known.contains(&name.as_str()), "{name} has no file");
        let role = built_in(name);
        assert_eq!(
            section_titles(&role.text),
            ["Brief", "Constraints", "Report"],
            "{name}"
        );
        assert!(role.text.starts_with("## Brief"), "{name}");
        assert!(!role.description.trim().is_empty(), "{name}");
        assert!(
            role.tools.permits(Tool::Shell),
            "{name} cannot run Bugle's commands"
        );
    }
    assert_eq!(known.len(), AgentRole::ALL.len(), "{known:?}");
}

#[test]
fn a_built_in_role_denies_the_tools_that_its_text_forbids() {
    // Each tool list, with the text that forbids the tools, so that neither changes without the other.
    let editing = [
        (AgentRole::QualityReviewer, "Change nothing with any tool"),
        (AgentRole::Explore, "Change nothing with any tool"),
        (AgentRole::Orchestrator, "Change no project file"),
    ];
    for (name, text) in editing {
        let role = built_in(name);
        assert!(role.text.contains(text), "{name} no longer says {text:?}");
        for tool in EDITING {
            assert!(denies(&role, tool), "{name} may use {tool}");
        }
    }
    for name in [
        AgentRole::QualityReviewer,
        AgentRole::Explore,
        AgentRole::Debugger,
    ] {
        let role = built_in(name);
        for tool in STARTING {
            assert!(denies(&role, tool), "{name} may use {tool}");
        }
    }
}

#[test]
fn a_built_in_role_keeps_the_tools_that_its_text_needs() {
    // Each role, with a phrase from its text that requires tools for writing.
    let writing = [
        (AgentRole::Architect, "Write designs and plans"),
        (AgentRole::Debugger, "Remove every probe"),
        (AgentRole::Developer, "into code"),
        (AgentRole::TechnicalWriter, "Edit in place"),
    ];
    for (name, text) in writing {
        let role = built_in(name);
        assert!(role.text.contains(text), "{name} no longer says {text:?}");
        assert!(
            role.tools.permits(Tool::Edit) && role.tools.permits(Tool::Write),
            "{name}"
        );
    }
    for tool in STARTING {
        assert!(!denies(&built_in(AgentRole::Orchestrator), tool));
    }
}

#[test]
fn a_projects_role_overrides_the_users() {
    let (_folder, ctx) = test_project();
    let at = |name: &str| show_role(&ctx, name).unwrap().entry;
    assert_eq!(at("debugger").source, "built-in");
    let own = write(&ctx.bugle_home, "debugger", role_file("debugger", "mine", ""));
    assert_eq!(
        (
            at("debugger").source.as_str(),
            at("debugger").description.as_str()
        ),
        ("user", "mine")
    );
    assert_eq!(at("debugger").path, Some(own.display().to_string()));
    let base = ctx.root.join(".bugle");
    write(
        &base,
        "debugger",
        role_file("debugger", "ours", "tools: { allow: [Read] }\nmodel: small\n"),
    );
    let entry = at("debugger");
    assert_eq!(
        (entry.source.as_str(), entry.description.as_str()),
        ("project", "ours")
    );
    assert_eq!(entry.allowed_tools, Some(vec!["Read".to_owned()]));
    assert_eq!(entry.model.as_deref(), Some("small"));
    let names: Vec<String> = roles(&ctx)
        .unwrap()
        .roles
        .into_iter()
        .map(|role| role.name)
        .collect();
    assert_eq!(names, AgentRole::ALL.map(|role| role.to_string()));
}

#[test]
fn a_broken_file_is_reported_with_a_fix() {
    let (_folder, ctx) = test_project();
    let base = ctx.root.join(".bugle");
    let file = base.join("roles/explore.md");
    let broken: [(&[u8], &str, &str); 6] = [
        (
            b"no front matter",
            "does not start with front matter",
            "start the file with",
        ),
        (
            b"---\nname: x\ndescription: y\n---\nz\n",
            "name is `x`",
            "the same name",
        ),
        (
            b"---\nname: explore\ndescription: y\ntols: z\n---\nz\n",
            "explore.md:4: ",
            "tools",
        ),
        (
            b"---\nname: explore\ndescription: y\ntools: { deny: [Hammer] }\n---\nz\n",
            "no client has a tool",
            "own name for the tool",
        ),
        (
            b"---\nname: explore\ndescription: y\n---\n\n",
            "has no instructions",
            "describe what",
        ),
        (b"\xff\xfe", "not valid UTF-8", "save the file as UTF-8"),
    ];
    for (text, message, fix) in broken {
        write(&base, "explore", text);
        let errors = [
            roles(&ctx).unwrap_err(),
            show_role(&ctx, "explore").unwrap_err(),
            define_role(&ctx, agents_of(Client::Claude), "explore").unwrap_err(),
            export_roles(&ctx, agents_of(Client::Codex), None, &[]).unwrap_err(),
        ];
        for error in errors {
            let view = error.view();
            assert_eq!(view.exit, 1);
            assert!(view.message.contains(file.to_str().unwrap()), "{view:?}");
            assert!(view.message.contains(message), "{message:?} is not in {view:?}");
            assert!(view.hints[0].contains(fix), "{fix:?} is not in {view:?}");
        }
    }
    assert!(!ctx.root.join(".codex").exists());
    assert_eq!(show_role(&ctx, "developer").unwrap().entry.source, "built-in");
}

#[test]
fn a_file_that_cannot_be_read_is_an_error() {
    let (_folder, ctx) = test_project();
    fs::create_dir_all(ctx.root.join(".bugle/roles/explore.md")).unwrap();
    let view = show_role(&ctx, "explore").unwrap_err().view();
    assert!(view.message.contains("not a regular file"), "{view:?}");
}

#[test]
fn a_role_that_no_agent_can_use_is_shown_but_not_exported() {
    let (_folder, ctx) = test_project();
    let base = ctx.root.join(".bugle");
    let cases = [
        ("''", "tools: { deny: [] }\n", "require a description"),
        ("y", "tools: { allow: [Read] }\n", "without `Bash`"),
        ("y", "tools: { deny: [Bash] }\n", "without `Bash`"),
    ];
    for (description, more, message) in cases {
        write(&base, "explore", role_file("explore", description, more));
        assert!(show_role(&ctx, "explore").is_ok());
        let view = define_role(&ctx, agents_of(Client::Codex), "explore")
            .unwrap_err()
            .view();
        assert!(
            view.message.contains(message) && view.message.contains("roles/explore.md"),
            "{view:?}"
        );
    }
}

#[test]
fn an_unknown_role_is_not_found() {
    let (_folder, ctx) = test_project();
    let view = show_role(&ctx, "develper").unwrap_err().view();
    assert_eq!(view.exit, 4);
    assert_eq!(view.hints, ["Did you mean `developer`?"]);
    let view = show_role(&ctx, "../../etc/passwd").unwrap_err().view();
    assert!(view.hints[0].starts_with("Available: orchestrator, "), "{view:?}");
}

#[test]
fn an_export_writes_only_files_that_differ() {
    let (_folder, ctx) = test_project();
    let export = || export_roles(&ctx, agents_of(Client::Claude), None, &[]).unwrap();
    let states =
        |export: &RoleExport| -> Vec<ExportState> { export.files.iter().map(|file| file.state).collect() };
    assert_eq!(states(&export()), [ExportState::Written; 8]);
    assert_eq!(states(&export()), [ExportState::Unchanged; 8]);
    let file = ctx.root.join(".claude/agents/bugle-explore.md");
    let before = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{before}more")).unwrap();
    let again = export();
    let written: Vec<&str> = again
        .files
        .iter()
        .filter(|file| file.state == ExportState::Written)
        .map(|file| file.role.as_str())
        .collect();
    assert_eq!(written, ["explore"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
}

#[test]
fn a_role_named_twice_is_written_once() {
    let (_folder, ctx) = test_project();
    let names = ["explore".to_owned(), "explore".to_owned()];
    let export = export_roles(&ctx, agents_of(Client::Codex), None, &names).unwrap();
    assert_eq!(export.files.len(), 1);
    assert_eq!(export.files[0].agent, "bugle-explore");
}

#[test]
fn an_export_does_not_overwrite_a_file_that_no_export_wrote() {
    let (_folder, ctx) = test_project();
    let agents = ctx.root.join(".claude/agents");
    fs::create_dir_all(agents.join("bugle-debugger.md")).unwrap();
    fs::write(agents.join("bugle-explore.md"), "---\nname: mine\n---\nMine.\n").unwrap();
    let view = export_roles(&ctx, agents_of(Client::Claude), None, &[])
        .unwrap_err()
        .view();
    assert_eq!(view.exit, 2);
    for name in ["bugle-explore.md", "bugle-debugger.md"] {
        assert!(view.message.contains(name), "{view:?}");
    }
    let left: Vec<_> = fs::read_dir(&agents).unwrap().collect();
    assert_eq!(left.len(), 2, "nothing else was written either");
    let others = ["developer".to_owned(), "architect".to_owned()];
    assert!(export_roles(&ctx, agents_of(Client::Claude), None, &others).is_ok());
}

#[cfg(unix)]
#[test]
fn an_export_follows_a_link_only_to_an_exported_file() {
    let (folder, ctx) = test_project();
    let agents = ctx.root.join(".claude/agents");
    fs::create_dir_all(&agents).unwrap();
    let link = agents.join("bugle-explore.md");
    std::os::unix::fs::symlink(folder.path().join("nowhere"), &link).unwrap();
    let names = ["explore".to_owned(), "developer".to_owned()];
    assert!(export_roles(&ctx, agents_of(Client::Claude), None, &names).is_err());
    assert!(link.symlink_metadata().unwrap().is_symlink());
}
