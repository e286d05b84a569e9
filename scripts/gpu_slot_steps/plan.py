"""The list of steps, fatal and cheap ones first. Seconds are those of an H200; together they stay below nine minutes.
"""

from . import speed
from .counting import marks_are_cheap, no_waits
from .judges import (DRAM_SHARE, answered, attention_agrees, ended_as_expected, keeps_its_bits, learned, memcheck_clean, out_of_memory_row,
                     profiled, refused, same_evaluation, same_losses, sees_a_gpu, trains)
from .step import Run, Step

PRECISIONS = ("fp32", "tf32", "amp-fp16", "amp-bf16")
NO_NUMBERS = "no numbers on the null device"
NO_COUNTERS = (("ERR_NVGPUCTRPERM", "no permission to read the GPU's performance counters"),)


def all_steps(commands):
    parts = (first_steps, parity_steps, precision_steps, acceptance_steps, rank_steps, memory_steps, attention_steps, counting_steps,
             speed_steps, tool_steps, practice_steps)
    return [step for part in parts for step in part(commands)]


def first_steps(c):
    card = Run("nvidia-smi", ("nvidia-smi", "-q", "-d", "CLOCK,POWER,MEMORY,ECC,TEMPERATURE"))
    return [
        Step("nvidia-smi", (card,), ended_as_expected("clocks, power, ECC in its log"), needs_s=1, limit_s=10,
             tool="nvidia-smi", not_rehearsed=NO_NUMBERS),
        Step("doctor", (c.program("doctor", "doctor"),), sees_a_gpu("doctor"), needs_s=1, limit_s=20, numbers=False,
             covering=True),
        Step("linear", (c.train("linear", "--workload", "linear", *c.length(200, 20)),), trains("linear"), needs_s=5,
             limit_s=40, fatal=True, covering=True),
    ]


def parity_steps(c):
    """Losses of both devices. fp32 without tf32; a small rate, so that rounding does not grow over the steps."""
    small = ("--image-size", 64) if c.short else ()
    resnet = ("--workload", "resnet50", "--batch-size", c.batch(16), *small, "--iters", 3, "--warmup-iters", 0,
              "--precision", "fp32", "--learning-rate", 0.01, "--lr-schedule", "constant")
    calm = ("--workload", "resnet50", "--batch-size", c.batch(64), "--image-size", 64, "--iters", 3, "--warmup-iters", 0, "--precision", "fp32",
            "--learning-rate", 1e-5, "--lr-schedule", "constant")
    few, many = c.folder("text-few"), c.folder("text-many")
    bert = ("--workload", "bert-mini", "--sequence-length", 64, "--global-batch-size", 16)
    epoch = (*bert, "--data", few, "--epochs", 1, "--learning-rate", 1e-12, "--precision", "fp32")
    learn = (*bert, "--data", many, "--epochs", 1 if c.short else 8, "--precision", "amp-bf16")
    return [
        Step("parity.resnet50",
             (c.train("parity-resnet50-cpu", *resnet, device="cpu"), c.train("parity-resnet50-cuda", *resnet)),
             same_losses("parity-resnet50-cpu", "parity-resnet50-cuda", 1e-4, 2e-3), needs_s=15, limit_s=80),
        # At a rate of 0.01 with 16 images the rounding of the two ways alone moves the third loss by 1 %, on a CPU as on a GPU. With
        # these it is 5e-5 on a CPU, and the updates move the loss by 4e-3: an error of an eighth of the gradient would show.
        Step("parity.fused-layers",
             tuple(c.train(f"parity-fused-{value}", *calm, "--fused-layers", value) for value in ("on", "off")),
             same_losses("parity-fused-on", "parity-fused-off", 1e-4, 5e-4), needs_s=10, limit_s=60),
        Step("parity.bert",
             (c.generate_text("text-few", 20 if c.short else 40), c.train("parity-bert-cpu", *epoch, device="cpu"),
              c.train("parity-bert-cuda", *epoch)),
             same_evaluation("parity-bert-cpu", "parity-bert-cuda", 1e-4), needs_s=10, limit_s=60),
        Step("bert.learns",
             (c.generate_text("text-many", 40 if c.short else 400), c.train("bert-learns", *learn)),
             learned("bert-learns", many / "vocab.txt", 0.6), needs_s=10, limit_s=50),
    ]


def precision_steps(c):
    """The gpu tests; the report of each is kept."""
    pairs = [(workload, precision) for workload in ("resnet50", "bert-base") for precision in PRECISIONS]
    return [precision_step(c, *pair) for pair in pairs]


def precision_step(c, workload, precision):
    name = f"gpu-{workload}-{precision}"
    test = c.test(name, "--workload", workload, "--precision", precision, "--batch-size", c.batch(64), *c.iters(30))
    return Step(f"gpu.{workload}.{precision}", (test,), trains(name), needs_s=8, limit_s=60,
                covering=(workload, precision) == ("resnet50", "amp-fp16"))


def acceptance_steps(c):
    """One GPU by itself, as a node stage does it: the same bits, held products."""
    sweep = ("--workload", "resnet50", "--precision", "amp-bf16", "--world-sizes", 1, "--batch-sizes", 64, "--checks", "devices,replay,health",
             "--sustain", 15, "--repetitions", 1, "--max-time", 120, *c.length(20, 5))
    return [Step("acceptance.one-gpu", (c.sweep("acceptance", *sweep),), keeps_its_bits("acceptance"), needs_s=45, limit_s=100,
                 not_rehearsed=NO_NUMBERS)]


