// Who wants to know of gradient buckets on their way. Nobody does in a measured window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace scalemark::measurement {

class BucketObserver {
 public:
  virtual ~BucketObserver() = default;

  // In this order for each bucket of a backward. Its gradients are complete; returned is a number
  // for the next two calls:
  virtual std::size_t ready(std::int64_t bytes, std::string_view collective) = 0;
  // the collective is handed to the backend (later than that where overlap is off):
  virtual void sent(std::size_t number) = 0;
  // it is done. From any thread, perhaps after the next step began; on a GPU the current stream is
  // one that has waited for it.
  virtual void done(std::size_t number) = 0;
};

}  // namespace scalemark::measurement
