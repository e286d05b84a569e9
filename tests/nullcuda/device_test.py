"""The null device itself, called as a program would call CUDA: what it promises, and that it finds violations.

Each case runs in a process of its own, with libnullcuda.so loaded in the place of CUDA. It returns the violations that
the counts of its process must list.
"""

import ctypes
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from program import BINARY_DIR, check, skip, skip_under_asan

LIBRARY = BINARY_DIR.resolve() / "tests/nullcuda/libnullcuda.so"
TO_DEVICE, TO_HOST = 1, 2
OUT_OF_MEMORY, INVALID_VALUE, INVALID_HANDLE, NOT_READY, ILLEGAL_ADDRESS = 2, 1, 400, 600, 700
TIMED, UNTIMED = 0, 2


class Cuda:
    """The library; every call's result is returned, `ok` asks for success."""

    def __init__(self):
        self.library = ctypes.CDLL(str(LIBRARY))

    def __getattr__(self, name):
        return getattr(self.library, f"cuda{name}")

    def ok(self, name, *arguments):
        result = getattr(self, name)(*arguments)
        check(result == 0, f"cuda{name} gave {result}")

    def pointer(self, name, *arguments):
        value = ctypes.c_void_p()
        self.ok(name, ctypes.byref(value), *arguments)
        return value

    def memory(self, size):
        return self.pointer("Malloc", ctypes.c_size_t(size))

    def pinned(self, size):
        return self.pointer("HostAlloc", ctypes.c_size_t(size), 0)

    def copy(self, to, source, size, kind):
        return self.MemcpyAsync(to, source, ctypes.c_size_t(size), kind, None)


def bytes_at(address, size):
    return ctypes.string_at(address, size)


def memory_is_zero_and_not_the_hosts():
    cuda = Cuda()
    device, host = cuda.memory(4096), cuda.pinned(4096)
    ctypes.memset(host, 7, 4096)
    check(cuda.copy(host, device, 4096, TO_HOST) == 0 and bytes_at(host, 4096) == bytes(4096), "memory is not zero")
    child = os.fork()
    if child == 0:
        bytes_at(device, 1)  # a GPU would fail here, too
        os._exit(0)
    check(os.waitpid(child, 0)[1] == signal.SIGSEGV, "the host could read device memory")
    cuda.ok("Free", device)
    check(cuda.Free(device) == INVALID_VALUE, "memory was freed twice")
    return {"cudaFree of an address that was not allocated so": 1}


def memory_ends():
    cuda = Cuda()
    first = cuda.memory(900)
    check(cuda.Malloc(ctypes.byref(ctypes.c_void_p()), ctypes.c_size_t(200)) == OUT_OF_MEMORY, "1100 of 1000 bytes")
    check(cuda.GetLastError() == OUT_OF_MEMORY and cuda.GetLastError() == 0, "the last error is returned once")
    cuda.ok("Free", first)
    cuda.memory(1000)


def copies_stay_inside():
    cuda = Cuda()
    device, host = cuda.memory(4096), cuda.pinned(8192)
    check(cuda.copy(device, host, 8192, TO_DEVICE) == INVALID_VALUE, "a copy beyond the end")
    check(cuda.copy(device, host, 16, TO_HOST) == INVALID_VALUE, "a copy in the wrong direction")
    return {"a copy reaches beyond the memory that was allocated": 1,
            "a copy's direction is not where its addresses are": 1}


def deferred_copies_find_reused_memory():
    cuda = Cuda()
    device, host, back = cuda.memory(64), cuda.pinned(64), cuda.pinned(64)
    ctypes.memset(host, 1, 64)
    check(cuda.copy(device, host, 64, TO_DEVICE) == 0, "copy")
    cuda.ok("StreamSynchronize", None)
    ctypes.memset(host, 2, 64)  # after the copy: as it should be
    check(cuda.copy(back, device, 64, TO_HOST) == 0, "copy back")
    check(bytes_at(back, 64) == b"\xff" * 64, "what has not arrived is no number")
    cuda.ok("DeviceSynchronize")
    check(bytes_at(back, 64) == b"\x01" * 64, "the bytes of the first copy")
    check(cuda.copy(device, host, 64, TO_DEVICE) == 0, "copy")
    ctypes.memset(host, 3, 64)  # too early
    cuda.ok("DeviceSynchronize")
    return {"pinned memory was changed before its copy to the device was done": 1}


def waits_carry_over_streams():
    """A stream that waits for an event of another sees that one's copies."""
    cuda = Cuda()
    device, host, back = cuda.memory(64), cuda.pinned(64), cuda.pinned(64)
    stream, event = cuda.pointer("StreamCreate"), cuda.pointer("EventCreateWithFlags", UNTIMED)
    ctypes.memset(host, 5, 64)
    check(cuda.copy(device, host, 64, TO_DEVICE) == 0, "copy")
    cuda.ok("EventRecord", event, None)
    cuda.ok("StreamWaitEvent", stream, event, 0)
    check(cuda.MemcpyAsync(back, device, ctypes.c_size_t(64), TO_HOST, stream) == 0, "copy back on the other stream")
    cuda.ok("StreamSynchronize", stream)
    check(bytes_at(back, 64) == b"\x05" * 64, "the wait was not kept")


def late_events_are_not_ready_at_once():
    cuda = Cuda()
    event = cuda.pointer("EventCreate")
    cuda.ok("EventRecord", event, None)
    check([cuda.EventQuery(event) for _ in range(3)] == [NOT_READY, NOT_READY, 0], "two queries too early")
    cuda.ok("EventRecord", event, None)
    cuda.ok("EventSynchronize", event)
    check(cuda.EventQuery(event) == 0, "waited for, and still not ready")


