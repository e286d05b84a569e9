"""WordPiece against Hugging Face `tokenizers`, token for token, and UTF-8 decoding against Python.

`generated`: hostile input and every code point, with a vocabulary made here. `outside`: the Wikipedia
sample with BERT's own vocabulary.
"""
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unicodedata

from tokenizers import BertWordPieceTokenizer

TOOL = [pathlib.Path(os.environ["SCALEMARK_BINARY_DIR"]) / "tests/data_tool", "wordpiece"]
DATA = pathlib.Path(os.environ["SCALEMARK_TEST_DATA"]) / "text"
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
FULL = os.environ.get("SCALEMARK_SOAK") == "full"  # every code point (scripts/soak)
# Planes that are not assigned, and those of private use, have no kinds to tell apart: in CI a sample and both their ends.
CODE_POINTS = [chr(c) for c in range(1, 0x110000) if not 0xD800 <= c < 0xE000
               and (FULL or c >> 16 in (0, 1, 2, 3, 14) or c % 97 == 0 or not 4 <= c % 0x10000 < 0xFFFC)]


def ours(records, vocab, *flags):
    out = subprocess.run([*TOOL, vocab, *flags], input=b"\0".join(records) + b"\0",
                         stdout=subprocess.PIPE, check=True).stdout
    return [[int(i) for i in line.split()] for line in out.decode().split("\n")[:-1]]


def compare(sets, vocab):
    """`sets`: what -> records. One run of ours per casing: most of the time goes into reading `vocab`."""
    sets = {what: [(r.encode() if isinstance(r, str) else r).replace(b"\0", b"") for r in records]
            for what, records in sets.items()}
    for cased in (False, True):
        got = ours([r for records in sets.values() for r in records], vocab, *(["--cased"] if cased else []))
        theirs = BertWordPieceTokenizer(str(vocab), lowercase=not cased)
        for what, records in sets.items():
            name = f"{what}, {'cased' if cased else 'uncased'}"
            compare_set(name, records, got[:len(records)], theirs)
            got = got[len(records):]
        assert not got


def compare_set(name, records, got, theirs):
    texts = [r.decode("utf-8", errors="replace") for r in records]
    expected = [e.ids for e in theirs.encode_batch(texts, add_special_tokens=False)]
    assert len(got) == len(expected), (name, len(got), len(expected))
    wrong = [i for i in range(len(got)) if got[i] != expected[i]]
    for i in wrong[:10]:
        print(f"  {records[i]!r}: ours {got[i]}, theirs {expected[i]}")
    tokens = sum(map(len, expected))
    print(f"{name}: {len(records)} records, {tokens} tokens, {len(wrong)} differ")
    assert not wrong
    assert tokens > 0


def broken_utf8(rng):
    pieces = [b"\x80", b"\xbf", b"\xc0\x80", b"\xc1\xbf", b"\xc2", b"\xe0\x80\x80", b"\xe0\xa0",
              b"\xe1\x80", b"\xe2\x28\xa1", b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xed\x9f",
              b"\xf0\x80\x80\x80", b"\xf0\x90\x80", b"\xf0\x90", b"\xf1\x80\x80", b"\xf4\x8f\xbf",
              b"\xf4\x90\x80\x80", b"\xf5\x80\x80\x80", b"\xf8\x88\x80\x80\x80", b"\xfe", b"\xff",
              b"\xef\xbf\xbd", b"\xef\xbf\xbf", b"a", b"B ", b" ", b".", "é".encode(), "漢".encode()]
    made = [a + b for a in pieces for b in pieces]
    made += [b"".join(rng.choices(pieces, k=rng.randint(1, 12))) for _ in range(4000)]
    made += [bytes(rng.randrange(1, 256) for _ in range(rng.randint(1, 40))) for _ in range(4000)]
    return made


