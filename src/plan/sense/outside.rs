//! Engines outside: programs that a plan starts, servers that it attaches to, and what they can be asked for.

use super::address::wrong_address;
use super::stated::Complaint;
use crate::abilities::{Abilities, EngineKind, ModelName, UnknownGuesser, guesser, names_an_interpreter};
use crate::condition::Settings;

/// What is wrong with how a cell wants its engine to be reached, and with what it asks its sampler for. `url_in_doubt` where
/// an address was refused already: then nothing follows from its absence.
pub(super) fn complaints(
    settings: &Settings,
    engine: EngineKind,
    able: &Abilities,
    url_in_doubt: bool,
) -> Vec<Complaint> {
    let reached = if engine == EngineKind::Openai { no_url(settings) } else { None };
    let lonely = lonely_key(settings);
    let passed_over = unread(settings, able);
    let missed = [reached, lonely].into_iter().flatten().filter(|_| !url_in_doubt);
    [address(settings), script(settings, engine, able), guessing(settings, engine, able)]
        .into_iter()
        .flatten()
        .chain(missed)
        .chain(reach(settings, able))
        .chain(sampling(settings, able))
        .chain(passed_over)
        .collect()
}

fn address(settings: &Settings) -> Option<Complaint> {
    let problem = wrong_address(settings.url.get()?)?.to_owned();
    let remedy = "write it as \"http://127.0.0.1:8000\"; a path may follow".to_owned();
    Some(Complaint { key: "url", problem, remedy })
}

/// A worker's interpreter is given planrun's own program: arguments that name another one would take its place.
fn script(settings: &Settings, engine: EngineKind, able: &Abilities) -> Option<Complaint> {
    let program = settings.program.get().map(String::as_str).or(able.program)?;
    let is_worker = match engine {
        EngineKind::Transformers => true,
        EngineKind::MlxLm => names_an_interpreter(program),
        _ => false,
    };
    let wrong = settings.arguments.get()?.iter().find(|argument| is_worker && runs_something(argument))?;
    Some(Complaint {
        key: "arguments",
        problem: format!("planrun gives the interpreter its own program, and `{wrong}` names another"),
        remedy: "leave only options of the interpreter, each in one word, such as \"-Xutf8\"".to_owned(),
    })
}

/// True for a script, for `-c` and `-m`, and for letters of options joined with one of the two (`-Im`); what follows `-X` or
/// `-W` in one word is theirs (<https://docs.python.org/3/using/cmdline.html>).
fn runs_something(argument: &str) -> bool {
    let Some(letters) = argument.strip_prefix('-').filter(|rest| !rest.is_empty() && *rest != "-") else {
        return true;
    };
    !letters.starts_with('-')
        && letters.chars().take_while(|letter| !"XW".contains(*letter)).any(|letter| "cm".contains(letter))
}

/// Settings that are neither sent to a server nor read of files: a grid over them would compare a thing with itself.
fn unread(settings: &Settings, able: &Abilities) -> Vec<Complaint> {
    if able.model != ModelName::AtServer || settings.model_files.get().is_some() {
        return Vec::new();
    }
    let bundled = settings.deployment.get().is_some();
    let stated = [
        (
            "quantization",
            settings.quantization.get().is_some() && !bundled,
            " or make it part of a deployment",
        ),
        ("chat_template", settings.chat_template.get().is_some(), ""),
        ("template_date", settings.template_date.get().is_some(), ""),
    ];
    let found = stated.into_iter().filter(|(_, stated, _)| *stated);
    found
        .map(|(key, _, or)| Complaint {
            key,
            problem: format!(
                "`{key}` cannot act: for engine `{}` the model is the server's, and `model_files` is not set",
                able.name
            ),
            remedy: format!("take it out, or name the model's files in `model_files`{or}"),
        })
        .collect()
}

fn no_url(settings: &Settings) -> Option<Complaint> {
    settings.url.get().is_none().then(|| Complaint {
        key: "engine",
        problem: "engine `openai` is a server that runs already, and `url` is not set".to_owned(),
        remedy: "set `url` to its address, such as \"http://127.0.0.1:8000\"".to_owned(),
    })
}

fn lonely_key(settings: &Settings) -> Option<Complaint> {
    let is_lonely = settings.api_key.get().is_some() && settings.url.get().is_none();
    is_lonely.then(|| Complaint {
        key: "api_key",
        problem: "`api_key` is for the server at `url`, which is not set".to_owned(),
        remedy: "take `api_key` out, or set `url`".to_owned(),
    })
}

/// Words that the engine has no way of guessing for; one that cannot guess at all is told of elsewhere.
fn guessing(settings: &Settings, engine: EngineKind, able: &Abilities) -> Option<Complaint> {
    let can_guess = engine == EngineKind::LlamaCpp && able.optional.contains(&"speculation");
    let written = settings.speculation.get().filter(|_| can_guess)?;
    let UnknownGuesser { problem, remedy } = guesser(written).err()?;
    Some(Complaint { key: "speculation", problem, remedy })
}

fn reach(settings: &Settings, able: &Abilities) -> Vec<Complaint> {
    let Settings { url, program, arguments, model_files, .. } = settings;
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
