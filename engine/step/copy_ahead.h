// Brings batches from the host to a step: the batches of several replicas become one, and a GPU
// gets each batch one micro-step ahead.
#pragma once

#include <c10/core/Device.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "data/load/batch.h"

namespace scalemark::training {

// --- Batches of several replicas become one batch, in which every field holds the replicas' rows
// one after the other. Knows no ranks, devices or networks.

// Joins `parts` on the host, which have the same fields; `pinned`: into pinned memory. A single
// part stays as it is. The wait is that of all parts.
data::Batch join(std::vector<data::Batch> parts, bool pinned);

// Returns share `i` of a joined batch as a batch of its own, whose tensors are views of the whole.
data::Batch share_of(const data::Batch& whole, std::size_t i);

// Returns the next batch, on the host; may wait. A batch without tensors means that there are no
// more.
using NextBatch = std::function<data::Batch()>;

// A smaller batch is not worth a stream of its own: its copies take about as long as the four calls
// that order two streams (some 5 microseconds), which small steps would feel.
inline constexpr std::uint64_t kBytesWorthCopyingAhead = std::uint64_t{1} << 20;

std::uint64_t bytes_of(const data::Batch& batch);

// A second stream to the device, with two places for batches on it. The compute stream can use a
// sent batch only after wait() of its place.
class CopyLane {
 public:
  virtual ~CopyLane() = default;
  virtual void send(data::Batch& batch, std::size_t place) = 0;  // its tensors become the device's
  virtual void wait(std::size_t place) = 0;       // blocks the compute stream, not the host
  virtual void send_now(data::Batch& batch) = 0;  // copies on the compute stream
};

// The lane of a GPU: a stream beside the current one, ordered by events.
std::unique_ptr<CopyLane> make_stream_lane(c10::Device device);

// Brings batches to a GPU one ahead of the micro-step that uses them, so that the copies overlap
// its computation. Knows nothing of steps, marks or the source of batches.
class CopyAhead {
 public:
  explicit CopyAhead(std::unique_ptr<CopyLane> lane) : lane_(std::move(lane)) {}
  ~CopyAhead();
  CopyAhead(const CopyAhead&) = delete;
  CopyAhead& operator=(const CopyAhead&) = delete;

  // Returns the batch of this micro-step. Large batches are fetched from `next` one ahead, across
  // calls, and are already being copied; small ones are fetched when they are needed.
  data::Batch take(const NextBatch& next);

  // From here on the device's work sees the batch of the latest take().
  void arrive(data::Batch& batch);

  // Does the same for a batch whose tensors are on the device already; a small batch stays on the
  // host.
  void wait();

 private:
  struct OnItsWay {
    data::Batch batch;
    std::size_t place = 0;
  };

  std::optional<OnItsWay> fetch_ahead(const NextBatch& next);
  OnItsWay sent(data::Batch batch);

  std::unique_ptr<CopyLane> lane_;
  std::optional<OnItsWay> ahead_;
  // The place of the batch that was taken; none: it is still on the host.
  std::optional<std::size_t> taken_;
  std::size_t next_place_ = 0;
};

}  // namespace scalemark::training
