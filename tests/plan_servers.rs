//! What `check` refuses of plans that ask servers and start workers.

use crate::plan_cases::{HEAD, QUALITY, errors, planned};

/// A plan with these settings on this engine, and what follows them.
fn text(engine: &str, settings: &str, rest: &str) -> String {
    let head = HEAD
        .replace("\"scripted\"", &format!("\"{engine}\""))
        .replace("\"pico\"", "\"tiny\"")
        .replace("scorer", &format!("max_tokens = 8\n{settings}\nscorer"));
    format!("{head}\n{rest}\n{QUALITY}")
}

#[test]
fn an_address_that_can_be_read_in_two_ways_is_refused() {
    for url in [
        r"http://example.com\\@127.0.0.1",
        "http://me:word@127.0.0.1",
        "http://127.0.0.1?x",
        "http://127.0.0.1#x",
        "http://127.0.0.1:99999",
    ] {
        let told = errors(&text("openai", &format!("url = \"{url}\""), ""));
        assert!(told.contains("a path may follow"), "{url}: {told}");
    }
    planned(&text("openai", "url = \"http://127.0.0.1:8000/v1\"", ""));
}

#[test]
fn a_key_in_place_of_its_variable_is_refused_and_not_repeated() {
    let url = "url = \"http://127.0.0.1:8000\"";
    for (settings, rest) in [
        ("api_key = \"sk-abc123\"", ""),
        ("", "[grid]\napi_key = [\"KEY\", \"sk-abc123\"]"),
        (
            "",
            "[grid]\nwho = [{ name = \"a\", api_key = \"KEY\" }, { name = \"b\", api_key = \"sk-abc123\" }]",
        ),
    ] {
        let told = errors(&text("openai", &format!("{url}\n{settings}"), rest));
        assert!(told.contains("this value does not fit `api_key`"), "{told}");
        assert!(!told.contains("abc123"), "{told}");
    }
    planned(&text("openai", &format!("{url}\napi_key = \"SOME_KEY2\""), ""));
}

#[test]
fn what_a_server_is_neither_sent_nor_read_for_is_no_setting() {
    let url = "url = \"http://127.0.0.1:8000\"";
    for (key, value) in [("quantization", "q8_0"), ("chat_template", "none"), ("template_date", "2026-11-30")]
    {
        let told = errors(&text("openai", &format!("{url}\n{key} = \"{value}\""), ""));
        assert!(told.contains(&format!("`{key}` cannot act")) && told.contains("`model_files`"), "{told}");
        let files = format!("{url}\nmodel_files = \"pico\"\nthinking = false\n{key} = \"{value}\"");
        if key == "template_date" {
            planned(&text("openai", &files, ""));
        }
    }
    let told = errors(&text("openai", url, "[grid]\nquantization = [\"q8_0\", \"q4_0\"]"));
    assert!(told.contains("`quantization` cannot act"), "{told}");
    let bundle =
        |name: &str, scheme: &str| format!("[deployments.{name}]\nquantization = \"{scheme}\"\n{url}\n");
    let bundles =
        format!("{}{}[grid]\ndeployment = [\"a\", \"b\"]", bundle("a", "q8_0"), bundle("b", "q4_0"));
    planned(&text("openai", "", &bundles));
}

#[test]
fn a_worker_runs_no_program_but_planruns() {
    for (engine, program) in [("transformers", "python3"), ("mlx_lm", "/opt/bin/python3.12")] {
        let with = |arguments: &str| {
            text(engine, &format!("program = \"{program}\"\narguments = [{arguments}]"), "")
        };
        for wrong in ["\"-c\"", "\"-cpass\"", "\"-m\"", "\"-Im\"", "\"other.py\"", "\"-\"", "\"--\"", "\"\""]
        {
            let told = errors(&with(&format!("\"-I\", {wrong}")));
            assert!(told.contains("names another"), "{wrong}: {told}");
        }
        planned(&with("\"-I\", \"-Ximporttime\", \"-Wmodule\""));
    }
    planned(&text("llama_cpp", "arguments = [\"-c\", \"512\"]", ""));
}

#[test]
fn of_an_address_that_is_none_only_that_is_told() {
    let attached = "[schedule]\nisolation = \"attached\"";
    for url in ["ftp://127.0.0.1", "HTTP://127.0.0.1", " http://127.0.0.1"] {
        for written in [format!("url = \"{url}\"\napi_key = \"KEY\""), format!("url = \"{url}\"")] {
            let told = errors(&text("openai", &written, attached));
            assert!(told.contains("does not fit `url`") && told.contains("\n1 error in"), "{told}");
        }
        let varied = errors(&text("openai", "", &format!("[grid]\nurl = [\"http://127.0.0.1\", \"{url}\"]")));
        assert!(varied.contains("does not fit `url`") && varied.contains("\n1 error in"), "{varied}");
    }
    assert!(errors(&text("openai", "", "")).contains("`url` is not set"));
}

#[test]
fn words_that_no_guesser_answers_to_are_an_error_of_the_plan() {
    for words in ["ngram:0", "ngram:1025", "eagle:x", "", "draft:"] {
        let told = errors(&text("llama_cpp", &format!("speculation = \"{words}\""), ""));
        assert!(told.contains(&format!(": llama.cpp cannot speculate by `{words}`")), "{told}");
        assert!(told.contains("case.toml:") && told.contains("\"ngram:N\" with N from 1 to 1024"), "{told}");
    }
    let program = "speculation = \"ngram:4\"\nprogram = \"llama-completion\"";
    let told = errors(&text("llama_cpp", program, ""));
    assert!(told.contains("take `speculation` out, or use another program (`llama-server`)"), "{told}");
    let elsewhere = errors(&text("ollama", "speculation = \"ngram:4\"", ""));
    assert!(elsewhere.contains("take `speculation` out, or use another engine"), "{elsewhere}");
}
