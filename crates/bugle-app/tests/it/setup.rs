//! Client setup in a project.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use bugle_app::{SetupOptions, SetupRequest, setup};
use bugle_client::Client;
use bugle_client::setup::Scope;
use bugle_core::reply::{FileState, SetupAction, SetupNote, SetupView};

use crate::project::Project;

const STUB: &str = ".claude/skills/planner/SKILL.md";

impl Project {
    #[track_caller]
    fn set_up(&self, action: SetupAction) -> SetupView {
        self.set_up_for(action, Scope::Project)
    }

    #[track_caller]
    fn set_up_for(&self, action: SetupAction, scope: Scope) -> SetupView {
        let request = SetupRequest {
            client: Client::Claude,
            scope,
            action,
            dry_run: false,
            options: SetupOptions::default(),
        };
        let path = OsString::from(self.path_with_bugle());
        let variables = |name: &str| (name == "PATH").then(|| path.clone());
        let mut views = setup(&self.app.context, &variables, &[request]).unwrap();
        views.remove(0)
    }

    /// A folder that contains only a program `bugle`, and no client. Setup recognises its entries by the program's name.
    fn path_with_bugle(&self) -> PathBuf {
        let folder = self.app.context.home.join("bin");
        fs::create_dir_all(&folder).unwrap();
        // The link may exist already.
        let _ = symlink(std::env::current_exe().unwrap(), folder.join("bugle"));
        folder
    }

    fn path_of(&self, file: &str) -> PathBuf {
        self.app.context.root.join(file)
    }

    /// Adds a line to a file, and returns the new text.
    fn edit(&self, file: &str) -> String {
        let path = self.path_of(file);
        let text = format!("{}\nMine.\n", fs::read_to_string(&path).unwrap());
        fs::write(&path, &text).unwrap();
        text
    }

    fn forget_setup(&self) {
        fs::remove_file(self.app.context.bugle_home.join("setup.json")).unwrap();
    }
}

/// The state of the stub in a setup's result.
fn state_of_stub(view: &SetupView) -> FileState {
    let mut files = view.files.iter();
    files.find(|file| file.path.ends_with(STUB)).unwrap().state
}

#[test]
fn an_edited_stub_is_kept_even_without_the_record_of_the_setup() {
    let project = Project::new();
    project.set_up(SetupAction::Setup);
    let edited = project.edit(STUB);
    for with_record in [true, false] {
        if !with_record {
            project.forget_setup();
        }
        for action in [SetupAction::Check, SetupAction::Setup, SetupAction::Remove] {
            let view = project.set_up(action);
            assert_eq!(state_of_stub(&view), FileState::Kept, "{action:?} {with_record}");
            assert_eq!(fs::read_to_string(project.path_of(STUB)).unwrap(), edited);
        }
        project.set_up(SetupAction::Setup);
    }
}

#[test]
fn an_unedited_stub_is_recognised_without_the_record_of_the_setup() {
    let project = Project::new();
    project.set_up(SetupAction::Setup);
    project.forget_setup();
    assert_eq!(
        state_of_stub(&project.set_up(SetupAction::Remove)),
        FileState::Deleted
    );
    assert!(!project.path_of(STUB).exists());
}

#[test]
fn setup_says_that_the_client_is_not_installed() {
    let project = Project::new();
    let view = project.set_up(SetupAction::Setup);
    let note = SetupNote::NotInstalled {
        program: "claude".to_owned(),
        client: "Claude Code".to_owned(),
    };
    assert_eq!(view.notes[0], note);
}

#[test]
fn removal_names_the_setup_that_is_left() {
    let project = Project::new();
    assert_eq!(project.set_up(SetupAction::Remove).notes, []);
    project.set_up_for(SetupAction::Setup, Scope::User);
    let left = SetupNote::OtherScope {
        client: "Claude Code".to_owned(),
        is_user: true,
        remove: "bugle setup claude --user --remove".to_owned(),
    };
    assert_eq!(project.set_up(SetupAction::Remove).notes, [left]);
    assert_eq!(project.set_up_for(SetupAction::Remove, Scope::User).notes, []);
}
