"""One rank, seconds long: lengths at their edges, and what the report says about how it was started."""

import shlex

from endings import run_cases
from program import check, report_in, run

MLP = ("train", "--workload", "mlp", "--threads", 1, "--no-progress")


def warmup_of_no_or_one_step(folder):
    """Without a steady step time the window still has a length that ends."""
    for warmup in (0, 1):
        out = folder / str(warmup)
        run(*MLP, "--warmup-iters", warmup, "--output", out)
        row = report_in(out)["points"][0]
        check(row["warmup"]["iterations"] == warmup, row["warmup"])
        check(row["iterations"] == 100 if warmup == 0 else row["iterations"] >= 100, f"{row['iterations']} steps after {warmup}")
        check(row["setup_s"]["first_step"] > 0, row["setup_s"])


def command_line_can_be_pasted(folder):
    arguments = [*map(str, MLP), "--iters", "2", "--warmup-iters", "1", "--output", str(folder / "my 'own' runs")]
    run(*arguments)
    line = report_in(arguments[-1])["invocation"]["command_line"]
    check(shlex.split(line) == ["scalemark", *arguments], line)


run_cases({f.__name__: f for f in (warmup_of_no_or_one_step, command_line_can_be_pasted)})
