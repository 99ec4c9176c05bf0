//! What can be told of a hub's model by its name alone.

use crate::hub_cache::{HubCache, HubName};

/// What is wrong with a model's name; `None` if nothing is, or if it is no model of the hub.
pub(super) fn wrong_name(model: &str) -> Option<String> {
    HubName::parse(model)?.err().map(|problem| format!("`{model}`: {problem}"))
}

/// Which commit a name without one means here.
pub(super) fn note(model: &str) -> Option<String> {
    let name = HubName::parse(model)?.ok().filter(|name| name.commit().is_none())?;
    let cache = HubCache::from_environment()?;
    let commit = cache.commit(&name).filter(|_| cache.find(&name).is_some())?;
    Some(format!(
        "model `{model}` fixes no commit: runs are of {commit}, which `{}` meant when it was fetched; to say so, write `{}`",
        name.revision(),
        name.at(&commit)
    ))
}
