// A store that counts the requests to the store that it wraps, and the bytes of values in them:
// what a protocol costs the one thread that serves all ranks.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <vector>

namespace scalemark::testing {

class CountingStore : public c10d::Store {
 public:
  using Bytes = std::vector<std::uint8_t>;
  struct Counted {
    std::atomic<std::int64_t> requests = 0, bytes = 0;
  };
  using Count = std::shared_ptr<Counted>;

  CountingStore(c10::intrusive_ptr<c10d::Store> inner, Count count)
      : inner_(std::move(inner)), count_(std::move(count)) {}

  c10::intrusive_ptr<c10d::Store> clone() override {
    return c10::make_intrusive<CountingStore>(inner_->clone(), count_);
  }
  using c10d::Store::compareSet;
  using c10d::Store::set;
  void set(const std::string& key, const Bytes& value) override {
    counted().set(key, passed(value));
  }
  Bytes compareSet(const std::string& key, const Bytes& now, const Bytes& next) override {
    return counted().compareSet(key, now, next);
  }
  Bytes get(const std::string& key) override { return passed(counted().get(key)); }
  std::int64_t add(const std::string& key, std::int64_t value) override {
    return counted().add(key, value);
  }
  bool deleteKey(const std::string& key) override { return counted().deleteKey(key); }
  bool check(const std::vector<std::string>& keys) override { return counted().check(keys); }
  std::int64_t getNumKeys() override { return counted().getNumKeys(); }
  void wait(const std::vector<std::string>& keys) override { counted().wait(keys); }
  void wait(const std::vector<std::string>& keys,
            const std::chrono::milliseconds& timeout) override {
    counted().wait(keys, timeout);
  }
  const std::chrono::milliseconds& getTimeout() const noexcept override {
    return inner_->getTimeout();
  }
  void setTimeout(const std::chrono::milliseconds& timeout) override {
    inner_->setTimeout(timeout);
  }
  void append(const std::string& key, const Bytes& value) override { counted().append(key, value); }
  std::vector<Bytes> multiGet(const std::vector<std::string>& keys) override {
    std::vector<Bytes> values = counted().multiGet(keys);
    for (const Bytes& value : values) passed(value);
    return values;
  }
  void multiSet(const std::vector<std::string>& keys, const std::vector<Bytes>& values) override {
    counted().multiSet(keys, values);
  }
  bool hasExtendedApi() const override { return inner_->hasExtendedApi(); }

 private:
  c10d::Store& counted() {
    ++count_->requests;
    return *inner_;
  }
  Bytes passed(Bytes value) {
    count_->bytes += static_cast<std::int64_t>(value.size());
    return value;
  }

  c10::intrusive_ptr<c10d::Store> inner_;
  Count count_;
};

}  // namespace scalemark::testing
