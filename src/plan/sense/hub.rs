//! What can be told of a hub's model by its name alone.

use crate::abilities::ModelFacts;
use crate::hub_cache::HubName;

/// What is wrong with a model's name; `None` if nothing is, or if it is no model of the hub.
pub(super) fn wrong_name(model: &str) -> Option<String> {
    HubName::parse(model)?.err().map(|problem| format!("`{model}`: {problem}"))
}

/// Which commit a name without one means here.
pub(super) fn note(model: &str, facts: &ModelFacts) -> Option<String> {
    let name = HubName::parse(model)?.ok().filter(|name| name.commit().is_none())?;
    let commit = facts.fingerprint.as_deref()?;
    Some(format!(
        "model `{model}` fixes no commit: runs are of {commit}, which `{}` meant when it was fetched; to say so, write `{}`",
        name.revision(),
        name.at(commit)
    ))
}
