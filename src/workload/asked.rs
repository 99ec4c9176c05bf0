//! All prompts of a run, rendered before the first is sent.

use super::job::{DriveError, Job, Render};
use super::thinking::{self, Says};
use crate::condition::Stated;
use crate::engine::Engine;
use crate::fingerprint;
use crate::generation::{Prompt, Request, Sampling};
use crate::task::{Conversation, Task, opens_thinking};

/// Seed of the measured synthetic prompt; warm-up prompts use seeds from [`WARMUP_SEED`] on.
const MEASURED_SEED: u64 = 0;
const WARMUP_SEED: u64 = 1 << 20;
/// Warm-up replies of a task workload stop here: enough to reach a steady state, however long the real replies are.
const WARMUP_TOKENS: u32 = 64;
/// Seeds tried until a warm-up prompt differs from every measured one.
const TRIES: u64 = 8;
/// Lengths that are tried for a prompt which is not measured.
const LONGER: u32 = 8;

/// How the ids of requests begin that read a measured prompt into the prefix cache; the task's id follows.
pub const PRIMER: &str = "prime-";

/// One request of the run.
pub(super) struct Asked<'a> {
    pub(super) id: String,
    pub(super) task: Option<&'a Task>,
    pub(super) request: Request,
    /// The rendered prompt already opened the reasoning block.
    pub(super) opened: bool,
    /// What the prompt says about thinking.
    pub(super) says: Says,
}

/// Renders the measured requests of one pass.
pub(super) fn measured<'a>(engine: &dyn Engine, job: &Job<'a>) -> Result<Vec<Asked<'a>>, DriveError> {
    let Some(tasks) = job.tasks else { return synthetic(engine, job).map(|one| vec![one]) };
    let conversation = conversation(job);
    tasks.tasks.iter().map(|task| of_task(engine, job, &conversation, task)).collect()
}

/// How this job's tasks become conversations.
fn conversation<'a>(job: &Job<'a>) -> Conversation<'a> {
    Conversation {
        system: job.settings.system_prompt.get().map(String::as_str),
        template: job.settings.question_template.get().map(String::as_str),
        few_shot: job.settings.few_shot.or(0),
        examples: job.examples.or(job.tasks),
    }
}

fn of_task<'a>(
    engine: &dyn Engine,
    job: &Job<'a>,
    conversation: &Conversation<'_>,
    task: &'a Task,
) -> Result<Asked<'a>, DriveError> {
    let messages = conversation.messages(task)?;
    let prompt = engine.render(&messages, job.settings.thinking)?;
    let limit = limit(engine, job, &prompt)?;
    Ok(Asked {
        id: task.id.clone(),
        task: Some(task),
        opened: opens_thinking(&prompt.text),
        says: thinking::says(engine, &messages, &prompt),
        request: request(job, prompt, limit),
    })
}

fn synthetic<'a>(engine: &dyn Engine, job: &Job<'a>) -> Result<Asked<'a>, DriveError> {
    let (Some(tokens), Some(generated)) = (job.workload.prompt_tokens, job.workload.gen_tokens) else {
        return Err(DriveError::NothingToAsk { workload: job.workload.name.clone() });
    };
    let prompt = engine.synthetic_prompt(tokens, MEASURED_SEED)?;
    let request = request(job, prompt, generated);
    Ok(Asked { id: "synthetic".into(), task: None, opened: false, says: Says::default(), request })
}

/// Most tokens of a reply: the workload's fixed length, else the setting, else what the context window leaves.
fn limit(engine: &dyn Engine, job: &Job<'_>, prompt: &Prompt) -> Result<u32, DriveError> {
    let room = || {
        let window = *engine.observed().context_length.get()?;
        Some(window.saturating_sub(prompt.ids.as_ref()?.len() as u32).max(1))
    };
    let limit = job.workload.gen_tokens.or_else(|| job.settings.max_tokens.get().copied()).or_else(room);
    limit.ok_or_else(|| DriveError::NoLimit { workload: job.workload.name.clone() })
}

fn request(job: &Job<'_>, prompt: Prompt, max_tokens: u32) -> Request {
    let settings = job.settings;
    Request {
        prompt,
        max_tokens,
        sampling: Sampling {
            temperature: settings.temperature.or(0.0),
            top_k: settings.top_k.get().copied(),
            top_p: settings.top_p.get().copied(),
            seed: settings.seed.or(0),
        },
        ignore_eos: job.workload.gen_tokens.is_some() || settings.ignore_eos.or(false),
    }
}

