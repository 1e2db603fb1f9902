//! The access that an agent's tools have without approval.

/// An agent's access, from least to most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Access {
    /// Read.
    Read,
    /// Read files, and write in the agent's folder.
    Write,
    /// Everything.
    Full,
}

enum_text!(Access {
    Read = "read",
    Write = "write",
    Full = "full",
});

impl Access {
    /// The access of a new agent whose starter has this access. Without a request, the new agent has its starter's
    /// access. `None` if the request exceeds the starter's access.
    #[must_use]
    pub fn granted_to_new_agent(self, requested: Option<Self>) -> Option<Self> {
        let access = requested.unwrap_or(self);
        (access <= self).then_some(access)
    }
}

#[cfg(test)]
mod tests {
    use super::Access;

    #[test]
    fn an_agent_cannot_grant_more_access_than_it_has() {
        for own in Access::ALL {
            for requested in Access::ALL {
                let granted = own.granted_to_new_agent(Some(requested));
                assert_eq!(granted, (requested <= own).then_some(requested));
            }
        }
    }

    #[test]
    fn a_new_agent_without_a_request_has_its_starters_access() {
        for own in Access::ALL {
            assert_eq!(own.granted_to_new_agent(None), Some(own));
        }
    }
}
