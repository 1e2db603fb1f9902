//! Random values that events contain.

use bugle_core::engine::{AlsoFound, Merged};
use bugle_core::id::VisitNumber;
use bugle_core::review::Severity;
use bugle_testkit::spelling::field_name;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;

/// Strings that are easily damaged: quotes, all kinds of line breaks, right-to-left text, the empty string.
pub(crate) fn text() -> impl Strategy<Value = String> {
    let odd = [
        "",
        "'",
        "\"",
        "\\",
        "''; DROP TABLE event; --",
        "\n",
        "\r\n",
        "\u{2028}\u{2029}",
        "\u{85}",
        "\u{feff}",
        "שלום",
        "🎺",
        "e\u{301}",
        "\u{fffd}",
        "\u{10ffff}",
        "$1",
        "?1",
        "\u{1b}[0m",
        "\u{0}",
    ];
    prop_oneof![
        select(odd.to_vec()).prop_map(str::to_owned),
        any::<String>(),
        "\\PC{0,300}"
    ]
}

/// Strings for text columns: any characters but NUL.
pub(crate) fn plain_text() -> impl Strategy<Value = String> {
    text().prop_map(|text| text.replace('\0', ""))
}

pub(crate) fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_filter_map("not a JSON number", |number| {
            number.is_finite().then(|| Value::from(number))
        }),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(text(), inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

pub(crate) fn merged() -> impl Strategy<Value = Merged> {
    let versions = prop::collection::btree_map(text(), (1_u32..9).prop_map(VisitNumber), 0..3);
    (value(), versions).prop_map(|(returned, versions)| Merged {
        returned,
        changed: [(field_name("claims"), versions)].into(),
    })
}

pub(crate) fn also_found() -> impl Strategy<Value = AlsoFound> {
    (text(), text(), option::of(select(Severity::ALL.to_vec()))).prop_map(|(what, place, severity)| {
        AlsoFound {
            what,
            place,
            severity,
        }
    })
}
