//! The syntax tree of an expression.

/// Maximum height of a tree. Functions that walk a tree are recursive, so this limits the stack depth.
pub(super) const MAX_HEIGHT: usize = 64;

/// A syntax tree node.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) kind: NodeKind,
    /// The byte offset to report in errors, such as the offset of the field name or operator.
    pub(super) offset: usize,
    /// The height of the tree whose root is this node.
    pub(super) height: usize,
}

/// A node's kind.
#[derive(Debug, Clone)]
pub(super) enum NodeKind {
    Null,
    Bool(bool),
    Int(i64),
    Double(f64),
    Text(String),
    List(Vec<Node>),
    Name(String),
    Field {
        of: Box<Node>,
        name: String,
    },
    /// `has(...)`; the node inside is always a field.
    Has(Box<Node>),
    Index {
        of: Box<Node>,
        at: Box<Node>,
    },
    Not(Box<Node>),
    Negate(Box<Node>),
    /// Two or more operands, so that a long chain does not produce a tall tree.
    Logic(Connective, Vec<Node>),
    Compare(Comparison, Box<Node>, Box<Node>),
    In(Box<Node>, Box<Node>),
    Arithmetic(Arithmetic, Box<Node>, Box<Node>),
    Choose {
        condition: Box<Node>,
        then: Box<Node>,
        otherwise: Box<Node>,
    },
    Size(Box<Node>),
    ToDouble(Box<Node>),
    TextTest {
        test: TextTest,
        whole: Box<Node>,
        part: Box<Node>,
    },
    ForEach {
        walk: Walk,
        list: Box<Node>,
        variable: String,
        body: Box<Node>,
    },
}

macro_rules! spelled {
    ($(#[$doc:meta])* $name:ident { $($variant:ident $text:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum $name {
            $($variant),*
        }

        impl $name {
            pub(super) const ALL: &'static [Self] = &[$(Self::$variant),*];

            pub(super) fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text),*
                }
            }

            pub(super) fn from_word(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.as_str() == word)
            }
        }
    };
}

spelled!(
    /// Logical connectives.
    Connective { And "&&", Or "||" }
);
spelled!(
    /// Comparison operators.
    Comparison { Equal "==", NotEqual "!=", Less "<", AtMost "<=", More ">", AtLeast ">=" }
);
spelled!(
    /// Arithmetic operators.
    Arithmetic { Add "+", Subtract "-", Multiply "*", Divide "/", Remainder "%" }
);
spelled!(
    /// Functions that test a string.
    TextTest { StartsWith "startsWith", EndsWith "endsWith", Contains "contains", Matches "matches" }
);
spelled!(
    /// Macros over list items.
    Walk { All "all", Exists "exists", ExistsOne "exists_one", Filter "filter", Map "map" }
);

impl Node {
    /// A node with these children; `None` if the tree would be too tall.
    pub(super) fn new(kind: NodeKind, offset: usize) -> Option<Self> {
        let height = 1 + kind
            .children()
            .iter()
            .map(|child| child.height)
            .max()
            .unwrap_or(0);
        (height <= MAX_HEIGHT).then_some(Self { kind, offset, height })
    }

    /// The root name and fields of a dotted name, such as `params`, `mode`; `None` for other nodes.
    pub(super) fn dotted(&self) -> Option<Vec<&str>> {
        match &self.kind {
            NodeKind::Name(name) => Some(vec![name]),
            NodeKind::Field { of, name } => {
                let mut segments = of.dotted()?;
                segments.push(name);
                Some(segments)
            }
            _ => None,
        }
    }

    /// The offset where a chain of fields and indexes starts.
    pub(super) fn start(&self) -> usize {
        match &self.kind {
            NodeKind::Field { of, .. } | NodeKind::Index { of, .. } => of.start(),
            _ => self.offset,
        }
    }
}

impl NodeKind {
    /// The child nodes, in source order.
    pub(super) fn children(&self) -> Vec<&Node> {
        match self {
            Self::Null | Self::Bool(_) | Self::Int(_) | Self::Double(_) | Self::Text(_) | Self::Name(_) => {
                Vec::new()
            }
            Self::List(nodes) | Self::Logic(_, nodes) => nodes.iter().collect(),
            Self::Field { of, .. } => vec![of],
            Self::Has(inner)
            | Self::Not(inner)
            | Self::Negate(inner)
            | Self::Size(inner)
            | Self::ToDouble(inner) => {
                vec![inner]
            }
            Self::Index { of, at } => vec![of, at],
            Self::Compare(_, left, right) | Self::In(left, right) | Self::Arithmetic(_, left, right) => {
                vec![left, right]
            }
            Self::Choose {
                condition,
                then,
                otherwise,
            } => vec![condition, then, otherwise],
            Self::TextTest { whole, part, .. } => vec![whole, part],
            Self::ForEach { list, body, .. } => vec![list, body],
        }
    }
}
