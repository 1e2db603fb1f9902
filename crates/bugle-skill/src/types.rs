//! Types in `workflow.yaml`: a word, or a map with bounds, choices, items or fields.

use bugle_core::name::FieldName;
use bugle_core::pattern::Pattern;
use bugle_core::shape::{Field, Length, Presence, Range, Reference, Shape, Unique};
use bugle_core::validate::Rule;
use indexmap::IndexMap;

use crate::convert::Converter;
use crate::raw_types::{RawType, RawTypeMap, RawUnique, TypeWord};

impl Converter<'_> {
    pub(super) fn field_name(&mut self, path: &str, name: &str) -> Option<FieldName> {
        FieldName::new(name)
            .map_err(|bad| self.report(Rule::BadName, path, bad.to_string(), "rename it"))
            .ok()
    }

    pub(super) fn fields(&mut self, path: &str, raw: &IndexMap<String, RawType>, rule: Rule) -> Vec<Field> {
        let mut fields = Vec::new();
        for (name, raw) in raw {
            let path = format!("{path}.{name}");
            let (presence, help) = match raw {
                RawType::Word(_) => (Presence::Required, None),
                RawType::Map(map) => {
                    if map.default.is_some() {
                        let fix = "remove `default`: only params can have a default";
                        self.report(
                            rule,
                            &format!("{path}.default"),
                            "a result field cannot have a default",
                            fix,
                        );
                    }
                    let required = map.required.unwrap_or(true);
                    (
                        if required {
                            Presence::Required
                        } else {
                            Presence::Optional
                        },
                        map.help.clone(),
                    )
                }
            };
            if let (Some(name), Some(shape)) = (self.field_name(&path, name), self.shape(&path, raw, rule)) {
                fields.push(Field {
                    name,
                    shape,
                    presence,
                    help,
                });
            }
        }
        fields
    }

    pub(super) fn shape(&mut self, path: &str, raw: &RawType, rule: Rule) -> Option<Shape> {
        let bare;
        let map = match raw {
            RawType::Map(map) => map,
            RawType::Word(kind) => {
                bare = Box::new(RawTypeMap {
                    kind: *kind,
                    required: None,
                    default: None,
                    help: None,
                    min: None,
                    max: None,
                    pattern: None,
                    unique: None,
                    choices: None,
                    items: None,
                    fields: None,
                });
                &bare
            }
        };
        self.stray_keys(path, map, rule);
        let range = Range {
            min: map.min,
            max: map.max,
        };
        Some(match map.kind {
            TypeWord::String => {
                let length = self.length(path, map, rule);
                let pattern = map.pattern.as_ref();
                match pattern.and_then(|source| self.pattern(path, source)) {
                    None => Shape::String(length),
                    Some(pattern) => Shape::Pattern(pattern, length),
                }
            }
            TypeWord::Integer => Shape::Integer(range),
            TypeWord::Number => Shape::Number(range),
            TypeWord::Boolean => Shape::Boolean,
            TypeWord::Place => Shape::Reference(Reference::Place),
            TypeWord::Quote => Shape::Reference(Reference::Quote),
            TypeWord::Findings => bugle_core::review::findings_shape(),
            TypeWord::Disputes => bugle_core::review::disputes_shape(),
            TypeWord::Task => bugle_core::workflow::task_shape(),
            TypeWord::Enum => Shape::Enum(map.choices.clone().unwrap_or_default()),
            TypeWord::Array => {
                let Some(items) = &map.items else {
                    self.report(
                        rule,
                        path,
                        "a list must declare the type of its `items`",
                        "add `items: string`, or another type",
                    );
                    return None;
                };
                let items = self.shape(&format!("{path}.items"), items, rule)?;
                Shape::Array {
                    items: Box::new(items),
                    length: self.length(path, map, rule),
                    unique: self.unique(path, map.unique.as_ref()),
                }
            }
            TypeWord::Object => {
                let fields = map
                    .fields
                    .as_ref()
                    .map(|fields| self.fields(&format!("{path}.fields"), fields, rule));
                Shape::Object(fields.unwrap_or_default())
            }
        })
    }

    /// Reports keys that have no effect because they do not apply to the type.
    fn stray_keys(&mut self, path: &str, map: &RawTypeMap, rule: Rule) {
        let bounded = !matches!(
            map.kind,
            TypeWord::Boolean
                | TypeWord::Place
                | TypeWord::Quote
                | TypeWord::Enum
                | TypeWord::Object
                | TypeWord::Findings
                | TypeWord::Disputes
                | TypeWord::Task
        );
        let strays = [
            ("min", map.min.is_some() && !bounded),
            ("max", map.max.is_some() && !bounded),
            ("pattern", map.pattern.is_some() && map.kind != TypeWord::String),
            ("unique", map.unique.is_some() && map.kind != TypeWord::Array),
            ("choices", map.choices.is_some() && map.kind != TypeWord::Enum),
            ("items", map.items.is_some() && map.kind != TypeWord::Array),
            ("fields", map.fields.is_some() && map.kind != TypeWord::Object),
        ];
        for (key, stray) in strays {
            if stray {
                let kind = format!("{:?}", map.kind).to_lowercase();
                let fix = format!("remove `{key}`, or change the type");
                self.report(
                    rule,
                    &format!("{path}.{key}"),
                    format!("`{key}` does not apply to the type `{kind}`"),
                    fix,
                );
            }
        }
    }

    fn pattern(&mut self, path: &str, source: &str) -> Option<Pattern> {
        Pattern::new(source)
            .map_err(|bad| {
                self.report_inside(
                    Rule::BadPattern,
                    (format!("{path}.pattern"), bad.offset),
                    format!("the pattern does not parse: {bad}"),
                    "write a regular expression for the whole string, such as `E[0-9]+`",
                );
            })
            .ok()
    }

    fn unique(&mut self, path: &str, raw: Option<&RawUnique>) -> Option<Unique> {
        match raw? {
            RawUnique::Items(true) => Some(Unique::Items),
            RawUnique::Items(false) => None,
            RawUnique::Field(name) => self
                .field_name(&format!("{path}.unique"), name)
                .map(Unique::Field),
        }
    }

    fn length(&mut self, path: &str, map: &RawTypeMap, rule: Rule) -> Length {
        let mut count = |key: &str, bound: Option<f64>| match bound {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a whole number from 0 to 1000000"
            )]
            Some(bound) if bound.fract() == 0.0 && (0.0..=1e6).contains(&bound) => Some(bound as usize),
            Some(_) => {
                let fix = "write a whole number from 0 to 1000000";
                self.report(
                    rule,
                    &format!("{path}.{key}"),
                    format!("`{key}` must be a number of characters or items"),
                    fix,
                );
                None
            }
            None => None,
        };
        Length {
            min: count("min", map.min),
            max: count("max", map.max),
        }
    }
}
