//! The minimal process that benchmarks compare with.

use std::path::Path;
use std::process::Command;

/// If this process was started by [`floor`], opens the file, reads one row, closes the file as Bugle does, and returns
/// true.
pub(crate) fn was_floor() -> bool {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, flag, file, table] = arguments.as_slice() else {
        return false;
    };
    if flag != "--floor" {
        return false;
    }
    let connection = rusqlite::Connection::open(file).expect("the file opens");
    connection
        .set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
        .expect("the setting is known");
    let id: String = connection
        .query_row(&format!("SELECT id FROM {table} LIMIT 1"), [], |row| row.get(0))
        .expect("there is a row");
    println!("{id}");
    true
}

/// The minimal process, which reads one row of a table.
pub(crate) fn floor(database: &Path, table: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("a path"));
    command.arg("--floor").arg(database).arg(table);
    command
}
