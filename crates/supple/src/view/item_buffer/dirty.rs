use super::rect::Rect;

/// Rows and columns of a tile \[pixels]. Chosen; columns are a multiple of the lanes. The image does not depend on them.
const ROWS: u32 = 16;
const COLUMNS: u32 = 32;

/// Parts of an image, by tiles.
#[derive(Clone, Debug, Default)]
pub(super) struct Dirty {
    size: [u32; 2],
    /// Tiles from left to right.
    across: usize,
    tiles: Vec<bool>,
    runs: Runs,
}

/// Parts of an image as pieces of rows: columns from and to, for each row of tiles.
#[derive(Clone, Debug, Default)]
pub(super) struct Runs {
    starts: Vec<u32>,
    pieces: Vec<[u32; 2]>,
}

impl Runs {
    /// Those of a row of pixels.
    #[inline]
    pub(super) fn of(&self, row: u32) -> &[[u32; 2]] {
        let k = (row / ROWS) as usize;
        &self.pieces[self.starts[k] as usize..self.starts[k + 1] as usize]
    }
}

impl Dirty {
    /// Nothing of an image of some size.
    pub(super) fn clear(&mut self, size: [u32; 2]) {
        self.size = size;
        self.across = size[0].div_ceil(COLUMNS) as usize;
        self.tiles.clear();
        self.tiles.resize(self.across * size[1].div_ceil(ROWS) as usize, false);
    }

    /// All of it.
    pub(super) fn all(&mut self) {
        self.tiles.fill(true);
    }

    /// And this.
    pub(super) fn add(&mut self, rect: Rect) {
        if rect.is_empty() {
            return;
        }
        let columns = (rect.x0 / COLUMNS) as usize..rect.x1.div_ceil(COLUMNS) as usize;
        for row in rect.y0 / ROWS..rect.y1.div_ceil(ROWS) {
            self.tiles[row as usize * self.across..][columns.clone()].fill(true);
        }
    }

    /// As pieces of rows.
    pub(super) fn runs(&mut self) -> &Runs {
        let Runs { starts, pieces } = &mut self.runs;
        starts.clear();
        pieces.clear();
        starts.push(0);
        for row in self.tiles.chunks(self.across) {
            let first = pieces.len();
            for (k, _) in row.iter().enumerate().filter(|(_, dirty)| **dirty) {
                let (from, to) = (k as u32 * COLUMNS, ((k as u32 + 1) * COLUMNS).min(self.size[0]));
                match pieces[first..].last_mut() {
                    Some(last) if last[1] == from => last[1] = to,
                    _ => pieces.push([from, to]),
                }
            }
            starts.push(pieces.len() as u32);
        }
        &self.runs
    }
}
