//! Parses values of `workflow.yaml` that are either a word or a larger structure. Serde's `untagged` would lose the
//! position of a mistake inside them, so each has its own visitor.

use std::fmt;

use indexmap::IndexMap;
use serde::de::{
    self, MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer, value::SeqAccessDeserializer,
};
use serde::{Deserialize, Deserializer};

use crate::raw::{RawNext, RawTask, RawText, TaskWord};
use crate::raw_types::{RawType, RawTypeMap, RawUnique, TypeWord};

impl<'de> Deserialize<'de> for RawType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = RawType;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a type such as `string`, or a map with `type`")
            }
            fn visit_str<E: de::Error>(self, word: &str) -> Result<RawType, E> {
                TypeWord::deserialize(de::value::StrDeserializer::new(word)).map(RawType::Word)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<RawType, A::Error> {
                RawTypeMap::deserialize(MapAccessDeserializer::new(map))
                    .map(|map| RawType::Map(Box::new(map)))
            }
        }
        deserializer.deserialize_any(Reader)
    }
}

impl<'de> Deserialize<'de> for RawUnique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl Visitor<'_> for Reader {
            type Value = RawUnique;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("`true` or a field name")
            }
            fn visit_bool<E: de::Error>(self, unique: bool) -> Result<RawUnique, E> {
                Ok(RawUnique::Items(unique))
            }
            fn visit_str<E: de::Error>(self, field: &str) -> Result<RawUnique, E> {
                Ok(RawUnique::Field(field.to_owned()))
            }
        }
        deserializer.deserialize_any(Reader)
    }
}

impl<'de> Deserialize<'de> for RawText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = RawText;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("text, a path to a text file, or a list of lines")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<RawText, E> {
                Ok(RawText::One(text.to_owned()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, lines: A) -> Result<RawText, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(lines)).map(RawText::Lines)
            }
        }
        deserializer.deserialize_any(Reader)
    }
}

impl<'de> Deserialize<'de> for RawTask {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = RawTask;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("`take`, `done`, `skip`, or a list of them")
            }
            fn visit_str<E: de::Error>(self, word: &str) -> Result<RawTask, E> {
                TaskWord::deserialize(de::value::StrDeserializer::new(word)).map(RawTask::One)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, words: A) -> Result<RawTask, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(words)).map(RawTask::Several)
            }
        }
        deserializer.deserialize_any(Reader)
    }
}

impl<'de> Deserialize<'de> for RawNext {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = RawNext;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a step, `end`, or a map of outcomes")
            }
            fn visit_str<E: de::Error>(self, target: &str) -> Result<RawNext, E> {
                Ok(RawNext::One(target.to_owned()))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<RawNext, A::Error> {
                IndexMap::deserialize(MapAccessDeserializer::new(map)).map(RawNext::Map)
            }
        }
        deserializer.deserialize_any(Reader)
    }
}
