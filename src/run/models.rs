//! Models of the hub are fetched before the first run: no run waits for the network, and all are of one commit.

use crate::engine::hub::{self, Consent, HubError, Transfer};
use crate::hub_cache::HubName;
use crate::plan::Planned;
use indicatif::{HumanBytes, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;

/// The plan's models of the hub, and those whose files prompts are written with.
pub fn models_of_hub(planned: &Planned) -> BTreeSet<String> {
    let models = planned.cells.iter().filter_map(|cell| cell.settings.named_files());
    models.filter(|model| HubName::parse(model).is_some()).cloned().collect()
}

/// Fetches what of these models is not in the hub's cache, and shows on standard error what is done. True if something was
/// fetched.
pub fn fetch_models(models: &BTreeSet<String>, consent: Consent) -> Result<bool, HubError> {
    let mut shown = Shown::new();
    let mut fetched = false;
    for model in models {
        let end = hub::fetch(model, consent, &mut |transfer| shown.tell(transfer));
        shown.bar.finish_and_clear();
        fetched |= end?;
    }
    Ok(fetched)
}

/// For each model whose name means a commit, the name that says so.
pub(super) fn pins(planned: &Planned) -> BTreeMap<String, String> {
    let pin = |model: String| {
        let name = HubName::parse(&model)?.ok()?.at(planned.models.get(&model)?);
        Some((model, name.to_string()))
    };
    models_of_hub(planned).into_iter().filter_map(pin).collect()
}

/// A bar on a terminal, else a line for each file.
struct Shown {
    bar: ProgressBar,
    on_terminal: bool,
}

impl Shown {
    fn new() -> Self {
        let style =
            ProgressStyle::with_template("{bytes}/{total_bytes}  {bytes_per_sec}, {eta} left  {wide_msg}");
        let target = ProgressDrawTarget::stderr_with_hz(5);
        let on_terminal = !target.is_hidden();
        let bar = ProgressBar::with_draw_target(Some(0), target);
        Self { bar: bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())), on_terminal }
    }

    fn tell(&mut self, transfer: Transfer<'_>) {
        match transfer {
            Transfer::Model { files: 0, .. } => {}
            Transfer::Model { model, host, folder, files, bytes } => {
                let (bytes, folder) = (HumanBytes(bytes), folder.display());
                self.say(&format!("{model}: fetching {files} files, {bytes}, from {host} into {folder}"));
            }
            Transfer::File { name, bytes } => {
                if !self.on_terminal {
                    self.say(&format!("{name}, {}", HumanBytes(bytes)));
                }
                self.bar.reset();
                self.bar.set_length(bytes);
                self.bar.set_message(name.to_owned());
            }
            Transfer::Bytes(more) => self.bar.inc(more),
            Transfer::Unchecked(files) => self.say(&format!(
                "the hub's cache does not have {}, and whether the model has such files could not be asked; \
                 `--allow-net` lets it be asked",
                files.join(" and ")
            )),
        }
    }

    /// One line that the bar does not disturb.
    fn say(&self, line: &str) {
        // Nobody can be told that standard error is closed.
        self.bar.suspend(|| drop(writeln!(std::io::stderr(), "planrun: {line}")));
    }
}
