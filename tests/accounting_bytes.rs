//! Streams that are cut into other pieces than their messages. The table of all cases: `docs/accounting.md`.

use crate::support::allocation::largest_request;
use crate::support::asking::{apart, done, finish, says, send, streamed, usage};
use crate::support::scripted_server::Act;
use planrun::engine::http::MOST_LINE;

fn bytes(act: Act) -> Vec<u8> {
    let Act::Send(bytes) = act else { panic!("only what is sent has bytes") };
    bytes
}

fn ending() -> Vec<Act> {
    vec![says(" two"), finish("length"), usage(5, 2), done()]
}

#[test]
fn a_character_that_is_split_over_two_reads_is_whole() {
    let first = bytes(says("né 👍"));
    let middle = first.iter().position(|byte| *byte == 0xf0).unwrap() + 2;
    let (left, right) = first.split_at(middle);
    let told = streamed(apart([send(left), send(right)].into_iter().chain(ending()).collect())).unwrap();
    assert_eq!((told.item.text.as_str(), told.item.decode_tokens), ("né 👍 two", Some(1)));
}

#[test]
fn a_message_that_is_split_over_reads_is_one_delivery() {
    let first = bytes(says("one"));
    let pieces: Vec<Act> = first.chunks(first.len() / 3).map(send).collect();
    let told = streamed(apart(pieces.into_iter().chain(ending()).collect())).unwrap();
    assert_eq!(
        (told.item.text.as_str(), told.item.reply_tokens, told.item.decode_tokens),
        ("one two", Some(2), Some(1))
    );
}

#[test]
fn however_a_stream_is_cut_the_reply_is_the_same() {
    let whole: Vec<u8> = [says("né 👍")].into_iter().chain(ending()).flat_map(bytes).collect();
    for size in [1, 2, 3, 5, 7, 64, whole.len()] {
        let told = streamed(whole.chunks(size).map(send).collect()).unwrap();
        assert_eq!(
            (told.item.text.as_str(), told.item.reply_tokens),
            ("né 👍 two", Some(2)),
            "{size} bytes a piece"
        );
    }
}

#[test]
fn a_character_that_tokens_share_comes_late_and_the_rate_stays_unknown() {
    // Three tokens spell one character: the server waits until it is whole.
    let told = streamed(apart(vec![says("👍"), says("!"), finish("length"), usage(5, 4), done()])).unwrap();
    assert_eq!((told.item.reply_tokens, told.item.decode_tokens), (Some(4), None));
}

#[test]
fn lines_may_end_as_on_windows() {
    let windows = |act: Act| send(String::from_utf8(bytes(act)).unwrap().replace('\n', "\r\n"));
    let acts = [says("one")].into_iter().chain(ending()).map(windows);
    let told = streamed(apart(acts.collect())).unwrap();
    assert_eq!((told.item.text.as_str(), told.item.decode_tokens), ("one two", Some(1)));
}

#[test]
fn the_last_message_may_lack_its_line_end() {
    let last = bytes(usage(5, 2));
    let cut = last.strip_suffix(b"\n\n").unwrap();
    let told = streamed(apart(vec![says("one"), says(" two"), finish("length"), send(cut)])).unwrap();
    assert_eq!((told.item.reply_tokens, told.item.decode_tokens), (Some(2), Some(1)));
}

#[test]
fn a_stream_may_end_without_the_word_for_it() {
    let told = streamed(apart(vec![says("one"), says(" two"), finish("length"), usage(5, 2)])).unwrap();
    assert_eq!((told.item.text.as_str(), told.item.reply_tokens), ("one two", Some(2)));
}

#[test]
fn a_message_may_have_its_data_on_several_lines_and_other_fields() {
    let message =
        "event: message\nid: 7\ndata: {\"choices\": [{\"delta\":\ndata: {\"content\": \"one\"}}]}\n\n";
    let told = streamed(apart([send(message)].into_iter().chain(ending()).collect())).unwrap();
    assert_eq!(told.item.text, "one two");
}

#[test]
fn a_line_of_100_megabytes_is_refused_before_it_is_held() {
    let mut acts = vec![send("data: {\"choices\": [{\"delta\": {\"content\": \"")];
    acts.extend((0..100).map(|_| send(vec![b'a'; 1 << 20])));
    let (error, largest) = largest_request(|| streamed(acts).unwrap_err());
    assert!(error.contains(&format!("a line of more than {MOST_LINE} bytes")), "{error}");
    assert!(largest <= 2 * MOST_LINE, "{largest} bytes were asked for at once");
}
