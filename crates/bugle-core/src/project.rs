//! Identifies a folder that the store does not know: a moved project, a copy or a new project.

use std::fmt;

/// A project's id, stored in its folder. The folder's contents are untrusted, so only valid ids are accepted.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ProjectKey(String);

impl ProjectKey {
    const PREFIX: &'static str = "p-";
    const DIGITS: usize = 12;

    /// Creates an id from random bits.
    pub fn from_random(random: u64) -> Self {
        Self(format!("{}{:012x}", Self::PREFIX, random & 0xffff_ffff_ffff))
    }

    /// Parses an id.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix(Self::PREFIX)?;
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        let fits = digits.len() == Self::DIGITS && digits.bytes().all(is_digit);
        fits.then(|| Self(text.to_owned()))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ProjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The state of the folder where the store last saw a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FormerLocation {
    /// Whether the folder still exists.
    pub exists: bool,
    /// Whether the folder has the project's id, or an unreadable id.
    pub may_keep_id: bool,
    /// Whether Bugle ever wrote the project's id to the folder.
    pub kept_id: bool,
}

impl FormerLocation {
    /// Whether the project is still in the folder. If Bugle never wrote an id to the folder, the folder only has to
    /// exist.
    pub fn has_project(self) -> bool {
        self.may_keep_id || (self.exists && !self.kept_id)
    }
}

/// How an unknown folder relates to known projects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Identity {
    /// A new project.
    New,
    /// A known project that moved here.
    Moved,
    /// A copy of a known project, which becomes a new project with a new id.
    Copy,
    /// The known project in this folder; git was initialised or removed since.
    SameFolder,
}

/// Identifies a folder. `former` is the last known folder of the project whose id is in this folder. `in_same_folder`
/// says whether the store knows a project in this folder, with or without git.
pub fn identify(former: Option<FormerLocation>, in_same_folder: bool) -> Identity {
    match former {
        Some(former) if former.has_project() => Identity::Copy,
        Some(_) => Identity::Moved,
        None if in_same_folder => Identity::SameFolder,
        None => Identity::New,
    }
}

/// A folder's new path after its project moved; `None` if the folder was outside the project.
pub fn moved_folder(folder: &str, from: &str, to: &str) -> Option<String> {
    let rest = folder.strip_prefix(from)?;
    let is_below = rest.is_empty() || rest.starts_with(['/', '\\']) || from.ends_with('/');
    is_below.then(|| format!("{to}{rest}"))
}

/// Both paths without their common suffix.
pub fn moved_part<'a>(from: &'a str, to: &'a str) -> (&'a str, &'a str) {
    let (mut from, mut to) = (from, to);
    while let (Some((from_rest, from_name)), Some((to_rest, to_name))) =
        (from.rsplit_once('/'), to.rsplit_once('/'))
    {
        if from_name != to_name || from_rest.is_empty() || to_rest.is_empty() {
            break;
        }
        (from, to) = (from_rest, to_rest);
    }
    (from, to)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const THERE: FormerLocation = FormerLocation {
        exists: true,
        may_keep_id: true,
        kept_id: true,
    };

    #[test]
    fn moved_copied_and_new_folders_are_distinguished() {
        let gone = FormerLocation {
            exists: false,
            may_keep_id: false,
            kept_id: true,
        };
        let replaced = FormerLocation { exists: true, ..gone };
        let never_kept = FormerLocation {
            kept_id: false,
            ..replaced
        };
        let never_kept_and_gone = FormerLocation {
            exists: false,
            ..never_kept
        };
        for same_folder in [false, true] {
            for (former, expected) in [
                (THERE, Identity::Copy),
                (gone, Identity::Moved),
                (replaced, Identity::Moved),
                (never_kept, Identity::Copy),
                (never_kept_and_gone, Identity::Moved),
            ] {
                assert_eq!(identify(Some(former), same_folder), expected, "{former:?}");
            }
        }
        assert_eq!(identify(None, true), Identity::SameFolder);
        assert_eq!(identify(None, false), Identity::New);
    }

    #[test]
    fn only_ids_made_by_bugle_parse() {
        for text in [
            "",
            "p-",
            "p-xyz",
            "p-0123456789AB",
            "p-0123456789ab0",
            "p-0123456789ab; rm",
            "../../x",
            "q-0123456789ab",
        ] {
            assert_eq!(ProjectKey::parse(text), None, "{text}");
        }
        assert!(ProjectKey::parse("p-0123456789ab").is_some());
    }

    #[test]
    fn only_folders_inside_the_root_move() {
        for (folder, expected) in [
            ("/a/app", Some("/b/shop")),
            ("/a/app/sub/x", Some("/b/shop/sub/x")),
            ("/a/apple", None),
            ("/a", None),
        ] {
            assert_eq!(moved_folder(folder, "/a/app", "/b/shop").as_deref(), expected);
        }
    }

    #[test]
    fn the_moved_part_excludes_the_common_suffix() {
        for (from, to, expected) in [
            ("/a/app/.git", "/a/shop/.git", ("/a/app", "/a/shop")),
            ("/a/app/.git", "/b/app/.git", ("/a", "/b")),
            ("/x/.git/modules/sub", "/y/.git/modules/sub", ("/x", "/y")),
            ("/app", "/b/app", ("/app", "/b/app")),
        ] {
            assert_eq!(moved_part(from, to), expected);
        }
    }

    proptest! {
        #[test]
        fn every_new_id_parses(random in any::<u64>()) {
            let made = ProjectKey::from_random(random);
            prop_assert_eq!(ProjectKey::parse(made.as_str()), Some(made.clone()));
        }

        #[test]
        fn a_folder_that_kept_its_id_keeps_its_project(
            may_keep_id in any::<bool>(), kept_id in any::<bool>(), same_folder in any::<bool>(),
        ) {
            prop_assume!(may_keep_id || !kept_id);
            let former = FormerLocation { exists: true, may_keep_id, kept_id };
            prop_assert_eq!(identify(Some(former), same_folder), Identity::Copy);
        }
    }
}
