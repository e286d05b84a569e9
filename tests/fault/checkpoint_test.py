"""Training checkpoints: continuing from one gives, bit by bit, what an uninterrupted training gives; a torn one is
passed over, one of another training refused."""

import json
import os
import random
import shutil
import signal
import time

from checkpoints import manifest_of, samples_left, steps_in
from endings import FULL, Running, check_gone, closed_report, only_error, run_cases
from made_data import make_images, make_text
from program import check, run, skip

OPTIMIZERS = ("sgd", "adam", "adamw", "lamb", "lars")
BERT = ("--workload", "bert-mini", "--sequence-length", 32)
SKIPPING = ("--workload", "resnet50", "--image-size", 32, "--learning-rate", 0.001, "--stochastic-depth", 0.5,
            "--find-unused-parameters", "--activation-checkpointing", "on")


def options(data, folder, save, optimizer="adam", ranks=1, every="2steps", strategy="ddp", network=BERT, epochs=2):
    exchange = ("--strategy", strategy, "--nproc-per-node", ranks) if ranks > 1 else ()
    return ("train", *network, "--batch-size", 4, "--threads", 1,
            "--no-progress", "--data", data, "--epochs", epochs, "--optimizer", optimizer, *exchange,
            "--checkpoint-every", every, "--save", save, "--output", folder / "out")


def checkpoints(folder):
    return steps_in(folder / "out")


def uninterrupted(data, folder, **how):
    """Returns what a training leaves, and its evaluations; all its checkpoints stay."""
    folder.mkdir()
    save = folder / "weights.safetensors"
    run(*options(data, folder, save, **how), "--checkpoint-keep", 1000)
    [point] = closed_report(folder / "out", "complete", 0)["points"]
    seconds_are_those_of_the_epochs(point)
    return save.read_bytes(), learned(point)


def seconds_are_those_of_the_epochs(point):
    """Barriers stand between the stretches: the slowest rank of each counts, in the epochs' rates and in the run's."""
    epochs = point["evaluation"]
    seconds = sum(point["samples"] / len(epochs) / one["samples_per_sec"] for one in epochs)
    check(abs(seconds / point["wall_s"] - 1) < 1e-9, f"{seconds} s in epochs, {point['wall_s']} s in all")
    check(point["wall_s"] >= max(rank["wall_s"] for rank in point["ranks"]) * (1 - 1e-9), point["wall_s"])


def learned(point):
    return [{k: v for k, v in one.items() if k != "samples_per_sec"} for one in point["evaluation"]]


def resumed_is_equal(data, folder, expected, **how):
    save = folder / "weights.safetensors"
    save.unlink(missing_ok=True)
    done = run(*options(data, folder, save, **how), "--checkpoint-keep", 1000, "--resume")
    [point] = closed_report(folder / "out", "complete", 0)["points"]
    weights, evaluations = expected
    check(save.read_bytes() == weights, f"{how}: the weights differ")
    check(learned(point) == evaluations, f"{how}: {learned(point)} is not {evaluations}")
    return point.get("resumed", []), done


def of_shared_state_is_one_copy(checkpoint, how):
    """Rank 1 writes its generator and counters, and of the network what it does not share with rank 0."""
    if how.get("ranks", 1) == 1:
        return
    first, second = (tensors_in(checkpoint / f"rank-{rank}.safetensors") for rank in (0, 1))
    optimizer = {name for name in second if name.startswith("optimizer.")}
    shares = how["strategy"] != "local-sgd" if "strategy" in how else True
    check("random.cpu" in second and {name for name in second if name.startswith("model.")} == set() or not shares, second)
    if how.get("strategy") == "sharded":
        check(optimizer and not optimizer & set(first), f"each rank has its pieces: {sorted(optimizer)[:3]}")
    elif shares:
        check(not optimizer, optimizer)


def tensors_in(file):
    """The names in a safetensors file."""
    with open(file, "rb") as stream:
        return json.loads(stream.read(int.from_bytes(stream.read(8), "little")))


