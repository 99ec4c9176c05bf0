"""What llama.cpp makes of texts: the ids of some 2,500 texts in the vocabulary of a GGUF file, one JSON line a text.

    pip install xllamacpp==2026.10.11549
    python3 tests/benches/llama_tokens.py MODEL.gguf > tokens.jsonl
    PLANRUN_MODEL=MODEL.gguf PLANRUN_TOKENS=tokens.jsonl cargo test --release --test planrun -- --ignored --nocapture llama_cpp_cuts

The texts are the same on every machine: sentences in some 30 languages and scripts, program text, emoji sequences, random
characters of 20 Unicode blocks, white space, digits and contractions in disorder. Special tokens are parsed, and none is
added. Vocabulary-only files will do.
"""

import ctypes
import json
import os
import random
import sys

import xllamacpp

SENTENCES = [
    "The quick brown fox jumps over the lazy dog, doesn't it? I'LL say we've 3 of 'em; they'd SHOULD'VE.",
    "Größe, Maß und Übermut: Die Fußgängerzone öffnet um 8:30 Uhr – „wirklich?“ fragte er.",
    "Où est-ce que l'été s'en va ? C'est déjà l'automne… Ça coûte 1 234,56 €.",
    "El niño comió piñas; ¿qué más? ¡Nada! Año 2024, 50 % menos.",
    "Ele não está à vontade com a situação, coração.",
    "Perché l'università è così lontana? È un'ora di treno.",
    "Zażółć gęślą jaźń. Łódź leży w środku Polski.",
    "Příliš žluťoučký kůň úpěl ďábelské ódy.",
    "Съешь же ещё этих мягких французских булок, да выпей чаю. Ёлка, объём, 100 руб.",
    "Їхав козак за Дунай, сказав: «Дівчино, прощай!»",
    "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία. Καλημέρα, τι κάνεις;",
    "אני יכול לאכול זכוכית וזה לא מזיק לי. שָׁלוֹם עֲלֵיכֶם",
    "أنا قادر على أكل الزجاج و هذا لا يؤلمني. السَّلَامُ عَلَيْكُمْ ٣٤٥",
    "من می‌توانم شیشه بخورم بدون اینکه دردم بیاید. می‌خواهم",
    "मैं काँच खा सकता हूँ और मुझे उससे कोई चोट नहीं पहुंचती। क्षत्रिय १२३",
    "আমি কাঁচ খেতে পারি, তাতে আমার কোনো ক্ষতি হয় না।",
    "நான் கண்ணாடி சாப்பிடுவேன், அதனால் எனக்கு ஒரு கேடும் வராது.",
    "నేను గాజు తినగలను మరియు అలా చేసినా నాకు ఏమి ఇబ్బంది లేదు",
    "ฉันกินกระจกได้ แต่มันไม่ทำให้ฉันเจ็บ ๑๒๓",
    "ខ្ញុំអាចញុំកញ្ចក់បាន ដោយគ្មានបញ្ហារ",
    "Tôi có thể ăn thủy tinh mà không hại gì. Đường Nguyễn Huệ.",
    "我能吞下玻璃而不伤身体。今天天气真好,我们去公园吧!价格是1,234元。",
    "我能吞下玻璃而不傷身體。龍龜鬱。",
    "私はガラスを食べられます。それは私を傷つけません。カタカナとひらがな、漢字。123番",
    "나는 유리를 먹을 수 있어요. 그래도 아프지 않아요. 뷁쀍",
    "Ben cam yiyebilirim, bana zararı dokunmaz. İstanbul'da ığdır'ın",
    "მინას ვჭამ და არა მტკივა.",
    "Կրնամ ապակի ուտել և ինծի անհանգիստ չըներ։",
    "Mogę jeść szkło i mi nie szkodzi",
    "Ég get etið gler án þess að meiða mig. Þórður",
    "ᚠᛇᚻ᛫ᛒᛦᚦ᛫ᚠᚱᚩᚠᚢᚱ",
    "ꦲꦏꦱꦫ ⵜⴰⵎⴰⵣⵉⵖⵜ ᏣᎳᎩ",
    "ལྷ་སའི་སྐད།",
    "ကျွန်တော်၊ ကျွန်မ မှန်စားနိုင်တယ်။",
    "ⰳⰾⰰⰳⱁⰾⰹⱌⰰ 𐐐𐐯𐑊𐐬 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𝒳²⁺ ½ ⅷ Ⅻ ①② ㎏ ﷽",
]

