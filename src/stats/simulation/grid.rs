//! A full factorial grid of simulated cells, numbered with the last factor fastest, and a placebo.

/// A grid of cells; the arm after the last cell is the placebo, a second baseline (cell 0).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    levels: Vec<usize>,
}

/// Two cells that differ in one factor only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridEdge {
    /// Cell with the lower level.
    pub from: usize,
    /// Cell with the higher level.
    pub to: usize,
}

impl Grid {
    /// A grid of factors with these numbers of levels.
    pub fn new(levels: &[usize]) -> Self {
        Self { levels: levels.to_vec() }
    }

    /// Number of cells.
    pub fn cells(&self) -> usize {
        self.levels.iter().product()
    }

    /// Number of arms: the cells and the placebo.
    pub fn arms(&self) -> usize {
        self.cells() + 1
    }

    /// The level of the first factor of an arm; the placebo's is the baseline's.
    pub fn first_level(&self, arm: usize) -> usize {
        arm % self.cells() / (self.cells() / self.levels[0])
    }

    /// The level of the last factor of an arm; the placebo's is the baseline's.
    pub fn last_level(&self, arm: usize) -> usize {
        arm % self.cells() % self.levels[self.levels.len() - 1]
    }

    /// Number of levels of each factor.
    pub fn levels(&self) -> &[usize] {
        &self.levels
    }

    /// Number of levels of the first factor.
    pub fn first_levels(&self) -> usize {
        self.levels[0]
    }

    /// Every pair of cells that differ in one factor: 24 for 3x2x2, 168 for 4x3x2x2.
    pub fn edges(&self) -> Vec<GridEdge> {
        let mut edges = Vec::new();
        let mut stride = self.cells();
        for &levels in &self.levels {
            stride /= levels;
            for from in 0..self.cells() {
                let level = from / stride % levels;
                edges.extend(
                    (level + 1..levels).map(|up| GridEdge { from, to: from + (up - level) * stride }),
                );
            }
        }
        edges
    }

    /// The grid's usual name, such as `3x2x2`.
    pub fn name(&self) -> String {
        self.levels.iter().map(ToString::to_string).collect::<Vec<_>>().join("x")
    }
}
