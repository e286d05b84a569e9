"""Readers of weights and data on files that strangers damaged: valid files, changed at random. Each ends with a listed exit code and
one line, none dies, and time and memory stay bounded.

fuzz_weights_and_data_test.py KIND...        FUZZ_SEED=N repeats a run, SCALEMARK_SOAK=full takes 150 s for each kind
"""

import json
import os
import random
import resource
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from program import BINARY_DIR, SCALEMARK, check, clean_environment, run

FULL = os.environ.get("SCALEMARK_SOAK") == "full"
SEED = int(os.environ.get("FUZZ_SEED", random.SystemRandom().randrange(2**32)))
SECONDS = 150 if FULL else 2.5  # per kind; the first cases of each run in any case
FEWEST = 8
LISTED = {0, 65, 66, 71, 73, 74, 78}
MEMORY = 3 << 30  # address space beside what torch's libraries map
LONGEST_S = 120
NUMBERS = (0, 1, 2, 3, 7, 8, 127, 128, 255, 256, 2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53, 2**62, 2**63 - 1, 2**63, 2**64 - 1, 2**64)


# --- Changes.

def bytes_changed(data, draw):
    data = bytearray(data)
    for _ in range(draw.choice((1, 1, 1, 2, 4, 16))):
        at = draw.randrange(len(data) + 1) if draw.random() < .5 else draw.randrange(min(len(data), 64) + 1)
        length = draw.choice((1, 1, 2, 4, 8, 64, 1000))
        how = draw.randrange(7)
        if how == 0 and at < len(data):
            data[at] ^= 1 << draw.randrange(8)
        elif how == 1:
            data[at:at + length] = draw.randbytes(length)
        elif how == 2:
            del data[at:at + length]
        elif how == 3:
            data[at:at] = data[draw.randrange(len(data) + 1):][:length]
        elif how == 4:
            width = draw.choice((1, 2, 4, 8))
            data[at:at + width] = (draw.choice(NUMBERS) % 2**(8 * width)).to_bytes(width, draw.choice(("little", "big")))
        elif how == 5:
            del data[at if at > 8 or draw.random() < .3 else len(data):]
        else:
            data[at:at] = draw.choice((b"\0" * length, b"\xff" * length, b"[" * length, b"\n", b"\xef\xbb\xbf", b'"'))
    return bytes(data)


def value_changed(value, draw):
    """JSON with one part replaced, somewhere."""
    if isinstance(value, dict) and value and draw.random() < .85:
        name = draw.choice(sorted(value))
        how = draw.random()
        if how < .1:
            return {k: v for k, v in value.items() if k != name}
        if how < .2:
            return value | {draw.choice(("", "x" * 300, "\0", "é", name + "2", "__metadata__", "dtype")): value[name]}
        return value | {name: value_changed(value[name], draw)}
    if isinstance(value, list) and value and draw.random() < .8:
        at = draw.randrange(len(value))
        return draw.choice((value[:at] + [value_changed(value[at], draw)] + value[at + 1:], value + value, value[:at], value[::-1]))
    return draw.choice((*NUMBERS, -1, -2**63, 1.5, 1e308, None, True, "", "F64", "F16", "F8_E4M3", "I64", "../a", "a/b", "b.safetensors", [], {}, [[]],
                        [2**62, 2**62], [0, 2**63 - 1], "x" * 2000))


def header_changed(data, draw):
    """A safetensors file whose header is valid JSON that says something else."""
    length = int.from_bytes(data[:8], "little")
    header = json.dumps(value_changed(json.loads(data[8:8 + length]), draw)).encode()
    said = len(header) if draw.random() < .9 else draw.choice(NUMBERS) % 2**64
    return said.to_bytes(8, "little") + header + data[8 + length:]


def changed(file, draw, structured=None):
    data = file.read_bytes()
    file.write_bytes(structured(data, draw) if structured and draw.random() < .6 else bytes_changed(data, draw))


# --- Readers.

