//! The workers' own programs, in Python without any library. What replies must be says the contract (`contract`).

use crate::support::worker::{Desk, has_python, request};
use planrun::abilities::EngineKind;
use planrun::condition::Stated;
use planrun::generation::StopReason;

#[test]
fn whatever_libraries_print_the_reply_is_whole() {
    let Some(desk) = Desk::with_pretended_mlx() else { return };
    let mut engine = desk.open().unwrap();
    let generation = engine.generate(&request(&[7, 8], 3)).unwrap();
    assert_eq!(generation.ids, Some(vec![79, 80, 81]));
    assert_eq!((generation.stop, generation.prompt_tokens), (StopReason::Length, Some(2)));
    let found = engine.observed();
    assert_eq!(
        (&found.kv_cache_dtype, &found.prefill_chunk),
        (&Stated::Set("f16".to_owned()), &Stated::Set(2048))
    );
}

#[test]
fn a_worker_that_ran_out_of_memory_says_so_and_goes_on() {
    let Some(desk) = Desk::with_pretended_mlx() else { return };
    let mut engine = desk.open().unwrap();
    let error = engine.generate(&request(&[98], 5)).unwrap_err().to_string();
    assert!(error.contains("out of memory") && error.contains("Unable to allocate"), "{error}");
    assert_eq!(engine.generate(&request(&[7], 1)).unwrap().ids, Some(vec![71]));
}

#[test]
fn a_missing_module_is_named_with_the_command_that_installs_it() {
    if !has_python() {
        return;
    }
    for (engine, module, packages) in
        [(EngineKind::MlxLm, "mlx", "mlx-lm"), (EngineKind::Transformers, "torch", "transformers torch")]
    {
        // `-S`: no installed package is found; `-E`: nor one that the environment names.
        let mut desk = Desk::with_script(engine, "exec python3 -S -E \"$@\"");
        desk.settings.quantization = Stated::Unset;
        let refusal = desk.refusal();
        assert!(refusal.contains(&format!("it has no module `{module}`")), "{refusal}");
        assert!(refusal.contains(&format!("-m pip install {packages}`")), "{refusal}");
    }
}
