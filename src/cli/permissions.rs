//! What the user lets a plan do: a plan comes from anyone, and reading it must be harmless.

use super::network::NetworkArguments;
use super::output::complain;
use super::touched::{Asked, Touched};
use super::user_config::UserConfig;
use crate::exit::Exit;
use crate::plan::Planned;
use clap::Args;

/// What a plan may do beyond reading its files and computing.
#[derive(Debug, Args)]
pub(super) struct PermissionArguments {
    #[command(flatten)]
    pub(super) network: NetworkArguments,
    /// Let the plan start the programs of its engines; `planrun check` lists them.
    #[arg(long)]
    allow_exec: bool,
}

impl PermissionArguments {
    /// Lets a plan do what these arguments or the user's own configuration allow.
    ///
    /// # Errors
    /// Says what is not allowed, and how to allow it.
    pub(super) fn check(&self, planned: &Planned) -> Result<(), Exit> {
        let touched = Touched::by(planned);
        let config = UserConfig::read().map_err(|problem| refused(&problem))?;
        let standing = config.allowed_in(planned.folder());
        if !touched.programs.is_empty() && !self.allow_exec && !standing.exec {
            let names: Vec<&str> = touched.programs.keys().map(String::as_str).collect();
            return Err(refused(&not_allowed("starts", &names.join(", "), "--allow-exec", "exec", &config)));
        }
        if !touched.beyond.is_empty() && !self.network.allow(planned) {
            let urls = touched.beyond.iter().map(Asked::to_string).collect::<Vec<_>>().join(", ");
            return Err(refused(&not_allowed("asks servers at", &urls, "--allow-net", "net", &config)));
        }
        Ok(())
    }

    /// True if leave was given for all that the plan does beyond this program. A server on this machine, which `run` asks
    /// without leave, is counted too: whoever only checks a plan has not asked for anything to be done with it.
    pub(super) fn cover(&self, planned: &Planned) -> bool {
        let touched = Touched::by(planned);
        let standing =
            UserConfig::read().map(|config| config.allowed_in(planned.folder())).unwrap_or_default();
        (touched.programs.is_empty() || self.allow_exec || standing.exec)
            && (touched.asks_nobody() || self.network.allow(planned))
    }
}

fn not_allowed(does: &str, what: &str, flag: &str, key: &str, config: &UserConfig) -> String {
    format!(
        "the plan {does} {what}, which needs your leave: say {flag}, or `{key} = true` for the plan's folder in {}",
        config.place()
    )
}

fn refused(problem: &str) -> Exit {
    complain(&problem);
    Exit::EngineUnavailable
}
