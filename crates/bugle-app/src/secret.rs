//! Secrets with which programs on this machine show that they belong to its user: whoever can read the file is let in.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::{AppError, Place, folder, random};

/// How many letters and digits a secret has.
const LENGTH: usize = 64;

/// A secret, and the file that holds it.
#[derive(Clone)]
pub struct Secret {
    /// The file; only its owner can read it.
    pub file: PathBuf,
    text: String,
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The secret itself must not end up in a log.
        formatter
            .debug_struct("Secret")
            .field("file", &self.file)
            .finish_non_exhaustive()
    }
}

impl Secret {
    /// The secret of this name, made if there is none yet.
    pub fn of(place: &Place, name: &str) -> Result<Self, AppError> {
        folder::make_private(&place.bugle_home)?;
        let file = place.bugle_home.join(name);
        if !file.exists() {
            make(&file)?;
        }
        let text = read(&file)?;
        Ok(Self { file, text })
    }

    /// Whether this is it, in constant time.
    pub fn is(&self, guess: &str) -> bool {
        is_same(&self.text, guess)
    }
}

/// A secret that lives as long as the process and is in no file.
#[derive(Clone)]
pub struct PassingSecret(String);

impl PassingSecret {
    /// A new one.
    pub fn new() -> Result<Self, AppError> {
        random_text().map(Self)
    }

    /// The secret itself, for a link or a cookie.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Whether this is it, in constant time.
    pub fn is(&self, guess: &str) -> bool {
        is_same(&self.0, guess)
    }
}

impl std::fmt::Debug for PassingSecret {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("PassingSecret")
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

fn random_text() -> Result<String, AppError> {
    let mut text = String::new();
    while text.len() < LENGTH {
        text.push_str(&format!("{:016x}", random()?));
    }
    Ok(text)
}

/// Puts a new secret there, complete or not at all; one that is there by then stays.
fn make(file: &Path) -> Result<(), AppError> {
    let text = random_text()?;
    let mut unfinished = file.as_os_str().to_owned();
    unfinished.push(format!(".{:016x}.part", random()?));
    let unfinished = PathBuf::from(unfinished);
    let made = write_private(&unfinished, &text).and_then(|()| match fs::hard_link(&unfinished, file) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        linked => linked,
    });
    let _ = fs::remove_file(&unfinished);
    made.map_err(|source| AppError::File {
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
    let bytes = folder::read_bounded(file, 1024).map_err(|source| AppError::File {
        what: "cannot read",
        path: file.to_owned(),
        source,
    })?;
    let unfit = |why: &str| AppError::Usage {
        what: format!("the secret in {} cannot be used: {why}", file.display()),
        hints: vec!["Move the file away, and a new secret is made.".to_owned()],
    };
    if others_can_read(file) {
        return Err(unfit("others than its owner can read it"));
    }
    let text = String::from_utf8(bytes).unwrap_or_default().trim().to_owned();
    if text.len() < LENGTH || !text.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Err(unfit("it is not one that was made here"));
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

    fn place(folder: &Path) -> Place {
        let home = folder.as_os_str().to_owned();
        let variables =
            move |name: &str| -> Option<OsString> { (name == "BUGLE_HOME").then(|| home.clone()) };
        Place::find(&variables, folder, false).unwrap()
    }

    #[test]
    fn a_secret_is_made_once_and_only_its_owner_can_read_it() {
        let folder = tempfile::tempdir().unwrap();
        let place = place(folder.path());
        let secret = Secret::of(&place, "token").unwrap();
        let again = Secret::of(&place, "token").unwrap();
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
            "nothing is left over"
        );
        assert!(!Secret::of(&place, "other").unwrap().is(text.trim()));
    }

    #[test]
    fn a_passing_secret_is_new_every_time_and_not_shown() {
        let (one, other) = (PassingSecret::new().unwrap(), PassingSecret::new().unwrap());
        assert!(one.is(one.reveal()) && !one.is(other.reveal()) && !one.is(&one.reveal()[1..]));
        assert!(!format!("{one:?}").contains(one.reveal()));
    }

    #[cfg(unix)]
    #[test]
    fn a_secret_that_others_can_read_or_that_is_none_is_not_used() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let place = place(folder.path());
        let file = Secret::of(&place, "token").unwrap().file;
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        assert!(
            Secret::of(&place, "token")
                .unwrap_err()
                .to_string()
                .contains("others")
        );
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        fs::write(&file, "short\n").unwrap();
        assert!(
            Secret::of(&place, "token")
                .unwrap_err()
                .to_string()
                .contains("made here")
        );
    }
}
