//! How prompts reach the model.

use super::super::subject::{Asking, GREEDY};
use planrun::abilities::PromptForm;
use planrun::engine::EngineError;
use planrun::generation::{Prompt, Request};

/// Marks that combine, letters of two planes, a family of code points that is one sign.
const UNICODE: &str = "Größe 東京 e\u{301} 👩\u{200d}🚀";

/// The engine gets ids, text or messages, as the table says, and the very ones that were written.
pub(crate) fn form(asking: &mut Asking<'_>) {
    let request = asking.question(1);
    let Prompt { text, ids, chat } = &request.prompt;
    match asking.traits.able.prompt {
        PromptForm::Ids | PromptForm::Text => assert!(ids.is_some() && chat.is_none(), "planrun writes it"),
        PromptForm::TextOrMessages | PromptForm::IdsOrMessages => {
            assert!(ids.is_some() != chat.is_some(), "either planrun writes it, or the server");
        }
    }
    if !asking.is_scripted() {
        return;
    }
    asking.ask(&request);
    let heard = asking.heard().unwrap();
    if let Some(ids) = ids {
        assert_eq!(&heard.ids, ids, "tokens that the peer read");
    }
    if let (Some(read), None) = (&heard.text, chat) {
        assert_eq!(read, text, "text that the peer read");
    }
    let by_ids = matches!(asking.traits.able.prompt, PromptForm::Ids);
    assert!(!by_ids || heard.text.is_none(), "the table says that prompts go as ids");
}

pub(crate) fn unicode(asking: &mut Asking<'_>) {
    let request = Request { prompt: asking.rendered(UNICODE), ..asking.anything(1) };
    assert!(
        request.prompt.chat.is_some() || request.prompt.text.contains(UNICODE),
        "{}",
        request.prompt.text
    );
    asking.ask(&request);
    if let Some(heard) = asking.heard() {
        assert!(heard.read.contains(UNICODE), "the peer read {:?}", heard.read);
    }
}

pub(crate) fn tokens_of_a_text(asking: &mut Asking<'_>) {
    let prompt = asking.rendered("Two words");
    match asking.engine.tokenize(&prompt.text) {
        Ok(ids) => assert_eq!(Some(ids), prompt.ids),
        Err(EngineError::Unsupported { problem, remedy, .. }) => {
            assert!(!problem.is_empty() && !remedy.is_empty());
        }
        Err(other) => panic!("neither tokens nor a refusal: {other}"),
    }
}

pub(crate) fn synthetic(asking: &mut Asking<'_>) {
    for tokens in [9, 24] {
        let prompt = |seed| asking.engine.synthetic_prompt(tokens, seed).unwrap();
        let (one, same) = (prompt(1), prompt(1));
        assert_eq!(one, same, "a seed decides it");
        assert!((2..9).any(|seed| prompt(seed).text != one.text), "another seed writes another one");
        if let Some(ids) = &one.ids {
            assert_eq!(ids.len() as u32, tokens);
        }
    }
    let prompt = asking.engine.synthetic_prompt(9, 3).unwrap();
    asking.ask(&Request { prompt, max_tokens: 1, sampling: GREEDY, ignore_eos: false });
}

/// It is refused by name, or read to its last token.
pub(crate) fn too_long(asking: &mut Asking<'_>) {
    let Some(context) = asking.traits.context else { return };
    let prompt = asking.engine.synthetic_prompt(context + 40, 2).unwrap();
    let request = Request { prompt, max_tokens: 1, sampling: GREEDY, ignore_eos: false };
    match asking.try_to_ask(&request) {
        Err(EngineError::ContextFull { tokens, context: told }) => {
            assert_eq!((tokens, told), ((context + 40) as usize, context as usize));
        }
        Err(error) => {
            let told = error.to_string();
            assert!(
                told.contains("context") || told.contains("the prompt has"),
                "it does not name the length: {told}"
            );
        }
        Ok(reply) => panic!("answered after {:?} tokens of {}", reply.prompt_tokens, context + 40),
    }
}
