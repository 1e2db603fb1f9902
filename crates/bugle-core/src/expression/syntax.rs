//! The syntax tree of an expression.

/// How tall a tree may grow. Everything that walks a tree recurses, so this bounds the stack.
pub(super) const TALLEST: usize = 64;

/// One part of an expression.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) kind: NodeKind,
    /// Where in the source to point at it: a field at its name, an operation at its operator.
    pub(super) offset: usize,
    /// How many nodes lie on the longest way down, this one included.
    pub(super) height: usize,
}

/// What a part of an expression is.
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
    /// Two or more operands, so that a long chain does not become a tall tree.
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
    /// What joins conditions.
    Connective { And "&&", Or "||" }
);
spelled!(
    /// How two values are compared.
    Comparison { Equal "==", NotEqual "!=", Less "<", AtMost "<=", More ">", AtLeast ">=" }
);
spelled!(
    /// What is calculated.
    Arithmetic { Add "+", Subtract "-", Multiply "*", Divide "/", Remainder "%" }
);
spelled!(
    /// What is asked about a text.
    TextTest { StartsWith "startsWith", EndsWith "endsWith", Contains "contains", Matches "matches" }
);
spelled!(
    /// What is made of the items of a list.
    Walk { All "all", Exists "exists", ExistsOne "exists_one", Filter "filter", Map "map" }
);

impl Node {
    /// A node above its children; `None` if the tree would grow too tall.
    pub(super) fn new(kind: NodeKind, offset: usize) -> Option<Self> {
        let height = 1 + kind
            .children()
            .iter()
            .map(|child| child.height)
            .max()
            .unwrap_or(0);
        (height <= TALLEST).then_some(Self { kind, offset, height })
    }

    /// The name and the fields that this node spells, such as `params`, `mode`.
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

    /// Where the leftmost part of a chain of fields and indexes stands.
    pub(super) fn start(&self) -> usize {
        match &self.kind {
            NodeKind::Field { of, .. } | NodeKind::Index { of, .. } => of.start(),
            _ => self.offset,
        }
    }
}

impl NodeKind {
    /// The nodes directly below, in source order.
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