def events_must_have_a_time():
    cuda = Cuda()
    ms, events = ctypes.c_float(), [cuda.pointer("EventCreate") for _ in range(2)]
    cuda.ok("EventRecord", events[0], None)
    check(cuda.EventElapsedTime(ctypes.byref(ms), *events) == INVALID_HANDLE, "one was never recorded")
    cuda.ok("EventDestroy", events[1])
    check(cuda.EventRecord(events[1], None) == INVALID_HANDLE, "one does not exist")
    return {"cudaEventElapsedTime of an event without a time": 1, "cudaEventRecord of an event that does not exist": 1}


def windows_count_what_lies_between():
    """Three marks with a memset after the first and a wait after the second; before and behind does not count."""
    cuda = Cuda()
    device, ms = cuda.memory(64), ctypes.c_float()
    marks = [cuda.pointer("EventCreate") for _ in range(3)]
    cuda.ok("DeviceSynchronize")
    for mark, between in zip(marks, ("memset", "wait", "behind")):
        cuda.ok("EventRecord", mark, None)
        if between == "memset":
            cuda.ok("MemsetAsync", device, 0, ctypes.c_size_t(64), None)
        else:
            cuda.ok("StreamSynchronize", None)
    for a, b in zip(marks, marks[1:]):
        cuda.ok("EventElapsedTime", ctypes.byref(ms), a, b)


def judge_window(counts):
    [window] = counts["windows"]
    check(window["marks"] == 3 and window["memsets"]["memset"]["count"] == 1, window)
    check(window["syncs"] == {"main|cudaStreamSynchronize": {"count": 1, "bytes": 0}}, window["syncs"])
    check(counts["total"]["syncs"]["main|cudaStreamSynchronize"]["count"] == 2, counts["total"]["syncs"])
    check(counts["now"]["events"] == 3 and counts["now"]["device_bytes"] == 64, counts["now"])


def launches_are_judged():
    """Launches are judged by name; an empty grid is none, and a broken device stays broken."""
    cuda = Cuda()
    stand_in = ctypes.create_string_buffer(b"")
    name = ctypes.create_string_buffer(b"_Z6kernelv")
    register = cuda.library["__cudaRegisterFunction"]
    register(None, ctypes.byref(stand_in), None, name, -1, None, None, None, None, None)

    class Dim3(ctypes.Structure):
        _fields_ = [("x", ctypes.c_uint), ("y", ctypes.c_uint), ("z", ctypes.c_uint)]

    def launch(blocks):
        shape = Dim3(blocks, 1, 1), Dim3(32, 1, 1)
        return cuda.LaunchKernel(ctypes.byref(stand_in), *shape, None, ctypes.c_size_t(0), None)

    check(launch(0) == 9, "an empty grid")
    check([launch(1), launch(1)] == [0, 0], "two launches, the second one breaks the device")
    check([launch(1), cuda.DeviceSynchronize(), cuda.GetLastError(), cuda.GetLastError()] == [ILLEGAL_ADDRESS] * 4,
          "a broken device answers")
    return {"empty grid: _Z6kernelv": 1}


def what_is_not_there_says_its_name():
    Cuda().GraphAddNode(None, None)


def settings_are_known_by_name():
    Cuda()


CASES = {  # values: their environment
    memory_is_zero_and_not_the_hosts: {},
    memory_ends: {"NULLCUDA_MEMORY": "1000"},
    copies_stay_inside: {},
    deferred_copies_find_reused_memory: {"NULLCUDA_COPIES": "deferred"},
    waits_carry_over_streams: {"NULLCUDA_COPIES": "deferred"},
    late_events_are_not_ready_at_once: {"NULLCUDA_EVENTS": "late:2"},
    events_must_have_a_time: {},
    windows_count_what_lies_between: {},
    launches_are_judged: {"NULLCUDA_FAIL_LAUNCH": "2"},
}
ABORTS = {  # values: their environment and final message
    what_is_not_there_says_its_name: ({}, "cudaGraphAddNode is not part of the null device"),
    settings_are_known_by_name: ({"NULLCUDA_COPYS": "deferred"}, "NULLCUDA_COPYS is no setting of the null device"),
}


def in_a_process(file, case, environment, folder):
    kept = {k: v for k, v in os.environ.items() if not k.startswith("NULLCUDA_")}
    return subprocess.run([sys.executable, file, case.__name__], capture_output=True, text=True,
                          env=kept | environment | {"NULLCUDA_COUNTS": f"{folder}/%p.json"})


def judge_cases(file, cases, judges):
    """Each case of a test file passes, and its process's counts list the violations that it expects, and no others."""
    for case, environment in cases.items():
        with tempfile.TemporaryDirectory() as folder:
            done = in_a_process(file, case, environment, folder)
            check(done.returncode == 0, f"{case.__name__}: {done.stdout}{done.stderr}")
            counts = json.loads(next(Path(folder).glob("*.json")).read_text())
        expected = json.loads(done.stdout)
        check(counts["violations"] == expected, f"{case.__name__}: {counts['violations']}, expected {expected}")
        if case in judges:
            judges[case](counts)


def main():
    judge_cases(__file__, CASES, {windows_count_what_lies_between: judge_window})
    for case, (environment, words) in ABORTS.items():
        with tempfile.TemporaryDirectory() as folder:
            done = in_a_process(__file__, case, environment, folder)
        check(done.returncode == -signal.SIGABRT and words in done.stderr, f"{case.__name__}: {done.stderr}")


if __name__ == "__main__":
    skip_under_asan("must be the first library")
    if not LIBRARY.exists():
        skip("no null device: built without the CUDA plugin")
    if len(sys.argv) == 1:
        main()
    else:
        print(json.dumps(globals()[sys.argv[1]]() or {}))
