"""Stream capture on the null device, called as a program would call CUDA: what is captured is not done, a graph does it at
each launch, and what breaks a capture on a GPU is a violation here.

Each case runs in a process of its own and returns the violations that the counts of its process must list.
"""

import ctypes
import json
import sys
import threading

from device_test import LIBRARY, TO_DEVICE, UNTIMED, Cuda, judge_cases
from program import check, skip, skip_under_asan

WITHIN = 3
GLOBAL, THREAD_LOCAL, RELAXED = 0, 1, 2
UNSUPPORTED, INVALIDATED, CAPTURED_EVENT = 900, 901, 907
DURING = "while a stream is captured"


class Capturing(Cuda):
    def __init__(self, mode=THREAD_LOCAL):
        super().__init__()
        self.stream, self.other = self.pointer("StreamCreate"), self.pointer("StreamCreate")
        self.event, self.back = (self.pointer("EventCreateWithFlags", UNTIMED) for _ in range(2))
        self.device = self.memory(64)
        self.ok("StreamBeginCapture", self.stream, mode)

    def fill(self, stream):
        """A piece of work."""
        return self.MemsetAsync(self.device, 1, ctypes.c_size_t(64), stream)

    def follow(self, stream, event, other):
        """`stream` continues behind `other`."""
        self.ok("EventRecord", event, other)
        self.ok("StreamWaitEvent", stream, event, 0)

    def end(self):
        graph = ctypes.c_void_p()
        result = self.StreamEndCapture(self.stream, ctypes.byref(graph))
        return result, graph

    def finish(self):
        result, graph = self.end()
        check(result == 0 and graph.value, f"the capture ended with {result}")
        return graph

    def must_be_void(self):
        result, graph = self.end()
        check(result == INVALIDATED and not graph.value, f"the capture ended with {result}")

    def executable(self, graph):
        made = self.pointer("GraphInstantiateWithFlags", graph, ctypes.c_ulonglong(0))
        self.ok("GraphDestroy", graph)
        return made

    def status(self, stream):
        value, number = ctypes.c_int(), ctypes.c_ulonglong()
        self.ok("StreamGetCaptureInfo", stream, ctypes.byref(value), ctypes.byref(number), None, None, None, None)
        return value.value, number.value > 0


def a_graph_does_at_each_launch_what_was_captured():
    cuda = Cuda()
    first, second = cuda.memory(64), cuda.memory(64)
    host, seen = cuda.pinned(64), cuda.pinned(64)
    stream = cuda.pointer("StreamCreate")
    cuda.ok("StreamBeginCapture", stream, THREAD_LOCAL)
    cuda.ok("MemcpyAsync", second, first, ctypes.c_size_t(64), WITHIN, stream)
    graph = ctypes.c_void_p()
    cuda.ok("StreamEndCapture", stream, ctypes.byref(graph))
    nodes = ctypes.c_size_t()
    cuda.ok("GraphGetNodes", graph, None, ctypes.byref(nodes))
    check(nodes.value == 1, nodes.value)
    made = cuda.pointer("GraphInstantiateWithFlags", graph, ctypes.c_ulonglong(0))
    cuda.ok("GraphDestroy", graph)
    for value in (0, 3, 4):  # 0: nothing was copied while it was captured
        if value:
            ctypes.memset(host, value, 64)
            cuda.ok("MemcpyAsync", first, host, ctypes.c_size_t(64), TO_DEVICE, stream)
            cuda.ok("GraphLaunch", made, stream)
        cuda.ok("MemcpyAsync", seen, second, ctypes.c_size_t(64), 2, stream)
        cuda.ok("StreamSynchronize", stream)
        check(ctypes.string_at(seen, 64) == bytes([value]) * 64, f"{value} was copied")
    cuda.ok("GraphExecDestroy", made)
    cuda.ok("GraphLaunch", made, stream)
    return {"cudaGraphLaunch of a graph that was destroyed": 1}


