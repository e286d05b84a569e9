#include "engine/distributed/recording_store.h"

#include <mutex>
#include <set>
#include <utility>

namespace scalemark::distributed {

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
  inner_->queuePush(key, value);  // a queue vanishes with its last element
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
