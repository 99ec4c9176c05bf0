//! Real servers that run already, where the environment names one:
//! `PLANRUN_TEST_OPENAI=http://127.0.0.1:8080` (a llama-server with any model), `PLANRUN_TEST_MLX_LM=http://127.0.0.1:8081` together
//! with `PLANRUN_TEST_MLX_FOLDER` (an `mlx_lm.server`, and the folder of its model).

use crate::support::asking::{Told, ask, settings};
use crate::support::environment::named;
use planrun::abilities::EngineKind;
use planrun::condition::Settings;
use planrun::engine::http::Client;
use std::path::Path;

/// What must hold for every reply of four tokens, whatever it says.
fn assert_whole(told: &Told) {
    assert_eq!(told.item.error, None);
    assert!(told.item.reply_tokens.is_some_and(|tokens| (1..=4).contains(&tokens)), "{told:?}");
    assert!(told.item.prompt_tokens.is_some_and(|tokens| tokens > 0), "{told:?}");
    assert!(told.item.ttft_s <= told.item.full_s && told.item.ttft_s.is_some(), "{told:?}");
    assert!(told.warnings.is_empty(), "{told:?}");
}

#[test]
fn a_real_server_with_the_interface_of_openai_answers_a_conversation() {
    let Some([url]) = named(["PLANRUN_TEST_OPENAI"]) else { return };
    let listed = Client::new(&url, None).get("/v1/models").unwrap();
    let model = listed["data"][0]["id"].as_str().unwrap().to_owned();
    let settings =
        Settings { model: model.into(), max_tokens: 4.into(), ..settings(EngineKind::Openai, &url) };
    for _ in 0..2 {
        let told = ask(&settings, Path::new(".")).unwrap();
        assert_whole(&told);
        assert_eq!(told.item.cached_tokens, Some(0), "the second time too");
    }
}

#[test]
fn a_real_server_of_mlx_lm_goes_on_with_a_rendered_prompt() {
    let Some([url, folder]) = named(["PLANRUN_TEST_MLX_LM", "PLANRUN_TEST_MLX_FOLDER"]) else {
        return;
    };
    let settings =
        Settings { model: folder.into(), max_tokens: 4.into(), ..settings(EngineKind::MlxLm, &url) };
    assert_whole(&ask(&settings, Path::new(".")).unwrap());
}