def judge_counts(counts):
    [graph] = counts["graphs"]
    check(graph["launched"] == 3 and graph["destroyed"] and graph["captured_streams"] == 1, graph)
    check(graph["copies"] == {"device_to_device": {"count": 1, "bytes": 64}}, graph)
    check(counts["total"]["graphs"] == {"cudaGraphLaunch": {"count": 3, "bytes": 0}}, counts["total"]["graphs"])
    check("device_to_device" not in counts["total"]["copies"], counts["total"]["copies"])


def streams_take_part_from_their_wait_on():
    cuda = Capturing()
    check([cuda.status(s)[0] for s in (cuda.stream, cuda.other)] == [1, 0], "before")
    cuda.follow(cuda.other, cuda.event, cuda.stream)
    check([cuda.status(s) for s in (cuda.stream, cuda.other)] == [(1, True)] * 2, "both")
    check(cuda.fill(cuda.other) == 0, "work")
    cuda.follow(cuda.stream, cuda.back, cuda.other)
    cuda.executable(cuda.finish())
    check(cuda.status(cuda.other) == (0, False), "afterwards")


def a_stream_that_does_not_come_back():
    cuda = Capturing()
    cuda.follow(cuda.other, cuda.event, cuda.stream)
    check(cuda.fill(cuda.other) == 0, "work")
    cuda.must_be_void()
    return {"a capture ends before its other streams are joined": 1}


def work_beside_a_capture():
    cuda = Capturing()
    check(cuda.fill(cuda.other) == 0, "it is done")
    cuda.must_be_void()
    return {"work beside the graph that is being captured: memset": 1}


def waits_within_a_capture():
    cuda = Capturing()
    check(cuda.StreamSynchronize(cuda.stream) == UNSUPPORTED, "of the stream")
    check(cuda.DeviceSynchronize() == UNSUPPORTED, "of the device")
    check(cuda.EventQuery(cuda.event) == UNSUPPORTED, "of an event")
    cuda.must_be_void()
    return {f"{name} {DURING}": 1 for name in ("cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaEventQuery")}


def waits_of_another_thread():
    """It may ask for events unless the capture is global, and wait for the device never."""
    cuda = Capturing()
    results = []
    thread = threading.Thread(target=lambda: results.extend((cuda.EventQuery(cuda.back), cuda.DeviceSynchronize())))
    thread.start()
    thread.join()
    check(results == [0, UNSUPPORTED], results)
    cuda.must_be_void()
    return {f"cudaDeviceSynchronize {DURING}": 1}


def queries_of_another_thread_in_a_global_capture():
    cuda = Capturing(GLOBAL)
    results = []
    thread = threading.Thread(target=lambda: results.append(cuda.EventQuery(cuda.back)))
    thread.start()
    thread.join()
    check(results == [UNSUPPORTED], results)
    cuda.must_be_void()
    return {f"cudaEventQuery {DURING}": 1}


def memory_and_waits_in_relaxed_mode_only():
    cuda = Capturing()
    mode = ctypes.c_int(RELAXED)
    cuda.ok("ThreadExchangeStreamCaptureMode", ctypes.byref(mode))
    check(mode.value == GLOBAL, "a thread's mode is global")
    cuda.memory(64)
    cuda.ok("StreamSynchronize", cuda.other)
    check(cuda.StreamSynchronize(cuda.stream) == UNSUPPORTED, "the captured one is never done")
    cuda.ok("ThreadExchangeStreamCaptureMode", ctypes.byref(mode))
    check(mode.value == RELAXED, "and back")
    check(cuda.Malloc(ctypes.byref(ctypes.c_void_p()), ctypes.c_size_t(64)) == UNSUPPORTED, "not so")
    check(cuda.StreamSynchronize(cuda.other) == UNSUPPORTED, "nor a wait for another stream")
    cuda.must_be_void()
    return {f"cudaMalloc {DURING}": 1, f"cudaStreamSynchronize {DURING}": 2}


