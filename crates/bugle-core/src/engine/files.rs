//! Detects the files that a visit created or changed: their content differs from the start of the visit.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::evidence::EvidenceFinding;

/// Maximum number of files listed in a finding.
const MAX_NAMED_FILES: usize = 10;

/// The files that matched each of a step's patterns when a visit started.
pub type Baseline = BTreeMap<String, Listing>;

/// The files that matched one pattern.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Listing {
    /// The files by path.
    pub files: BTreeMap<String, Fingerprint>,
    /// Whether there were more files than recorded.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_partial: bool,
}

/// A fingerprint of a file's content. Two different fingerprints of the same kind prove different content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fingerprint {
    /// The hash of the whole file.
    Whole(String),
    /// For a large file: its size, and a hash of its start and end.
    Ends(u64, String),
    /// Only the size, because too many bytes had already been read.
    Size(u64),
}

/// A file that matches a pattern now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The path, relative to the project.
    pub path: String,
    /// The file's kind.
    pub kind: CandidateKind,
}

/// A matching file's kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CandidateKind {
    /// A symlink. It does not count, because its target may be an older file.
    Link,
    /// An empty regular file.
    Empty,
    /// A new or changed regular file.
    Changed,
    /// An unchanged regular file.
    Unchanged,
    /// A regular file without a fingerprint, because there were too many files when the visit started.
    Unknown,
}

impl Listing {
    /// Whether a file counts as changed. `mark` computes a fingerprint of the same kind as its argument.
    pub fn judge(&self, path: &str, mark: impl FnOnce(&Fingerprint) -> Option<Fingerprint>) -> CandidateKind {
        match self.files.get(path) {
            Some(before) if mark(before).is_some_and(|now| now != *before) => CandidateKind::Changed,
            Some(_) => CandidateKind::Unchanged,
            None if self.is_partial => CandidateKind::Unknown,
            None => CandidateKind::Changed,
        }
    }
}

type MakeFinding = fn(Vec<String>) -> EvidenceFinding;

/// The finding for all the files that match a pattern.
pub fn judge_files(mut candidates: Vec<Candidate>) -> EvidenceFinding {
    candidates.sort_by(|one, other| one.path.cmp(&other.path));
    let named = |kind: CandidateKind| -> Vec<String> {
        let of_kind = candidates.iter().filter(|candidate| candidate.kind == kind);
        of_kind
            .take(MAX_NAMED_FILES)
            .map(|candidate| candidate.path.clone())
            .collect()
    };
    let findings: [(CandidateKind, MakeFinding); 5] = [
        (CandidateKind::Changed, EvidenceFinding::Files),
        (CandidateKind::Empty, EvidenceFinding::OnlyEmptyFiles),
        (CandidateKind::Unknown, EvidenceFinding::TooManyFiles),
        (CandidateKind::Unchanged, EvidenceFinding::OnlyOlderFiles),
        (CandidateKind::Link, EvidenceFinding::OnlyLinks),
    ];
    findings
        .into_iter()
        .map(|(kind, finding)| (named(kind), finding))
        .find(|(paths, _)| !paths.is_empty())
        .map_or(EvidenceFinding::NoFile, |(paths, finding)| finding(paths))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn whole(text: &str) -> Fingerprint {
        Fingerprint::Whole(text.to_owned())
    }

    #[test]
    fn a_new_or_changed_file_counts() {
        let listing = Listing {
            files: BTreeMap::from([
                ("a".to_owned(), whole("1")),
                ("b".to_owned(), Fingerprint::Size(3)),
            ]),
            is_partial: false,
        };
        let judge = |path: &str, now: Option<Fingerprint>| listing.judge(path, |_| now);
        assert_eq!(judge("a", Some(whole("2"))), CandidateKind::Changed);
        assert_eq!(judge("a", Some(whole("1"))), CandidateKind::Unchanged);
        assert_eq!(
            judge("a", None),
            CandidateKind::Unchanged,
            "an unreadable file proves nothing"
        );
        assert_eq!(judge("b", Some(Fingerprint::Size(4))), CandidateKind::Changed);
        assert_eq!(judge("new", None), CandidateKind::Changed);
        let partial = Listing {
            is_partial: true,
            ..listing
        };
        assert_eq!(partial.judge("new", |_| None), CandidateKind::Unknown);
    }

    #[test]
    fn one_changed_file_is_enough_and_otherwise_the_nearest_miss_is_reported() {
        use CandidateKind::{Changed, Empty, Link, Unchanged, Unknown};
        let found = |kinds: &[CandidateKind]| {
            let candidate = |(index, kind): (usize, &CandidateKind)| Candidate {
                path: format!("f{index}"),
                kind: *kind,
            };
            judge_files(kinds.iter().enumerate().map(candidate).collect())
        };
        let names = |index: usize| vec![format!("f{index}")];
        assert_eq!(
            found(&[Link, Unchanged, Empty, Changed]),
            EvidenceFinding::Files(names(3))
        );
        assert_eq!(
            found(&[Link, Unchanged, Empty]),
            EvidenceFinding::OnlyEmptyFiles(names(2))
        );
        assert_eq!(
            found(&[Unchanged, Unknown]),
            EvidenceFinding::TooManyFiles(names(1))
        );
        assert_eq!(
            found(&[Link, Unchanged]),
            EvidenceFinding::OnlyOlderFiles(names(1))
        );
        assert_eq!(found(&[Link]), EvidenceFinding::OnlyLinks(names(0)));
        assert_eq!(found(&[]), EvidenceFinding::NoFile);
    }

    proptest! {
        #[test]
        fn a_stored_baseline_reads_back(
            files in prop::collection::btree_map(".{0,8}", (".{0,8}", any::<u64>()), 0..6),
            is_partial: bool,
        ) {
            let marks = |(index, (path, (hash, size))): (usize, (String, (String, u64)))| {
                let mark = match index % 3 {
                    0 => Fingerprint::Whole(hash),
                    1 => Fingerprint::Ends(size, hash),
                    _ => Fingerprint::Size(size),
                };
                (path, mark)
            };
            let files = files.into_iter().enumerate().map(marks).collect();
            let baseline = Baseline::from([("*".to_owned(), Listing { files, is_partial })]);
            let stored = serde_json::to_vec(&baseline).unwrap();
            prop_assert_eq!(serde_json::from_slice::<Baseline>(&stored).unwrap(), baseline);
        }
    }
}
