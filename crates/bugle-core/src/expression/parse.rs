//! The parser: builds the syntax tree with CEL's grammar and precedence.

use super::SyntaxError;
use super::call::{Signature, no_such_function};
use super::infix::Infix;
use super::syntax::{MAX_HEIGHT, Node, NodeKind};
use super::token::{Symbol, Token, TokenKind, tokens};

/// Maximum source length in bytes. A guard should fit on one line.
const MAX_LENGTH: usize = 4096;

/// CEL's reserved words, which cannot be variables.
const RESERVED: [&str; 17] = [
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

/// Words with their own tokens, which cannot even be field names.
const KEYWORDS: [&str; 4] = ["true", "false", "null", "in"];

/// Parses `source`.
pub(super) fn parse(source: &str) -> Result<Node, SyntaxError> {
    if source.len() > MAX_LENGTH {
        let message = format!("the expression is longer than {MAX_LENGTH} bytes");
        return Err(SyntaxError {
            message,
            offset: MAX_LENGTH,
        });
    }
    let mut parser = Parser {
        tokens: tokens(source)?,
        position: 0,
        depth: 0,
    };
    let root = parser.expression()?;
    match parser.peek() {
        TokenKind::End => Ok(root),
        _ => Err(parser.unexpected("an operator or the end of the expression")),
    }
}

struct Parser {
    tokens: Vec<Token>,
    position: usize,
    depth: usize,
}

impl Parser {
    fn token_at(&self, position: usize) -> &TokenKind {
        self.tokens
            .get(position)
            .map_or(&TokenKind::End, |token| &token.kind)
    }

    fn peek(&self) -> &TokenKind {
        self.token_at(self.position)
    }

    /// The offset of the next token.
    fn offset(&self) -> usize {
        self.tokens
            .get(self.position)
            .or(self.tokens.last())
            .map_or(0, |token| token.offset)
    }

    fn at(&self, symbol: Symbol) -> bool {
        *self.peek() == TokenKind::Symbol(symbol)
    }

    fn take(&mut self, symbol: Symbol) -> bool {
        let there = self.at(symbol);
        self.position += usize::from(there);
        there
    }

    fn require(&mut self, symbol: Symbol) -> Result<(), SyntaxError> {
        if self.take(symbol) {
            Ok(())
        } else {
            Err(self.unexpected(&format!("`{}`", symbol.as_str())))
        }
    }

    fn error(&self, message: impl Into<String>) -> SyntaxError {
        SyntaxError {
            message: message.into(),
            offset: self.offset(),
        }
    }

    fn unexpected(&self, wanted: &str) -> SyntaxError {
        let found = self.peek();
        let hint = match found {
            TokenKind::Word(word) => match word.as_str() {
                "and" => ": use `&&` for logical AND",
                "or" => ": use `||` for logical OR",
                "not" => ": use `!` for logical NOT",
                "is" => ": write `==` to compare",
                _ => "",
            },
            _ => "",
        };
        self.error(format!("expected {wanted}, found {}{hint}", found.describe()))
    }

    fn node(kind: NodeKind, offset: usize) -> Result<Node, SyntaxError> {
        Node::new(kind, offset).ok_or_else(|| too_deep(offset))
    }

    /// Parses a whole expression. Every recursion passes through here, so this counts the depth.
    fn expression(&mut self) -> Result<Node, SyntaxError> {
        if self.depth == MAX_HEIGHT {
            return Err(too_deep(self.offset()));
        }
        self.depth += 1;
        let result = self.conditional();
        self.depth -= 1;
        result
    }

    fn conditional(&mut self) -> Result<Node, SyntaxError> {
        let condition = self.binary(1)?;
        let offset = self.offset();
        if !self.take(Symbol::Question) {
            return Ok(condition);
        }
        let then = Box::new(self.binary(1)?);
        self.require(Symbol::Colon)?;
        let otherwise = Box::new(self.expression()?);
        Self::node(
            NodeKind::Choose {
                condition: Box::new(condition),
                then,
                otherwise,
            },
            offset,
        )
    }

    /// Operands joined by operators that bind at least as tightly as `weakest`.
    fn binary(&mut self, weakest: u8) -> Result<Node, SyntaxError> {
        let mut left = self.unary()?;
        while let Some(infix) = Infix::of(self.peek()).filter(|infix| infix.power() >= weakest) {
            let offset = self.offset();
            self.position += 1;
            let right = self.binary(infix.power() + 1)?;
            left = Self::node(infix.join(left, right), offset)?;
        }
        Ok(left)
    }

    /// Any number of `!`, or any number of `-`, before a member. The two cannot be mixed.
    fn unary(&mut self) -> Result<Node, SyntaxError> {
        let first = self.position;
        if self.at(Symbol::Not) {
            while self.take(Symbol::Not) {}
        } else {
            // A minus directly before a number belongs to the number.
            while self.at(Symbol::Minus) && !self.signed_number() {
                self.position += 1;
            }
        }
        let operators = first..self.position;
        let mut node = self.member()?;
        for position in operators.rev() {
            let offset = self.tokens.get(position).map_or(0, |token| token.offset);
            let operand = Box::new(node);
            let kind = match self.token_at(position) {
                TokenKind::Symbol(Symbol::Not) => NodeKind::Not(operand),
                _ => NodeKind::Negate(operand),
            };
            node = Self::node(kind, offset)?;
        }
        Ok(node)
    }

    fn signed_number(&self) -> bool {
        self.at(Symbol::Minus)
            && matches!(
                self.token_at(self.position + 1),
                TokenKind::Int(_) | TokenKind::Double(_)
            )
    }

    /// A primary followed by its fields, indexes and calls.
    fn member(&mut self) -> Result<Node, SyntaxError> {
        let mut node = self.primary()?;
        loop {
            let offset = self.offset();
            if self.take(Symbol::Dot) {
                let offset = self.offset();
                let name = self.word("a field name")?;
                let of = Box::new(node);
                node = if self.take(Symbol::OpenParen) {
                    self.call(&name, Some(of), offset)?
                } else {
                    Self::node(NodeKind::Field { of, name }, offset)?
                };
            } else if self.take(Symbol::OpenBracket) {
                let at = Box::new(self.expression()?);
                self.require(Symbol::CloseBracket)?;
                node = Self::node(
                    NodeKind::Index {
                        of: Box::new(node),
                        at,
                    },
                    offset,
                )?;
            } else {
                return Ok(node);
            }
        }
    }

    /// A word that is not a keyword.
    fn word(&mut self, wanted: &str) -> Result<String, SyntaxError> {
        match self.peek() {
            TokenKind::Word(word) if !KEYWORDS.contains(&word.as_str()) => {
                let word = word.clone();
                self.position += 1;
                Ok(word)
            }
            _ => Err(self.unexpected(wanted)),
        }
    }

    fn primary(&mut self) -> Result<Node, SyntaxError> {
        let offset = self.offset();
        let minus = self.signed_number();
        let kind = match self.token_at(self.position + usize::from(minus)) {
            TokenKind::Int(magnitude) => NodeKind::Int(
                signed(*magnitude, minus)
                    .ok_or_else(|| self.error("the number does not fit into 64 bits"))?,
            ),
            TokenKind::Double(number) => NodeKind::Double(if minus { -number } else { *number }),
            TokenKind::Text(text) => NodeKind::Text(text.clone()),
            TokenKind::Word(word) => match word.as_str() {
                "true" => NodeKind::Bool(true),
                "false" => NodeKind::Bool(false),
                "null" => NodeKind::Null,
                _ => return self.name(),
            },
            TokenKind::Symbol(Symbol::OpenParen) => {
                self.position += 1;
                let inner = self.expression()?;
                self.require(Symbol::CloseParen)?;
                return Ok(inner);
            }
            TokenKind::Symbol(Symbol::OpenBracket) => {
                self.position += 1;
                let items = self.expressions(Symbol::CloseBracket, true)?;
                return Self::node(NodeKind::List(items), offset);
            }
            _ => return Err(self.unexpected("a value")),
        };
        self.position += 1 + usize::from(minus);
        Self::node(kind, offset)
    }

    fn name(&mut self) -> Result<Node, SyntaxError> {
        let offset = self.offset();
        let name = self.word("a value")?;
        if self.take(Symbol::OpenParen) {
            self.call(&name, None, offset)
        } else if RESERVED.contains(&name.as_str()) {
            Err(SyntaxError {
                message: format!("`{name}` is a reserved word in CEL"),
                offset,
            })
        } else {
            Self::node(NodeKind::Name(name), offset)
        }
    }

    /// Comma-separated expressions, up to and including `close`.
    fn expressions(&mut self, close: Symbol, trailing_comma: bool) -> Result<Vec<Node>, SyntaxError> {
        let mut found = Vec::new();
        if self.take(close) {
            return Ok(found);
        }
        loop {
            found.push(self.expression()?);
            let comma = self.take(Symbol::Comma);
            if (!comma || trailing_comma) && self.take(close) {
                return Ok(found);
            }
            if !comma {
                return Err(self.unexpected(&format!("`,` or `{}`", close.as_str())));
            }
        }
    }

    /// A function call, after its opening parenthesis.
    fn call(&mut self, name: &str, on: Option<Box<Node>>, offset: usize) -> Result<Node, SyntaxError> {
        let fail = |message: String| SyntaxError { message, offset };
        let signature =
            Signature::find(name, on.is_some()).ok_or_else(|| fail(no_such_function(name, on.is_some())))?;
        let arguments = self.expressions(Symbol::CloseParen, false)?;
        Self::node(signature.build(on, arguments).map_err(fail)?, offset)
    }
}

fn too_deep(offset: usize) -> SyntaxError {
    SyntaxError {
        message: format!("the expression is nested more than {MAX_HEIGHT} levels deep"),
        offset,
    }
}

/// A whole number with its sign, if it fits into 64 bits.
fn signed(magnitude: u64, minus: bool) -> Option<i64> {
    if minus {
        0_i64.checked_sub_unsigned(magnitude)
    } else {
        i64::try_from(magnitude).ok()
    }
}