class Server:
    """A tool that answers line by line; a case that it does not survive fails the test."""

    def __init__(self, program, command):
        def limit():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        self.process = subprocess.Popen([BINARY_DIR / "tests" / program, command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=clean_environment(OMP_NUM_THREADS=1),
                                        preexec_fn=limit)

    def line(self, request):
        self.process.stdin.write(request.encode() + b"\n")
        self.process.stdin.flush()
        check(select.select([self.process.stdout], [], [], LONGEST_S)[0], f"no answer within {LONGEST_S} s: {request}")
        line = self.process.stdout.readline()
        check(line.endswith(b"\n"), f"died with {self.process.poll()}: {request}")
        peak = next(int(row.split()[1]) << 10 for row in Path(f"/proc/{self.process.pid}/status").read_text().splitlines() if row.startswith("VmHWM"))
        check(peak < MEMORY, f"{peak >> 20} MiB of memory: {request}")
        return line.decode(errors="replace").rstrip("\n")

    def close(self):
        self.process.stdin.close()
        check(self.process.wait(LONGEST_S) == 0, f"ended with {self.process.returncode}")


def ends(*words):
    """The program's exit code, which must be listed; an error is a line, and nothing dies or takes long."""
    done = subprocess.run([SCALEMARK, *map(str, words)], capture_output=True, timeout=LONGEST_S, env=clean_environment(), preexec_fn=lambda:
                          resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)))
    text = done.stderr.decode(errors="replace")
    check(done.returncode in LISTED, f"{words} ended with {done.returncode}\n{text}")
    check(done.returncode in (0, 1) or "error E_" in text, f"{words} ended with {done.returncode} and says\n{text}")
    longest = max(map(len, text.splitlines()), default=0)
    check(longest < 4000, f"{words}: a line of {longest} characters")
    return done.returncode


# --- Kinds: each makes its files once, and yields how one case ends.

def weights(place, draw):
    import torch
    from safetensors.torch import save_file
    torch.manual_seed(1)
    state = {"weight": torch.randn(10, 1000), "bias": torch.randn(10)}
    whole = place / "whole"
    whole.mkdir()
    save_file(state, whole / "model.safetensors", metadata={"format": "pt"})
    save_file({"module." + name: tensor.bfloat16() for name, tensor in state.items()}, whole / "wrapped.safetensors")
    save_file({"weight": state["weight"]}, whole / "a.safetensors")
    save_file({"bias": state["bias"].double()}, whole / "b.safetensors")
    torch.save(state, whole / "w.pt")
    (whole / "index.json").write_text(json.dumps({"metadata": {"total_size": 5}, "weight_map": {"weight": "a.safetensors", "bias": "b.safetensors"}}))
    reader, spoilt = Server("torch_tool", "weights"), place / "spoilt"
    while True:
        shutil.rmtree(spoilt, ignore_errors=True)
        shutil.copytree(whole, spoilt)
        name = draw.choice(("model.safetensors", "wrapped.safetensors", "index.json", "a.safetensors", "b.safetensors", "w.pt"))
        structured = (lambda data, draw: json.dumps(value_changed(json.loads(data), draw)).encode()) if name.endswith("json") else \
            header_changed if name.endswith("safetensors") else None
        changed(spoilt / name, draw, structured)
        read = "index.json" if name in ("a.safetensors", "b.safetensors") else name
        code, *texts = reader.line(f"linear\t{spoilt / read}\t").split("\t")
        check(int(code) in LISTED and all(len(text) < 4000 for text in texts), (code, texts))
        yield code


