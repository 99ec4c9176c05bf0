//! Engines outside: programs that a plan starts, servers that it attaches to, and what they can be asked for.

use super::stated::Complaint;
use crate::abilities::{Abilities, EngineKind, ModelName};
use crate::condition::Settings;

/// What is wrong with how a cell wants its engine to be reached, and with what it asks its sampler for.
pub(super) fn complaints(settings: &Settings, engine: EngineKind, able: &Abilities) -> Vec<Complaint> {
    let reached = if engine == EngineKind::Openai { no_url(settings) } else { None };
    [reached].into_iter().flatten().chain(reach(settings, able)).chain(sampling(settings, able)).collect()
}

fn no_url(settings: &Settings) -> Option<Complaint> {
    settings.url.get().is_none().then(|| Complaint {
        key: "engine",
        problem: "engine `openai` is a server that runs already, and `url` is not set".to_owned(),
        remedy: "set `url` to its address, such as \"http://127.0.0.1:8000\"".to_owned(),
    })
}

fn reach(settings: &Settings, able: &Abilities) -> Vec<Complaint> {
    let Settings { url, program, arguments, api_key, model_files, .. } = settings;
    let starts = able.program.is_some();
    let name = able.name;
    let wrong = [
        (
            "url",
            url.get().is_some() && !able.attaches,
            format!("engine `{name}` answers at no address"),
            "take `url` out",
        ),
        (
            "program",
            program.get().is_some() && !starts,
            format!("planrun starts no program for engine `{name}`"),
            "take `program` out",
        ),
        (
            "arguments",
            arguments.get().is_some() && !starts,
            format!("planrun starts no program for engine `{name}`"),
            "take `arguments` out",
        ),
        (
            "url",
            starts && url.get().is_some() && (program.get().is_some() || arguments.get().is_some()),
            "`url` names a server that runs already, and `program` or `arguments` one to be started"
                .to_owned(),
            "take one of them out",
        ),
        (
            "api_key",
            api_key.get().is_some() && url.get().is_none(),
            "`api_key` is for the server at `url`, which is not set".to_owned(),
            "take `api_key` out, or set `url`",
        ),
        (
            "model_files",
            model_files.get().is_some() && able.model != ModelName::AtServer,
            format!("for engine `{name}` the files are what `model` names"),
            "take `model_files` out",
        ),
    ];
    let found = wrong.into_iter().filter(|(_, holds, ..)| *holds);
    found.map(|(key, _, problem, remedy)| Complaint { key, problem, remedy: remedy.to_owned() }).collect()
}

/// Settings of the sampler that the engine would pass over in silence.
fn sampling(settings: &Settings, able: &Abilities) -> Vec<Complaint> {
    let stated = [
        ("temperature", settings.temperature.get().is_some_and(|temperature| *temperature > 0.0)),
        ("top_k", settings.top_k.get().is_some()),
        ("top_p", settings.top_p.get().is_some()),
        ("seed", settings.seed.get().is_some()),
        ("ignore_eos", settings.ignore_eos.get() == Some(&true)),
    ];
    let passed_over = stated.into_iter().filter(|(key, stated)| *stated && !able.sampling.contains(key));
    passed_over
        .map(|(key, _)| Complaint {
            key,
            problem: format!("engine `{}` cannot honour `{key}`", able.name),
            remedy: format!("take `{key}` out, or use another engine"),
        })
        .collect()
}
