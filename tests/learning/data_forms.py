"""`train --iters` on every form of data that it takes: an image tree, the same packed, a text folder with its own vocabulary, a
text file with --vocab, a token file. The tree, one packed form, the folder and the token file on 2 ranks, too."""

import tempfile
from pathlib import Path

from learning import make_images, make_text, train
from program import check, run


def point_of(output, *options, ranks=1):
    report, _ = train(output, *options, "--iters", 2, "--warmup-iters", 1, "--batch-size", 4, "--threads", 1, ranks=ranks)
    [point] = report["points"]
    check(point["status"] == "ok" and point["world_size"] == ranks, f"{point['status']} {point['world_size']}")
    check(point["samples"] == 2 * 4 * ranks, f"{point['samples']} samples")
    check(point["loss"]["first"] > 0, f"loss {point['loss']}")
    return point


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        images = make_images(folder / "images", 40, size=48, classes=4)
        resnet = ["--workload", "resnet50", "--image-size", 32]
        of_tree = {}
        for ranks in (1, 2):
            point = point_of(folder / "run", *resnet, "--data", images, ranks=ranks)
            check(point["image_size"] == 32 and point["phases_s"]["data_wait"] >= 0, f"{point['phases_s']}")
            of_tree[ranks] = point["loss"]["first"]
        for form, ranks in (("jpeg", 2), ("jpeg-256", 1), ("raw-256", 1)):  # images so small that each form keeps their pixels
            run("data", "pack", images, folder / form, "--form", form, "--shard-size", "20KiB")
            loss = point_of(folder / "run", *resnet, "--data", folder / form, ranks=ranks)["loss"]["first"]
            print(f"packed as {form}: first loss {loss}, of the tree {of_tree[ranks]}", flush=True)
            # Pixels of raw-256 are resized as RGB, those of a JPEG file perhaps before their conversion to it.
            bound = 0.02 if form == "raw-256" else 0
            check(abs(loss / of_tree[ranks] - 1) <= bound, f"packed as {form} other images are trained on: {loss}, {of_tree}")

        text = make_text(folder / "text", 80)
        corpus, vocab, tokens = text / "corpus.txt", text / "vocab.txt", folder / "corpus.tokens"
        run("data", "tokenize", corpus, "--vocab", vocab, "--output", tokens)
        bert = ["--workload", "bert-mini", "--sequence-length", 32]
        forms = {"a folder with its vocab.txt": ["--data", text],
                 "a file and --vocab": ["--data", corpus, "--vocab", vocab],
                 "a token file": ["--data", tokens],
                 "a token file and --vocab": ["--data", tokens, "--vocab", vocab]}
        for ranks, some in ((1, forms), (2, ("a folder with its vocab.txt", "a token file"))):
            losses = {form: point_of(folder / "run", *bert, *forms[form], ranks=ranks)["loss"]["first"] for form in some}
            check(len(set(losses.values())) == 1, f"the same corpus trains differently: {losses}")

        run("train", *bert, "--data", corpus, "--iters", 1, "--output", folder / "refused", expect=78)


if __name__ == "__main__":
    main()
