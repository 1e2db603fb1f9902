//! The file that redirects the user's browser to the dashboard. The file keeps the link out of process arguments,
//! which other users can read.

use std::fs;
use std::path::{Path, PathBuf};

use crate::secret::write_private;
use crate::{AppError, Context, fs_util};

/// The file in which earlier versions stored a permanent token.
const FORMER_TOKEN: &str = "page-token";

/// A file that redirects a browser; removed on drop.
#[derive(Debug)]
pub struct LinkFile(PathBuf);

impl LinkFile {
    /// Writes the file; only its owner can read it.
    pub fn write(ctx: &Context, port: u16, link: &str) -> Result<Self, AppError> {
        fs_util::create_private_dir(&ctx.bugle_home)?;
        // Remove the permanent token of earlier versions, which is no longer used.
        let _ = fs::remove_file(ctx.bugle_home.join(FORMER_TOKEN));
        let path = ctx.bugle_home.join(format!("page-{port}.html"));
        // An earlier process may have left its file behind.
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

    /// The file's path.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for LinkFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}
