// A backend that exists only in this test: Gloo, whose results have one wrong element on one rank.
#include "faulty_backend.h"

#include <optional>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <vector>

#include "engine/distributed/backends.h"
#include "engine/distributed/providers.h"

namespace scalemark::distributed {
namespace {

using Tensors = std::vector<at::Tensor>;
using WorkPtr = c10::intrusive_ptr<c10d::Work>;

std::optional<Fault>& planted() {
  static std::optional<Fault> fault;
  return fault;
}

class Faulty final : public c10d::Backend {
 public:
  Faulty(const GroupSpec& spec, c10::intrusive_ptr<c10d::Backend> gloo)
      : c10d::Backend(spec.rank, spec.size()), gloo_(std::move(gloo)), fault_(planted()) {}

  const std::string getBackendName() const override { return "faulty"; }

  WorkPtr allreduce(Tensors& tensors, const c10d::AllreduceOptions& options) override {
    return spoiled(gloo_->allreduce(tensors, options), tensors.at(0));
  }
  WorkPtr _allgather_base(at::Tensor& output, at::Tensor& input,
                          const c10d::AllgatherOptions& options) override {
    return spoiled(gloo_->_allgather_base(output, input, options), output);
  }
  WorkPtr barrier(const c10d::BarrierOptions& options) override { return gloo_->barrier(options); }

 private:
  WorkPtr spoiled(WorkPtr work, const at::Tensor& result) {
    work->wait();
    if (fault_ && fault_->rank == getRank()) result[fault_->element].add_(1);
    return work;
  }

  c10::intrusive_ptr<c10d::Backend> gloo_;
  std::optional<Fault> fault_;
};

class FaultyProvider final : public BackendProvider {
 public:
  std::string_view name() const override { return "faulty"; }
  bool serves(c10::DeviceType device) const override { return device == c10::DeviceType::CPU; }
  bool notices_lost_peers() const override { return true; }
  c10::intrusive_ptr<c10d::Backend> make(const GroupSpec& spec) const override {
    return c10::make_intrusive<Faulty>(spec, gloo().make(spec));
  }
};

}  // namespace

void plant(const Fault* fault) { planted() = fault ? std::optional(*fault) : std::nullopt; }

const BackendProvider* faulty_provider(const PluginProviders&) {
  static const FaultyProvider provider;
  return &provider;
}

}  // namespace scalemark::distributed
