"""bert-mini learns the made-up language: its loss on documents it has never seen falls far below ln(vocabulary),
which is what guessing masked tokens gives. The loss is that of masked tokens plus that of next sentences, so the
masked tokens' alone is lower still."""

import argparse
import math
import tempfile
from pathlib import Path

from learning import evaluations_of, figures, make_text, train
from program import check


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--documents", type=int, default=400)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--most", type=float, default=0.60, help="of ln(vocabulary)")
    options = parser.parse_args()
    for seed in options.seeds:
        with tempfile.TemporaryDirectory() as folder:
            text = make_text(Path(folder) / "text", options.documents, seed=seed)
            vocabulary = len((text / "vocab.txt").read_text().splitlines())
            report, printed = train(
                Path(folder) / "run", "--workload", "bert-mini", "--data", text, "--sequence-length", 64, "--epochs",
                options.epochs, "--global-batch-size", 16, "--threads", max(1, 2 // options.ranks), "--seed", seed,
                ranks=options.ranks, timeout=1500)
            evaluations = evaluations_of(report, printed)
            guessing = math.log(vocabulary)
            course = ", ".join(f"{e['loss'] / guessing:.2f}" for e in evaluations)
            print(f"seed {seed}, {options.ranks} rank(s): loss / ln({vocabulary}) {course}; "
                  f"MLM accuracy {100 * evaluations[-1]['value']:.1f} %; {figures(report)}", flush=True)
            check(evaluations[-1]["loss"] <= options.most * guessing, f"loss / ln(V) {course}, {options.most} expected")
            check(evaluations[0]["train_loss"] > evaluations[-1]["train_loss"], "the training loss did not fall")


if __name__ == "__main__":
    main()
