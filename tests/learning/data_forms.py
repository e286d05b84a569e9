"""`train --iters` on every form of data that it takes: an image tree, the same packed, a text folder with its own vocabulary, a
text file with --vocab, a token file. With SCALEMARK_SOAK=full the tree, one packed form, the folder and the token file on 2 ranks, too,
which share the samples and exchange nothing: with gradients they are in epochs_behave.py and bert_learns.py."""

import json
import tempfile
from pathlib import Path

from PIL import Image

from learning import FULL, make_images, make_text, train
from program import check, run


def point_of(output, *options, ranks=1):
    report, _ = train(output, *options, "--iters", 2, "--warmup-iters", 1, "--batch-size", 4, "--threads", 1, ranks=ranks, strategy="none")
    [point] = report["points"]
    check(point["status"] == "ok" and point["world_size"] == ranks, f"{point['status']} {point['world_size']}")
    check(point["samples"] == 2 * 4 * ranks, f"{point['samples']} samples")
    check(point["loss"]["first"] > 0, f"loss {point['loss']}")
    return point


def saved_shapes(folder, *options):
    """Returns the shapes of the tensors of a network that is trained so."""
    train(folder / "run", *options, "--iters", 1, "--warmup-iters", 0, "--batch-size", 1, "--threads", 1, "--save", folder / "weights.safetensors")
    data = (folder / "weights.safetensors").read_bytes()
    header = json.loads(data[8:8 + int.from_bytes(data[:8], "little")])
    return {name: tensor["shape"] for name, tensor in header.items() if name != "__metadata__"}


def networks_sized_by_the_data(folder):
    """One class and more than ImageNet's; a vocabulary larger than BERT's, in the shortest and the longest sequence."""
    for classes, samples in ((1, 4), (1005, 1)):
        tree = folder / f"classes-{classes}"
        for split in ("train", "val"):
            for label in range(classes):
                (tree / split / f"{label:04}").mkdir(parents=True)
                for i in range(samples):
                    Image.new("RGB", (8, 8), (label % 256, label // 256 * 60, 0)).save(tree / split / f"{label:04}" / f"{i}.jpg")
        shapes = saved_shapes(folder, "--workload", "resnet50", "--image-size", 33, "--data", tree)
        check(shapes["fc.weight"] == [classes, 2048], f"{classes} classes: {shapes['fc.weight']}")
    corpus, vocab = folder / "large.txt", folder / "large.vocab"
    vocab.write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", *(f"w{i}" for i in range(40_000))]) + "\n")
    corpus.write_text("".join(f"w1 w2 w{i}.\nw3 w{i + 7}.\n\n" for i in range(0, 39_000, 1000)))
    for length in (8, 512) if FULL else (512,):
        shapes = saved_shapes(folder, "--workload", "bert-mini", "--sequence-length", length, "--data", corpus, "--vocab", vocab)
        check(shapes["bert.embeddings.word_embeddings.weight"][0] == 40_006, shapes)
    for length in (7, 513, 1024):
        done = run("train", "--workload", "bert-mini", "--sequence-length", length, "--dry-run", expect=78)
        check("from 8 to 512" in done.stderr, done.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        networks_sized_by_the_data(folder)
        images = make_images(folder / "images", 40, size=48, classes=4)
        resnet = ["--workload", "resnet50", "--image-size", 32]
        of_tree = {}
        for ranks in (1, 2) if FULL else (1,):
            point = point_of(folder / "run", *resnet, "--data", images, ranks=ranks)
            check(point["image_size"] == 32 and point["phases_s"]["data_wait"] >= 0, f"{point['phases_s']}")
            of_tree[ranks] = point["loss"]["first"]
        for form, ranks in (("jpeg", 2 if FULL else 1), ("jpeg-256", 1), ("raw-256", 1)):  # images so small that each form keeps their pixels
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
        on_two_ranks = [(2, ("a folder with its vocab.txt", "a token file"))] if FULL else []
        for ranks, some in ((1, forms), *on_two_ranks):
            losses = {form: point_of(folder / "run", *bert, *forms[form], ranks=ranks)["loss"]["first"] for form in some}
            check(len(set(losses.values())) == 1, f"the same corpus trains differently: {losses}")

        run("train", *bert, "--data", corpus, "--iters", 1, "--output", folder / "refused", expect=78)


if __name__ == "__main__":
    main()
