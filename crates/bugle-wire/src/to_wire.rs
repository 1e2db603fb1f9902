//! Maps domain values to their JSON shapes.

use bugle_core::id::{MessageId, PlanId, RunId, TaskId, Timestamp, VisitNumber, VisitToken, WakeupId};
use serde::Serialize;
use serde_json::{Map, Value};

/// A value with a shape in JSON.
pub trait ToWire {
    /// The shape.
    type Wire: Serialize;

    /// The value in this shape.
    fn to_wire(&self) -> Self::Wire;
}

impl<T: ToWire> ToWire for Option<T> {
    type Wire = Option<T::Wire>;

    fn to_wire(&self) -> Self::Wire {
        self.as_ref().map(T::to_wire)
    }
}

impl<T: ToWire> ToWire for Vec<T> {
    type Wire = Vec<T::Wire>;

    fn to_wire(&self) -> Self::Wire {
        self.iter().map(T::to_wire).collect()
    }
}

macro_rules! unchanged {
    ($($plain:ty,)+) => {$(
        impl ToWire for $plain {
            type Wire = Self;

            fn to_wire(&self) -> Self {
                self.clone()
            }
        }
    )+};
}

unchanged! {
    String, bool, u8, u32, u64, i32, i64, usize, (usize, usize), Value, Map<String, Value>,
}

macro_rules! ids {
    ($($id:ty,)+) => {$(
        impl ToWire for $id {
            type Wire = String;

            fn to_wire(&self) -> String {
                self.to_string()
            }
        }
    )+};
}

ids! {
    MessageId, PlanId, RunId, TaskId, VisitToken, WakeupId,
}

impl ToWire for VisitNumber {
    type Wire = u32;

    fn to_wire(&self) -> u32 {
        self.0
    }
}

impl ToWire for Timestamp {
    type Wire = i64;

    fn to_wire(&self) -> i64 {
        self.0
    }
}

/// Defines shapes: structs with the fields of the JSON. Each field is filled from the field of the same name or,
/// after `=`, by a function of the reply.
macro_rules! shapes {
    (@fill $reply:ident, $field:ident) => { $crate::ToWire::to_wire(&$reply.$field) };
    (@fill $reply:ident, $field:ident, $from:expr) => { $from($reply) };
    ($($name:ident { $($(#[$attribute:meta])* $field:ident: $type:ty $(= $from:expr)?,)* })*) => {$(
        #[derive(Debug, serde::Serialize)]
        pub struct $name {
            $($(#[$attribute])* $field: $type,)*
        }

        impl $crate::ToWire for bugle_core::reply::$name {
            type Wire = $name;

            fn to_wire(&self) -> $name {
                let reply = self;
                $name {
                    $($field: shapes!(@fill reply, $field $(, $from)?),)*
                }
            }
        }
    )*};
}

/// Defines a shape with variants, each filled from the variant of the same name.
macro_rules! variants {
    ($(#[$about:meta])* $name:ident { $($variant:ident { $($field:ident: $type:ty,)* })* }) => {
        #[derive(Debug, serde::Serialize)]
        $(#[$about])*
        pub enum $name {
            $($variant { $($field: $type,)* },)*
        }

        impl $crate::ToWire for bugle_core::reply::$name {
            type Wire = $name;

            fn to_wire(&self) -> $name {
                match self {
                    $(Self::$variant { $($field,)* } => $name::$variant { $($field: $crate::ToWire::to_wire($field),)* },)*
                }
            }
        }
    };
}
