//! Secrets that authenticate the user's programs on this machine: a program that can read the file has access.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::{AppError, Context, fs_util};

/// The length of a secret, in characters.
const LENGTH: usize = 64;

/// A secret, and the file that stores it.
#[derive(Clone)]
pub struct Secret {
    /// The file; only its owner can read it.
    pub file: PathBuf,
    text: String,
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Keep the secret out of logs.
        formatter
            .debug_struct("Secret")
            .field("file", &self.file)
            .finish_non_exhaustive()
    }
}

impl Secret {
    /// The secret with this name, created if it is missing.
    pub fn of(ctx: &Context, name: &str) -> Result<Self, AppError> {
        fs_util::create_private_dir(&ctx.bugle_home)?;
        let file = ctx.bugle_home.join(name);
        if !file.exists() {
            create(ctx, &file)?;
        }
        let text = read(&file)?;
        Ok(Self { file, text })
    }

    /// Compares a guess with the secret in constant time.
    pub fn is(&self, guess: &str) -> bool {
        is_same(&self.text, guess)
    }
}

/// A secret that exists only in memory, until the process ends.
#[derive(Clone)]
pub struct EphemeralSecret(String);

impl EphemeralSecret {
    /// Generates a secret.
    pub fn new(ctx: &Context) -> Result<Self, AppError> {
        random_text(ctx).map(Self)
    }

    /// The secret itself, for a link or a cookie.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Compares a guess with the secret in constant time.
    pub fn is(&self, guess: &str) -> bool {
        is_same(&self.0, guess)
    }
}

impl std::fmt::Debug for EphemeralSecret {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("EphemeralSecret")
    }
}

/// Constant-time comparison.
fn is_same(own: &str, guess: &str) -> bool {
    let different = own
        .bytes()
        .zip(guess.bytes())
        .fold(0, |different, (own, other)| different | (own ^ other));
    own.len() == guess.len() && different == 0
}

fn random_text(ctx: &Context) -> Result<String, AppError> {
    let mut text = String::new();
    while text.len() < LENGTH {
        text.push_str(&format!("{:016x}", ctx.random()?));
    }
    Ok(text)
}

/// Writes a new secret atomically. If another process writes a secret first, keeps that secret.
fn create(ctx: &Context, file: &Path) -> Result<(), AppError> {
    let text = random_text(ctx)?;
    let mut temporary = file.as_os_str().to_owned();
    temporary.push(format!(".{:016x}.part", ctx.random()?));
    let temporary = PathBuf::from(temporary);
    let created = write_private(&temporary, &text).and_then(|()| match fs::hard_link(&temporary, file) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        linked => linked,
    });
    let _ = fs::remove_file(&temporary);
    created.map_err(|source| AppError::File {
        what: "cannot write",
        path: file.to_owned(),
        source,
    })
}

pub(crate) fn write_private(file: &Path, text: &str) -> std::io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    let mut file = options.open(file)?;
    file.write_all(text.as_bytes())?;
    file.write_all(b"\n")
}

fn read(file: &Path) -> Result<String, AppError> {
    let bytes = fs_util::read_bounded(file, 1024).map_err(|source| AppError::File {
        what: "cannot read",
        path: file.to_owned(),
        source,
    })?;
    let unusable = |why: &str| AppError::Usage {
        what: format!("cannot use the secret in {}: {why}", file.display()),
        hints: vec!["Move or delete the file; Bugle will then create a new secret.".to_owned()],
    };
    if others_can_read(file) {
        return Err(unusable("other users can read the file"));
    }
    let text = String::from_utf8(bytes).unwrap_or_default().trim().to_owned();
    if text.len() < LENGTH || !text.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Err(unusable("the secret is malformed"));
    }
    Ok(text)
}

#[cfg(unix)]
fn others_can_read(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(file).is_ok_and(|metadata| metadata.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn others_can_read(_file: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;

    fn context(folder: &Path) -> Context {
        let home = folder.as_os_str().to_owned();
        let variables =
            move |name: &str| -> Option<OsString> { (name == "BUGLE_HOME").then(|| home.clone()) };
        Context::find(&variables, folder, false).unwrap()
    }

    #[test]
    fn a_secret_is_created_once_and_only_its_owner_can_read_it() {
        let folder = tempfile::tempdir().unwrap();
        let ctx = context(folder.path());
        let secret = Secret::of(&ctx, "token").unwrap();
        let again = Secret::of(&ctx, "token").unwrap();
        let text = fs::read_to_string(&secret.file).unwrap();
        assert_eq!(text.trim().len(), LENGTH);
        assert!(secret.is(text.trim()) && again.is(text.trim()));
        assert!(
            !secret.is("") && !secret.is(&text.trim()[1..]) && !secret.is(&text.replace(['0', '1'], "2x"))
        );
        assert!(!format!("{secret:?}").contains(text.trim()));
        assert_eq!(
            fs::read_dir(folder.path()).unwrap().count(),
            1,
            "no temporary file is left"
        );
        assert!(!Secret::of(&ctx, "other").unwrap().is(text.trim()));
    }

    #[test]
    fn an_ephemeral_secret_is_new_every_time_and_not_printed() {
        let folder = tempfile::tempdir().unwrap();
        let ctx = context(folder.path());
        let (one, other) = (
            EphemeralSecret::new(&ctx).unwrap(),
            EphemeralSecret::new(&ctx).unwrap(),
        );
        assert!(one.is(one.reveal()) && !one.is(other.reveal()) && !one.is(&one.reveal()[1..]));
        assert!(!format!("{one:?}").contains(one.reveal()));
    }

    #[cfg(unix)]
    #[test]
    fn a_secret_that_others_can_read_or_that_is_malformed_is_refused() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let ctx = context(folder.path());
        let file = Secret::of(&ctx, "token").unwrap().file;
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        assert!(
            Secret::of(&ctx, "token")
                .unwrap_err()
                .to_string()
                .contains("other users can read the file")
        );
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        fs::write(&file, "short\n").unwrap();
        assert!(
            Secret::of(&ctx, "token")
                .unwrap_err()
                .to_string()
                .contains("malformed")
        );
    }
}
