//! Identifies a folder that the store does not know: a project that moved, a copy of one, or a new one.

use std::fmt;

/// The id of a project, as it is kept in the project's own folder. The folder may come from anywhere, so nothing else is
/// read as an id.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ProjectKey(String);

impl ProjectKey {
    const PREFIX: &'static str = "p-";
    const DIGITS: usize = 12;

    /// A new one.
    pub fn from_random(random: u64) -> Self {
        Self(format!("{}{:012x}", Self::PREFIX, random & 0xffff_ffff_ffff))
    }

    /// Reads one.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix(Self::PREFIX)?;
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        let fits = digits.len() == Self::DIGITS && digits.bytes().all(is_digit);
        fits.then(|| Self(text.to_owned()))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ProjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What the place shows at which the store knows the id that is kept in another folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FormerLocation {
    /// Whether there is still something.
    pub exists: bool,
    /// Whether the id is kept there, or that cannot be read.
    pub may_keep_id: bool,
    /// Whether the id was ever written there.
    pub kept_id: bool,
}

impl FormerLocation {
    /// Whether the project is still there. One whose id was never written there is, as long as its folder exists: the
    /// folder that has the id now did not get it from a move.
    pub fn has_project(self) -> bool {
        self.may_keep_id || (self.exists && !self.kept_id)
    }
}

/// Which project a folder is that the store does not know by its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Identity {
    /// One that the store does not know.
    New,
    /// The project whose id it keeps, which was elsewhere before.
    Moved,
    /// A copy of the project whose id it keeps: a project of its own, with an id of its own.
    Copy,
    /// The project that the store knows in the same folder: git was set up there since, or removed.
    SameFolder,
}

/// Decides. `former` is the place of the project whose id is kept here, if the store knows one; `in_same_folder` is
/// whether the store knows a project in this very folder, with or without git.
pub fn identify(former: Option<FormerLocation>, in_same_folder: bool) -> Identity {
    match former {
        Some(former) if former.has_project() => Identity::Copy,
        Some(_) => Identity::Moved,
        None if in_same_folder => Identity::SameFolder,
        None => Identity::New,
    }
}

/// A folder of a project after the project moved: below the new root what was below the old one. Nothing if it was not.
pub fn moved_folder(folder: &str, from: &str, to: &str) -> Option<String> {
    let rest = folder.strip_prefix(from)?;
    let is_below = rest.is_empty() || rest.starts_with(['/', '\\']) || from.ends_with('/');
    is_below.then(|| format!("{to}{rest}"))
}

/// The part in which two places differ: both without the components at their ends that are the same.
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
    fn the_whole_table_of_moved_copied_and_new() {
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
    fn only_an_id_that_bugle_made_is_read_as_one() {
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
    fn folders_move_with_the_root_and_no_others() {
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
    fn places_differ_in_what_is_left_without_their_common_end() {
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
        fn every_id_that_is_made_can_be_read(random in any::<u64>()) {
            let made = ProjectKey::from_random(random);
            prop_assert_eq!(ProjectKey::parse(made.as_str()), Some(made.clone()));
        }

        #[test]
        fn a_folder_that_exists_and_never_lost_its_id_loses_nothing_to_another(
            may_keep_id in any::<bool>(), kept_id in any::<bool>(), same_folder in any::<bool>(),
        ) {
            prop_assume!(may_keep_id || !kept_id);
            let former = FormerLocation { exists: true, may_keep_id, kept_id };
            prop_assert_eq!(identify(Some(former), same_folder), Identity::Copy);
        }
    }
}