def hostile(rng):
    marks = [c for c in CODE_POINTS if unicodedata.category(c) in ("Mn", "Mc", "Me")]
    odd = marks + list("\u200b\u200c\u200d\u2060\ufeff\u00ad\u202e\u200f\u2028\u2029\u0085\u00a0\x0b\x0c"
                       "\x1c\x7f\u3000\ufffd\ufffe\U000e0001漢字仮名한국어שלוםمرحباİıßΣςǅﬁ①½´`^~$+<=>|")
    emoji = ["👩‍👩‍👧", "🏳️‍🌈", "👍🏽", "🇩🇪", "❤️", "1️⃣"]
    letters = "abcXYZ éÉñÑüÅ.,!?-'\"[]#"
    made = ["x" * 99, "x" * 100, "x" * 101, "é" * 100, "é" * 101, "a" * 10000, "ab" * 5000 + " a",
            "漢" * 10000, "e" + "\u0301" * 10000, "[MASK]", "a[SEP]b", "[ CLS ]", "[[UNK]]", "[mask]",
            "[MASK", "é[CLS]\u0301a", "##a a##b", "a\u302e\u302f\u0323b", "\U0001d165\U0001d16d\u0345x",
            "\u1100\u1161\u11a8", "각", "ΑΣ ΑΣΑ", "\t a\r\n b\x00c", ""]
    pool = odd + emoji + list(letters) + SPECIAL
    made += ["".join(rng.choices(pool, k=rng.randint(1, 30))) for _ in range(6000)]
    made += ["a" + "".join(rng.choices(marks, k=rng.randint(2, 5))) + "b" for _ in range(6000)]
    made += ["".join(chr(rng.choice([rng.randrange(1, 0xD800), rng.randrange(0xE000, 0x30000)]))
                     for _ in range(20)) for _ in range(3000)]
    return made


def in_rows(words, length=64):
    words = list(words)
    return [" ".join(words[i:i + length]) for i in range(0, len(words), length)]


def vocabulary(folder, words=()):
    """Every code point of the planes with letters and marks is a token, alone and as a piece, so that [UNK] hides no
    difference; of the others (ideographs, private use, unassigned) only a sample is."""
    tokens = dict.fromkeys(SPECIAL)
    usable = [c for c in CODE_POINTS
              if not c.isspace() and (c < "\U00020000" or c >= "\U000e0000" and c < "\U000e0200"
                                      or ord(c) % 97 == 0)]
    tokens.update(dict.fromkeys(usable))
    tokens.update(dict.fromkeys("##" + c for c in usable))
    tokens.update(dict.fromkeys(words))
    tokens.pop("##", None)
    path = pathlib.Path(folder) / "vocab.txt"
    path.write_text("\n".join(tokens) + "\n", encoding="utf-8", newline="\n")
    return path


def decoding(rng, vocab):
    records = broken_utf8(rng)
    got = ours(records, vocab, "--decode")
    for record, code_points in zip(records, got, strict=True):
        assert code_points == [ord(c) for c in record.decode("utf-8", errors="replace")], record
    print(f"decoding: {len(records)} records equal Python's errors='replace'")


def generated(rng):
    with tempfile.TemporaryDirectory() as folder:
        vocab = vocabulary(folder, ["the", "##ing", "word", "##ord", "abc", "##bc", "ab", "xyz", "un"])
        decoding(rng, vocab)
        compare({"broken UTF-8": broken_utf8(rng),
                 "hostile": hostile(rng),
                 "all code points": in_rows(CODE_POINTS),
                 "all code points between letters": in_rows("a" + c + "b" for c in CODE_POINTS)}, vocab)
    return 0


def outside(rng):
    sample = DATA / "wikipedia_sample.txt"
    if not sample.exists():
        print(f"skipped: {sample} is not there")
        return 77
    compare({"Wikipedia": sample.read_bytes().split(b"\n"),
             "hostile": hostile(rng),
             "broken UTF-8": broken_utf8(rng)}, DATA / "bert-base-uncased-vocab.txt")
    return 0


if __name__ == "__main__":
    sys.exit({"generated": generated, "outside": outside}[sys.argv[1]](random.Random(1)))
