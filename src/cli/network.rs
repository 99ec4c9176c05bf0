//! What a command may use the network for, and the fetching of models.

use super::output::complain;
use super::user_config::UserConfig;
use crate::engine::hub::Consent;
use crate::exit::Exit;
use crate::plan::Planned;
use crate::run::{fetch_models, prepare};
use clap::Args;
use std::collections::BTreeSet;

/// Whether a plan may reach beyond this machine.
#[derive(Debug, Args)]
pub(super) struct NetworkArguments {
    /// Let the plan use the network: fetch its `hf:` models that are not in the hub's cache, ask servers on other machines.
    #[arg(long)]
    allow_net: bool,
}

impl NetworkArguments {
    /// By the command line, or by the user's configuration for the plan's folder. One that cannot be read allows nothing.
    pub(super) fn allow(&self, planned: &Planned) -> bool {
        let standing = || UserConfig::read().is_ok_and(|config| config.allowed_in(planned.folder()).net);
        self.allow_net || standing()
    }
}

/// The plan with these of its models in the cache. When one had to be fetched, the plan is prepared again: what the model can do, and
/// which commit it is, was not known before.
pub(super) fn with_models(
    planned: Planned,
    models: &BTreeSet<String>,
    arguments: &NetworkArguments,
) -> Result<Planned, Exit> {
    let consent = if arguments.allow(&planned) { Consent::Given } else { Consent::Withheld };
    if !have(models, consent)? {
        return Ok(planned);
    }
    prepare(&planned.path, &planned.overrides).map_err(|errors| {
        complain(&errors);
        Exit::PlanInvalid
    })
}

/// Models that the command line itself names: naming them is asking for them.
pub(super) fn have_named(models: &[String]) -> Result<(), Exit> {
    have(&models.iter().cloned().collect(), Consent::Given).map(|_| ())
}

/// True if something was fetched.
fn have(models: &BTreeSet<String>, consent: Consent) -> Result<bool, Exit> {
    fetch_models(models, consent).map_err(|error| {
        complain(&error);
        Exit::EngineUnavailable
    })
}
