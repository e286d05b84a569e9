#include "tests/nullnccl/segment.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <ctime>
#include <random>
#include <utility>

namespace nullnccl {
namespace {

constexpr long kPollPeriod_ns = 10'000'000;  // a wait checks so often for an abort

void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t value) {
  const timespec limit{.tv_sec = 0, .tv_nsec = kPollPeriod_ns};
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAIT, value, &limit, nullptr,
          0);
}

void wake_all(std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAKE, 1 << 30, nullptr, nullptr,
          0);
}

// A zombie has ended too.
bool is_alive(pid_t pid) {
  char path[48];
  std::snprintf(path, sizeof path, "/proc/%d/stat", pid);
  std::FILE* file = std::fopen(path, "r");
  if (file == nullptr) return false;
  char text[512] = {};
  const std::size_t length = std::fread(text, 1, sizeof text - 1, file);
  std::fclose(file);
  const char* name_end = length > 0 ? std::strrchr(text, ')') : nullptr;
  return name_end != nullptr && name_end[1] != '\0' && name_end[2] != 'Z' && name_end[2] != 'X';
}

}  // namespace

Segment::~Segment() {
  if (shared_ != nullptr) munmap(shared_, sizeof(Shared));
}

Segment::Join Segment::join(const std::string& name, int rank, int size) {
  name_ = name;
  rank_ = rank;
  size_ = size;
  const int file = shm_open(name.c_str(), O_CREAT | O_RDWR, 0600);
  if (file < 0 || ftruncate(file, sizeof(Shared)) != 0) return Join::kNoMemory;
  void* address = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (address == MAP_FAILED) return Join::kNoMemory;
  shared_ = static_cast<Shared*>(address);  // zeros: every atomic begins as 0
  std::uint32_t expected = 0;
  const auto mine = static_cast<std::uint32_t>(size);
  if (!shared_->size.compare_exchange_strong(expected, mine) && expected != mine)
    return Join::kOtherSize;
  pid_t nobody = 0;
  if (!this->rank(rank).pid.compare_exchange_strong(nobody, getpid())) return Join::kTaken;
  return Join::kJoined;
}

void Segment::await_all(const std::function<bool()>& aborted) {
  barrier(aborted);
  if (rank_ == 0) shm_unlink(name_.c_str());
}

void Segment::barrier(const std::function<bool()>& aborted) {
  auto& generation = shared_->generation;
  const std::uint32_t before = generation.load();
  if (shared_->arrived.fetch_add(1) + 1 == static_cast<std::uint32_t>(size_)) {
    shared_->arrived.store(0);
    generation.store(before + 1);
    wake_all(generation);
    return;
  }
  while (generation.load() == before) {
    if (aborted()) throw Aborted{};
    sleep_while(generation, before);
  }
}

void Segment::mark_gone() {
  if (shared_ != nullptr) rank(rank_).gone.store(1);
}

bool Segment::lost_a_peer() const {
  for (int number = 0; number < size_; ++number) {
    if (number == rank_) continue;
    const Rank& peer = shared_->ranks[number];
    const pid_t pid = peer.pid.load();
    if (pid != 0 && (peer.gone.load() != 0 || !is_alive(pid))) return true;
  }
  return false;
}

std::string new_segment_name() {
  static std::atomic<int> count{0};
  char name[64];
  std::snprintf(name, sizeof name, "/nullnccl-%d-%d-%08x", getpid(), ++count,
                std::random_device()());
  return name;
}

}  // namespace nullnccl
