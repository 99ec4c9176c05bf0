//! The driver for one request after the other.

use super::asked::{self, Asked};
use super::job::{DriveError, Driven, Job, Progress};
use super::{likelihood, reply, thinking};
use crate::condition::{CacheState, Stated};
use crate::engine::Engine;
use crate::measure::{Around, Item, Memory};
use crate::task::Scorer;

/// Drives an engine through a workload: renders every prompt, warms up on prompts of their own, then sends the measured
/// requests one after the other, pass by pass. Requests are cold; where the settings ask for a warm prefix cache, each
/// measured prompt is read once just before it is measured, so that all but its last token can come from the cache.
///
/// Where answers are scored by log-likelihood nothing is generated: the engine reads the options of each task instead.
///
/// A generation that fails becomes an item with its error. Nothing is computed or reported while tokens arrive.
///
/// # Errors
/// When a prompt cannot be rendered, when the engine cannot forget its cache, and when every generation failed.
pub fn drive(
    engine: &mut dyn Engine,
    job: &Job<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Driven, DriveError> {
    let measured = asked::measured(engine, job)?;
    let warmup = asked::warmup(engine, job, &measured)?;
    let mut driven = described(engine, job, &measured);
    let memory = memory_of(engine);
    driven.around.load_peak_rss = memory.as_ref().and_then(Memory::peak_mib);
    driven.around.footprint = engine.footprint();
    let passes = job.workload.passes.max(1);
    let mut session = Session {
        engine,
        warm: wants_warm(job),
        done: 0,
        total: warmup.len() + measured.len() * passes as usize * if wants_warm(job) { 2 } else { 1 },
        progress,
        outages: Vec::new(),
    };
    for asked in &warmup {
        driven.warmup.push(session.one(asked, 0, true, None)?);
    }
    session.outages.clear();
    let reset = memory.as_ref().is_some_and(Memory::reset_peak);
    let scorer = scorer(job);
    for pass in 0..passes {
        session.pass(&measured, pass, scorer, &mut driven)?;
    }
    driven.outage = outage(&session.outages, driven.items.len());
    driven.around.peak_rss = memory.filter(|_| reset).and_then(|memory| memory.peak_mib());
    judged(driven, engine, job, &measured)
}

/// Where the engine's memory is read; where its process is not known, ours is not the engine's.
fn memory_of(engine: &dyn Engine) -> Option<Memory> {
    let unknown = engine.clock().is_virtual() || engine.is_elsewhere();
    (!unknown).then(|| engine.process().map_or_else(Memory::default, Memory::of))
}

/// An engine at work.
struct Session<'a> {
    engine: &'a mut dyn Engine,
    warm: bool,
    done: usize,
    total: usize,
    progress: &'a mut dyn FnMut(Progress),
    /// Errors of requests that met nobody who answered.
    outages: Vec<String>,
}

impl Session<'_> {
    fn pass(
        &mut self,
        requests: &[Asked<'_>],
        pass: u32,
        scorer: Option<Scorer>,
        driven: &mut Driven,
    ) -> Result<(), DriveError> {
        for asked in requests {
            if self.warm {
                driven.warmup.push(self.one(&asked::primer(asked), pass, true, None)?);
            }
            driven.items.push(self.one(asked, pass, false, scorer)?);
            let peak = &mut driven.around.accelerator_peak;
            *peak = self.engine.accelerator_peak().into_iter().chain(*peak).max_by(f64::total_cmp);
        }
        Ok(())
    }

    fn one(
        &mut self,
        asked: &Asked<'_>,
        pass: u32,
        warmup: bool,
        scorer: Option<Scorer>,
    ) -> Result<Item, DriveError> {
        if !self.warm {
            self.engine.forget()?;
        }
        let item = match scorer.filter(|scorer| scorer.reads_likelihoods()) {
            Some(scorer) => likelihood::item(self.engine, asked, pass, scorer),
            None => self.generated(asked, pass, scorer),
        };
        self.done += 1;
        (self.progress)(Progress {
            warmup,
            done: self.done,
            total: self.total,
            tokens: item.reply_tokens,
            seconds: item.full_s.or(item.read_s),
        });
        Ok(item)
    }

    fn generated(&mut self, asked: &Asked<'_>, pass: u32, scorer: Option<Scorer>) -> Item {
        let mut request = asked.request.clone();
        // Sampled passes draw anew; greedy ones ignore the seed.
        request.sampling.seed = request.sampling.seed.wrapping_add(u64::from(pass));
        let outcome = self.engine.generate(&request);
        self.outages
            .extend(outcome.as_ref().err().filter(|error| error.is_outage()).map(ToString::to_string));
        reply::item(asked, pass, outcome, scorer)
    }
}

