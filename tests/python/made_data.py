"""Small data that the program makes itself, for tests that train on files."""

from program import run


def make_images(folder, samples, size, classes=10, seed=0):
    run("data", "generate", "images", folder, "--samples", samples, "--classes", classes, "--image-size", size,
        "--seed", seed)
    return folder


def make_text(folder, documents, seed=0):
    run("data", "generate", "text", folder, "--samples", documents, "--seed", seed)
    return folder
