//! Clients that Bugle recognises but does not set up.

use crate::facts::Recognition;

/// How to recognise these clients.
pub(crate) const OTHERS: [Recognition; 1] = [CURSOR];

const CURSOR: Recognition = Recognition {
    hook_mark: Some("CURSOR_VERSION"),
    ..Recognition::NONE
};
