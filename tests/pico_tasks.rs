//! The embedded model's tasks and held-out sets.

use planrun::engine::pico::tasks::Sample;
use planrun::engine::pico::{Dialogue, Encoder};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

#[test]
fn show() {
    let t = tokenizers::Tokenizer::from_file("/work/pico-train/run/tokenizer.json").unwrap();
    let e = Encoder::new(t);
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut seen = std::collections::HashMap::<_, (usize, usize, usize, usize)>::new();
    for i in 0..4000 {
        let s = Sample::draw_for_training(&mut rng);
        let th = Dialogue::new(&s, true);
        let d = Dialogue::new(&s, false);
        let r = e.text(&th.parts[1].text).unwrap().len();
        let q = seen.entry(s.family).or_default();
        q.0 += 1;
        q.1 += e.text(&th.parts[0].text).unwrap().len();
        q.2 += r;
        q.3 += e.text(&d.parts[1].text).unwrap().len();
        if i < 24 {
            let ids = e.text(&th.parts[1].text).unwrap();
            println!("{}{}", th.parts[0].text, th.parts[1].text);
            println!("{:?}", ids.iter().map(|i| e.tokenizer().decode(&[*i], false).unwrap()).collect::<Vec<_>>().join("|"));
        }
    }
    for (f, (n, p, t, d)) in seen {
        println!("{} n={n} prompt={} think={} direct={}", f.name(), p / n, t / n, d / n);
    }
    let mut v: Vec<_> = e.tokenizer().get_vocab(true).into_iter().filter(|x| x.1 > 255).collect();
    v.sort_by_key(|x| x.1);
    println!("{:?}", v.iter().map(|x| x.0.as_str()).collect::<Vec<_>>().join(" "));
}
