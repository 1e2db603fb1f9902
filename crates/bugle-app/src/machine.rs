//! This machine's identity in a store that several machines share: an id in Bugle's home, and the host name.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::Path;

use bugle_store::MachineId;

use crate::ids::RandomSource;
use crate::{AppError, fs_util};

/// The file in Bugle's home that contains the id.
const FILE: &str = "machine";
/// Maximum size of the file that contains the id.
const MAX_BYTES: usize = 100;

/// This machine's id, created on first use.
pub(crate) fn machine_id(bugle_home: &Path) -> Result<MachineId, AppError> {
    let path = bugle_home.join(FILE);
    if let Some(id) = read(&path)? {
        return Ok(id);
    }
    fs_util::create_private_dir(bugle_home)?;
    let cannot = |source| AppError::File {
        what: "cannot write",
        path: path.clone(),
        source,
    };
    // Processes that create the file at the same time wait for each other here. A killed process leaves the temporary
    // file, which the next process renames.
    let temporary = bugle_home.join(format!("{FILE}.part"));
    let mut file = fs_util::private_options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&temporary)
        .map_err(cannot)?;
    file.lock().map_err(cannot)?;
    if let Some(id) = read(&path)? {
        return match fs::remove_file(&temporary) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(cannot(error)),
            _ => Ok(id),
        };
    }
    let id = MachineId::from_random(RandomSource::System.next()?);
    file.set_len(0)
        .and_then(|()| file.write_all(format!("{}\n", id.as_str()).as_bytes()))
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&temporary, &path))
        .map_err(cannot)?;
    Ok(id)
}

fn read(path: &Path) -> Result<Option<MachineId>, AppError> {
    let bytes = match fs_util::read_bounded(path, MAX_BYTES) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(source) => {
            return Err(AppError::File {
                what: "cannot read",
                path: path.to_owned(),
                source,
            });
        }
    };
    let id = str::from_utf8(&bytes)
        .ok()
        .and_then(|text| MachineId::parse(text.trim()));
    id.map(Some).ok_or_else(|| AppError::Usage {
        what: format!("{} does not contain a machine id", path.display()),
        hints: vec![
            "Nothing was changed. Restore the file from a backup, or rename it to get a new id.".to_owned(),
        ],
    })
}

/// This machine's host name.
pub(crate) fn host_name() -> String {
    #[cfg(unix)]
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    #[cfg(not(unix))]
    let name = std::env::var("COMPUTERNAME").unwrap_or_default();
    if name.is_empty() {
        "unnamed".to_owned()
    } else {
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_is_made_once_and_private() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("new");
        let ids: Vec<MachineId> = std::thread::scope(|scope| {
            let made: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| machine_id(&home).unwrap()))
                .collect();
            made.into_iter().map(|made| made.join().unwrap()).collect()
        });
        assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
        assert_eq!(fs::read_dir(&home).unwrap().count(), 1);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = fs::metadata(home.join(FILE)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }

    #[test]
    fn a_damaged_id_is_an_error_and_is_kept() {
        let home = tempfile::tempdir().unwrap();
        for text in ["", "h-123\n", "h-00000000000000001", "../../x"] {
            fs::write(home.path().join(FILE), text).unwrap();
            assert!(machine_id(home.path()).is_err(), "{text}");
            assert_eq!(fs::read_to_string(home.path().join(FILE)).unwrap(), text);
        }
    }
}
