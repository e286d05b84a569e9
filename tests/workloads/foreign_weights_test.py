"""Weights as others write them: torch.save, Hugging Face's safetensors and its index of shards, and wrappers' names.

What is read has the values of torch's own conversion; everything else is refused with 65 in one line that names what it is."""

import json
import math
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy
import torch
from oracle import TOOL, Mlp, folder, load_file, save_file

CASES = 0


class Reader:
    """Our reader in one process; `read` returns the notes or, with `refused`, the line of the error."""

    def __enter__(self):
        self.process = subprocess.Popen([TOOL[0], "weights"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        assert self.process.wait(60) == 0, "the reader died"

    def answer(self, path, out="", workload="mlp"):
        global CASES
        CASES += 1
        self.process.stdin.write(f"{workload}\t{path}\t{out}\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line.endswith("\n"), f"{path}: the reader died"
        code, *texts = line.rstrip("\n").split("\t")
        return int(code), texts

    def reads(self, path, expected, place, *notes):
        """The file is read as the tensors expected, bit by bit, with these notes on it and no other."""
        out = place / "read.safetensors"
        code, texts = self.answer(path, out)
        assert code == 0, (path, texts)
        found = load_file(out)
        assert set(found) == set(expected), (path, set(found) ^ set(expected))
        for name, tensor in expected.items():
            assert tensor.dtype == torch.float32 and torch.equal(found[name], tensor), (path, name)
        assert len(texts) == len(notes) and all(note in text for note, text in zip(notes, texts)), (path, texts)

    def refuses(self, path, *words, code=65, workload="mlp"):
        found, texts = self.answer(path, workload=workload)
        assert found == code and len(texts) == 1, (path, found, texts)
        for word in (str(path), *words):
            assert word in texts[0], (word, texts[0])
        assert len(texts[0]) < 1200, texts[0]
        assert not re.search(r"bytes? of \d{10}|\d{10,} bytes|json\.exception", texts[0]), texts[0]


def types(reader, place, state):
    """bf16, f16 and f64 have the values that torch's conversion gives; whole files and single tensors."""
    wide = {name: tensor.double() * (1 + torch.rand(tensor.shape, dtype=torch.float64) * 2.0**-23) for name, tensor in state.items()}
    for dtype, word, given in ((torch.bfloat16, "6 tensors of BF16 are converted to F32", state),
                               (torch.float16, "6 tensors of F16 are converted to F32", state),
                               (torch.float64, "6 tensors of F64 are rounded to F32", wide)):
        typed = {name: tensor.to(dtype) for name, tensor in given.items()}
        path = place / f"{word.split()[3]}.safetensors"
        save_file(typed, path)
        reader.reads(path, {name: tensor.to(torch.float32) for name, tensor in typed.items()}, place, word)
    assert any(not torch.equal(wide[name].float().double(), wide[name]) for name in wide), "nothing is rounded"
    edges = dict(state)
    edges["fc1.bias"] = torch.zeros(512, dtype=torch.float64)
    # A tie, a subnormal, the largest that is rounded down to F32's largest, and what is too small for it.
    edges["fc1.bias"][:4] = torch.tensor([1 + 2.0**-24, 1e-42, 3.4028235677973362e38, 1e-300], dtype=torch.float64)
    path = place / "edges.safetensors"
    save_file(edges, path)
    reader.reads(path, {name: tensor.to(torch.float32) for name, tensor in edges.items()}, place, "1 tensor of F64 is rounded to F32")
    edges["fc1.bias"][0] = 1e39
    save_file(edges, path)
    reader.refuses(path, "'fc1.bias' is F64 and holds a value that F32 does not hold")


def unread_types(reader, place, state):
    for dtype, word in ((torch.float8_e4m3fn, "F8_E4M3"), (torch.float8_e5m2, "F8_E5M2"), (torch.int8, "I8"), (torch.int16, "I16"),
                        (torch.complex64, "C64"), (torch.uint16, "U16"), (torch.uint32, "U32"), (torch.uint64, "U64"),
                        (torch.float8_e8m0fnu, "F8_E8M0"), (torch.float8_e4m3fnuz, "F8_E4M3FNUZ"), (torch.float8_e5m2fnuz, "F8_E5M2FNUZ")):
        path = place / f"{word}.safetensors"
        save_file(state | {"fc1.bias": torch.zeros(512).to(dtype)}, path)
        reader.refuses(path, f"'fc1.bias' is {word}, a type that is not read here; F32, BF16, F16 or F64")
    for dtype, word in ((torch.int64, "I64"), (torch.int32, "I32"), (torch.uint8, "U8"), (torch.bool, "BOOL")):
        path = place / f"{word}.safetensors"
        save_file(state | {"fc1.bias": torch.zeros(512).to(dtype)}, path)
        reader.refuses(path, f"'fc1.bias' is {word} [512]; F32, BF16, F16 or F64 [512]")
    path = place / "shape.safetensors"
    save_file(state | {"fc1.bias": torch.zeros(513, dtype=torch.bfloat16)}, path)
    reader.refuses(path, "'fc1.bias' is BF16 [513]; F32, BF16, F16 or F64 [512]")


def prefixes(reader, place, state):
    compiled = torch.compile(torch.nn.Linear(2, 2)).state_dict()
    parallel = torch.nn.DataParallel(torch.nn.Linear(2, 2)).state_dict()  # DistributedDataParallel names them so, too, but needs a group
    assert all(name.startswith("_orig_mod.") for name in compiled) and all(name.startswith("module.") for name in parallel)
    for prefix in ("module.", "_orig_mod.", "module._orig_mod.", "_orig_mod.module.", "model.", "net.", "module.model.",
                   "_fsdp_wrapped_module."):
        path = place / "prefix.safetensors"
        save_file({prefix + name: tensor for name, tensor in state.items()}, path)
        reader.reads(path, state, place, f"'{prefix}' in front of every name is dropped")
    save_file({("module." if name.startswith("fc1") else "") + name: tensor for name, tensor in state.items()}, path)
    reader.refuses(path, "missing: fc1.bias, fc1.weight; unexpected: module.fc1.bias, module.fc1.weight")
    save_file({"module.encoder." + name: tensor for name, tensor in state.items()}, path)
    reader.refuses(path, "(its names without 'module.')", "missing: fc1.bias", "unexpected: encoder.fc1.bias")
    save_file({"module." + name: tensor.half() for name, tensor in state.items()}, path)
    reader.reads(path, {name: tensor.half().float() for name, tensor in state.items()}, place, "'module.'", "6 tensors of F16")


def not_finite(reader, place, state):
    for dtype in (torch.float32, torch.bfloat16, torch.float16, torch.float64):
        for value in (math.nan, math.inf, -math.inf):
            broken = {name: tensor.to(dtype, copy=True) for name, tensor in state.items()}
            broken["fc2.weight"][255, 511] = value
            path = place / "broken.safetensors"
            save_file(broken, path)
            reader.refuses(path, "holds a NaN or an infinity in 'fc2.weight'; finite weights")
    broken["fc1.bias"][:] = math.nan
    save_file(broken, path)
    reader.refuses(path, "in 'fc1.bias', 'fc2.weight'")


def named(reader, place, state):
    """A file that is no safetensors file is named, and what torch.save wrote is read once it is converted as the hint says."""
    model = Mlp()
    new, old = place / "w.pt", place / "old.bin"
    torch.save(state, new)
    torch.save(state, old, _use_new_zipfile_serialization=False)
    torch.save(model, place / "whole.pth")
    torch.jit.script(torch.nn.Linear(2, 2)).save(place / "script.pt")
    numpy.savez(place / "arrays.npz", **{name: tensor.numpy() for name, tensor in state.items()})
    numpy.save(place / "array.npy", state["fc1.bias"].numpy())
    shutil.make_archive(place / "packed", "gztar", place, "array.npy")
    shutil.make_archive(place / "packed", "tar", place, "array.npy")
    shutil.make_archive(place / "packed", "zip", place, "array.npy")
    made = {"gguf": b"GGUF\x03\0\0\0" + bytes(64), "ggml": b"lmgg" + bytes(64), "h5": b"\x89HDF\r\n\x1a\n" + bytes(64),
            "lfs": b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n", "html": b"<!DOCTYPE html><html></html>",
            "xz": b"\xfd7zXZ\0" + bytes(32), "zst": b"\x28\xb5\x2f\xfd" + bytes(32), "empty": b"", "text": b"hello, world, this is a text\n",
            "onnx": b"\x08\x08\x12\x07pytorch\x1a\x052.1.0" + bytes(64), "flax.msgpack": b"\x81\xa6params\x81\xa7Dense_0" + bytes(64),
            "lz4": b"\x04\x22\x4d\x18" + b"d" * 32, "latin": "Gewichte f\u00fcr uns: siehe Server".encode("latin-1"), "zeros": bytes(64)}
    for name, content in made.items():
        (place / name).write_bytes(content)
    torch_save, hint = "is a checkpoint of torch.save (a zip archive around a pickle)", "safetensors.torch.save_file(torch.load("
    for name, *words in (("w.pt", torch_save, hint), ("whole.pth", torch_save, hint), ("script.pt", "is a TorchScript archive", "torch.jit.load("),
                         ("old.bin", "is a pickle, as torch.save writes", hint), ("arrays.npz", "is a NumPy archive"),
                         ("array.npy", "is a NumPy array"), ("packed.tar.gz", "is compressed (gzip)", "unpack it"),
                         ("packed.tar", "is an archive (tar)"), ("packed.zip", "is a NumPy archive"), ("gguf", "is a GGUF file"),
                         ("ggml", "is a GGML file"), ("h5", "is an HDF5 file"), ("lfs", "is a pointer of Git LFS", "git lfs pull"),
                         ("html", "is a page of HTML"), ("xz", "is compressed (xz)"), ("zst", "is compressed (zstd)"),
                         ("empty", "is empty"), ("text", "is not a valid safetensors file"), ("zeros", "the header is not valid JSON: parse error"),
                         ("onnx", "its first bytes, 08 08 12 07 70 79 74 6f, are no length of a header"), ("flax.msgpack", "81 a6 70"),
                         ("lz4", "04 22 4d 18"), ("latin", "47 65 77")):
        reader.refuses(place / name, *words)
    reader.refuses(place, "is a folder", "model.safetensors.index.json", code=66)
    for file in (new, old):
        _, [line] = reader.answer(file)
        code = line[line.index("safetensors.torch"):].removesuffix(".").replace("OLD", repr(str(file)))
        exec(f"import safetensors.torch\n{code.replace('NEW', repr(str(place / 'hinted.safetensors')))}")
        reader.reads(place / "hinted.safetensors", state, place)


def sharded(place, state, number=2, **changes):
    """An index as Hugging Face writes it, and its shards."""
    names = sorted(state)
    shards = {f"model-{i + 1:05}-of-{number:05}.safetensors": names[i::number] for i in range(number)}
    for shard, inside in shards.items():
        save_file({name: state[name] for name in inside}, place / shard, metadata={"format": "pt"})
    index = {"metadata": {"total_size": sum(t.nbytes for t in state.values())},
             "weight_map": {name: shard for shard, inside in shards.items() for name in inside}}
    index["weight_map"].update(changes)
    path = place / "model.safetensors.index.json"
    path.write_text(json.dumps(index, indent=2))
    return path, index["weight_map"]


def indexes(reader, place, state):
    first, second = (f"model-0000{i}-of-00002.safetensors" for i in (1, 2))
    for number in (1, 2, 3, 6):
        reader.reads(sharded(place, state, number)[0], state, place)
    path, where = sharded(place, {"module." + name: tensor.bfloat16() for name, tensor in state.items()})
    reader.reads(path, {name: tensor.bfloat16().float() for name, tensor in state.items()}, place, "'module.'", "6 tensors of BF16")
    transformers_index(reader, place)
    path, where = sharded(place, state)
    name = next(iter(where))
    (place / first).rename(place / "away")
    reader.refuses(path, f"names shards that are not beside it: '{first}'")
    os.symlink("away", place / first)  # the cache of Hugging Face's hub has links
    reader.reads(path, state, place)
    (place / "below").mkdir()
    shutil.copy(place / second, place / "below" / second)
    for outside in ("../" + place.name + "/" + second, str(place / second), "below/" + second, "..", ".", "", "\0", "a\nb", "a\\b"):
        path, _ = sharded(place, state, **{name: outside})
        reader.refuses(path, f"'{name}' is in", "which is no file of the index's own folder")
    for inside, word in ((7, "number"), (None, "null"), ([first], "array"), ({"file": first}, "object")):
        path, _ = sharded(place, state, **{name: inside})
        reader.refuses(path, f"'{name}' is in a shard of type {word}")
    path, _ = sharded(place, state, **{name: second})
    reader.refuses(path, f"'{second}' does not hold '{name}'")
    path, _ = sharded(place, state, **{"fc9.bias": second})
    reader.refuses(path, f"'{second}' does not hold 'fc9.bias'")
    path, where = sharded(place, state)
    path.write_text(json.dumps({"weight_map": {n: s for n, s in where.items() if n != name}}))
    reader.refuses(path, f"'{first}' holds '{name}', which the index does not name")
    path, _ = sharded(place, state)
    save_file({n: state[n] for n, shard in where.items() if shard == second} | {name: state[name]}, place / second)
    reader.refuses(path, f"two of its shards hold '{name}'")
    path, where = sharded(place, state)
    torch.save({n: state[n] for n, shard in where.items() if shard == second}, place / second)
    reader.refuses(path.parent / second, "is a checkpoint of torch.save")
    found, [line] = reader.answer(path)
    assert found == 65 and str(place / second) + " is a checkpoint of torch.save" in line, line
    (place / second).write_text(path.read_text())
    found, [line] = reader.answer(path)
    assert found == 65 and str(place / second) + " is JSON and no weights" in line, line
    text = json.dumps({"weight_map": where})
    path, where = sharded(place, state)
    path.write_text("\ufeff" + path.read_text())  # editors of Windows save a text so
    reader.reads(path, state, place)
    for broken, word in ((text[:-3], "is not valid JSON"), (text.replace("}}", f', "{name}": "{first}"}}}}'), f"has the name '{name}' twice"),
                         ('{"weight_map": {}}', "names no tensor"), ('{"weight_map": 5}', "names no tensor"), ("{}", "is JSON without a weight_map"),
                         ('{"weight_map": ' + "[" * 100_000 + "]" * 100_000 + "}", "is nested too deeply"), ('  \n{"architectures": ["Bert"]}', "JSON without"),
                         (text + " " * 20_000_000, "more than 16000000")):
        path.write_text(broken)
        reader.refuses(path, word)


def transformers_index(reader, place):
    """transformers itself writes the shards."""
    import transformers
    config = transformers.BertConfig(vocab_size=300, num_hidden_layers=4, hidden_size=256, num_attention_heads=4, intermediate_size=1024)
    model = transformers.BertForPreTraining(config)
    model.save_pretrained(place / "bert", max_shard_size="5MB")
    path = place / "bert" / "model.safetensors.index.json"
    assert len(set(json.loads(path.read_text())["weight_map"].values())) > 1, "one shard only"
    out = place / "bert.safetensors"
    code, notes = reader.answer(path, out, "bert-mini")
    assert code == 0 and not notes, notes
    found = load_file(out)
    theirs = model.state_dict()
    assert all(torch.equal(found[name], theirs[name]) for name in found) and len(found) > 60, "another tensor"
    reader.refuses(place / "bert" / "config.json", "is JSON without a weight_map")
    half = model.bfloat16()
    half.save_pretrained(place / "half")
    code, notes = reader.answer(place / "half" / "model.safetensors", out, "bert-mini")
    assert code == 0 and "BF16 are converted" in notes[0], notes
    found, theirs = load_file(out), half.state_dict()
    assert all(torch.equal(found[name], theirs[name].float()) for name in found), "another value"


def counters(reader, place):
    """ResNet-50 converted as a whole: what counts batches is a count again."""
    import torchvision
    state = torchvision.models.resnet50(num_classes=10).state_dict()
    counts = [name for name in state if name.endswith("num_batches_tracked")]
    out = place / "resnet.safetensors"
    for dtype, value, code in ((torch.bfloat16, 1024, 0), (torch.float16, 1024, 0), (torch.float64, 123456789, 0), (torch.float64, 0.5, 65),
                               (torch.int32, 77, 0), (torch.uint8, 7, 65)):
        typed = {name: (torch.tensor(value) if name in counts else tensor).to(dtype if name in counts or dtype.is_floating_point else tensor.dtype)
                 for name, tensor in state.items()}
        save_file(typed, place / "whole.safetensors")
        found, texts = reader.answer(place / "whole.safetensors", out, "resnet50")
        assert found == code, (dtype, value, texts)
        if code == 0:
            read = load_file(out)
            assert all(read[name].dtype == torch.int64 and int(read[name]) == value for name in counts), (dtype, value)
            assert torch.equal(read["conv1.weight"], typed["conv1.weight"].float()), dtype
        else:
            assert "num_batches_tracked" in texts[0], texts


torch.manual_seed(1)
with folder() as made, Reader() as our_reader:
    at = Path(made)
    weights = {name: tensor.clone() for name, tensor in Mlp().state_dict().items()}
    for case in (types, unread_types, prefixes, not_finite, named, indexes):
        case(our_reader, at, weights)
    counters(our_reader, at)
print(f"{CASES} files")
sys.exit(0)
