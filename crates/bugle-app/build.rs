//! Embeds the built-in skills, conventions and roles with a precomputed hash of each file, so that starting or
//! comparing a run needs no hashing.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use sha2::{Digest, Sha256};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../..");
    let mut table = String::new();
    for folder in ["skills", "conventions", "roles"] {
        let base = root.join(folder);
        println!("cargo::rerun-if-changed={}", base.display());
        let mut files = Vec::new();
        collect(&base, &mut files)?;
        files.sort();
        let _ = writeln!(
            table,
            "pub(crate) const {}: &[Embedded] = &[",
            folder.to_uppercase()
        );
        for file in files {
            let bytes = fs::read(&file)?;
            let hash = Sha256::digest(&bytes)
                .iter()
                .fold(String::new(), |mut text, byte| {
                    let _ = write!(text, "{byte:02x}");
                    text
                });
            let name = file
                .strip_prefix(&base)
                .unwrap_or(&file)
                .to_string_lossy()
                .replace('\\', "/");
            let full = file.canonicalize()?;
            let _ = writeln!(
                table,
                "    Embedded {{ path: {name:?}, hash: {hash:?}, bytes: include_bytes!({:?}) }},",
                full.to_string_lossy()
            );
        }
        table.push_str("];\n");
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("embedded.rs");
    fs::write(out, table)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
