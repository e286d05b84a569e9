#include "engine/distributed/groups.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <utility>

#include "engine/distributed/group_end.h"
#include "engine/distributed/providers.h"

namespace scalemark::distributed {
namespace {

using std::chrono::milliseconds;

template <class Call>
auto translated(ErrorStore& error_store, milliseconds cause_limit, Call call) {
  try {
    return call();
  } catch (...) {
    throw translate_collective_error(std::current_exception(), error_store, cause_limit);
  }
}

at::Tensor int64_zeros(std::int64_t count) {
  return at::zeros({count}, at::TensorOptions().dtype(at::kLong));
}

at::Tensor padded_bytes(const std::string& text, std::int64_t length) {
  at::Tensor bytes = at::zeros({length}, at::TensorOptions().dtype(at::kByte));
  if (!text.empty()) std::memcpy(bytes.mutable_data_ptr(), text.data(), text.size());
  return bytes;
}

std::string text_of(const at::Tensor& bytes, std::int64_t length) {
  return {static_cast<const char*>(bytes.const_data_ptr()), static_cast<std::size_t>(length)};
}

std::vector<std::int64_t> all_lengths(c10d::Backend& backend, int world_size, std::size_t mine) {
  std::vector<std::vector<at::Tensor>> outputs(1);
  for (int rank = 0; rank < world_size; ++rank) outputs[0].push_back(int64_zeros(1));
  std::vector<at::Tensor> inputs{
      at::full({1}, static_cast<std::int64_t>(mine), at::TensorOptions().dtype(at::kLong))};
  backend.allgather(outputs, inputs)->wait();
  std::vector<std::int64_t> lengths;
  for (const at::Tensor& length : outputs[0]) {
    lengths.push_back(*length.const_data_ptr<std::int64_t>());
  }
  return lengths;
}

// Gloo moves equal sizes only, so all bytes are padded to the longest.
struct Padded {
  std::vector<std::int64_t> lengths;
  std::int64_t longest = 0;
  std::vector<at::Tensor> slots;
};

Padded padded_slots(c10d::Backend& backend, int world_size, std::size_t mine, bool receives) {
  Padded padded;
  padded.lengths = all_lengths(backend, world_size, mine);
  padded.longest = std::max<std::int64_t>(1, *std::ranges::max_element(padded.lengths));
  for (int rank = 0; receives && rank < world_size; ++rank) {
    padded.slots.push_back(padded_bytes("", padded.longest));
  }
  return padded;
}

std::vector<std::string> texts_of(const Padded& padded) {
  std::vector<std::string> texts;
  for (std::size_t rank = 0; rank < padded.slots.size(); ++rank) {
    texts.push_back(text_of(padded.slots[rank], padded.lengths[rank]));
  }
  return texts;
}

}  // namespace

std::vector<int> all_ranks(int world_size) {
  std::vector<int> ranks(static_cast<std::size_t>(world_size));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

ControlGroup::ControlGroup(const c10::intrusive_ptr<c10d::Store>& store, int rank, int world_size,
                           milliseconds timeout, const std::string& interface,
                           ErrorStore& error_store)
    : rank_(rank),
      world_size_(world_size),
      timeout_(timeout),
      error_store_(error_store),
      count_(std::make_shared<CollectiveCount>("all ranks")) {
  if (world_size == 1) return;
  backend_ = translated(error_store_, cause_limit_, [&] {
    return gloo().make({.store = c10::make_intrusive<c10d::PrefixStore>("control", store),
                        .name = "control",
                        .members = all_ranks(world_size),
                        .rank = rank,
                        .timeout = timeout,
                        .interface = interface});
  });
}

ControlGroup::ControlGroup(const PointGroup& group, milliseconds timeout, ErrorStore& error_store,
                           milliseconds cause_limit)
    : rank_(group.group()->getRank()),
      world_size_(group.group()->getSize()),
      timeout_(timeout),
      error_store_(error_store),
      cause_limit_(cause_limit),
      count_(group.count()) {
  if (world_size_ > 1) backend_ = group.control();
}

std::vector<std::string> ControlGroup::all_gather(const std::string& mine) {
  if (!backend_) return {mine};
  count_->begin_control();
  return translated(error_store_, cause_limit_, [&] {
    Padded padded = padded_slots(*backend_, world_size_, mine.size(), true);
    std::vector<std::vector<at::Tensor>> outputs{padded.slots};
    std::vector<at::Tensor> inputs{padded_bytes(mine, padded.longest)};
    backend_->allgather(outputs, inputs)->wait();
    return texts_of(padded);
  });
}

std::vector<std::string> ControlGroup::gather(const std::string& mine) {
  if (!backend_) return {mine};
  count_->begin_control();
  return translated(error_store_, cause_limit_, [&] {
    Padded padded = padded_slots(*backend_, world_size_, mine.size(), rank_ == 0);
    std::vector<std::vector<at::Tensor>> outputs;
    if (rank_ == 0) outputs.push_back(padded.slots);
    std::vector<at::Tensor> inputs{padded_bytes(mine, padded.longest)};
    c10d::GatherOptions options;
    options.rootRank = 0;
    options.timeout = timeout_;
    backend_->gather(outputs, inputs, options)->wait();
    return texts_of(padded);
  });
}

std::string ControlGroup::broadcast(const std::string& from_rank_0) {
  if (!backend_) return from_rank_0;
  count_->begin_control();
  return translated(error_store_, cause_limit_, [&] {
    std::vector<at::Tensor> length{at::full({1}, static_cast<std::int64_t>(from_rank_0.size()),
                                            at::TensorOptions().dtype(at::kLong))};
    backend_->broadcast(length)->wait();
    const auto size = *length[0].const_data_ptr<std::int64_t>();
    if (size == 0) return std::string();
    std::vector<at::Tensor> bytes{padded_bytes(rank_ == 0 ? from_rank_0 : "", size)};
    backend_->broadcast(bytes)->wait();
    return text_of(bytes[0], size);
  });
}

void ControlGroup::max_over_ranks(std::vector<double>& values) {
  if (!backend_ || values.empty()) return;
  count_->begin_control();
  translated(error_store_, cause_limit_, [&] {
    std::vector<at::Tensor> tensors{at::from_blob(values.data(),
                                                  {static_cast<std::int64_t>(values.size())},
                                                  at::TensorOptions().dtype(at::kDouble))};
    c10d::AllreduceOptions options;
    options.reduceOp = c10d::ReduceOp::MAX;
    options.timeout = timeout_;
    return backend_->allreduce(tensors, options)->wait();
  });
}

void ControlGroup::barrier() {
  if (!backend_) return;
  count_->begin_control();
  translated(error_store_, cause_limit_, [&] {
    c10d::BarrierOptions options;
    options.timeout = timeout_;
    return backend_->barrier(options)->wait();
  });
}

PointGroup::PointGroup(const GroupSpec& spec, const BackendProvider& payload)
    : payload_provider_(payload),
      store_(c10::make_intrusive<RecordingStore>(
          c10::make_intrusive<c10d::PrefixStore>("group/" + spec.name, spec.store))),
      count_(std::make_shared<CollectiveCount>(spec.name)) {
  const auto connect = [&](const char* keys, const BackendProvider& provider) {
    GroupSpec own = spec;
    own.store = c10::make_intrusive<c10d::PrefixStore>(keys, store_);
    return provider.make(own);
  };
  if (&payload == &gloo()) {
    control_ = payload_ = connect("payload", payload);  // one mesh of connections serves both
  } else {
    if (spec.size() > 1) control_ = connect("control", gloo());
    payload_ = connect("payload", payload);
  }
  group_ = c10::make_intrusive<c10d::ProcessGroup>(store_, spec.rank, spec.size());
  // The group is registered and found by one type: a name that torch does not know is CUSTOM, and
  // "mpi" is MPI whoever made it.
  const auto type = c10d::ProcessGroup::strToBackendType(std::string(payload.name()));
  group_->setBackend(spec.device.type(), type, payload_);
  group_->setDefaultBackend(type);
  count_->follow(payload_);
}

bool PointGroup::lost_a_peer() const noexcept {
  return !notices_lost_peers() && payload_ && distributed::lost_a_peer(*payload_);
}

void PointGroup::shut_down(milliseconds limit) noexcept {
  if (!notices_lost_peers() && payload_) distributed::shut_down(payload_, limit);
}

void PointGroup::abort() noexcept {
  if (!notices_lost_peers() && payload_) distributed::abort(payload_);
}

void PointGroup::drop(bool is_ended) noexcept {
  count_->follow({});
  control_.reset();
  group_.reset();
  if (notices_lost_peers()) {
    payload_.reset();
  } else {
    release(std::move(payload_), is_ended);
  }
}

void PointGroup::delete_keys() { store_->delete_recorded_keys(); }

}  // namespace scalemark::distributed