def images(place, draw):
    from PIL import Image
    whole = place / "whole"
    whole.mkdir()
    picture = Image.frombytes("RGB", (96, 64), bytes(draw.randrange(256) for _ in range(96 * 64 * 3)))
    for name, how in (("a.jpg", {}), ("b.jpg", {"progressive": True}), ("c.jpg", {"subsampling": 0, "restart_marker_rows": 1}), ("d.png", {}),
                      ("e.webp", {}), ("f.webp", {"lossless": True})):
        picture.save(whole / name, **how)
    picture.convert("CMYK").save(whole / "g.jpg")
    picture.convert("L").save(whole / "h.jpg")
    picture.convert("P").save(whole / "i.png")
    picture.convert("RGBA").save(whole / "j.png")
    reader, names = Server("data_tool", "data-dump"), sorted(path.name for path in whole.iterdir())
    while True:
        name = draw.choice(names)
        shutil.copy(whole / name, place / name)
        changed(place / name, draw)
        answer = reader.line(f"evaluate 32 {draw.choice(('full', 'exact', 'fast'))} {place / name}")
        if answer.startswith("image"):
            width, height = map(int, answer.split()[1:3])
            reader.process.stdout.read(3 * width * height)
        else:
            check(answer.startswith("error"), answer)
        yield answer.split()[0]


def packed(place, draw):
    run("data", "generate", "images", place / "tree", "--samples", 12, "--classes", 3, "--image-size", 40)
    for form in ("jpeg", "raw-256"):
        run("data", "pack", place / "tree", place / f"whole-{form}", "--form", form, "--shard-size", "64KiB")
    spoilt = place / "spoilt"
    while True:
        shutil.rmtree(spoilt, ignore_errors=True)
        shutil.copytree(place / f"whole-{draw.choice(('jpeg', 'raw-256'))}", spoilt)
        changed(draw.choice(sorted(path for path in spoilt.iterdir() if path.is_file())), draw)
        verified = ends("data", "verify", spoilt, "--no-progress", "-j", 1)
        shown = ends("data", "show", "--data", spoilt, "--samples", 6, "--image-size", 32, "--output", place / "shown.png", "--overwrite")
        yield f"{verified}/{shown}"


def corpora(place, draw):
    run("data", "generate", "text", place / "whole", "--samples", 20)
    text = next(path for path in sorted((place / "whole").iterdir()) if path.name != "vocab.txt")
    spoilt, tokens = place / "spoilt", place / "tokens"
    run("data", "tokenize", text, "--vocab", place / "whole/vocab.txt", "--output", place / "whole/text.tokens")
    while True:
        shutil.rmtree(spoilt, ignore_errors=True)
        shutil.copytree(place / "whole", spoilt)
        kind = draw.choice(("text", "vocab", "json") * 3 + ("tokens",))
        if kind == "json":
            lines = [json.dumps({"text": line}) for line in text.read_text().splitlines() if line]
            (spoilt / text.name).write_text("\n".join(lines))
        changed(spoilt / {"vocab": "vocab.txt", "tokens": "text.tokens"}.get(kind, text.name), draw)
        if kind == "tokens":  # 2 s, where they can be read
            yield f"tokens {ends('data', 'bench', '--data', spoilt / 'text.tokens', '--sequence-length', 32, '--batch-size', 2, '-j', 0)}"
            continue
        code = ends("data", "tokenize", spoilt / text.name, "--vocab", spoilt / "vocab.txt", "--output", tokens, "--overwrite")
        yield f"{kind} {code}"


KINDS = {kind.__name__: kind for kind in (weights, images, packed, corpora)}


def main():
    for name in sys.argv[1:] or KINDS:
        print(f"{name}: FUZZ_SEED={SEED}", flush=True)
        endings, began = {}, None  # the clock starts behind imports and the making of files
        with tempfile.TemporaryDirectory() as folder:
            try:
                for count, ending in enumerate(KINDS[name](Path(folder), random.Random(f"{SEED} {name}")), 1):
                    endings[ending] = endings.get(ending, 0) + 1
                    began = began or time.monotonic()
                    if count >= FEWEST and time.monotonic() - began > SECONDS:
                        break
            except BaseException:
                kept = Path(tempfile.gettempdir()) / f"scalemark-fuzz-{SEED}"
                shutil.copytree(folder, kept, dirs_exist_ok=True, symlinks=True)
                print(f"case {count + 1 if endings else 1} of {name}, FUZZ_SEED={SEED}; its files are in {kept}", flush=True)
                raise
        print(f"   {count} cases: {dict(sorted(endings.items()))}", flush=True)


if __name__ == "__main__":
    main()