def rank_steps(c):
    gloo = ("--workload", "resnet50", "--ranks", 2, "--batch-size", c.batch(32), *c.iters(30))
    nccl = ("--strategy", "ddp", "--backend", "nccl")
    one = ("--workload", "resnet50", "--precision", "amp-bf16", "--batch-size", c.batch(64), *c.length(30, 15))
    two = ("--workload", "linear", "--nproc-per-node", 2, *c.length(3, 0))
    return [
        Step("gloo.two-ranks", (c.test("gloo-two-ranks", *gloo),), trains("gloo-two-ranks"), needs_s=10, limit_s=60),
        Step("nccl.one-rank", (c.train("nccl-one-rank", *one, *nccl),), trains("nccl-one-rank"), needs_s=8, limit_s=50,
             nccl=True),
        Step("nccl.two-ranks-refused", (c.train("nccl-two-ranks", *two, *nccl, expect=78),),
             refused("nccl-two-ranks", "E_CONFIGURATION", "one rank per GPU"), needs_s=4, limit_s=30, numbers=False,
             covering=True),
    ]


def memory_steps(c):
    sweep = ("--workload", "resnet50", "--precision", "amp-bf16", "--world-sizes", 1, "--batch-sizes", "16,512",
             "--memory-limit", "8GiB", "--repetitions", 1, "--allow-oom", *c.length(10, 3))
    return [Step("memory.oom-sweep", (c.sweep("oom-sweep", *sweep),), out_of_memory_row("oom-sweep"), needs_s=12,
                 limit_s=60, numbers=False)]


def attention_steps(c):
    few = ("--tokens", 64, "--sequences", 2) if c.short else ()
    run = c.script("attention", c.place.scripts / "gpu_slot_steps" / "attention.py", *few)
    return [Step("attention.backends", (run,), attention_agrees("attention"), needs_s=12, limit_s=45)]


def counting_steps(c):
    bert = ("--workload", "bert-base", "--precision", "amp-fp16", "--batch-size", c.batch(32))
    resnet = ("--workload", "resnet50", "--precision", "amp-bf16", "--batch-size", c.batch(32))
    return [
        Step("waits.bert-base", c.counted("waits-bert-base", bert, 20, 60, 10), no_waits("waits-bert-base"), needs_s=12,
             limit_s=60, numbers=False),
        Step("waits.resnet50", c.counted("waits-resnet50", resnet, 20, 60, 10), no_waits("waits-resnet50"), needs_s=14,
             limit_s=60, numbers=False, covering=True),
        Step("marks.linear", c.counted("marks-linear", ("--workload", "linear"), 2000, 10000, 200),
             marks_are_cheap("marks-linear"), needs_s=10, limit_s=50),
    ]


def speed_steps(c):
    """The first pairs of all rows, then the second ones: when time runs out, each row has one."""
    return [speed_step(c, row, pair) for pair in range(1, speed.PAIRS + 1) for row in speed.ROWS]


def speed_step(c, row, pair):
    options = (*row.options(c.batch(row.batch)), *c.length(row.iters, row.warmup))
    ours = c.train(speed.run_name(row, "ours", pair), *options)
    runs = (ours, c.peer(speed.run_name(row, "python", pair), *options))
    needs = ("torchvision",) if row.workload == "resnet50" else ("transformers",)
    return Step(f"speed.{row.name}.pair-{pair}", speed.in_turn(pair - 1, runs), speed.as_fast_as_python(row, pair),
                needs_s=26, limit_s=75, needs_python=needs)


def tool_steps(c):
    tiny = ("--workload", "resnet50", "--batch-size", 2, "--image-size", 64, "--iters", 1, "--warmup-iters", 0)
    step = ("--workload", "resnet50", "--precision", "amp-bf16", "--batch-size", 64, "--iters", 1, "--warmup-iters", 1)
    memcheck = (c.place.python, c.place.scripts / "gpu_slot_steps" / "memcheck.py")
    ncu = ("ncu", "--clock-control", "none", "-k", "regex:normalise|norm_|bn_", "-c", 16, "--metrics",
           f"{DRAM_SHARE},gpu__time_duration.sum")
    nsys = ("nsys", "profile", "--trace", "cuda", "--stats", "true", "--force-overwrite", "true", "--output",
            c.output / "logs" / "nsys")
    return [
        Step("sanitizer.memcheck", (c.train("memcheck", *tiny, before=memcheck),), memcheck_clean("memcheck"),
             needs_s=25, limit_s=75, tool="compute-sanitizer", not_rehearsed=NO_NUMBERS),
        Step("profile.ncu", (c.train("ncu", *step, before=ncu),), profiled("ncu"), needs_s=20, limit_s=60,
             tool="ncu", excuses=NO_COUNTERS, not_rehearsed=NO_NUMBERS),
        Step("profile.nsys", (c.train("nsys", *step, before=nsys),),
             ended_as_expected("kernels by time in its log"), needs_s=20, limit_s=60, tool="nsys",
             not_rehearsed=NO_NUMBERS),
    ]


def practice_steps(c):
    """What guides advise about one GPU: each claim gets a verdict. Those on memory of the exchange want two."""
    runs = tuple(c.reproduce(name, seconds=4) for name in ("practice-checkpointing", "practice-pin-memory"))
    return [Step("practice.one-gpu", runs, answered(*(run.name for run in runs)), needs_s=9, limit_s=60, not_rehearsed=NO_NUMBERS)]