PROGRAMS = [
    "fn main() {\n    let x: Vec<u32> = (0..10).map(|i| i * 2).collect();\n\tprintln!(\"{:?}\", x);\n}\n",
    "def f(a, b=None, *args, **kw):\n    '''doc'''\n    if a >= b and not a != 3.14e-10:\n        return {**kw, 'k': [x for x in args if x]}\n\n\n    raise ValueError(f\"bad {a!r}\")\n",
    "#include <stdio.h>\nint main(void){for(int i=0;i<10;++i){printf(\"%d\\n\",i);}return 0;}\n// TODO: fix   \r\n/* x */\r\n",
    "SELECT a.id, COUNT(*) FROM t AS a LEFT JOIN u ON a.id=u.id WHERE x LIKE '%foo%' GROUP BY 1 HAVING COUNT(*)>2;\n",
    "<html><body class=\"a b\"><p>Hi &amp; bye</p><!-- c --></body></html>\n",
    "$x = @{ 'a' => 1, };  # perl\n$y =~ s/\\d+/X/g;\n",
    "{\"a\": [1, 2.5, -3e4, null, true], \"b\": {\"c\": \"\\u00e9\\n\"}}\n",
    "const f = async (x) => await y?.z ?? `t${x}`;\n\n\n\n",
    "x86_64: mov eax, [rbx+4*rcx-0x1F]\n\t\t\tjmp .L2\n",
    "\\begin{equation} \\frac{\\partial^2 u}{\\partial t^2} = c^2 \\nabla^2 u \\end{equation}\n",
    "for i in $(seq 1 10); do echo \"$i\" | tee -a /tmp/x.log; done && true || false\n",
]

EMOJI = "😀😃🤣👍🏽👩‍💻👨‍👩‍👧‍👦🏳️‍🌈🇩🇪🇫🇷✊🏿🫠🫶🏻❤️‍🔥☃️⚡🚀🎉🥲🦄💩🧑🏾‍🚀1️⃣#️⃣⌚️🀄🃏"

# First and last code point of Unicode blocks.
BLOCKS = [
    (0x20, 0x7E), (0xA0, 0x24F), (0x250, 0x36F), (0x370, 0x52F), (0x590, 0x77F), (0x900, 0xDFF), (0xE00, 0x10FF),
    (0x1100, 0x13FF), (0x1E00, 0x1FFF), (0x2000, 0x20FF), (0x2100, 0x2BFF), (0x3000, 0x31FF), (0x4E00, 0x9FFE),
    (0xAC00, 0xD7A3), (0xF900, 0xFFED), (0x1F300, 0x1F9FF), (0x10000, 0x103FF), (0x1D400, 0x1D7FF), (0x20000, 0x201FF),
    (0x1, 0x1F),
]
WHITE = [
    " ", "  ", "   ", "\n", "\n\n", "\t", " \n", "\n ", "\r\n", "\u00a0", "\u3000", "\u2003", "\x0b", "\x0c", " " * 8,
    "\t\t", "\u2028", "\u0085", " " * 17, "\n" * 5,
]
MARKS = list("'\"!?.,;:-_()[]{}<>/\\|@#$%^&*+=~`") + [
    "...", "'s", "'S", "'re", "'LL", "''", "“", "”", "—", "。", "،", "¿", "€", "₿", "<s>", "</s>", "<0x0A>", "<|x|>", "▁", "▁▁",
]


