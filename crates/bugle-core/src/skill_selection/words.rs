//! Function words for parsing titles: fillers, words that end an object, words that mark a verb.

/// Words that are ignored everywhere because they do not affect the selection.
pub(super) const ARTICLES: &[&str] = &[
    "the", "a", "an", "our", "your", "my", "its", "their", "this", "these", "that's", "some",
];

/// Polite words and time adverbs before a title's verb.
pub(super) const FILLERS: &[&str] = &[
    "please", "let's", "lets", "we", "i", "you", "need", "needs", "want", "should", "must", "to", "then",
    "now", "also", "just", "try", "attempt", "remember", "finally", "first",
];

/// Verbs that describe progress if a verb ending in -ing follows.
pub(super) const ASPECTS: &[&str] = &[
    "start", "begin", "continue", "keep", "finish", "complete", "resume", "stop",
];

/// Adverbs that may precede a verb.
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

/// Prefixes after which the hyphenated word is still a verb: `re-enable`, `lazy-load`. Prefixes that usually make it a
/// noun, as in `pre-commit` and `auto-update`, are not included.
pub(super) const PREFIXES: &[&str] = &["de", "hard", "lazy", "re", "soft", "un"];

/// Words that end a verb's object.
pub(super) const STOPS: &[&str] = &[
    "about", "across", "after", "against", "and", "around", "as", "at", "based", "before", "between", "by",
    "during", "for", "from", "how", "if", "in", "inside", "instead", "into", "like", "of", "on", "onto",
    "or", "out", "over", "per", "so", "than", "that", "through", "to", "under", "unless", "until", "using",
    "via", "vs", "when", "whenever", "where", "whether", "which", "while", "who", "whose", "why", "with",
    "within", "without",
];

/// HTTP methods. Capital letters distinguish them from verbs.
pub(super) const METHODS: &[&str] = &["DELETE", "GET", "HEAD", "PATCH", "POST", "PUT"];

/// Function words that can precede an article but are not a task's verb.
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

/// Words that can start an object, but are never the second part of a compound noun.
pub(super) const QUANTIFIERS: &[&str] = &[
    "all", "any", "both", "each", "every", "multiple", "no", "only", "several",
];

/// Quantifiers that mean everything.
pub(super) const TOTALS: &[&str] = &["all", "both", "each", "every"];

/// Prepositions and conjunctions that give a verb's direction, origin, time or condition.
pub(super) const DIRECTIONS: &[&str] = &[
    "after", "against", "as", "before", "from", "if", "instead", "into", "onto", "to", "until", "when",
    "whenever",
];
