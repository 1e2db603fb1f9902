//! `apply_patch` patches and the files that they change.

/// A change that a patch makes to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::hook) enum Change<'a> {
    /// Adds or replaces a file.
    Add(&'a str),
    /// Changes or removes a file, or moves a file to this path.
    Update(&'a str),
}

impl<'a> Change<'a> {
    /// The file.
    pub(in crate::hook) fn file(self) -> &'a str {
        match self {
            Self::Add(file) | Self::Update(file) => file,
        }
    }
}

/// The files that a patch changes; empty if the text is not a patch.
pub(in crate::hook) fn changes(patch: &str) -> Vec<Change<'_>> {
    let change = |line| {
        let marked = |mark: &str| str::strip_prefix(line, mark).map(str::trim);
        marked("*** Add File:").map(Change::Add).or_else(|| {
            let marks = ["*** Update File:", "*** Delete File:", "*** Move to:"];
            marks.into_iter().find_map(marked).map(Change::Update)
        })
    };
    patch.lines().map(str::trim_start).filter_map(change).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_lists_its_files() {
        let patch = "*** Begin Patch\n*** Add File: a b.txt\n+*** Add File: no\n*** Update File: c\n*** Move to: d\n*** Delete File: e\n*** End Patch";
        assert_eq!(
            changes(patch),
            [
                Change::Add("a b.txt"),
                Change::Update("c"),
                Change::Update("d"),
                Change::Update("e")
            ]
        );
        assert_eq!(changes("echo x"), []);
    }
}
