#include "tests/engine/process/memory_store.h"

#include <c10/util/Exception.h>

#include <algorithm>

namespace scalemark::testing {

void MemoryStore::ask(const char* verb, const std::string& key) const {
  if (server_->before) server_->before({.rank = rank_, .verb = verb, .key = key});
}

bool MemoryStore::has(const std::vector<std::string>& keys) const {
  return std::ranges::all_of(keys, [&](const auto& key) { return server_->values.contains(key); });
}

void MemoryStore::set(const std::string& key, const Bytes& value) {
  ask("set", key);
  const std::lock_guard lock(server_->mutex);
  server_->values[key] = value;
  server_->changed.notify_all();
}

MemoryStore::Bytes MemoryStore::get(const std::string& key) {
  wait({key}, getTimeout());
  const std::lock_guard lock(server_->mutex);
  return server_->values.at(key);
}

std::int64_t MemoryStore::add(const std::string& key, std::int64_t value) {
  ask("add", key);
  const std::lock_guard lock(server_->mutex);
  Bytes& bytes = server_->values[key];
  const std::int64_t sum =
      value + (bytes.empty() ? 0 : std::stoll(std::string(bytes.begin(), bytes.end())));
  const std::string text = std::to_string(sum);
  bytes.assign(text.begin(), text.end());
  server_->changed.notify_all();
  return sum;
}

bool MemoryStore::deleteKey(const std::string& key) {
  ask("delete", key);
  const std::lock_guard lock(server_->mutex);
  return server_->values.erase(key) > 0;
}

bool MemoryStore::check(const std::vector<std::string>& keys) {
  ask("check", keys.front());
  const std::lock_guard lock(server_->mutex);
  return has(keys);
}

std::int64_t MemoryStore::getNumKeys() {
  const std::lock_guard lock(server_->mutex);
  return static_cast<std::int64_t>(server_->values.size());
}

void MemoryStore::wait(const std::vector<std::string>& keys,
                       const std::chrono::milliseconds& timeout) {
  ask("wait", keys.front());
  std::unique_lock lock(server_->mutex);
  if (!server_->clock.wait_for(server_->changed, lock, timeout, [&] { return has(keys); })) {
    C10_THROW_ERROR(DistStoreError, "wait timeout for " + keys.front());
  }
}

}  // namespace scalemark::testing
