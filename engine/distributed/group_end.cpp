#include "engine/distributed/group_end.h"

#include <atomic>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "engine/distributed/bounded.h"

namespace scalemark::distributed {
namespace {

using std::chrono::milliseconds;
using Backends = std::vector<c10::intrusive_ptr<c10d::Backend>>;

std::atomic<int> pending{0};

// One end that is going on.
class Pending {
 public:
  Pending() { ++pending; }
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;
  ~Pending() { --pending; }
};

// Gloo has no end that takes time.
Backends device_backends(c10d::ProcessGroup& group) {
  Backends backends;
  for (const c10::Device device : group.getDeviceTypes()) {
    if (!device.is_cpu()) backends.push_back(group.getBackend(device.type()));
  }
  return backends;
}

// What cannot be ended in time, or at all, ends with the process.
void bounded(milliseconds limit, std::function<void()> end) noexcept try {
  within(limit, [end = std::move(end), mark = std::make_unique<Pending>()]() mutable {
    end();
    end = nullptr;  // what it holds on to goes here, not in the caller's thread
    mark.reset();
    return true;
  });
} catch (const std::exception&) {
}

// In a destructor of torch an abort that fails would end the process.
void abort_all(const Backends& backends) {
  for (const auto& backend : backends) {
    try {
      backend->abort();
    } catch (const std::exception&) {
      // What cannot be aborted ends by its timeout.
    }
  }
}

}  // namespace

bool lost_a_peer(const c10::intrusive_ptr<c10d::ProcessGroup>& group) noexcept try {
  for (const auto& backend : device_backends(*group)) {
    const c10d::ErrorType error = backend->getError();
    if (error == c10d::ErrorType::COMM_ERROR || error == c10d::ErrorType::REMOTE_ERROR) return true;
  }
  return false;
} catch (const std::exception&) {
  return false;  // a backend that does not tell
}

void shut_down(const c10::intrusive_ptr<c10d::ProcessGroup>& group, milliseconds limit) noexcept {
  bounded(limit, [group] {
    for (const auto& backend : device_backends(*group)) backend->shutdown();
  });
}

void abort(const c10::intrusive_ptr<c10d::ProcessGroup>& group) noexcept {
  bounded(kAbortLimit, [group] { abort_all(device_backends(*group)); });
}

void release(c10::intrusive_ptr<c10d::ProcessGroup> group, bool is_ended) noexcept try {
  if (!group) return;
  Backends backends = device_backends(*group);
  group.reset();
  if (backends.empty()) return;
  bounded(kAbortLimit, [backends = std::move(backends), is_ended]() mutable {
    if (!is_ended) abort_all(backends);
    backends.clear();
  });
} catch (const std::exception&) {
  // A group that knows no backend holds nothing up.
}

bool ends_are_pending() noexcept { return pending > 0; }

}  // namespace scalemark::distributed
