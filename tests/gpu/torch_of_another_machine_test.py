"""The gpu tests, moved to another machine, train with the torch that SCALEMARK_TORCH names, and drop the rest."""

import os

from program import check, clean_environment, run

os.environ.update(SCALEMARK_TORCH="/no/torch/here", SCALEMARK_ITERS="17", MASTER_PORT="1")
check(clean_environment().get("SCALEMARK_TORCH") == "/no/torch/here", "SCALEMARK_TORCH does not reach the program")
check(not {"SCALEMARK_ITERS", "MASTER_PORT"} & clean_environment().keys(), "a setting of where it was started stays")
done = run("train", "--workload", "linear", "--device", "cpu", "--iters", 1, expect=71)
check("E_TORCH_MISSING" in done.stderr and "/no/torch/here" in done.stderr, done.stderr)