fn wants_warm(job: &Job<'_>) -> bool {
    job.settings.prefix_cache.get() == Some(&CacheState::Warm)
}

/// Answers are scored where the workload says so and the model may end its reply.
fn scorer(job: &Job<'_>) -> Option<Scorer> {
    let scored = job.workload.quality && job.workload.gen_tokens.is_none();
    job.settings.scorer.get().copied().filter(|_| scored)
}

/// What is known before the first request.
fn described(engine: &dyn Engine, job: &Job<'_>, measured: &[Asked<'_>]) -> Driven {
    Driven {
        renders: asked::renders(measured),
        task_set_fingerprint: job.tasks.map_or(Stated::Unset, |tasks| Stated::Set(tasks.fingerprint())),
        prompt_fingerprint: Stated::Set(asked::text_fingerprint(measured)),
        prompt_ids_fingerprint: asked::ids_fingerprint(measured),
        thinking: thinking::rendered(engine, measured),
        warnings: thinking::disagreement(measured).into_iter().collect(),
        around: Around { fixed_length: job.workload.gen_tokens.is_some(), ..Around::default() },
        ..Driven::default()
    }
}

/// What is known after the last request.
fn judged(
    mut driven: Driven,
    engine: &dyn Engine,
    job: &Job<'_>,
    measured: &[Asked<'_>],
) -> Result<Driven, DriveError> {
    let errors: Vec<&String> = driven.items.iter().filter_map(|item| item.error.as_ref()).collect();
    if let Some(first) = errors.first().filter(|_| errors.len() == driven.items.len()) {
        return Err(DriveError::AllFailed { count: errors.len(), first: (*first).clone() });
    }
    driven.prefix_cache = cache_state(&driven.items);
    if !wants_warm(job) && driven.prefix_cache == Stated::Set(CacheState::Warm) {
        driven.warnings.push("prompts were taken from a cache although the cache was to be cold".into());
    }
    if job.tasks.is_some() {
        let (wanted, switch) = (job.settings.thinking, engine.has_thinking_switch());
        driven.void = thinking::contradiction(wanted, switch, measured, &driven.items);
    }
    if scorer(job).is_some_and(Scorer::reads_likelihoods) {
        driven.void = driven.void.or_else(|| likelihood::inside_reasoning(measured));
    }
    driven.void = driven.void.or_else(|| drafted_nothing(job, &driven.items));
    if wants_warm(job) {
        driven.void = driven.void.or_else(|| measured_cold(&driven.items));
    }
    Ok(driven)
}

/// What requests that met nobody make of a run: the others cannot stand for them.
fn outage(errors: &[String], requests: usize) -> Option<String> {
    let first = errors.first()?;
    let count = errors.len();
    Some(format!(
        "{count} of {requests} requests met nobody who answered, which says nothing of the model: nothing was measured; the \
         first: {first}"
    ))
}

/// Why the items contradict speculation by a draft model: none of its tokens was ever drafted.
fn drafted_nothing(job: &Job<'_>, items: &[Item]) -> Option<String> {
    let speculation = job.settings.speculation.get().filter(|written| written.starts_with("draft:"))?;
    let nothing = items.iter().all(|item| item.drafted.is_none_or(|drafted| drafted == 0));
    nothing.then(|| {
        format!(
            "speculation is {speculation}, but no token was drafted in the whole run: the server may have refused the draft model \
             (its log says why), and the run is one without speculation"
        )
    })
}

/// Why the items contradict a warm prefix cache: one took nothing from it.
fn measured_cold(items: &[Item]) -> Option<String> {
    let cold = items.iter().find(|item| item.error.is_none() && item.cached_tokens == Some(0))?;
    let tokens = cold.prompt_tokens.map(|tokens| format!(" of {tokens}")).unwrap_or_default();
    Some(format!(
        "prefix_cache is warm, but the request of task {} (pass {}) was cold: 0{tokens} prompt tokens came from the cache",
        cold.id, cold.pass
    ))
}

/// Warm if any prompt token came from a cache, cold if none did, unknown if the engine does not say.
fn cache_state(items: &[Item]) -> Stated<CacheState> {
    let answered: Vec<&Item> = items.iter().filter(|item| item.error.is_none()).collect();
    let counts: Option<Vec<u32>> = answered.iter().map(|item| item.cached_tokens).collect();
    match counts {
        Some(counts) if counts.iter().any(|&cached| cached > 0) => Stated::Set(CacheState::Warm),
        Some(_) => Stated::Set(CacheState::Cold),
        None => Stated::Unknown,
    }
}
