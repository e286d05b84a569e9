"""Two machines train on a folder of images: one of them lists it where both see the same file system, and each its own where not.
The library that plays a file server counts who asks for files. Each case is one run of at most two ranks: 1 to 6 s of CPUs."""

import collections
import shutil

from endings import closed_report, error_lines, run_cases
from launching import finish, start
from made_data import make_images
from namespaces import TwoHosts
from private_host import as_host
from program import BINARY_DIR, SCALEMARK, check, preloaded, skip_under_asan

FILES = 300
CHECKED = 80  # by a machine that takes over a list: 64 files, train/ and some folders
ANOTHER_TREE = ["unshare", "--mount", "sh", "-c", 'mount --bind "$0" "$1" && shift && exec "$@"']


def train(folder, *place, on=()):
    skip_under_asan("must be the first library that is loaded")
    return start(*on, SCALEMARK, "train", "--workload", "resnet50", "--data", folder / "images", "--image-size", 32, "--batch-size", 2,
                 "--iters", 1, "--warmup-iters", 1, "--threads", 1, "--no-progress", "--nproc-per-node", 1, *place, "--output", folder / "out",
                 LD_PRELOAD=preloaded(BINARY_DIR / "tests/libfailing_files.so"),
                 FAILING_BELOW=folder / "images", STATS_LOG=folder / "stats", SCANS_LOG=folder / "scans")


def node(hosts, number, folder, inside=()):
    return train(folder, "--nnodes", 2, "--node-rank", number, "--rendezvous", f"{hosts.ADDRESSES[0]}:29631",
                 on=(*hosts.on(number), *as_host(f"node{number}"), *inside))


def trained(folder, other_tree=None, expect=0):
    """The two nodes' texts. `other_tree`: what the second one sees in place of the first one's tree."""
    inside = () if other_tree is None else (*ANOTHER_TREE, other_tree, folder / "images")
    with TwoHosts() as hosts:
        return finish([node(hosts, 0, folder), node(hosts, 1, folder, inside)], expect=expect)


def stats(folder):
    """How often each process asked for a file, those that asked most first."""
    return sorted(collections.Counter((folder / "stats").read_text().split()).values(), reverse=True)


def two_trees(folder):
    tree = make_images(folder / "images", FILES, size=32, classes=2)
    shutil.copytree(tree, folder / "copy")
    return folder / "copy"


def one_file_system(folder):
    make_images(folder / "images", FILES, size=32, classes=2)
    trained(folder)
    [point] = closed_report(folder / "out", "complete", 0)["points"]
    check(point["nodes"] == 2 and point["data_identity"], point)
    first, second, *_ = [*stats(folder), 0]
    check(first > FILES * 8 // 10, f"nobody asked for all files: {stats(folder)}")
    check(second <= CHECKED, f"the second machine asked for {second} files")
    check(len((folder / "scans").read_text().split()) == 1, "both have listed the folder")


def alone(folder):
    """Nobody takes its list, so it asks for no 64 files once more."""
    make_images(folder / "images", FILES, size=32, classes=2)
    finish([train(folder)])
    asked = sum(stats(folder))
    check(FILES * 8 // 10 < asked < FILES + 64, f"the only process asked for {asked} files")


def copies(folder):
    """A copy on each machine's own disk: the same names, sizes and times, and nobody takes another's word for that."""
    trained(folder, two_trees(folder))
    closed_report(folder / "out", "complete", 0)
    first, second, *_ = stats(folder)
    check(min(first, second) > FILES * 8 // 10, f"a machine did not look at its own files: {stats(folder)}")


def a_file_less(folder):
    copy = two_trees(folder)
    sorted((copy / "train").rglob("*.jpg"))[77].unlink()
    texts = trained(folder, copy, expect=76)
    lines = [line for text in texts for line in error_lines(text)]
    check(lines and all(line[0] == "E_RANKS_DISAGREE" and "data.identity" in line[2] for line in lines), texts)


def no_folder(folder):
    """It is told with the folder's name; the other machine has the same cause."""
    make_images(folder / "images", FILES, size=32, classes=2)
    (folder / "empty").mkdir()
    texts = trained(folder, folder / "empty", expect=66)
    lines = [line for text in texts for line in error_lines(text)]
    check(lines and all(f"there is no folder {folder / 'images/train'}" in line[2] for line in lines), texts)


run_cases({f.__name__: f for f in (one_file_system, alone, copies, a_file_less, no_folder)})
