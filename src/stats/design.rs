//! The observations as index arrays, ready for the rounds of the fit.

use super::fit::FitError;
use super::layout::{Layout, Observation};

/// Where one run stands: indices into the fit's parameters, and its centred position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) arm: usize,
    pub(super) block: usize,
    pub(super) mean: usize,
    pub(super) slope: usize,
    pub(super) t: f64,
}

/// The observations and the sizes of every group that the fit averages over.
pub(super) struct Design {
    pub(super) y: Vec<f64>,
    pub(super) places: Vec<Place>,
    /// Runs of each mean (one a sub-block, two where it has a gap).
    pub(super) mean_runs: Vec<f64>,
    /// Sum of t squared of each slope (one a sub-block).
    pub(super) slope_squares: Vec<f64>,
    pub(super) arm_runs: Vec<f64>,
    /// Sub-blocks with at least one run.
    pub(super) occupied_sub_blocks: usize,
    /// Number of fitted parameters: arms, means and slopes.
    pub(super) parameters: f64,
    by_arm: Vec<usize>,
    arm_starts: Vec<usize>,
}

impl Design {
    pub(super) fn new(layout: &Layout, observations: &[Observation]) -> Result<Self, FitError> {
        for (i, observation) in observations.iter().enumerate() {
            check(layout, i, observation)?;
        }
        if did_not_vary(layout.arms, observations) {
            return Err(FitError::DidNotVary);
        }
        let first_means = first_means(layout);
        let places: Vec<Place> =
            observations.iter().map(|observation| place(layout, &first_means, observation)).collect();
        let means = first_means.last().copied().unwrap_or(0);
        let (by_arm, arm_starts) = group_by_arm(layout.arms, observations);
        let arm_runs: Vec<f64> = arm_starts.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect();
        let arms_with_runs = arm_runs.iter().filter(|&&runs| runs > 0.0).count();
        let mut design = Self {
            y: observations.iter().map(|observation| observation.y).collect(),
            mean_runs: vec![0.0; means],
            slope_squares: vec![0.0; layout.sub_blocks.len()],
            arm_runs,
            occupied_sub_blocks: occupied(layout, observations),
            parameters: (arms_with_runs + means + layout.sub_blocks.len()) as f64,
            places,
            by_arm,
            arm_starts,
        };
        for place in &design.places {
            design.mean_runs[place.mean] += 1.0;
            design.slope_squares[place.slope] += place.t * place.t;
        }
        Ok(design)
    }

    pub(super) fn arms(&self) -> usize {
        self.arm_runs.len()
    }

    /// Indices of the observations of one arm.
    pub(super) fn runs_of(&self, arm: usize) -> &[usize] {
        &self.by_arm[self.arm_starts[arm]..self.arm_starts[arm + 1]]
    }
}

fn occupied(layout: &Layout, observations: &[Observation]) -> usize {
    let mut occupied = vec![false; layout.sub_blocks.len()];
    for observation in observations {
        occupied[observation.sub_block] = true;
    }
    occupied.iter().filter(|&&occupied| occupied).count()
}

fn check(layout: &Layout, index: usize, observation: &Observation) -> Result<(), FitError> {
    let shape = layout.sub_blocks.get(observation.sub_block);
    let inside =
        shape.is_some_and(|shape| observation.position < 2 * shape.arms && shape.block < layout.blocks);
    if !inside || observation.arm >= layout.arms {
        return Err(FitError::OutsideLayout(index));
    }
    if observation.y.is_finite() { Ok(()) } else { Err(FitError::NotFinite(index)) }
}

/// Whether no arm shows two different values (also true of no observations at all).
fn did_not_vary(arms: usize, observations: &[Observation]) -> bool {
    let mut first = vec![None; arms];
    observations.iter().all(|o| first[o.arm].get_or_insert(o.y).total_cmp(&o.y).is_eq())
}

/// For each sub-block the index of its first mean, and at the end the number of means.
fn first_means(layout: &Layout) -> Vec<usize> {
    let mut next = 0;
    let mut firsts = vec![0];
    for shape in &layout.sub_blocks {
        next += if shape.gap { 2 } else { 1 };
        firsts.push(next);
    }
    firsts
}

/// The planned middle is the origin of t, whichever runs are missing. With a gap it is the middle of
/// the pass, so that a common slope inside the passes still cancels in every arm's mean.
fn place(layout: &Layout, first_means: &[usize], observation: &Observation) -> Place {
    let shape = layout.sub_blocks[observation.sub_block];
    let second = observation.position >= shape.arms;
    let first_mean = first_means[observation.sub_block];
    let (mean, t) = if shape.gap {
        let position = if second { observation.position - shape.arms } else { observation.position };
        (first_mean + usize::from(second), position as f64 - (shape.arms as f64 - 1.0) / 2.0)
    } else {
        (first_mean, observation.position as f64 - (shape.arms as f64 - 0.5))
    };
    Place { arm: observation.arm, block: shape.block, mean, slope: observation.sub_block, t }
}

/// Observation indices sorted by arm, and where each arm's stretch starts (one more entry than arms).
fn group_by_arm(arms: usize, observations: &[Observation]) -> (Vec<usize>, Vec<usize>) {
    let mut starts = vec![0; arms + 1];
    for observation in observations {
        starts[observation.arm + 1] += 1;
    }
    for arm in 0..arms {
        starts[arm + 1] += starts[arm];
    }
    let mut next = starts.clone();
    let mut by_arm = vec![0; observations.len()];
    for (i, observation) in observations.iter().enumerate() {
        by_arm[next[observation.arm]] = i;
        next[observation.arm] += 1;
    }
    (by_arm, starts)
}
