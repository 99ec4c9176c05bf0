//! Formats of weights with their shares, in words.

/// `q4_k`, or `q4_k 84 % + q6_k 16 %` with the largest share first; the numbers count weights.
pub(super) fn in_words<N: AsRef<str> + Ord>(mut shares: Vec<(N, usize)>) -> String {
    shares.sort_by(|(name, elements), (other, others)| others.cmp(elements).then(name.cmp(other)));
    let all: usize = shares.iter().map(|(_, elements)| elements).sum();
    match shares.as_slice() {
        [(only, _)] => only.as_ref().to_owned(),
        mixed => {
            let share = |(name, elements): &(N, usize)| {
                format!("{} {:.0} %", name.as_ref(), 100.0 * *elements as f64 / all as f64)
            };
            mixed.iter().map(share).collect::<Vec<_>>().join(" + ")
        }
    }
}
