//! Service files: named sets of connection options, as libpq reads them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::defaults::Variables;

/// The options of a service.
pub(super) fn read(service: &str, variables: Variables<'_>) -> Result<BTreeMap<String, String>, String> {
    let files = match variables("PGSERVICEFILE").filter(|file| !file.is_empty()) {
        Some(file) => vec![PathBuf::from(file)],
        None => variables("HOME")
            .map(|home| PathBuf::from(home).join(".pg_service.conf"))
            .into_iter()
            .chain(variables("PGSYSCONFDIR").map(|folder| PathBuf::from(folder).join("pg_service.conf")))
            .collect(),
    };
    for file in &files {
        let text = match std::fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => return Err(format!("cannot read {}: {error}", file.display())),
        };
        if let Some(options) = section(&text, service) {
            return Ok(options);
        }
    }
    let places: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    Err(format!(
        "there is no service `{service}` in {}",
        places.join(" or ")
    ))
}

fn section(text: &str, service: &str) -> Option<BTreeMap<String, String>> {
    let mut options = None;
    for line in text.lines().map(str::trim) {
        if line.starts_with('#') {
            continue;
        }
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            if options.is_some() {
                break;
            }
            options = (name == service).then(BTreeMap::new);
        } else if let (Some(options), Some((key, value))) = (&mut options, line.split_once('=')) {
            options.insert(key.trim().to_owned(), value.trim().to_owned());
        }
    }
    options
}
