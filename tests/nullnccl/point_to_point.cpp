#include "tests/nullnccl/point_to_point.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

namespace nullnccl {
namespace {

struct Progress {
  const Operation* operation;
  std::size_t bytes, done = 0;
  bool finished() const { return done == bytes; }
};

bool send_some(Mailbox& mail, Progress& progress) {
  if (mail.bytes.load(std::memory_order_acquire) != 0) return false;
  const std::size_t length = std::min(kMailBytes, progress.bytes - progress.done);
  std::memcpy(mail.data, static_cast<const std::byte*>(progress.operation->input) + progress.done,
              length);
  mail.bytes.store(static_cast<std::uint32_t>(length), std::memory_order_release);
  progress.done += length;
  return true;
}

bool receive_some(Mailbox& mail, Progress& progress) {
  const std::size_t length = mail.bytes.load(std::memory_order_acquire);
  if (length == 0) return false;
  const std::size_t taken = std::min(length, progress.bytes - progress.done);
  std::memcpy(static_cast<std::byte*>(progress.operation->output) + progress.done, mail.data,
              taken);
  mail.bytes.store(0, std::memory_order_release);
  progress.done += taken;
  return true;
}

// Whether an earlier operation of the same direction and peer is still under way.
bool must_wait(const std::vector<Progress>& all, std::size_t index) {
  const Operation& mine = *all[index].operation;
  return std::any_of(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(index),
                     [&](const Progress& other) {
                       return !other.finished() && other.operation->kind == mine.kind &&
                              other.operation->root == mine.root;
                     });
}

}  // namespace

void run_point_to_point(Segment& segment, int rank, const std::vector<Operation>& operations,
                        const std::function<bool()>& aborted) {
  std::vector<Progress> all;
  for (const Operation& operation : operations) {
    all.push_back({&operation, operation.count * size_of(operation.type)});
  }
  auto& mail = segment.shared().mail;
  while (!std::ranges::all_of(all, &Progress::finished)) {
    bool moved = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].finished() || must_wait(all, i)) continue;
      const int peer = all[i].operation->root;
      moved |= all[i].operation->kind == Kind::kSend ? send_some(mail[rank][peer], all[i])
                                                     : receive_some(mail[peer][rank], all[i]);
    }
    if (aborted()) throw Aborted{};
    if (!moved) std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

}  // namespace nullnccl
