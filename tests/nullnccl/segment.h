// The shared memory of one communicator's ranks: which ranks are attached, one barrier, one slot
// per rank for collectives, and one mailbox per ordered pair of ranks. The unique id holds its
// name; it is unlinked once all ranks are attached, so that a killed rank leaves nothing.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace nullnccl {

inline constexpr int kMostRanks = 8;
inline constexpr std::size_t kSlotBytes = 1 << 20;
inline constexpr std::size_t kMailBytes = 1 << 16;

// Thrown out of any wait when the waiting rank aborts its communicator.
struct Aborted {};

struct Mailbox {
  std::atomic<std::uint32_t> bytes;  // 0: empty
  std::byte data[kMailBytes];
};

struct Rank {
  std::atomic<pid_t> pid;           // 0: not there yet
  std::atomic<std::uint32_t> gone;  // it has aborted
  char gpu[32];                     // bus id; empty: unknown
  char host[64];
  std::int32_t number[2];  // colour and key of a split
  std::byte slot[kSlotBytes];
};

struct Shared {
  std::atomic<std::uint32_t> size;  // ranks; 0: nobody is there yet
  std::atomic<std::uint32_t> arrived, generation;
  Rank ranks[kMostRanks];
  Mailbox mail[kMostRanks][kMostRanks];  // [from][to]
};

class Segment {
 public:
  enum class Join { kJoined, kOtherSize, kTaken, kNoMemory };

  Segment() = default;
  ~Segment();
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  // Takes the place of `rank` among `size`; the others may come later.
  Join join(const std::string& name, int rank, int size);
  // Waits for all ranks. Throws Aborted when `aborted` says so.
  void await_all(const std::function<bool()>& aborted);
  void barrier(const std::function<bool()>& aborted);

  Shared& shared() { return *shared_; }
  Rank& rank(int number) { return shared_->ranks[number]; }
  int size() const { return size_; }

  void mark_gone();
  // Whether a rank has ended or has aborted.
  bool lost_a_peer() const;

 private:
  std::string name_;
  int rank_ = 0, size_ = 0;
  Shared* shared_ = nullptr;
};

// A name that nobody else uses.
std::string new_segment_name();

}  // namespace nullnccl
