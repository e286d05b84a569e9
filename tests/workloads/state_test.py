"""Names, counts and fresh parameters of every network against PyTorch's models, both file directions.

What we save loads into PyTorch's model with no name missing or unexpected (a tied decoder excepted,
which Hugging Face leaves out as well) and comes back from Python unchanged. Fresh parameters have
PyTorch's distribution: constants are equal, random tensors have its standard deviation and mean.
"""

import subprocess
import sys

import torch
import torchvision
from oracle import TOOL, folder, load_file, model_of, run_tool, save_file, state_of
from program import run

COUNTS = {"resnet50": 25_557_032, "bert-base": 110_106_428, "bert-mini": 11_267_900, "mlp": 658_698, "linear": 10_010}
CLASSES = {"resnet50": 1000}
SHALLOW_COUNT = 10_135_336  # parameters, with 2, 1, 1 and 1 bottlenecks a stage and 1000 classes


def check_load(workload, model, ours, names, count):
    answer = model.load_state_dict(ours, strict=False)
    tied = set(getattr(model, "_tied_weights_keys", None) or {})
    assert not answer.unexpected_keys and set(answer.missing_keys) <= tied, answer
    assert sum(p.numel() for p in model.parameters()) == count, workload
    # The order of parameters decides the gradient buckets.
    assert names == [name for name, _ in model.named_parameters()], workload


def check_distribution(name, ours, fresh):
    """Both tensors are random draws: their spread may differ by what n draws allow, 6 sigma."""
    if fresh.numel() < 2 or float(fresh.double().std()) == 0:
        assert torch.equal(ours, fresh), f"{name}: a constant differs"
        return
    n = fresh.numel()
    mine, theirs = ours.double(), fresh.double()
    tolerance = 6 / n**0.5
    assert abs(float(mine.std() / theirs.std()) - 1) < tolerance, f"{name}: deviation {mine.std()} against {theirs.std()}"
    assert abs(float(mine.mean() - theirs.mean())) < 2 * tolerance * float(theirs.std()), f"{name}: mean"
    kurtosis = lambda x: float(((x - x.mean()) / x.std()).pow(4).mean())  # 3 for a normal, 1.8 for a uniform
    if n >= 4096:
        assert abs(kurtosis(mine) - kurtosis(theirs)) < 0.6, f"{name}: {kurtosis(mine)} against {kurtosis(theirs)}"


def fresh_parameters(path, **arguments):
    """Our fresh state, and the names of parameters in their order."""
    saved = subprocess.run([*TOOL, *(f"{key}={value}" for key, value in arguments.items()), f"save={path}", "names=1", "seed=5"],
                           capture_output=True, text=True, check=True)
    return load_file(path), saved.stdout.split()


def check(workload, place, count=None, **options):
    """`count`: of parameters; by default the workload's own."""
    classes = CLASSES.get(workload, 10)
    torch.manual_seed(3)
    model = model_of(workload, classes=classes, vocab=30522, **options)
    arguments = dict(workload=workload) | {key: int(value) for key, value in options.items()}
    if "shallow" in options:  # it has no default of its own
        arguments["classes"] = classes
    ours, names = fresh_parameters(f"{place}/fresh.safetensors", **arguments)
    fresh = state_of(model)
    assert set(ours) == set(fresh), sorted(set(ours) ^ set(fresh))[:10]
    for name in fresh:
        assert ours[name].shape == fresh[name].shape and ours[name].dtype == fresh[name].dtype, name
        check_distribution(name, ours[name], fresh[name])
    check_load(workload, model, ours, names, count or COUNTS[workload])

    # Python's file through our network and back: every byte again.
    theirs, again = f"{place}/theirs.safetensors", f"{place}/again.safetensors"
    for name, tensor in fresh.items():
        if name.endswith("num_batches_tracked"):
            tensor.fill_(1234)
    save_file(fresh, theirs, metadata={"format": "pt"})
    run_tool(**arguments, weights=theirs, save=again)
    back = load_file(again)
    assert set(back) == set(fresh) and all(torch.equal(back[name], fresh[name]) for name in fresh)
    print(f"{workload} {options}: {len(fresh)} tensors, {count or COUNTS[workload]:,} parameters")


def check_decoder_written_out(place):
    """A file that holds the tied decoder as well is read; one whose decoder differs is refused."""
    fresh = state_of(model_of("bert-mini", vocab=300))
    table = fresh["bert.embeddings.word_embeddings.weight"]
    fresh["cls.predictions.decoder.weight"] = table.clone()
    fresh["cls.predictions.decoder.bias"] = fresh["cls.predictions.bias"].clone()
    path = f"{place}/decoder.safetensors"
    save_file(fresh, path)
    run_tool(workload="bert-mini", vocab=300, weights=path)
    fresh["cls.predictions.decoder.weight"][7, 7] += 1
    save_file(fresh, path)
    try:
        run_tool(workload="bert-mini", vocab=300, weights=path)
    except AssertionError as refused:
        assert "exit 65" in str(refused) and "differ in the file" in str(refused), refused
        return
    raise AssertionError("an untied decoder was accepted")


def check_least_batch():
    """Where torch raises "Expected more than 1 value per channel when training", settings are refused."""
    model = torchvision.models.resnet50()
    for size, batch in ((8, 1), (8, 2), (32, 1), (32, 2), (33, 1)):
        try:
            model(torch.zeros(batch, 3, size, size))
            taken = True
        except ValueError as error:
            assert "more than 1 value per channel" in str(error), error
            taken = False
        done = run("train", "--workload", "resnet50", "--image-size", size, "--batch-size", batch, "--dry-run", expect=0 if taken else 78)
        assert taken or "more than 1 value per channel" in done.stderr, done.stderr


check_least_batch()
with folder() as place:
    for workload in sys.argv[1:]:
        check(workload, place)
    check("resnet50", place, count=SHALLOW_COUNT, zero_init_residual=True, shallow=True)
    check_decoder_written_out(place)
