//! A project's remote and name, which its clones on several machines share.

use crate::{ProjectId, Store, StoreError};

impl Store {
    /// Records the remote of a project that had none. Returns false if another project has this remote.
    pub fn share_project(&mut self, project: &ProjectId, remote: &str) -> Result<bool, StoreError> {
        let shared = self.connection.execute(
            "UPDATE project SET shared_id = $2 WHERE id = $1 AND shared_id = id \
             AND NOT EXISTS (SELECT 1 FROM project AS other WHERE other.shared_id = $2)",
            &[project.0.as_str().into(), remote.into()],
        )?;
        Ok(shared > 0)
    }

    /// Records the name of a project that had none.
    pub fn name_project(&mut self, project: &ProjectId, name: &str) -> Result<(), StoreError> {
        self.connection.write(
            "UPDATE project SET name = $2 WHERE id = $1 AND name IS NULL",
            &[project.0.as_str().into(), name.into()],
        )
    }
}