def texts():
    """The corpus."""
    draw = random.Random(20)

    def letters(most, blocks):
        return "".join(chr(draw.randint(*draw.choice(blocks))) for _ in range(draw.randint(1, most)))

    def word():
        kind = draw.random()
        if kind < 0.35:
            return draw.choice(draw.choice(SENTENCES).split())
        if kind < 0.5:
            return letters(6, BLOCKS)
        if kind < 0.6:
            return letters(8, [draw.choice(BLOCKS)])
        if kind < 0.7:
            return str(draw.randint(0, 10 ** draw.randint(1, 12)))
        if kind < 0.8:
            start = draw.randrange(len(EMOJI))
            return EMOJI[start : start + draw.randint(1, 5)]
        return draw.choice(MARKS)

    def white():
        return draw.choice(WHITE) if draw.random() < 0.6 else ""

    def several(words, most, between=""):
        return between.join(words() for _ in range(draw.randint(1, most)))

    yield from SENTENCES + PROGRAMS
    for _ in range(300):
        yield several(lambda: draw.choice(SENTENCES), 4, " " if draw.random() < 0.7 else "\n")
    for _ in range(150):
        yield several(lambda: draw.choice(PROGRAMS), 3)
    for _ in range(1500):
        yield several(lambda: word() + white(), 25)
    for _ in range(200):
        yield several(lambda: draw.choice(WHITE), 12) + draw.choice(["", "x", "é", "1", "."])
    for _ in range(300):
        yield several(lambda: draw.choice("aAbB'sStT1. \n-é"), 40)


class ModelParameters(ctypes.Structure):
    """`llama_model_params` of build 11549."""

    _fields_ = [
        ("devices", ctypes.c_void_p), ("buffer_types", ctypes.c_void_p), ("gpu_layers", ctypes.c_int32),
        ("split_mode", ctypes.c_int), ("load_mode", ctypes.c_int), ("lazy_mode", ctypes.c_int),
        ("main_gpu", ctypes.c_int32), ("tensor_split", ctypes.c_void_p), ("progress", ctypes.c_void_p),
        ("progress_data", ctypes.c_void_p), ("overrides", ctypes.c_void_p), ("vocab_only", ctypes.c_bool),
        ("check_tensors", ctypes.c_bool), ("extra_buffers", ctypes.c_bool), ("no_host", ctypes.c_bool),
        ("no_alloc", ctypes.c_bool), ("mtp", ctypes.c_bool),
    ]


def library():
    """llama.cpp inside the Python module."""
    llama = ctypes.CDLL(os.path.join(os.path.dirname(xllamacpp.__file__), "xllamacpp.abi3.so"))
    llama.llama_model_default_params.restype = ModelParameters
    llama.llama_model_load_from_file.restype = ctypes.c_void_p
    llama.llama_model_load_from_file.argtypes = [ctypes.c_char_p, ModelParameters]
    llama.llama_model_get_vocab.restype = ctypes.c_void_p
    llama.llama_model_get_vocab.argtypes = [ctypes.c_void_p]
    llama.llama_tokenize.argtypes = [
        ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int32, ctypes.POINTER(ctypes.c_int32), ctypes.c_int32, ctypes.c_bool,
        ctypes.c_bool,
    ]
    llama.llama_backend_init()
    return llama


def main():
    llama = library()
    parameters = llama.llama_model_default_params()
    parameters.vocab_only = True
    model = llama.llama_model_load_from_file(sys.argv[1].encode(), parameters)
    if not model:
        sys.exit(f"{sys.argv[1]}: llama.cpp cannot load it")
    vocabulary = llama.llama_model_get_vocab(model)
    for text in texts():
        text = text.encode("utf-8", "surrogatepass").decode("utf-8", "ignore")
        raw = text.encode()
        room = len(raw) + 16
        ids = (ctypes.c_int32 * room)()
        count = llama.llama_tokenize(vocabulary, raw, len(raw), ids, room, False, True)
        print(json.dumps({"text": text, "ids": list(ids[:count])}))


main()
