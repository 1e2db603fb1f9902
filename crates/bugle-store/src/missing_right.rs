//! The right that a database user lacks.

use std::fmt;

use bugle_core::team::TeamRole;

/// The right that a database user lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MissingRight {
    /// The user is not a member of the team.
    Membership,
    /// The user is a member, but not of this project.
    Project,
    /// The command reads all projects, and the user sees only some of them.
    AllProjects,
    /// The user has a lower role than this one.
    Role(TeamRole),
    /// The database role of this name may not create roles.
    CreateRole(String),
    /// The server's message, for any other right.
    Other(String),
}

impl MissingRight {
    /// Interprets the server's message.
    pub(crate) fn from_message(message: &str) -> Self {
        const OF_LEADS: [&str; 5] = ["trust", "trust_event", "member", "member_project", "function"];
        // The server's message for a statement that ran with `row_security = off`.
        if message.contains("would be affected by row-level security") {
            return Self::AllProjects;
        }
        if message.contains("row-level security") {
            return Self::Project;
        }
        let Some(denied) = message.strip_prefix("permission denied for ") else {
            return Self::Other(message.to_owned());
        };
        let mut words = denied.split(' ');
        let (kind, name) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        match (kind, name) {
            // Even a viewer may connect and read the schema version, so the user is not a member.
            ("database", _) | (_, "bugle_schema") => Self::Membership,
            ("schema", _) => Self::Other(message.to_owned()),
            _ if OF_LEADS.contains(&name) || OF_LEADS.contains(&kind) => Self::Role(TeamRole::Lead),
            _ => Self::Role(TeamRole::Member),
        }
    }

    /// How the user can get the right.
    pub(crate) fn remedy(&self) -> String {
        match self {
            Self::Membership => "Ask a lead of the team to add you with `bugle team add`.".to_owned(),
            Self::Project => {
                "A lead can add you to the project with `bugle team add NAME --role ROLE --project \
                 PROJECT`; `bugle team list` shows the leads."
                    .to_owned()
            }
            Self::AllProjects => {
                "Ask a member with access to all projects to run this command; `bugle team list` \
                 shows the members and their projects."
                    .to_owned()
            }
            Self::Role(_) => {
                "A lead can give you a role with `bugle team add`; `bugle team list` shows the leads."
                    .to_owned()
            }
            Self::CreateRole(person) => format!(
                "Run this statement in psql as a superuser, then run the same command again: ALTER ROLE {person} \
                 CREATEROLE"
            ),
            Self::Other(_) => "The owner of the database can grant this right.".to_owned(),
        }
    }
}

impl fmt::Display for MissingRight {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Membership => formatter.write_str("you are not a member of this team's database"),
            Self::Project => formatter.write_str("you are not a member of this project"),
            Self::AllProjects => formatter.write_str("this command needs access to all projects"),
            Self::Role(role) => write!(formatter, "you need the role {role}"),
            Self::CreateRole(person) => {
                write!(
                    formatter,
                    "to create a team's groups, {person} needs the CREATEROLE attribute"
                )
            }
            Self::Other(message) => formatter.write_str(message),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_servers_message_says_which_right_is_missing() {
        for (message, missing) in [
            (
                "permission denied for table bugle_schema",
                MissingRight::Membership,
            ),
            (
                "permission denied for database \"bugle\"",
                MissingRight::Membership,
            ),
            (
                "new row violates row-level security policy for table \"task\"",
                MissingRight::Project,
            ),
            (
                "query would be affected by row-level security policy for table \"task\"",
                MissingRight::AllProjects,
            ),
            (
                "permission denied for table task",
                MissingRight::Role(TeamRole::Member),
            ),
            (
                "permission denied for table trust",
                MissingRight::Role(TeamRole::Lead),
            ),
            (
                "permission denied for function bugle_add_member",
                MissingRight::Role(TeamRole::Lead),
            ),
            (
                "permission denied for schema public",
                MissingRight::Other("permission denied for schema public".to_owned()),
            ),
        ] {
            assert_eq!(MissingRight::from_message(message), missing, "{message}");
        }
    }
}
