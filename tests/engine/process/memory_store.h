// A c10d store in memory whose waits are by a simulated clock, with a connection for each rank that
// a test can watch and cut.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <utility>
#include <vector>

#include "engine/distributed/clock.h"

namespace scalemark::testing {

struct Request {
  int rank = 0;
  std::string verb;  // "set", "get", "add", "check", "wait", "delete"
  std::string key;
};

// All connections share this.
struct MemoryStoreServer {
  explicit MemoryStoreServer(distributed::Clock& by) : clock(by) {}

  distributed::Clock& clock;
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, std::vector<std::uint8_t>> values;
  // Called before each request, in the thread that makes it, without a lock. What it throws is the
  // answer.
  std::function<void(const Request&)> before;
};

class MemoryStore : public c10d::Store {
 public:
  using Bytes = std::vector<std::uint8_t>;

  MemoryStore(std::shared_ptr<MemoryStoreServer> server, int rank)
      : server_(std::move(server)), rank_(rank) {}

  c10::intrusive_ptr<c10d::Store> clone() override {
    return c10::make_intrusive<MemoryStore>(server_, rank_);
  }
  using c10d::Store::compareSet;
  using c10d::Store::set;
  void set(const std::string& key, const Bytes& value) override;
  Bytes get(const std::string& key) override;
  std::int64_t add(const std::string& key, std::int64_t value) override;
  bool deleteKey(const std::string& key) override;
  bool check(const std::vector<std::string>& keys) override;
  std::int64_t getNumKeys() override;
  void wait(const std::vector<std::string>& keys) override { wait(keys, getTimeout()); }
  void wait(const std::vector<std::string>& keys,
            const std::chrono::milliseconds& timeout) override;

 private:
  void ask(const char* verb, const std::string& key) const;
  bool has(const std::vector<std::string>& keys) const;  // the caller holds the lock

  std::shared_ptr<MemoryStoreServer> server_;
  int rank_;
};

}  // namespace scalemark::testing
