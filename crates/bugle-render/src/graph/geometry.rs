//! Positions and sizes in a drawing.

/// A point; `y` grows downwards.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// The distance from the left.
    pub x: f64,
    /// The distance from the top.
    pub y: f64,
}

/// A rectangle, given by its upper left corner and its size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Area {
    /// The left side.
    pub x: f64,
    /// The upper side.
    pub y: f64,
    /// The width.
    pub width: f64,
    /// The height.
    pub height: f64,
}

impl Area {
    /// The rectangle with this center and size.
    pub(super) fn around(centre: Point, (width, height): (f64, f64)) -> Self {
        Self {
            x: centre.x - width / 2.0,
            y: centre.y - height / 2.0,
            width,
            height,
        }
    }

    /// The right side.
    pub fn right(&self) -> f64 {
        self.x + self.width
    }

    /// The lower side.
    pub fn bottom(&self) -> f64 {
        self.y + self.height
    }

    /// The center of the rectangle.
    pub fn centre(&self) -> Point {
        Point {
            x: self.x + self.width / 2.0,
            y: self.y + self.height / 2.0,
        }
    }
}

/// A node with its position.
#[derive(Debug, Clone, PartialEq)]
pub struct PlacedNode {
    /// The node's rectangle.
    pub area: Area,
    /// The node's name, in lines.
    pub name: Vec<String>,
    /// The node's identifier and phase, if they add anything to its name.
    pub detail: Option<String>,
}

/// The text beside an edge, with its position.
#[derive(Debug, Clone, PartialEq)]
pub struct Caption {
    /// The caption's rectangle.
    pub area: Area,
    /// The caption's text.
    pub text: String,
}

/// An edge with its line.
#[derive(Debug, Clone, PartialEq)]
pub struct PlacedEdge {
    /// The line, from the source node's border to the target node's border.
    pub points: Vec<Point>,
    /// The edge's caption.
    pub caption: Option<Caption>,
}

/// Converts a count to a length.
pub(super) fn count(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::MAX, f64::from)
}
