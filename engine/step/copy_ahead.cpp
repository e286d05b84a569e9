#include "engine/step/copy_ahead.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <c10/core/Event.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <array>
#include <cstdint>
#include <utility>

#include "core/base/error.h"

namespace scalemark::training {
namespace {

at::Tensor joined_field(const std::vector<data::Batch>& parts, const std::string& name,
                        bool pinned) {
  std::vector<at::Tensor> tensors;
  for (const data::Batch& part : parts) tensors.push_back(part[name]);
  at::Tensor whole = at::empty({0}, tensors.front().options().pinned_memory(pinned));
  return at::cat_out(whole, tensors);
}

data::Share share_like(const data::Batch& part) {
  data::Share share{.samples = part.samples, .non_pad_tokens = part.non_pad_tokens};
  for (const auto& [name, tensor] : part.tensors) share.rows[name] = tensor.size(0);
  return share;
}

}  // namespace

data::Batch join(std::vector<data::Batch> parts, bool pinned) {
  if (parts.size() == 1) return std::move(parts.front());
  data::Batch whole;
  for (const data::Batch& part : parts) {
    if (part.tensors.empty()) return {};  // there are no more batches
    whole.shares.push_back(share_like(part));
    whole.samples += part.samples;
    whole.padding += part.padding;
    whole.non_pad_tokens += part.non_pad_tokens;
    whole.wait_s += part.wait_s;
  }
  for (const auto& [name, tensor] : parts.front().tensors) {
    whole.tensors[name] = joined_field(parts, name, pinned);
  }
  return whole;
}

data::Batch share_of(const data::Batch& whole, std::size_t i) {
  const data::Share& share = whole.shares.at(i);
  data::Batch part{.samples = share.samples, .non_pad_tokens = share.non_pad_tokens};
  for (const auto& [name, tensor] : whole.tensors) {
    std::int64_t begin = 0;
    for (std::size_t before = 0; before < i; ++before) {
      begin += whole.shares[before].rows.find(name)->second;
    }
    part.tensors[name] = tensor.narrow(0, begin, share.rows.find(name)->second);
  }
  return part;
}

namespace {

constexpr std::size_t kPlaces = 2;  // one batch in use, one being copied

// Device memory belongs to the compute stream, which takes and frees it in its order. So a copy
// waits for the work that this stream had when the memory was taken (the block may have had another
// use), and that stream waits for the copy before it reads; thus the allocator need not know a
// second stream. Pinned host memory is different: its allocator records each copy's stream.
class StreamLane final : public CopyLane {
 public:
  explicit StreamLane(c10::Device device)
      : device_(device),
        streams_(device.type()),
        side_(streams_.getNewStream(device)),
        memory_taken_(device.type()),
        copied_{c10::Event(device.type()), c10::Event(device.type())} {}

  void send(data::Batch& batch, std::size_t place) override {
    std::vector<std::pair<at::Tensor, at::Tensor>> copies;  // to, from
    for (auto& [name, tensor] : batch.tensors) {
      const at::Tensor there = at::empty(tensor.sizes(), tensor.options().device(device_));
      copies.emplace_back(there, std::exchange(tensor, there));
    }
    memory_taken_.record(streams_.getStream(device_));
    memory_taken_.block(side_);
    const c10::StreamGuard on_side(side_);
    for (auto& [to, from] : copies) to.copy_(from, /*non_blocking=*/true);
    copied_.at(place).record(side_);
  }

  void wait(std::size_t place) override { copied_.at(place).block(streams_.getStream(device_)); }

  void send_now(data::Batch& batch) override { data::to_device(batch, device_); }

 private:
  c10::Device device_;
  c10::impl::VirtualGuardImpl streams_;
  c10::Stream side_;
  c10::Event memory_taken_;
  std::array<c10::Event, kPlaces> copied_;
};

}  // namespace

std::uint64_t bytes_of(const data::Batch& batch) {
  std::uint64_t bytes = 0;
  for (const auto& [name, tensor] : batch.tensors) bytes += tensor.nbytes();
  return bytes;
}

std::unique_ptr<CopyLane> make_stream_lane(c10::Device device) {
  return std::make_unique<StreamLane>(device);
}

// A batch was perhaps never taken. The compute stream frees its memory and must wait for its copy
// first.
CopyAhead::~CopyAhead() {
  if (!ahead_) return;
  try {
    lane_->wait(ahead_->place);
  } catch (...) {  // a failed GPU is reported elsewhere
  }
}

data::Batch CopyAhead::take(const NextBatch& next) {
  taken_.reset();
  if (!ahead_) {
    data::Batch batch = next();
    if (batch.tensors.empty()) throw bug("the batches ended before the last step");
    if (bytes_of(batch) < kBytesWorthCopyingAhead) return batch;
    ahead_ = sent(std::move(batch));
  }
  auto following = fetch_ahead(next);  // if this throws, ahead_ must still be waited for
  OnItsWay taken = *std::exchange(ahead_, std::move(following));
  taken_ = taken.place;
  return std::move(taken.batch);
}

void CopyAhead::arrive(data::Batch& batch) {
  wait();
  if (!taken_) lane_->send_now(batch);
}

void CopyAhead::wait() {
  if (taken_) lane_->wait(*taken_);
}

std::optional<CopyAhead::OnItsWay> CopyAhead::fetch_ahead(const NextBatch& next) {
  data::Batch batch = next();
  if (batch.tensors.empty()) return std::nullopt;
  return sent(std::move(batch));
}

CopyAhead::OnItsWay CopyAhead::sent(data::Batch batch) {
  const std::size_t place = std::exchange(next_place_, (next_place_ + 1) % kPlaces);
  lane_->send(batch, place);
  return {std::move(batch), place};
}

}  // namespace scalemark::training
