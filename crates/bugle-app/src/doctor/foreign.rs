//! Detects programs inside the project. Doctor does not run them: the project's author chose them, and the user only
//! asked for a check.

use std::path::Path;

use bugle_client::setup::Call;

/// The reason to skip a call that runs a program in the project; `None` for other calls.
pub(super) fn refused(call: &Call, root: &Path, directory: &Path) -> Option<String> {
    let program = call.program()?;
    let is_its_own = program.contains('$')
        || program.contains('/') && {
            let path = directory.join(&program);
            let whole = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
            whole(&path).starts_with(whole(root))
        };
    is_its_own.then(|| format!("{program} is part of the project, so `bugle doctor` does not run it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_in_the_project_is_not_run() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("project");
        std::fs::create_dir_all(root.join("bin")).unwrap();
        std::fs::write(root.join("bin/bugle"), "").unwrap();
        std::fs::write(folder.path().join("bugle"), "").unwrap();
        let outside = folder.path().join("bugle").to_string_lossy().into_owned();
        let inside = root.join("bin/bugle").to_string_lossy().into_owned();
        let refused = |call: Call| refused(&call, &root, &root).is_some();
        for (program, is_refused) in [
            (outside.as_str(), false),
            ("bugle", false),
            (&inside, true),
            ("./bin/bugle", true),
            ("bin/../bin/bugle", true),
            ("$CLAUDE_PROJECT_DIR/bin/bugle", true),
        ] {
            let words = Call::Words(vec![program.to_owned(), "hook".to_owned()]);
            assert_eq!(refused(words), is_refused, "{program}");
            let line = Call::Line(format!("\"{program}\" hook PreToolUse"));
            assert_eq!(refused(line), is_refused, "{program}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(root.join("bin/bugle"), folder.path().join("link")).unwrap();
            let link = folder.path().join("link").to_string_lossy().into_owned();
            assert!(
                refused(Call::Words(vec![link])),
                "a link to a program in the project counts too"
            );
        }
    }
}
