//! The file that leads the user's browser to the page. The link is in it, so that it is in no argument list.

use std::fs;
use std::path::{Path, PathBuf};

use crate::secret::write_private;
use crate::{AppError, Place, folder};

/// The name of the file that earlier versions kept a lasting token in.
const FORMER_TOKEN: &str = "page-token";

/// A file that redirects a browser; removed with this value.
#[derive(Debug)]
pub struct LinkFile(PathBuf);

impl LinkFile {
    /// Writes the file; only its owner can read it.
    pub fn write(place: &Place, port: u16, link: &str) -> Result<Self, AppError> {
        folder::make_private(&place.bugle_home)?;
        // A token that lasts is no secret worth keeping.
        let _ = fs::remove_file(place.bugle_home.join(FORMER_TOKEN));
        let path = place.bugle_home.join(format!("page-{port}.html"));
        // One that an ended process left behind.
        let _ = fs::remove_file(&path);
        let text = format!(
            "<!doctype html><meta charset=\"utf-8\"><title>Bugle</title>\
             <meta http-equiv=\"refresh\" content=\"0;url={link}\"><a href=\"{link}\">Open Bugle</a>"
        );
        write_private(&path, &text).map_err(|source| AppError::File {
            what: "cannot write",
            path: path.clone(),
            source,
        })?;
        Ok(Self(path))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for LinkFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}
