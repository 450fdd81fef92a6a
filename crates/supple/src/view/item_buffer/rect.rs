/// Pixels that are handled at once; rectangles of sprites begin at multiples of it. Eight depths of 32 bits
/// fill a register of 256.
pub(super) const LANES: u32 = 8;

/// Pixels from a column and row to a column and row, those left out.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Rect {
    pub(super) x0: u32,
    pub(super) x1: u32,
    pub(super) y0: u32,
    pub(super) y1: u32,
}

impl Rect {
    pub(super) fn is_empty(&self) -> bool {
        self.x0 >= self.x1 || self.y0 >= self.y1
    }

    pub(super) fn width(&self) -> usize {
        (self.x1 - self.x0) as usize
    }

    pub(super) fn area(&self) -> usize {
        self.width() * (self.y1 - self.y0) as usize
    }
}
