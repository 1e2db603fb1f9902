//! Small words for parsing titles: fillers, ends of an object, signs of a verb.

/// Words that carry nothing for the choice, and are left out wherever they stand.
pub(super) const ARTICLES: &[&str] = &[
    "the", "a", "an", "our", "your", "my", "its", "their", "this", "these", "that's", "some",
];

/// Words before the verb of a title that ask politely or say when.
pub(super) const FILLERS: &[&str] = &[
    "please", "let's", "lets", "we", "i", "you", "need", "needs", "want", "should", "must", "to", "then",
    "now", "also", "just", "try", "attempt", "remember", "finally", "first",
];

/// Verbs that say how far something is when what is done follows with -ing.
pub(super) const ASPECTS: &[&str] = &[
    "start", "begin", "continue", "keep", "finish", "complete", "resume", "stop",
];

/// Adverbs that may stand before a verb.
pub(super) const ADVERBS: &[&str] = &[
    "automatically",
    "carefully",
    "correctly",
    "eagerly",
    "explicitly",
    "fully",
    "gracefully",
    "lazily",
    "manually",
    "optionally",
    "properly",
    "quickly",
    "safely",
    "silently",
    "temporarily",
    "thoroughly",
    "transparently",
];

/// What may stand before a verb with a hyphen between, and leaves it a verb: `re-enable`, `lazy-load`. What makes it a
/// noun more often than not, as in `pre-commit` and `auto-update`, is not among them.
pub(super) const PREFIXES: &[&str] = &["de", "hard", "lazy", "re", "soft", "un"];

/// Words at which the object of a verb ends.
pub(super) const STOPS: &[&str] = &[
    "about", "across", "after", "against", "and", "around", "as", "at", "based", "before", "between", "by",
    "during", "for", "from", "how", "if", "in", "inside", "instead", "into", "like", "of", "on", "onto",
    "or", "out", "over", "per", "so", "than", "that", "through", "to", "under", "unless", "until", "using",
    "via", "vs", "when", "whenever", "where", "whether", "which", "while", "who", "whose", "why", "with",
    "within", "without",
];

/// Methods of requests, spelled unlike any verb.
pub(super) const METHODS: &[&str] = &["DELETE", "GET", "HEAD", "PATCH", "POST", "PUT"];

/// Small words that an article may follow although they are no verbs of a task.
pub(super) const AUXILIARIES: &[&str] = &[
    "along",
    "among",
    "are",
    "be",
    "behind",
    "beyond",
    "but",
    "can",
    "could",
    "despite",
    "did",
    "do",
    "does",
    "even",
    "except",
    "had",
    "has",
    "have",
    "here",
    "is",
    "it",
    "may",
    "might",
    "more",
    "most",
    "near",
    "not",
    "off",
    "there",
    "throughout",
    "toward",
    "towards",
    "upon",
    "was",
    "were",
    "what",
    "will",
    "would",
];

/// Words that only an object begins with, never the second part of a compound noun.
pub(super) const QUANTIFIERS: &[&str] = &[
    "all", "any", "both", "each", "every", "multiple", "no", "only", "several",
];

/// Those of them that say that nothing is left out.
pub(super) const TOTALS: &[&str] = &["all", "both", "each", "every"];

/// Words that say where an object goes, where it comes from or when that happens.
pub(super) const DIRECTIONS: &[&str] = &[
    "after", "against", "as", "before", "from", "if", "instead", "into", "onto", "to", "until", "when",
    "whenever",
];