/// Warm-up requests: prompts of their own, as long as the measured ones in the middle, and replies of a fixed length.
pub(super) fn warmup<'a>(
    engine: &dyn Engine,
    job: &Job<'a>,
    measured: &[Asked<'_>],
) -> Result<Vec<Asked<'a>>, DriveError> {
    let tokens = middle_length(measured);
    let longest = measured.iter().map(|asked| asked.request.max_tokens).max().unwrap_or(1);
    let generated = job.workload.gen_tokens.unwrap_or_else(|| longest.min(WARMUP_TOKENS));
    let one = |index: u32| {
        let prompt = unmeasured(engine, tokens, WARMUP_SEED + u64::from(index) * TRIES, measured)?;
        // A reply that is held to something ends where that ends.
        let ignore_eos = !job.settings.constrains_replies();
        let request = Request { ignore_eos, ..request(job, prompt, generated) };
        let id = format!("warmup-{index}");
        Ok(Asked { id, task: None, opened: false, says: Says::default(), request })
    };
    (0..job.settings.warmup.or(0)).map(one).collect()
}

/// Reads a measured prompt into the prefix cache, for one token of reply.
pub(super) fn primer<'a>(measured: &Asked<'a>) -> Asked<'a> {
    let request = Request { max_tokens: 1, ignore_eos: true, ..measured.request.clone() };
    let id = format!("{PRIMER}{}", measured.id);
    Asked { id, task: None, opened: false, says: Says::default(), request }
}

/// A synthetic prompt that is none of the measured ones; a little longer than `tokens` where no text has exactly that length.
fn unmeasured(
    engine: &dyn Engine,
    tokens: u32,
    seed: u64,
    measured: &[Asked<'_>],
) -> Result<Prompt, DriveError> {
    let can_be_written = |length: &u32| engine.synthetic_prompt(*length, seed).is_ok();
    let tokens = (tokens..tokens.saturating_add(LONGER)).find(can_be_written).unwrap_or(tokens);
    let mut prompt = engine.synthetic_prompt(tokens, seed)?;
    for next in seed + 1..seed + TRIES {
        if measured.iter().all(|asked| asked.request.prompt.text != prompt.text) {
            break;
        }
        prompt = engine.synthetic_prompt(tokens, next)?;
    }
    Ok(prompt)
}

/// Median length of the prompts in tokens; four characters count as one where ids are not known.
fn middle_length(measured: &[Asked<'_>]) -> u32 {
    let length = |asked: &Asked<'_>| {
        let prompt = &asked.request.prompt;
        prompt.ids.as_ref().map_or(prompt.text.chars().count() / 4, Vec::len) as u32
    };
    let mut lengths: Vec<u32> = measured.iter().map(length).collect();
    lengths.sort_unstable();
    lengths.get(lengths.len() / 2).copied().unwrap_or(1).max(1)
}

/// Every measured prompt of a pass as the engine would get it, with the id of its task. Nothing is asked.
///
/// # Errors
/// When a prompt cannot be rendered.
pub fn prompts(engine: &dyn Engine, job: &Job<'_>) -> Result<Vec<(String, Prompt)>, DriveError> {
    let asked = measured(engine, job)?;
    Ok(asked.into_iter().map(|asked| (asked.id, asked.request.prompt)).collect())
}

/// The rendered texts, for the store.
pub(super) fn renders(measured: &[Asked<'_>]) -> Vec<Render> {
    measured
        .iter()
        .map(|asked| Render { id: asked.id.clone(), text: asked.request.prompt.text.clone() })
        .collect()
}

/// Fingerprint over the rendered texts, in order.
pub(super) fn text_fingerprint(measured: &[Asked<'_>]) -> String {
    fingerprint::of_parts(measured.iter().map(|asked| &asked.request.prompt.text))
}

/// Fingerprint over the token ids, in order, as decimal numbers with commas; unknown where one prompt has none.
pub(super) fn ids_fingerprint(measured: &[Asked<'_>]) -> Stated<String> {
    let lists: Option<Vec<String>> =
        measured.iter().map(|asked| asked.request.prompt.ids.as_deref().map(listed)).collect();
    lists.map_or(Stated::Unknown, |lists| Stated::Set(fingerprint::of_parts(lists)))
}

fn listed(ids: &[u32]) -> String {
    ids.iter().map(u32::to_string).collect::<Vec<_>>().join(",")
}
