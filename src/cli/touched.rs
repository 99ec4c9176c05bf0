//! What a plan does beyond this program: the programs that it starts, the servers that it asks.

use crate::abilities::{EngineKind, abilities};
use crate::condition::Settings;
use crate::engine::{self, http::is_loopback};
use crate::plan::Planned;
use std::collections::BTreeMap;
use std::path::Path;

/// Stands for the port in a command that is only shown.
const ANY_PORT: u16 = 0;

/// Programs and addresses, each with what `check` says of it.
#[derive(Debug, Default)]
pub(super) struct Touched {
    /// Command lines of programs by the names that the plan has for them.
    pub(super) programs: BTreeMap<String, Vec<String>>,
    /// Addresses on this machine.
    pub(super) here: Vec<String>,
    /// Addresses beyond it.
    pub(super) beyond: Vec<String>,
}

impl Touched {
    /// By all cells of a plan.
    pub(super) fn by(planned: &Planned) -> Self {
        let mut touched = Self::default();
        for cell in &planned.cells {
            touched.add(&cell.settings, planned.folder());
        }
        for addresses in [&mut touched.here, &mut touched.beyond] {
            addresses.sort();
            addresses.dedup();
        }
        touched
    }

    fn add(&mut self, settings: &Settings, base: &Path) {
        if let Some(url) = settings.url.get() {
            let addresses = if is_loopback(url) { &mut self.here } else { &mut self.beyond };
            addresses.push(url.clone());
            return;
        }
        let Some(usual) = abilities(settings.engine.or(EngineKind::Candle)).program else { return };
        let name = settings.program.get().map_or(usual, String::as_str);
        let command = match engine::launch(settings, base, ANY_PORT) {
            Ok(Some(launch)) => launch.shown(),
            Ok(None) => name.to_owned(),
            Err(error) => error.to_string(),
        };
        let commands = self.programs.entry(name.to_owned()).or_default();
        if !commands.contains(&command) {
            commands.push(command);
        }
    }

    /// A line for each program and address, for `check`.
    pub(super) fn lines(&self) -> Vec<String> {
        let commands = |(name, commands): (&String, &Vec<String>)| {
            let more = commands.len().saturating_sub(1);
            let first = commands.first().map_or("", String::as_str);
            let others = if more == 0 { String::new() } else { format!(" (and {more} more such commands)") };
            format!("starts {name}: {first}{others}; running it needs --allow-exec")
        };
        let here = self.here.iter().map(|url| format!("asks the server at {url}, on this machine"));
        let beyond =
            self.beyond.iter().map(|url| format!("asks the server at {url}; running it needs --allow-net"));
        self.programs.iter().map(commands).chain(here).chain(beyond).collect()
    }
}