def the_hosts_memory_is_in_no_graph():
    cuda = Capturing()
    host = ctypes.create_string_buffer(64)
    cuda.ok("MemcpyAsync", cuda.device, host, ctypes.c_size_t(64), TO_DEVICE, cuda.stream)
    cuda.finish()
    return {"a graph copies memory of the host, whatever it holds at each launch": 1}


def pinned_memory_that_a_graph_copies_keeps_its_bytes():
    host, back = (Cuda().pinned(64) for _ in range(2))
    cuda = Capturing()
    ctypes.memset(host, 7, 64)
    cuda.ok("MemcpyAsync", cuda.device, host, ctypes.c_size_t(64), TO_DEVICE, cuda.stream)
    made = cuda.executable(cuda.finish())
    for _ in range(2):
        cuda.ok("MemsetAsync", cuda.device, 1, ctypes.c_size_t(64), cuda.stream)
        cuda.ok("GraphLaunch", made, cuda.stream)
        cuda.ok("MemcpyAsync", back, cuda.device, ctypes.c_size_t(64), 2, cuda.stream)
        cuda.ok("StreamSynchronize", cuda.stream)
        check(ctypes.string_at(back, 64) == b"\x07" * 64, "each launch copies")
    ctypes.memset(host, 8, 64)
    cuda.ok("GraphLaunch", made, cuda.stream)
    cuda.ok("FreeHost", host)
    cuda.ok("GraphLaunch", made, cuda.stream)
    return {"pinned memory was changed before its copy to the device was done": 1,
            "pinned memory was freed before its copy to the device was done": 1}


def events_from_outside():
    cuda = Cuda()
    stream, event = cuda.pointer("StreamCreate"), cuda.pointer("EventCreateWithFlags", UNTIMED)
    cuda.ok("EventRecord", event, None)
    cuda.ok("StreamBeginCapture", stream, THREAD_LOCAL)
    cuda.ok("StreamWaitEvent", stream, event, 0)
    check(cuda.StreamEndCapture(stream, ctypes.byref(ctypes.c_void_p())) == INVALIDATED, "it is void")
    return {"a captured stream waits for an event from outside": 1}


def events_of_a_capture_have_no_time():
    cuda = Capturing()
    cuda.ok("EventRecord", cuda.event, cuda.stream)
    cuda.finish()
    check(cuda.EventQuery(cuda.event) == CAPTURED_EVENT, "a query")
    check(cuda.StreamWaitEvent(cuda.other, cuda.event, 0) == 0, "a wait")
    cuda.ok("EventRecord", cuda.event, cuda.other)  # it is an event like any other again
    check(cuda.EventQuery(cuda.event) == 0, "recorded anew")
    return {"cudaEventQuery of an event that was captured": 1,
            "a stream waits for an event of a capture that is over": 1}


def the_default_stream_stays_outside():
    cuda = Cuda()
    check(cuda.StreamBeginCapture(None, THREAD_LOCAL) == UNSUPPORTED, "it begins")
    cuda = Capturing()
    cuda.follow(None, cuda.event, cuda.stream)
    cuda.must_be_void()
    return {"the default stream cannot be captured": 1, "the default stream waits for a captured one": 1}


CASES = {case: {} for case in (
    a_graph_does_at_each_launch_what_was_captured, streams_take_part_from_their_wait_on, a_stream_that_does_not_come_back,
    work_beside_a_capture, waits_within_a_capture, waits_of_another_thread, queries_of_another_thread_in_a_global_capture,
    memory_and_waits_in_relaxed_mode_only, the_hosts_memory_is_in_no_graph, pinned_memory_that_a_graph_copies_keeps_its_bytes, events_from_outside,
    events_of_a_capture_have_no_time, the_default_stream_stays_outside)}

if __name__ == "__main__":
    skip_under_asan("must be the first library")
    if not LIBRARY.exists():
        skip("no null device: built without the CUDA plugin")
    if len(sys.argv) == 1:
        judge_cases(__file__, CASES, {a_graph_does_at_each_launch_what_was_captured: judge_counts})
    else:
        print(json.dumps(globals()[sys.argv[1]]() or {}))