def resumes_from_the_middle(data, at, **how):
    expected = uninterrupted(data, at, **how)
    steps = checkpoints(at)
    check(len(steps) >= 2, f"checkpoints: {steps}")
    middle = steps[len(steps) // 2]
    of_shared_state_is_one_copy(at / f"out/checkpoints/step-{middle}", how)
    for step in steps:
        if step > middle:
            shutil.rmtree(at / f"out/checkpoints/step-{step}")
    resumed, _ = resumed_is_equal(data, at, expected, **how)
    check([one["step"] for one in resumed] == [middle], resumed)


def every_optimizer(folder, ranks, one, **how):
    """`one`: unless SCALEMARK_SOAK=full. Over all cases CI sees each optimizer once."""
    data = make_text(folder / "text", 6)
    for optimizer in OPTIMIZERS if FULL else (one,):
        resumes_from_the_middle(data, folder / f"{optimizer}-{ranks}", optimizer=optimizer, ranks=ranks, **how)


def one_rank(folder):
    every_optimizer(folder, 1, "adam")


def two_ranks(folder):
    every_optimizer(folder, 2, "lars")


def two_ranks_flat(folder):
    every_optimizer(folder, 2, "adam", strategy="flat")


def two_ranks_sharded(folder):
    """Each rank's checkpoint holds its part of the optimizer's state."""
    every_optimizer(folder, 2, "lamb", strategy="sharded")


def local_sgd(folder):
    """Checkpoints lie between two averages."""
    data = make_text(folder / "text", 6)
    resumes_from_the_middle(data, folder / "run", optimizer="adamw", ranks=2, strategy="local-sgd",
                            network=(*BERT, "--local-steps", 3))


def skipped_branches(folder):
    """What is skipped after a checkpoint is what would have been skipped without it; on each of two ranks with SCALEMARK_SOAK=full."""
    data = make_images(folder / "images", 24 if FULL else 16, 32, classes=3)
    resumes_from_the_middle(data, folder / "run", optimizer="sgd", ranks=2 if FULL else 1, network=SKIPPING)


def other_torn_or_none(folder):
    """A checkpoint of another training is refused. With a file cut short the one before it is taken, with a note; where none can be read
    nothing is replaced. Without one training starts anew."""
    data, at = make_text(folder / "text", 6), folder / "run"
    expected = uninterrupted(data, at)
    report = (at / "out/report.json").read_bytes()
    refused = run(*options(data, at, at / "weights.safetensors"), "--seed", 5, "--resume", expect=78)
    only_error(refused.stderr, "E_CONFIGURATION", 78, "--resume: seed was 0, now 5")
    check((at / "out/report.json").read_bytes() == report, "the report was replaced")

    *_, before, last = checkpoints(at)
    file = at / f"out/checkpoints/step-{last}/rank-0.safetensors"
    os.truncate(file, file.stat().st_size - 1)
    resumed, done = resumed_is_equal(data, at, expected)
    check(resumed[-1]["step"] == before, resumed)
    check(f"step-{last} is damaged and was skipped" in done.stderr, done.stderr)

    for step in checkpoints(at):
        (at / f"out/checkpoints/step-{step}/rank-0.safetensors").unlink()
    there, report_of_it = checkpoints(at), (at / "out/report.json").read_bytes()
    refused = run(*options(data, at, at / "weights.safetensors"), "--resume", expect=65)
    check((at / "out/report.json").read_bytes() == report_of_it, "the report was replaced")
    check(f"none of the {len(there)} checkpoints" in " ".join(refused.stderr.split()) and checkpoints(at) == there, refused.stderr)

    (folder / "second").mkdir()
    resumed, _ = resumed_is_equal(data, folder / "second", expected)
    check(resumed == [], resumed)


def torn_on_one_rank(folder):
    """What rank 1 alone cannot read is passed over by all."""
    data, at = make_text(folder / "text", 6), folder / "run"
    expected = uninterrupted(data, at, ranks=2)
    *_, before, last = checkpoints(at)
    file = at / f"out/checkpoints/step-{last}/rank-1.safetensors"
    file.write_bytes(file.read_bytes()[:-1] + b"x")
    resumed, done = resumed_is_equal(data, at, expected, ranks=2)
    check([one["step"] for one in resumed] == [before], resumed)
    check(f"step-{last} is damaged and was skipped: rank-1.safetensors is not what was written" in done.stderr, done.stderr)


def last_steps_taken(at, step):
    """Leaves the checkpoints up to this step: as if the run had been killed behind it."""
    for later in checkpoints(at):
        if later > step:
            shutil.rmtree(at / f"out/checkpoints/step-{later}")


def goes_on(data, at, ranks, **how):
    """Resumes on so many ranks; returns the row and what was said of their number."""
    alone = ("--strategy", how["strategy"]) if ranks == 1 else ()
    done = run(*options(data, at, at / "weights.safetensors", ranks=ranks, **how), *alone, "--checkpoint-keep", 1000, "--resume")
    [point] = closed_report(at / "out", "complete", 0)["points"]
    said = [line.split("--resume: ")[1] for line in done.stderr.splitlines() if "--resume: " in line]
    return point, said


def other_ranks(folder):
    """Nodes are lost and come back: 4 ranks, 2, 3 and 1 train on each sample of an epoch once. Seven runs of a second or two."""
    data = make_text(folder / "text", 12)
    for strategy in ("ddp", "flat", "sharded") if FULL else ("sharded",):
        at = folder / strategy
        uninterrupted(data, at, ranks=4, strategy=strategy, optimizer="lamb")
        [first] = closed_report(at / "out", "complete", 0)["points"]
        in_an_epoch = (first["samples"] + first["data_loading"]["left_out"]) // 2
        for ranks, batch, step in ((2, "4 per rank x accumulation 2", 2), (3, "4 per rank", 4), (4, None, 6), (1, "4 per rank x accumulation 4", 8)):
            last_steps_taken(at, step)
            left = manifest_of(at / "out", step)
            point, said = goes_on(data, at, ranks, strategy=strategy, optimizer="lamb")
            check(bool(said) == (batch is not None), said)
            check(batch is None or said[0].startswith(f"a training that began with 4 ranks goes on with {ranks}: batch {batch},"), said)
            check(point["resumed"][-1]["step"] == step, point["resumed"])
            to_deal = samples_left(left, in_an_epoch, epochs=2)
            seen = point["samples"] + point["data_loading"]["left_out"]
            check(seen == to_deal, f"{ranks} ranks trained on or left out {seen} samples of {to_deal}")
            for one in learned(point):
                check(all(abs(one[name]) < 100 for name in ("train_loss", "loss")), one)


def asked_to_end(folder):
    """A preemption long before the next checkpoint loses no step: one is written, the line says which, and --resume takes it. Two runs of a second."""
    data, at, step = make_text(folder / "text", 6), folder / "run", 0
    at.mkdir()
    for _ in range(2):
        (at / "out/journal.jsonl").unlink(missing_ok=True)  # the event is to be this session's
        with Running(*options(data, at, at / "weights.safetensors", ranks=2, every="1000000steps", epochs=100_000), "--resume") as running:
            running.await_event("epochs")
            running.process.send_signal(signal.SIGTERM)
            running.end(expect=75)
        before, step = step, checkpoints(at)[-1]
        check(step >= before and "damaged" not in running.stderr, f"{before} {step} {running.stderr}")
        check(f"--resume goes on from step {step}, whose checkpoint was written" in running.stderr, running.stderr)


def by_time_and_few(folder):
    """Time is a unit, too; two checkpoints stay."""
    data, at = make_text(folder / "text", 6), folder / "run"
    at.mkdir()
    run(*options(data, at, at / "weights", every="50ms"))
    check(len(checkpoints(at)) == 2, checkpoints(at))
    check(not list((at / "out/checkpoints").glob("*.unfinished")), "nothing unfinished is left")
    manifest = manifest_of(at / "out", checkpoints(at)[0])
    check([file["name"] for file in manifest["files"]] == ["rank-0.safetensors"], manifest["files"])


def kill_after(data, folder, more, luck, **how):
    """Kills at a random moment after so many further checkpoints, unless the run has ended."""
    enough = len(checkpoints(folder)) + more
    with Running(*options(data, folder, folder / "weights.safetensors", **how), "--checkpoint-keep", 1000,
                 "--resume") as running:
        while len(checkpoints(folder)) < enough and running.process.poll() is None:
            time.sleep(0.01)
        time.sleep(luck.uniform(0, 0.2))
        ranks = running.ranks()
        if running.process.poll() is None:
            os.killpg(running.process.pid, signal.SIGKILL)
        running.process.wait()
        check_gone(ranks)


def killed(folder):
    """Everything is killed at a random time, twice on the way: 1 trial; 20 with SCALEMARK_SOAK=full."""
    data, luck = make_text(folder / "text", 6), random.Random(7)
    trials = 20 if FULL else 1
    for trial in range(trials):
        how = {"optimizer": OPTIMIZERS[trial % len(OPTIMIZERS)], "ranks": 2 - trial % 2, "every": "1steps"}
        expected = uninterrupted(data, folder / f"whole-{trial}", **how)
        at = folder / f"killed-{trial}"
        at.mkdir()
        for _ in range(2):
            kill_after(data, at, luck.randrange(1, 4), luck, **how)
        resumed, _ = resumed_is_equal(data, at, expected, **how)
        check(resumed, "it began anew, though there were checkpoints")
        print(f"trial {trial}: {how}, went on at {[one['step'] for one in resumed]}", flush=True)


def killed_at_each_change(folder):
    """strace kills it as it begins its k-th mkdir, rename, fsync or unlink, and some writes: the folder is what a crash leaves there. Some 7 s each:
    all of them with SCALEMARK_SOAK=full, else four."""
    tool = shutil.which("strace") or skip("there is no strace")
    data, luck = make_text(folder / "text", 6), random.Random(11)
    whole = folder / "whole"
    expected = uninterrupted(data, whole, optimizer="sgd")
    counted = {"mkdir": range(1, 8), "rename": range(1, 20), "fsync": range(1, 44), "unlink": range(1, 26), "pwrite64": range(1, 440, 40)}
    places = [(call, number) for call, numbers in counted.items() for number in numbers]
    killed = 0
    for call, number in places if FULL else luck.sample(places, 4):
        at = folder / f"{call}-{number}"
        at.mkdir()
        stop = (tool, "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:signal=KILL:when={number}")
        with Running(*options(data, at, at / "weights.safetensors", optimizer="sgd"), wrapper=stop) as running:
            running.process.wait()
        killed += running.process.returncode != 0  # 0: another thread has made some of them
        if running.process.returncode != 0:
            resumed_is_equal(data, at, expected, optimizer="sgd")
        shutil.rmtree(at)
    check(killed >= len(places) // 2 if FULL else killed, f"killed {killed} times")
    print(f"killed {killed} times")


if __name__ == "__main__":
    run_cases({case.__name__: case for case in (one_rank, two_ranks, two_ranks_flat, two_ranks_sharded, local_sgd, skipped_branches,
                                                other_torn_or_none, torn_on_one_rank, other_ranks, asked_to_end, by_time_and_few, killed, killed_at_each_change)})
