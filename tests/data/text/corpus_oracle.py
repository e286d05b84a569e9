"""A token file against a reader of its own in Python, sentence by sentence: documents and sentences
cut as documented, ids as Hugging Face `tokenizers` gives them.

`generated`: the corpus of `data generate text`, and files and vocabularies made here. `outside`: the Wikipedia sample.
"""
import json
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

from tokenizers import BertWordPieceTokenizer

TOOL = [pathlib.Path(os.environ["SCALEMARK_BINARY_DIR"]) / "tests/data_tool", "corpus"]
DATA = pathlib.Path(os.environ["SCALEMARK_TEST_DATA"]) / "text"
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
END = re.compile(r"[.!?][\"')\]\u201d\u2019\u00bb]*(?=\s|$)")


def sentences_of(paragraph):
    at = 0
    for end in END.finditer(paragraph):
        yield paragraph[at:end.end()]
        at = end.end()
    yield paragraph[at:]


def documents_of(text):
    """The corpus format, as data/text/corpus_reader.h describes it."""
    document, inside = [], False
    text = re.sub("\r\n?", "\n", text)  # open() reads it so
    if text.startswith('{"'):
        for line in filter(str.strip, text.split("\n")):
            yield [s for part in json.loads(line)["text"].split("\n") for s in sentences_of(part.strip())]
        return
    for line in text.split("\n"):
        line = line.strip()
        starts = not inside and line.startswith("<doc ") and line.endswith(">")
        if starts or (inside and line == "</doc>") or (not inside and not line):
            inside = starts
            yield document
            document = []
        elif inside:
            document += sentences_of(line)
        else:
            document.append(line)
    yield document


def read_token_file(path):
    raw = path.read_bytes()
    assert raw[:8] == b"SMTOKENS"
    version, width = struct.unpack_from("<II", raw, 8)
    documents, sentences, tokens, = struct.unpack_from("<QQQ", raw, 64)
    assert version == 1
    ids = struct.unpack_from(f"<{tokens}{'H' if width == 2 else 'I'}", raw, 128)
    at = 128 + (tokens * width + 7) // 8 * 8
    sentence = struct.unpack_from(f"<{sentences + 1}Q", raw, at)
    document = struct.unpack_from(f"<{documents + 1}Q", raw, at + 8 * (sentences + 1))
    assert len(raw) == at + 8 * (sentences + 1 + documents + 1)
    cut = [list(ids[a:b]) for a, b in zip(sentence, sentence[1:])]
    return [cut[a:b] for a, b in zip(document, document[1:])]


def compare(corpus, vocab, folder):
    text = corpus.read_bytes().decode("utf-8-sig", errors="replace")
    for cased in (False, True):
        theirs = BertWordPieceTokenizer(str(vocab), lowercase=not cased)
        expected = []
        for document in documents_of(text):
            ids = [e.ids for e in theirs.encode_batch(document, add_special_tokens=False)]
            expected.append([s for s in ids if s])
        expected = [d for d in expected if d]
        out = pathlib.Path(folder) / f"{corpus.name}-{vocab.name}-{cased}.tokens"
        subprocess.run([*TOOL, "tokenize", corpus, vocab, out, "cased" if cased else "uncased"], check=True)
        got = read_token_file(out)
        assert got == expected, next((i, g, e) for i, (g, e) in enumerate(zip(got, expected)) if g != e)
        print(f"{corpus.name}, {vocab.name}, {'cased' if cased else 'uncased'}: {len(got)} documents, "
              f"{sum(map(len, got))} sentences, {sum(len(s) for d in got for s in d)} tokens equal")


MIXED = """One line. Still the same sentence!

<doc id="1" url="x" title="T">
Title

A first one. "A second?" (A third!) Pi is 3.14... and so on
</doc>
<doc id="2">
\u00c9t\u00e9 \u6f22\u5b57. [MASK] \u200b.
</doc>
after
  \t
last"""


def as_json(rng):
    """Documents as WikiExtractor --json writes them, and as other writers of JSON may."""
    pieces = ["word", "étude", "漢字", "\U0001f600", '"', "\\", "/", "\t", "\n", "\r\n", "\n\n", ". ", "! ", "?", "\u2028", "\u00a0", "\x7f", "<doc >", "{", "</doc>"]
    for i in range(200):
        text = " ".join(rng.choices(pieces, k=rng.randint(0, 30)))
        page = {"id": str(i), "url": "u", "title": "T", "text": text, "score": rng.choice([1, None, float("nan"), -float("inf"), [1, {"text": "x"}]])}
        yield json.dumps(dict(rng.sample(sorted(page.items()), len(page))) if i else page, ensure_ascii=rng.random() < 0.5)


