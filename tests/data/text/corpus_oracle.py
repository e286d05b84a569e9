"""A token file against a reader of its own in Python, sentence by sentence: documents and sentences
cut as documented, ids as Hugging Face `tokenizers` gives them.

`generated`: the corpus of `data generate text` and files made here. `outside`: the Wikipedia sample.
"""
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

from tokenizers import BertWordPieceTokenizer

TOOL = [pathlib.Path(os.environ["SCALEMARK_BINARY_DIR"]) / "tests/data_tool", "corpus"]
DATA = pathlib.Path(os.environ["SCALEMARK_TEST_DATA"]) / "text"
END = re.compile(r"[.!?][\"')\]\u201d\u2019\u00bb]*(?=[ \t\r\n\v\f]|$)")
BLANK = " \t\r\n\v\f"


def sentences_of(paragraph):
    at = 0
    for end in END.finditer(paragraph):
        yield paragraph[at:end.end()]
        at = end.end()
    yield paragraph[at:]


def documents_of(text):
    """The corpus format, as data/text/corpus_reader.h describes it."""
    document, inside = [], False
    for line in text.split("\n"):
        line = line.strip(BLANK)
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
    text = corpus.read_bytes().decode("utf-8", errors="replace")
    for cased in (False, True):
        theirs = BertWordPieceTokenizer(str(vocab), lowercase=not cased)
        expected = []
        for document in documents_of(text):
            ids = [e.ids for e in theirs.encode_batch(document, add_special_tokens=False)]
            expected.append([s for s in ids if s])
        expected = [d for d in expected if d]
        out = pathlib.Path(folder) / f"{corpus.name}-{cased}.tokens"
        subprocess.run([*TOOL, "tokenize", corpus, vocab, out, "cased" if cased else "uncased"], check=True)
        got = read_token_file(out)
        assert got == expected, next((i, g, e) for i, (g, e) in enumerate(zip(got, expected)) if g != e)
        print(f"{corpus.name}, {'cased' if cased else 'uncased'}: {len(got)} documents, "
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
    return 0


if __name__ == "__main__":
    sys.exit(main())
