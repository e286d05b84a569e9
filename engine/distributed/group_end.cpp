#include "engine/distributed/group_end.h"

#include <atomic>
#include <functional>
#include <memory>
#include <utility>

#include "engine/distributed/bounded.h"

namespace scalemark::distributed {
namespace {

using std::chrono::milliseconds;
using BackendPtr = c10::intrusive_ptr<c10d::Backend>;

std::atomic<int> pending{0};

// One call that is still running.
class Pending {
 public:
  Pending() { ++pending; }
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;
  ~Pending() { --pending; }
};

// A backend that cannot be ended in time, or at all, ends with the process.
void bounded(milliseconds limit, std::function<void()> end) noexcept try {
  within(limit, [end = std::move(end), mark = std::make_unique<Pending>()]() mutable {
    end();
    end = nullptr;  // what it owns is destroyed here, not in the caller's thread
    mark.reset();
    return true;
  });
} catch (const std::exception&) {
}

// An abort that fails inside torch's destructor would end the process.
void try_to_abort(const BackendPtr& backend) {
  try {
    backend->abort();
  } catch (const std::exception&) {
    // A group that cannot be aborted ends by its timeout.
  }
}

}  // namespace

bool lost_a_peer(c10d::Backend& backend) noexcept try {
  const c10d::ErrorType error = backend.getError();
  return error == c10d::ErrorType::COMM_ERROR || error == c10d::ErrorType::REMOTE_ERROR;
} catch (const std::exception&) {
  return false;  // a backend that does not report it
}

void shut_down(const BackendPtr& backend, milliseconds limit) noexcept {
  bounded(limit, [backend] { backend->shutdown(); });
}

void abort(const BackendPtr& backend) noexcept {
  bounded(kAbortLimit, [backend] { try_to_abort(backend); });
}

void release(BackendPtr backend, bool is_ended) noexcept try {
  if (!backend) return;
  bounded(kAbortLimit, [backend = std::move(backend), is_ended]() mutable {
    if (!is_ended) try_to_abort(backend);
    backend.reset();
  });
} catch (const std::exception&) {
  // No memory for a thread: the backend ends here, in its destructor.
}

bool ends_are_pending() noexcept { return pending > 0; }

}  // namespace scalemark::distributed
