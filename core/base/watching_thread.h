// A run is watched by threads of this process beside its work: the sampler, the pulse, the writer
// of the status, the endpoint. What CPU time they take together is told in every report.
#pragma once

namespace scalemark {

// Lives on the stack of such a thread, from its first line to its last.
class WatchingThread {
 public:
  WatchingThread();
  ~WatchingThread();
  WatchingThread(const WatchingThread&) = delete;
  WatchingThread& operator=(const WatchingThread&) = delete;
};

// CPU time of all such threads of this process so far, those that have ended included; in seconds,
// from any thread.
double watching_cpu_s();

}  // namespace scalemark