def forms(rng):
    """Returns what people bring: name -> bytes."""
    blanks = ["", " ", "\u00a0", "\u3000", "\u2028\u2029", "\x1c\x1d\x1e\x1f", "\x85", "\u1680\u2003", "\ufeff", "\u200b", "\v\f", "\r"]
    lines = [rng.choice(blanks) if rng.random() < 0.3 else f"{rng.choice(blanks)}the word {i}. And on{rng.choice(blanks)}" for i in range(400)]
    wiki = "".join(f'<doc id="{i}" url="u" title="T">\nT\n\nOne {i}. Two!\n\n</doc>\n' for i in range(20))
    return {"blanks": "\n".join(lines).encode(),
            "mark": b"\xef\xbb\xbf" + "\n".join(lines).encode(),
            "wiki-mark": b"\xef\xbb\xbf" + wiki.encode(),
            "wiki-crlf": wiki.replace("\n", "\r\n").encode(),
            "json": "\n".join(as_json(rng)).encode(),
            "json-mark-crlf": b"\xef\xbb\xbf" + "\r\n\r\n".join(as_json(rng)).encode(),
            "one-document": b"One sentence.\nAnother one, without an end",
            "one-line": b"the word and so on " * 60_000}


def vocabularies(rng, words):
    """Files that Hugging Face loads: name -> bytes."""
    plain = SPECIAL + [f"[unused{i}]" for i in range(20)] + words
    repeated = list(plain)
    for _ in range(10):
        repeated.insert(rng.randint(5, len(repeated)), rng.choice(["[unused0]", "[unused7]", "", " ", "\u00a0", "\u2028"]))
    shuffled = rng.sample(plain, len(plain))
    lines = plain[:9] + ["a\u2028b", "\u2028x", "\x85x", "c\x85d"] + plain[9:]
    return {"other line ends": "\n".join(lines), "plain": "\n".join(plain) + "\n", "no end": "\n".join(plain), "CRLF": "\r\n".join(plain) + "\r\n",
            "blanks at the end": "\n".join(plain) + "\n\n \n\n", "one blank line": "\n".join([*plain[:9], "", *plain[9:]]),
            "repeated": "\n".join(repeated) + "\n\n", "shuffled": "\n".join(shuffled),
            "white space behind": "\n".join(w + rng.choice(["", " ", "\t", "\u00a0", "\u3000"]) for w in plain),
            "large": "\n".join(plain + [f"w{i}" for i in range(40_000)]) + "\n"}


def no_vocabularies(plain):
    """Files that may be given for one, which Hugging Face refuses or misreads: name -> bytes."""
    ids = {word: i for i, word in enumerate(plain)}
    text = "\n".join(plain)
    return {"counts": "".join(f"{word} {i}\n" for word, i in ids.items()).encode(), "tabs": "\n".join(f"{word}\t1" for word in plain).encode(),
            "mark": b"\xef\xbb\xbf" + text.encode(), "utf-16": text.encode("utf-16"), "utf-16-be": text.encode("utf-16-be"),
            "latin-1": (text + "\ncaf\u00e9\n").encode("latin-1"), "json": json.dumps({"model": {"vocab": ids}}, indent=1).encode(),
            "roberta.json": json.dumps({"<s>": 0, "<pad>": 1, **ids}).encode(), "merges": "#version: 0.2\n\u0120 t\nh e\n".encode(),
            "roberta": b"<s>\n<pad>\n</s>\n<unk>\n<mask>\nthe\n", "empty": b"", "sentencepiece": b"\n\x0e\n\x05<unk>\x15\0\0\0\0\x18\x02"}


def check_refused(corpus, plain, folder):
    for name, content in no_vocabularies(plain).items():
        vocab = pathlib.Path(folder) / f"no-{name}"
        vocab.write_bytes(content)
        done = subprocess.run([*TOOL, "tokenize", corpus, vocab, f"{folder}/none", "uncased"], capture_output=True, text=True, check=False)
        assert done.returncode == 65 and done.stderr.count("\n") == 1 and f"vocabulary {vocab}: " in done.stderr, (name, done)


def main():
    if sys.argv[1] == "outside":
        sample = DATA / "wikipedia_sample.txt"
        if not sample.exists():
            print(f"skipped: {sample} is not there")
            return 77
    with tempfile.TemporaryDirectory() as folder:
        if sys.argv[1] == "outside":
            compare(sample, DATA / "bert-base-uncased-vocab.txt", folder)
            return 0
        subprocess.run([*TOOL, "generate", folder, "200"], check=True)
        vocab = pathlib.Path(folder) / "vocab.txt"
        compare(pathlib.Path(folder) / "corpus.txt", vocab, folder)
        mixed = pathlib.Path(folder) / "mixed.txt"
        mixed.write_bytes(MIXED.encode() + b"\n\n\xff\xc3 broken \xed\xa0\x80.\r\n")
        compare(mixed, vocab, folder)
        rng = random.Random(7)
        for name, content in forms(rng).items():
            made = pathlib.Path(folder) / name
            made.write_bytes(content)
            compare(made, vocab, folder)
        words = [line for line in vocab.read_text().split("\n")[5:300] if line]
        for name, content in vocabularies(rng, words).items():
            made = pathlib.Path(folder) / name
            made.write_bytes(content.encode())
            compare(mixed, made, folder)
        check_refused(mixed, [*SPECIAL, *words], folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
