#include "engine/distributed/group_end.h"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "engine/distributed/clock.h"

namespace scalemark::distributed {
namespace {

using std::chrono::milliseconds;
using BackendPtr = c10::intrusive_ptr<c10d::Backend>;

std::atomic<int> pending{0};

// A call that is still running.
class Pending {
 public:
  Pending() { ++pending; }
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;
  ~Pending() { --pending; }
};

// Runs `end` for at most `limit`. A backend that cannot be ended in time, or at all, ends with the
// process.
void bounded(milliseconds limit, std::function<void()> end) noexcept try {
  within(limit, [end = std::move(end), mark = std::make_unique<Pending>()]() mutable {
    end();
    end = nullptr;  // whatever the function owns is destroyed here and not in the caller's thread
    mark.reset();
    return true;
  });
} catch (const std::exception&) {
}

// Without this, an abort that fails inside torch's destructor would end the process.
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
  return false;  // the backend does not report this
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
  // There is no memory for a thread: the backend ends here, in its destructor.
}

bool ends_are_pending() noexcept { return pending > 0; }

using Bytes = std::vector<std::uint8_t>;

class RecordingStore::Record {
 public:
  void add(const std::string& key) {
    const std::lock_guard lock(mutex_);
    keys_.insert(key);
  }
  std::set<std::string> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(keys_, {});
  }

 private:
  std::mutex mutex_;
  std::set<std::string> keys_;
};

RecordingStore::RecordingStore(c10::intrusive_ptr<c10d::Store> inner)
    : RecordingStore(std::move(inner), std::make_shared<Record>()) {}

RecordingStore::RecordingStore(c10::intrusive_ptr<c10d::Store> inner,
                               std::shared_ptr<Record> record)
    : inner_(std::move(inner)), record_(std::move(record)) {}

std::size_t RecordingStore::delete_recorded_keys() {
  std::size_t deleted = 0;
  for (const std::string& key : record_->take()) deleted += inner_->deleteKey(key);
  return deleted;
}

c10::intrusive_ptr<c10d::Store> RecordingStore::clone() {
  return c10::make_intrusive<RecordingStore>(inner_->clone(), record_);
}

void RecordingStore::set(const std::string& key, const Bytes& value) {
  record_->add(key);
  inner_->set(key, value);
}

Bytes RecordingStore::compareSet(const std::string& key, const Bytes& current, const Bytes& next) {
  record_->add(key);
  return inner_->compareSet(key, current, next);
}

std::int64_t RecordingStore::add(const std::string& key, std::int64_t value) {
  record_->add(key);
  return inner_->add(key, value);
}

void RecordingStore::append(const std::string& key, const Bytes& value) {
  record_->add(key);
  inner_->append(key, value);
}

void RecordingStore::multiSet(const std::vector<std::string>& keys,
                              const std::vector<Bytes>& values) {
  for (const std::string& key : keys) record_->add(key);
  inner_->multiSet(keys, values);
}

void RecordingStore::queuePush(const std::string& key, const Bytes& value) {
  inner_->queuePush(key, value);  // a queue vanishes with its last element, so no key is recorded
}

Bytes RecordingStore::get(const std::string& key) { return inner_->get(key); }
bool RecordingStore::deleteKey(const std::string& key) { return inner_->deleteKey(key); }
bool RecordingStore::check(const std::vector<std::string>& keys) { return inner_->check(keys); }
std::int64_t RecordingStore::getNumKeys() { return inner_->getNumKeys(); }
void RecordingStore::wait(const std::vector<std::string>& keys) { inner_->wait(keys); }
void RecordingStore::wait(const std::vector<std::string>& keys,
                          const std::chrono::milliseconds& timeout) {
  inner_->wait(keys, timeout);
}
const std::chrono::milliseconds& RecordingStore::getTimeout() const noexcept {
  return inner_->getTimeout();
}
void RecordingStore::setTimeout(const std::chrono::milliseconds& timeout) {
  inner_->setTimeout(timeout);
}
std::vector<Bytes> RecordingStore::multiGet(const std::vector<std::string>& keys) {
  return inner_->multiGet(keys);
}
bool RecordingStore::hasExtendedApi() const { return inner_->hasExtendedApi(); }
Bytes RecordingStore::queuePop(const std::string& key, bool block) {
  return inner_->queuePop(key, block);
}
std::int64_t RecordingStore::queueLen(const std::string& key) { return inner_->queueLen(key); }
std::vector<std::string> RecordingStore::listKeys() { return inner_->listKeys(); }

}  // namespace scalemark::distributed
