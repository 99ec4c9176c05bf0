//! How a text is cut into words before byte-level BPE, by the name in `tokenizer.ggml.pre`.
//!
//! The patterns are those of the models' own `tokenizer.json`; they are applied one after another, each to what the one
//! before left, and what no pattern matches stays a piece of its own. Which name means which pattern is known from
//! llama.cpp (`llm_tokenizer_bpe`).

/// GPT-2's own words: contractions, letters, numbers and other signs with the space before them.
const GPT2: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";
const LLAMA3: &str = r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const QWEN2: &str = r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const QWEN35: &str = r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const TEKKEN: &str = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const GPT4O: &str = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const DIGIT: &str = r"\p{N}";
const THREE_DIGITS: &str = "[0-9][0-9][0-9]";
const LINE_ENDS: &str = r"[\r\n]";
const DEEPSEEK_LETTERS: &str = r"\s?[A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-ՖႠ-ჅᎠ-Ᏽᏸ-ᏽᲐ-ᲺᲽ-Ჿᴀ-ᴫᵫ-ᵷᵹ-ᶚḀ-ἕἘ-Ἕἠ-ὅὈ-Ὅὐ-ὗὙὛὝὟ-\x{1F7D}ᾀ-ᾴᾶ-ᾼ\x{1FBE}ῂ-ῄῆ-ῌῐ-\x{1FD3}ῖ-\x{1FDB}ῠ-Ῥῲ-ῴῶ-ῼℂℇℊ-ℓℕℙ-ℝℤ\x{2126}ℨ\x{212A}-ℭℯ-ℴℹℼ-ℿⅅ-ⅉⅎↃↄⰀ-ⱻⱾ-ⳤⳫ-ⳮⳲⳳꙀ-ꙭꚀ-ꚛꜢ-ꝯꝱ-ꞇꞋ-ꞎꭰ-ꮿﬀ-ﬆﬓ-ﬗＡ-Ｚａ-ｚ𐐀-𐑏𐒰-𐓓𐓘-𐓻𐲀-𐲲𐳀-𐳲𑢠-𑣟𞤀-𞥃]+";
const DEEPSEEK_SIGNS: &str = r"\s?[!-/:-~！-／：-～‘-‟\x{3000}-。]+";
const DEEPSEEK_CJK: &str = r"[一-龥ࠀ-一가-\x{D7FF}]+";
const DEEPSEEK3_CJK: &str = r"[一-龥\x{3040}-ゟ゠-ヿ]+";
const DEEPSEEK3: &str = r##"[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"##;

/// What a name stands for.
#[derive(Debug, Clone, Copy)]
pub(super) struct PreTokenizer {
    /// In the order in which they are applied.
    pub(super) patterns: &'static [&'static str],
    /// A word that is itself a token is not put together by merges.
    pub(super) whole_words: bool,
    /// A raw prompt begins with the BOS token if the file does not say otherwise.
    pub(super) adds_bos: bool,
}

const fn cut(patterns: &'static [&'static str]) -> PreTokenizer {
    PreTokenizer { patterns, whole_words: false, adds_bos: false }
}

const KNOWN: &[(&[&str], PreTokenizer)] = &[
    (&["default"], cut(&[r"[\p{P}\$\+<=>\^~\|]+", GPT2, r"\p{N}+", THREE_DIGITS])),
    (
        &["llama3", "llama-v3", "llama-bpe", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2"],
        PreTokenizer { patterns: &[LLAMA3], whole_words: true, adds_bos: true },
    ),
    (&["dbrx", "smaug-bpe", "chatglm-bpe"], cut(&[LLAMA3])),
    (&["glm4"], PreTokenizer { patterns: &[LLAMA3], whole_words: true, adds_bos: false }),
    (
        &["qwen2", "deepseek-r1-qwen", "kormo", "megrez", "stablelm2", "hunyuan", "grok-2", "solar-open"],
        cut(&[QWEN2]),
    ),
    (&["qwen35"], cut(&[QWEN35])),
    (
        &[
            "gpt-2",
            "phi-2",
            "mpt",
            "olmo",
            "jais",
            "trillion",
            "granite-docling",
            "gigachat",
            "exaone4",
            "mellum",
        ],
        cut(&[GPT2]),
    ),
    (
        &["smollm", "starcoder", "refact", "command-r", "codeshell", "exaone", "minerva-7b", "mellum2"],
        cut(&[DIGIT, GPT2]),
    ),
    (&["falcon"], cut(&[r"[\p{P}\$\+<=>\^~\|`]+", GPT2, THREE_DIGITS])),
    (
        &["deepseek-llm"],
        cut(&[LINE_ENDS, DEEPSEEK_LETTERS, DEEPSEEK_SIGNS, r"\s+$", DEEPSEEK_CJK, r"\p{N}+"]),
    ),
    (&["deepseek-coder"], cut(&[LINE_ENDS, r"\s?\p{L}+", r"\s?\p{P}+", DEEPSEEK_CJK, DIGIT])),
    (&["deepseek-v3", "hunyuan-dense", "joyai-llm"], cut(&[r"\p{N}{1,3}", DEEPSEEK3_CJK, DEEPSEEK3])),
    (&["tekken"], PreTokenizer { patterns: &[TEKKEN], whole_words: true, adds_bos: true }),
    (&["gpt-4o", "llama4", "kanana2"], cut(&[GPT4O])),
];

/// Looks a name up.
pub(super) fn find(name: &str) -> Option<PreTokenizer> {
    KNOWN.iter().find(|(names, _)| names.contains(&name)).map(|(_, known)| *known)
}

/// All names, for messages.
pub(super) fn names() -> String {
    KNOWN.iter().flat_map(|(names, _)| names.iter().copied()).collect::<Vec<_>>().join(", ")
}
