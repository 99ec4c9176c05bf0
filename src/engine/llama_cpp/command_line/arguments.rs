//! What `llama-completion` is started with.
//!
//! Options: <https://github.com/ggml-org/llama.cpp/blob/master/tools/completion/README.md>. Those of the plan come first: of an
//! option that is given twice, the last one holds.

use crate::condition::Settings;
use crate::engine::EngineError;
use crate::engine::llama_cpp::launch::{OfModel, SPOKEN_FOR, words};
use crate::engine::outside::{OwnProgram, program as find, refuse};
use crate::generation::{Request, Sampling};
use std::path::{Path, PathBuf};

/// The usual name of the program.
const PROGRAM: &str = "llama-completion";

/// Options of the sampler that settings stand for.
const SAMPLERS: &[(&str, &[&str])] = &[
    ("temperature", &["--temp", "--temperature"]),
    ("top_k", &["--top-k"]),
    ("top_p", &["--top-p"]),
    ("seed", &["-s", "--seed"]),
    ("ignore_eos", &["--ignore-eos"]),
    ("max_tokens", &["-n", "--predict", "--n-predict"]),
];

/// Options that would take the place of the prompt, make it a conversation, choose tokens in another way, let a reply end
/// elsewhere, silence the counts, fetch something, or have another machine compute.
const FIXED: &[&str] = &[
    "-p",
    "--prompt",
    "-f",
    "--file",
    "-bf",
    "--binary-file",
    "-cnv",
    "--conversation",
    "-st",
    "--single-turn",
    "-sys",
    "--system-prompt",
    "-sysf",
    "--system-prompt-file",
    "-i",
    "--interactive",
    "-if",
    "--interactive-first",
    "-mli",
    "--multiline-input",
    "-r",
    "--reverse-prompt",
    "-sp",
    "--special",
    "--in-prefix",
    "--in-prefix-bos",
    "--in-suffix",
    "--prompt-cache",
    "--prompt-cache-all",
    "--prompt-cache-ro",
    "-co",
    "--color",
    "--log-disable",
    "--log-file",
    "--samplers",
    "--sampling-seq",
    "--sampler-seq",
    "--mirostat",
    "--dynatemp-range",
    "-l",
    "--logit-bias",
    "--no-perf",
    "-v",
    "--verbose",
    "--log-verbose",
    "-lv",
    "--verbosity",
    "--log-verbosity",
    "-hft",
    "--hf-token",
    "--rpc",
];

/// One prompt as it stands, no conversation; nothing but the reply on standard output, and the counts behind it.
const ALWAYS: &[&str] = &[
    "-bf",
    "/dev/stdin",
    "--no-escape",
    "-no-cnv",
    "--no-display-prompt",
    // Marks of reasoning may be control tokens.
    "--special",
    "--simple-io",
    "--no-context-shift",
    "--perf",
    "--warmup",
    "--offline",
];

/// The program and what it is started with for every request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Command {
    pub(super) program: PathBuf,
    /// The arguments that the requests share.
    pub(super) arguments: Vec<String>,
    /// Context window in tokens.
    pub(super) context: u32,
}

impl Command {
    /// For these settings; `base` is the plan's folder.
    pub(super) fn of(settings: &Settings, base: &Path) -> Result<Self, EngineError> {
        refuse(settings, &[SPOKEN_FOR, SAMPLERS].concat(), FIXED)?;
        let mut arguments = settings.arguments.get().cloned().unwrap_or_default();
        let of_model = OfModel::new(settings, base)?;
        arguments.extend(of_model.arguments);
        arguments.extend(words(ALWAYS));
        arguments.extend(held_to(settings, base));
        let program = find(&settings.program, PROGRAM, base)?;
        Ok(Self { program, arguments, context: of_model.context })
    }
}

/// The file that replies are held to.
fn held_to(settings: &Settings, base: &Path) -> Vec<String> {
    let files = [("--json-schema-file", &settings.json_schema), ("--grammar-file", &settings.grammar)];
    let stated = files.into_iter().filter_map(|(option, file)| Some((option, file.get()?)));
    stated.flat_map(|(option, file)| [option.to_owned(), base.join(file).display().to_string()]).collect()
}

/// What is started for each request, as it is shown.
///
/// # Errors
/// When there is no such program or model, and for arguments and settings that cannot be honoured.
pub(in crate::engine) fn program(settings: &Settings, base: &Path) -> Result<OwnProgram, EngineError> {
    let Command { program, arguments, .. } = Command::of(settings, base)?;
    Ok(OwnProgram { program, arguments, how: ", once for each request" })
}

/// What differs from request to request.
pub(super) fn of_request(request: &Request) -> Vec<String> {
    let mut arguments = words(&["-n", &request.max_tokens.max(1).to_string()]);
    if request.ignore_eos {
        arguments.push("--ignore-eos".to_owned());
    }
    arguments.extend(sampling(&request.sampling));
    arguments
}

/// Samplers that the plan does not know are left out of the chain; those that it knows stand in the order of the other engines.
fn sampling(sampling: &Sampling) -> Vec<String> {
    let greedy = sampling.temperature <= 0.0;
    let chain = if greedy { "top_k;temperature" } else { "temperature;top_k;top_p" };
    let top_k = if greedy { 1 } else { sampling.top_k.unwrap_or(0) };
    let top_p = sampling.top_p.filter(|_| !greedy).unwrap_or(1.0);
    words(&[
        "--samplers",
        chain,
        "--temp",
        &sampling.temperature.max(0.0).to_string(),
        "--top-k",
        &top_k.to_string(),
        "--top-p",
        &top_p.to_string(),
        // Either would take the place of the chain, or of the temperature.
        "--mirostat",
        "0",
        "--dynatemp-range",
        "0",
        // The largest 32-bit number asks for a random seed.
        "-s",
        &(sampling.seed % u64::from(u32::MAX)).to_string(),
    ])
}
