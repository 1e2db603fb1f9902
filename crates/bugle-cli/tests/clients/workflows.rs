//! Workflows that several tests use.

pub(crate) const ERRAND: &str = "version: 1
steps:
  fetch:
    title: Fetch the parcel
    do: Fetch it from the post office.
    result:
      weight: { type: integer }
    next: end
";

pub(crate) const FIX: &str = "version: 1
steps:
  look:
    title: Look only
    do: Look at notes.txt.
    tools: { deny: [Edit, Write] }
    result:
      found: { type: string }
    next: fix
  fix:
    title: Fix them
    do: Write notes.txt.
    next: end
";

/// A workflow whose sub-agent has the read-only role `explore`.
pub(crate) const SURVEY: &str = "version: 1
steps:
  survey:
    title: Survey the cellar
    do: Say what is in {{ child.room }}.
    dispatch: { role: explore, with: { room: \"'the cellar'\" } }
    next: note
  note:
    title: Note it down
    do: Write notes.txt.
    next: end
";

pub(crate) const LAUNDRY: &str = "version: 1
steps:
  sort:
    title: Sort the laundry
    do: Sort it by colour.
    result:
      heaps: { type: integer, min: 1 }
    next: end
";
