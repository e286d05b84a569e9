// A backend that exists only in this test: every message goes through the run's store. What a
// backend needs to be trained over stands here and in one line of backend_list.inc.
#include <ATen/core/ivalue.h>
#include <ATen/core/jit_type.h>
#include <ATen/ops/from_blob.h>

#include <string>
#include <vector>

#include "core/base/error.h"
#include "engine/distributed/backends.h"

namespace scalemark::distributed {
namespace {

using Tensors = std::vector<at::Tensor>;
using WorkPtr = c10::intrusive_ptr<c10d::Work>;

WorkPtr done(const Tensors& tensors) {
  auto future = c10::make_intrusive<c10::ivalue::Future>(c10::ListType::ofTensors());
  future->markCompleted(c10::IValue(tensors));
  return c10d::Work::create_from_future(future);
}

class Relay final : public c10d::Backend {
 public:
  explicit Relay(const GroupSpec& spec)
      : c10d::Backend(spec.rank, spec.size()), store_(spec.store) {}

  const std::string getBackendName() const override { return "relay"; }

  WorkPtr broadcast(Tensors& tensors, const c10d::BroadcastOptions& options) override {
    ++messages_;
    const int root = static_cast<int>(options.rootRank);
    if (getRank() == root) send(tensors.at(0));
    if (getRank() != root) tensors.at(0).copy_(received(root, tensors[0]));
    return done(tensors);
  }

  WorkPtr allreduce(Tensors& tensors, const c10d::AllreduceOptions& options) override {
    if (options.reduceOp.op_ != c10d::ReduceOp::SUM) throw bug("relay only adds");
    ++messages_;
    send(tensors.at(0));
    at::Tensor sum = received(0, tensors[0]);
    for (int rank = 1; rank < getSize(); ++rank) sum.add_(received(rank, tensors[0]));
    tensors[0].copy_(sum);
    return done(tensors);
  }

  WorkPtr allgather(std::vector<Tensors>& outputs, Tensors& inputs,
                    const c10d::AllgatherOptions&) override {
    ++messages_;
    send(inputs.at(0));
    for (int rank = 0; rank < getSize(); ++rank) {
      outputs.at(0).at(static_cast<std::size_t>(rank)).copy_(received(rank, inputs[0]));
    }
    return done(outputs[0]);
  }

 private:
  std::string key(int rank) const { return std::to_string(messages_) + "/" + std::to_string(rank); }

  void send(const at::Tensor& tensor) {
    const at::Tensor whole = tensor.contiguous();
    const auto* bytes = static_cast<const std::uint8_t*>(whole.const_data_ptr());
    store_->set(key(getRank()), std::vector<std::uint8_t>(bytes, bytes + whole.nbytes()));
  }

  at::Tensor received(int rank, const at::Tensor& like) {
    auto bytes = store_->get(key(rank));
    return at::from_blob(bytes.data(), like.sizes(), like.options()).clone();
  }

  c10::intrusive_ptr<c10d::Store> store_;
  std::int64_t messages_ = 0;
};

class RelayProvider final : public BackendProvider {
 public:
  std::string_view name() const override { return "relay"; }
  bool serves(c10::DeviceType device) const override { return device == c10::DeviceType::CPU; }
  bool notices_lost_peers() const override { return true; }
  c10::intrusive_ptr<c10d::Backend> make(const GroupSpec& spec) const override {
    return c10::make_intrusive<Relay>(spec);
  }
};

}  // namespace

const BackendProvider* relay_provider(const PluginProviders&) {
  static const RelayProvider provider;
  return &provider;
}

}  // namespace scalemark::distributed
