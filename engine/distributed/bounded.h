// Runs a call that may block for ever, such as a name lookup or a request to a lost store, for at
// most a given time. Knows nothing of what the call does.
#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>

#include "engine/distributed/clock.h"

namespace scalemark::distributed {

// The result of `call`, or nothing when it has not returned in time; its exceptions come through.
// Time in which the whole process was stopped does not count.
// `by` counts the time, and says whether a call may block at all: where none may, it is made here.
// A call that is late goes on in its own thread until it returns or the process ends, so it must
// own (by value or shared pointer) everything that it touches. While it lasts `look` is called
// twice a second; what that throws ends the wait.
template <class Call>
auto within(std::chrono::milliseconds limit, Call call, Clock& by = real_clock(),
            const std::function<void()>& look = {}) -> std::optional<std::invoke_result_t<Call>> {
  if (!by.stores_may_block()) return call();
  using Result = std::invoke_result_t<Call>;
  auto task = std::make_shared<std::packaged_task<Result()>>(std::move(call));
  std::future<Result> result = task->get_future();
  try {
    std::thread([task] { (*task)(); }).detach();
  } catch (const std::system_error&) {  // no thread is left: late is better than not at all
    (*task)();
  }
  constexpr std::chrono::milliseconds kSlice{500};
  AwakeClock clock(by);
  auto left = limit;
  while (result.wait_for(std::min(left, kSlice)) != std::future_status::ready) {
    left = limit - clock.elapsed();
    if (left <= left.zero()) return std::nullopt;
    if (look) look();
  }
  return result.get();
}

}  // namespace scalemark::distributed
