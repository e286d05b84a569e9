// A collective may be measured beside other work: matrix products of the same rank, or traffic of
// this program between the same ranks. Both run in a thread of their own while the object lives.
#pragma once

#include <atomic>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include "engine/device/device.h"
#include "engine/process/rank_group.h"

namespace scalemark::communicating {

// Matrix products on the device: on a GPU in a stream of their own.
class BackgroundCompute {
 public:
  explicit BackgroundCompute(device::Device& device);

 private:
  std::jthread thread_;
};

// All-reduces of 4 MiB over Gloo, one after the other, whatever backend is measured: it loads the
// hosts' network, not links between GPUs. Made and stopped by every rank of the group.
class BackgroundTraffic {
 public:
  // `rank_group`: only this object uses it meanwhile.
  explicit BackgroundTraffic(process::RankGroup& rank_group);
  ~BackgroundTraffic();
  BackgroundTraffic(const BackgroundTraffic&) = delete;
  BackgroundTraffic& operator=(const BackgroundTraffic&) = delete;

  // Returns when every rank has called it: the ranks end with the same all-reduce. Throws what that
  // threw.
  void stop();

 private:
  void run() noexcept;

  process::RankGroup& rank_group_;
  std::atomic<bool> stop_{false};
  std::exception_ptr failed_;
  std::jthread thread_;
};

}  // namespace scalemark::communicating
