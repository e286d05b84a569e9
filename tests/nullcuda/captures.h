// Stream capture: what is asked of a stream that captures becomes a part of a graph instead of
// being done. CUDA's rules are watched: what a capture forbids is a violation, and so is work
// beside it, which a graph would lack.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <map>
#include <vector>

#include "journal.h"
#include "streams.h"

namespace nullcuda {

// How far each stream of a capture has come, as far as one of them, or an event, is ordered behind.
using Clock = std::map<const Stream*, std::uint64_t>;

// An event that was recorded in a capture stands for this.
struct CapturedPoint {
  unsigned long long capture = 0;  // 0: it was recorded outside
  Clock clock;
};

// A part of a graph; of a copy or memset with what a launch of the graph does.
struct Node {
  Entry entry;
  DeferredCopy copy;
};

// Notes work of a stream: in the journal, or in the graph that it is captured into. True: it was
// captured, and is not to be done now.
bool note_work(Stream& stream, Kind kind, const char* name, std::uint64_t bytes = 0,
               const DeferredCopy& copy = {});

// The same of a library's call, whose stream is not known here: while a stream captures it is taken
// for that stream's, since check_library_stream() has checked the library's own.
void note_library_work(Kind kind, const char* name);
void check_library_stream(cudaStream_t stream, const char* function);

// Return true where the record or wait of an event belongs to a capturing stream, and so to its
// graph.
bool record_captured(Stream& stream, CapturedPoint& point);
bool wait_captured(Stream& stream, const CapturedPoint& point, bool is_recorded);

// Whether CUDA forbids `function`, which may wait or allocate, to this thread now; reported, and
// the capture is void.
bool is_forbidden(const char* function);
// The same of one that waits for the device whatever the thread: a captured stream is never done.
bool is_endless_wait(const char* function);
// The same of what may not be asked of an event of a capture.
bool is_forbidden(const CapturedPoint& point, const char* function);

// Whether a capture has work of a stream that the one it began on has not waited for.
bool has_unjoined_streams();

// A graph that was instantiated, for the counts.
struct GraphCounts {
  std::vector<Node> nodes;
  std::size_t streams = 0;  // so many took part
  std::uint64_t launches = 0;
  bool destroyed = false;
};
const std::vector<GraphCounts*>& graphs();

}  // namespace nullcuda
