//! The table of engines in the documentation is the table that plans are checked with.

use planrun::abilities::{Abilities, EngineKind, ModelName, PromptForm, abilities};

fn row(able: &Abilities) -> String {
    let listed = |words: &[&str]| if words.is_empty() { "-".to_owned() } else { words.join(", ") };
    let yes = |can: bool| if can { "yes" } else { "no" };
    let model = match able.model {
        ModelName::Files => "files",
        ModelName::AtServer => "a name at the server",
        ModelName::Script => "a script",
    };
    let prompt = match able.prompt {
        PromptForm::Ids => "ids",
        PromptForm::Text => "text",
        PromptForm::TextOrMessages => "text, or messages",
        PromptForm::IdsOrMessages => "ids, or messages",
    };
    format!(
        "| `{}` | {model} | {} | {} | {prompt} | {} | {} | {} | {} | {} | {} | {} | {} |",
        able.name,
        able.program.map_or("-".to_owned(), |program| format!("`{program}`")),
        yes(able.attaches),
        yes(able.ids),
        yes(able.cached_tokens),
        yes(able.forgets),
        yes(able.speculation_counts),
        yes(able.thinking),
        listed(able.kv_cache_dtypes),
        listed(able.sampling),
        listed(able.optional),
    )
}

#[test]
fn the_documentation_has_a_row_for_each_engine_with_what_it_can_do() {
    let documentation = include_str!("../docs/servers.md");
    let rows: Vec<String> = EngineKind::ALL.iter().map(|kind| row(&abilities(*kind))).collect();
    let table = rows.join("\n");
    assert!(documentation.contains(&table), "docs/servers.md must have these rows:\n{table}");
}
