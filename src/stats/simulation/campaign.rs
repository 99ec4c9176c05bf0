//! Many simulated plans over two threads; the counts do not depend on how the work was shared.

use std::thread;

use super::trial::{Counts, Scenario, simulate_plan};

const WORKERS: u64 = 2;

/// Simulates `plans` plans of a scenario.
pub fn simulate(scenario: &Scenario, seed: u64, plans: u64) -> Counts {
    let work = |worker: u64| {
        let mut counts = Counts::default();
        for plan in (worker..plans).step_by(WORKERS as usize) {
            simulate_plan(scenario, seed, plan, &mut counts);
        }
        counts
    };
    let mut total = Counts::default();
    thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS).map(|worker| scope.spawn(move || work(worker))).collect();
        for worker in workers {
            match worker.join() {
                Ok(counts) => total.add(&counts),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    total
}
