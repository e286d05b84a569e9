// Ends a process group so that it leaves nothing behind, unlike c10d: a backend whose collectives
// do not notice a lost peer is ended in bounded time, and the group's keys in the store are
// deleted. Knows no groups.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <vector>

namespace scalemark::distributed {

// --- The end of a backend whose collectives do not notice a lost peer. It may take long, or for
// ever (NCCL's abort waits for its own threads), so each call continues in its own thread once its
// time is up.

// An abort of NCCL takes milliseconds. One that takes longer must not hold this rank.
inline constexpr std::chrono::milliseconds kAbortLimit{2000};

// Whether the backend has noticed that a peer is gone. Safe from another thread.
bool lost_a_peer(c10d::Backend& backend) noexcept;

// Ends a healthy backend: issued operations complete and the communicators are freed. Every member
// calls it. Returns after `limit` at the latest.
void shut_down(const c10::intrusive_ptr<c10d::Backend>& backend,
               std::chrono::milliseconds limit) noexcept;

// Ends pending collectives, safely while another thread is stuck in one.
void abort(const c10::intrusive_ptr<c10d::Backend>& backend) noexcept;

// Releases the backend, and aborts it unless one of the functions above ended it. The last owner
// calls it.
void release(c10::intrusive_ptr<c10d::Backend> backend, bool is_ended) noexcept;

// Whether such a call is still running. Then this process must end without its destructors.
bool ends_are_pending() noexcept;

// A c10d store that remembers which keys were written through it, so that they can be deleted when
// a group is dropped: c10d itself leaves two keys behind per Gloo group.
class RecordingStore : public c10d::Store {
 public:
  explicit RecordingStore(c10::intrusive_ptr<c10d::Store> inner);

  // Deletes every key that this process has written through this store and its clones, and forgets
  // them. Call it when no rank needs them any more. Returns how many were deleted here; another
  // rank may have deleted a shared key first. Throws what the inner store throws.
  std::size_t delete_recorded_keys();

  c10::intrusive_ptr<c10d::Store> clone() override;
  using c10d::Store::compareSet;
  using c10d::Store::set;
  void set(const std::string& key, const std::vector<std::uint8_t>& value) override;
  std::vector<std::uint8_t> compareSet(const std::string& key,
                                       const std::vector<std::uint8_t>& current,
                                       const std::vector<std::uint8_t>& next) override;
  std::vector<std::uint8_t> get(const std::string& key) override;
  std::int64_t add(const std::string& key, std::int64_t value) override;
  bool deleteKey(const std::string& key) override;
  bool check(const std::vector<std::string>& keys) override;
  std::int64_t getNumKeys() override;
  void wait(const std::vector<std::string>& keys) override;
  void wait(const std::vector<std::string>& keys,
            const std::chrono::milliseconds& timeout) override;
  const std::chrono::milliseconds& getTimeout() const noexcept override;
  void setTimeout(const std::chrono::milliseconds& timeout) override;
  void append(const std::string& key, const std::vector<std::uint8_t>& value) override;
  std::vector<std::vector<std::uint8_t>> multiGet(const std::vector<std::string>& keys) override;
  void multiSet(const std::vector<std::string>& keys,
                const std::vector<std::vector<std::uint8_t>>& values) override;
  bool hasExtendedApi() const override;
  void queuePush(const std::string& key, const std::vector<std::uint8_t>& value) override;
  std::vector<std::uint8_t> queuePop(const std::string& key, bool block) override;
  std::int64_t queueLen(const std::string& key) override;
  std::vector<std::string> listKeys() override;

 private:
  class Record;

 public:  // clone() needs this for make_intrusive.
  RecordingStore(c10::intrusive_ptr<c10d::Store> inner, std::shared_ptr<Record> record);

 private:
  c10::intrusive_ptr<c10d::Store> inner_;
  std::shared_ptr<Record> record_;  // shared by clones
};

}  // namespace scalemark::distributed
