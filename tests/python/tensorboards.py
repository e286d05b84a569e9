"""TensorBoard's reading of the folders of runs: in this process, and as its server shows it."""

import json
import re
import struct
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from pathlib import Path

from program import check, skip


def skip_without_it():
    if not installed:
        skip("tensorboard is not installed; scripts/test installs it (requirements-test.txt)")


class Missing:
    """Takes the place of a class of TensorBoard's: who imports this module and uses none of them needs no TensorBoard."""

    def __call__(self, *_, **__):
        skip_without_it()

    def __getattr__(self, _):
        skip_without_it()


try:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.plugins.hparams.api_pb2 import Status
    from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData
    installed = True
except ModuleNotFoundError:
    installed = False
    EventAccumulator = Event = Status = HParamsPluginData = Missing()


def as_float32(value):
    """`value` as it is after the journey through a file of events."""
    return struct.unpack("f", struct.pack("f", value))[0]


def event_files(folder):
    return sorted(Path(folder).rglob("events.out.tfevents.*"))


def run_folders(folder):
    """Name of the run, as TensorBoard shows it -> its folder."""
    return {str(file.parent.relative_to(folder)): file.parent for file in event_files(folder)}


class Run:
    """The folder of one run, read by TensorBoard's own accumulator, which keeps every event."""

    def __init__(self, folder):
        self.events = EventAccumulator(str(folder), size_guidance={"scalars": 0, "histograms": 0, "tensors": 0})
        self.events.Reload()

    def tags(self):
        return sorted(self.events.Tags()["scalars"])

    def scalars(self, tag):
        """[(step, value)]"""
        return [(event.step, event.value) for event in self.events.Scalars(tag)]

    def description(self, tag):
        found = self.events.summary_metadata.get(tag)
        return found.summary_description if found else ""

    def times(self, tag):
        return [event.wall_time for event in self.events.Scalars(tag)]

    def histogram_tags(self):
        return sorted(self.events.Tags()["histograms"])

    def histograms(self, tag):
        """[(step, value)] with value.min, max, num, sum, sum_squares, bucket_limit and bucket."""
        return [(event.step, event.histogram_value) for event in self.events.Histograms(tag)]


def session(folder):
    """(parameters, how it ended) of the session that the table of hparams finds in a run; None: it has not ended."""
    found = Run(folder).events.summary_metadata

    def data(tag):
        return HParamsPluginData.FromString(found[tag].plugin_data.content)

    values = data("_hparams_/session_start_info").session_start_info.hparams
    end = data("_hparams_/session_end_info").session_end_info if "_hparams_/session_end_info" in found else None
    return ({name: getattr(value, value.WhichOneof("kind")) for name, value in values.items()},
            end and Status.Name(end.status))


def records(file):
    """The serialised events of a file, cut by the lengths that stand before them."""
    data, found = Path(file).read_bytes(), []
    while data:
        length = struct.unpack("<Q", data[:8])[0]
        found.append(data[12:12 + length])
        data = data[12 + length + 4:]
    return found


def check_message(kind, content):
    """`content` is a message that has only fields which `kind`, a class of TensorBoard's, knows, byte for byte in its own form."""
    message = kind.FromString(content)
    message.DiscardUnknownFields()
    again = message.SerializeToString(deterministic=True)
    check(again == content, f"{content!r} is {again!r} in TensorBoard's own form")
    return message


def check_bytes(file):
    """Each record is what TensorBoard's own classes make of it; they order parameters alike unless one's name begins with another's.
    Returns the events."""
    events = [check_message(Event, content) for content in records(file)]
    for event in events:
        for value in event.summary.value:
            if value.metadata.plugin_data.plugin_name == "hparams":
                check_message(HParamsPluginData, value.metadata.plugin_data.content)
    return events


class Server:
    """TensorBoard over `folder` on a free port of this machine; its data server, in Rust, reads the files."""

    def __init__(self, folder):
        skip_without_it()
        self.command = [sys.executable, "-m", "tensorboard.main", "--logdir", str(folder), "--host", "127.0.0.1", "--port", "0",
                        "--load_fast", "true", "--reload_interval", "1", "--samples_per_plugin",
                        "scalars=100000,histograms=1000"]

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        said = []
        for line in self.process.stderr:
            said.append(line)
            if found := re.search(r"at (http://127\.0\.0\.1:\d+/)", line):
                self.address = found[1]
                return self
        self.__exit__()
        sys.exit(f"TensorBoard did not start: {''.join(said)}")

    def __exit__(self, *_):
        self.process.terminate()  # it ends its data server
        self.process.stderr.close()
        self.process.wait()

    def get(self, path, body=None, **query):
        url = self.address + "data/" + path + ("?" + urllib.parse.urlencode(query) if query else "")
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def until(self, seen, what, seconds=120):
        """Returns what `seen` gives, once that is something: the server reads files while it answers."""
        end = time.monotonic() + seconds
        while not (found := seen()):
            check(time.monotonic() < end and self.process.poll() is None, f"TensorBoard never showed {what}")
            time.sleep(0.05)
        return found

    def scalar_tags(self):
        """Run -> its tags of scalars."""
        return {run: sorted(tags) for run, tags in self.get("plugin/scalars/tags").items()}

    def descriptions(self):
        """Run -> tag of scalars -> what its card says of it, as HTML."""
        return {run: {tag: entry["description"] for tag, entry in tags.items()} for run, tags in self.get("plugin/scalars/tags").items()}

    def scalars(self, run, tag):
        return [(step, value) for _, step, value in self.get("plugin/scalars/scalars", run=run, tag=tag)]

    def histogram_tags(self):
        return {run: sorted(tags) for run, tags in self.get("plugin/histograms/tags").items()}

    def histograms(self, run, tag):
        """[(step, [[left, right, count], ...])]"""
        return [(step, buckets) for _, step, buckets in self.get("plugin/histograms/histograms", run=run, tag=tag)]

    def session_groups(self):
        """The table of hparams: group -> its parameters, metrics (averages over sessions by tag) and sessions."""
        answer = self.get("plugin/hparams/session_groups", {
            "experimentName": "", "allowedStatuses": ["STATUS_UNKNOWN", "STATUS_SUCCESS", "STATUS_FAILURE", "STATUS_RUNNING"], "colParams": [],
            "aggregationType": "AGGREGATION_AVG", "startIndex": 0, "sliceSize": 10_000})
        return {group["name"]: {"parameters": group.get("hparams", {}), "sessions": group["sessions"],
                                "metrics": {metric["name"]["tag"]: metric["value"] for metric in group.get("metricValues", ())}}
                for group in answer.get("sessionGroups", ())}
