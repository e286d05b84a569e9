"""Drives data_tool data-dump and commands like it: one request, one answer. Used by the oracles of the data module."""

import os
import subprocess

import numpy


class Refused(Exception):
    """scalemark's error line."""


class Dump:
    def __init__(self, command="data-dump"):
        tool = os.path.join(os.environ["SCALEMARK_BINARY_DIR"], "tests/data_tool")
        self.process = subprocess.Popen([tool, command], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def _ask(self, *request):
        self.process.stdin.write((" ".join(str(r) for r in request) + "\n").encode())
        self.process.stdin.flush()
        kind, _, rest = self.process.stdout.readline().decode().rstrip("\n").partition(" ")
        assert kind, f"the program died on {request}"
        if kind == "error":
            raise Refused(rest)
        return kind, rest

    def line(self, *request):
        kind, rest = self._ask(*request)
        assert kind == "text", kind
        return rest

    def text(self, *request):
        return self.line(*request).split()

    def image(self, *request):
        """The pixels [h, w, 3] and what else the header says."""
        kind, rest = self._ask(*request)
        assert kind == "image", kind
        width, height, *more = (int(v) for v in rest.split())
        data = self.process.stdout.read(width * height * 3)
        return numpy.frombuffer(data, numpy.uint8).reshape(height, width, 3), more
