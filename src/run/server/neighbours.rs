//! Inference servers of others on this machine: they take its cores and its memory's bandwidth whenever somebody asks them.

use super::processes::all;
use crate::abilities::EngineKind;
use crate::condition::Settings;
use crate::engine::http::{is_loopback, port_of};
use crate::plan::Planned;
use std::fmt;

/// A server that planrun did not start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Neighbour {
    /// Its process.
    pub process: u32,
    /// Its program. The rest of its command line is nobody's business: it may hold a key.
    pub program: &'static str,
}

impl fmt::Display for Neighbour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, pid {}", self.program, self.process)
    }
}

/// A program that serves models: its name, a word that must stand behind it, and the port where it listens if none is said.
struct Known {
    name: &'static str,
    with: Option<&'static str>,
    port: u16,
}

const fn known(name: &'static str, with: Option<&'static str>, port: u16) -> Known {
    Known { name, with, port }
}

/// Ollama's own server holds no model: its runners do.
const KNOWN: &[Known] = &[
    known("llama-server", None, 8080),
    known("ollama", Some("runner"), 11434),
    known("mlx_lm.server", None, 8080),
    known("mlx_lm", Some("server"), 8080),
    known("vllm", Some("serve"), 8000),
    known("vllm.entrypoints.openai.api_server", None, 8000),
    known("mlc_llm", Some("serve"), 8000),
    known("sglang.launch_server", None, 30000),
    known("sglang", Some("serve"), 30000),
    known("text-generation-server", None, 3000),
    known("text-generation-launcher", None, 3000),
    known("mistralrs-server", None, 1234),
    known("mistralrs", Some("serve"), 1234),
];

/// Programs that run the script or module behind them.
const INTERPRETERS: &[&str] = &["python", "sh", "bash", "env", "uv", "node"];

/// Servers that run and that the plan does not ask itself; none for a plan that measures nothing of this machine.
pub(in crate::run) fn neighbours(planned: &Planned) -> Vec<Neighbour> {
    if planned.cells.iter().all(|cell| measures_elsewhere(&cell.settings)) {
        return Vec::new();
    }
    let asked = planned.cells.iter().filter_map(|cell| {
        let Settings { engine, url, .. } = &cell.settings;
        url.get().map(|url| (url.as_str(), engine.get() == Some(&EngineKind::Ollama)))
    });
    found(&all(), &asked.collect::<Vec<_>>())
}

/// True if a cell is computed by nobody, or on another machine.
fn measures_elsewhere(settings: &Settings) -> bool {
    settings.engine.get() == Some(&EngineKind::Scripted)
        || settings.url.get().is_some_and(|url| !is_loopback(url))
}

/// `asked` are the addresses that the plan asks, and whether it takes an Ollama to be there.
fn found(processes: &[(u32, Vec<String>)], asked: &[(&str, bool)]) -> Vec<Neighbour> {
    let serving = processes.iter().filter_map(|(process, words)| {
        let known = server(words)?;
        let is_asked = asked.iter().any(|(url, ollama)| listens_at(words, known, url, *ollama));
        (!is_asked).then_some(Neighbour { process: *process, program: known.name })
    });
    serving.collect()
}

/// The server that a command line starts; a program that only has the name of one among its arguments is none.
fn server(words: &[String]) -> Option<&'static Known> {
    let name = |word: &String| word.rsplit('/').next().unwrap_or_default().to_owned();
    let first = name(words.first()?);
    let interpreted = INTERPRETERS.iter().any(|program| first.starts_with(program));
    let mut candidates = words.iter().take(if interpreted { 4 } else { 1 }).map(name);
    candidates.find_map(|candidate| {
        KNOWN.iter().find(|known| {
            candidate == known.name && known.with.is_none_or(|with| words.iter().any(|word| word == with))
        })
    })
}

/// True if the server is the one that a plan asks at `url`: it listens there, as far as its command line shows.
fn listens_at(words: &[String], known: &Known, url: &str, ollama: bool) -> bool {
    let Some(port) = port_of(url).filter(|_| is_loopback(url)) else { return false };
    // Runners listen at ports of their own, behind the server that was asked.
    if known.name == "ollama" {
        return ollama || port == known.port;
    }
    let said = words.iter().zip(words.iter().skip(1)).find_map(|(option, value)| {
        matches!(option.as_str(), "--port" | "-p").then(|| value.parse::<u16>().ok())?
    });
    let joined = words.iter().find_map(|word| word.strip_prefix("--port=")?.parse().ok());
    said.or(joined).unwrap_or(known.port) == port
}

#[cfg(test)]
mod tests {
    use super::{found, measures_elsewhere};
    use crate::condition::Settings;

    fn processes(lines: &[&str]) -> Vec<(u32, Vec<String>)> {
        (1..).zip(lines.iter().map(|line| line.split(' ').map(str::to_owned).collect())).collect()
    }

    #[test]
    fn servers_are_known_by_their_command_lines() {
        let lines = [
            "/usr/bin/llama-server -m a.gguf --port 9000",
            "/usr/bin/python3 -m mlx_lm.server --model x",
            "ollama runner --model /blob --port 4711",
            "ollama serve",
            "vim llama-server",
            "grep -r vllm serve",
            "/venv/bin/python3 /venv/bin/vllm serve x",
        ];
        let named: Vec<u32> = found(&processes(&lines), &[]).iter().map(|found| found.process).collect();
        assert_eq!(named, [1, 2, 3, 7]);
    }

    #[test]
    fn a_server_that_the_plan_asks_itself_is_no_neighbour() {
        let lines =
            ["llama-server --port 9000", "llama-server", "llama-server --port=9001", "ollama runner -x"];
        let urls = ["http://127.0.0.1:9000/v1", "http://localhost:8080", "http://localhost:11434"];
        let asked = urls.map(|url| (url, false));
        let named: Vec<u32> = found(&processes(&lines), &asked).iter().map(|found| found.process).collect();
        assert_eq!(named, [3]);
        assert_eq!(found(&processes(&lines), &[("http://elsewhere:9001", false)]).len(), 4);
        let moved = found(&processes(&lines[3..]), &[("http://127.0.0.1:11500", true)]);
        assert_eq!(moved, [], "an Ollama may listen anywhere");
    }

    #[test]
    fn addresses_of_this_machine_are_known_and_others_are_measured_elsewhere() {
        let asks = |url: &str| Settings { url: url.to_owned().into(), ..Settings::default() };
        for here in ["http://[::1]", "http://[::1]:8080/v1", "http://127.0.0.2:1", "https://localhost"] {
            assert!(!measures_elsewhere(&asks(here)), "{here}");
        }
        assert!(measures_elsewhere(&asks("https://api.example.com/v1")));
        assert!(!measures_elsewhere(&Settings::default()));
    }
}
