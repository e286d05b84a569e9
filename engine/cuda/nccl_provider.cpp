#include "engine/cuda/nccl_provider.h"

#include <torch/csrc/distributed/c10d/NCCLUtils.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

#include "engine/cuda/nccl_defaults.h"
#include "engine/cuda/nccl_direct.h"

namespace scalemark::cuda {
namespace {

class NcclProvider final : public distributed::BackendProvider {
 public:
  std::string_view name() const override { return "nccl"; }
  std::optional<distributed::LibraryVersion> library_version() const override {
    return distributed::LibraryVersion{.running_with = c10d::getNcclVersion()};
  }
  bool serves(c10::DeviceType device) const override { return device == c10::DeviceType::CUDA; }
  bool notices_lost_peers() const override { return false; }

  c10::intrusive_ptr<c10d::Backend> make(const distributed::GroupSpec& spec) const override {
    set_nccl_defaults();
    auto options = c10d::ProcessGroupNCCL::Options::create();
    options->timeout = spec.timeout;
    auto backend =
        c10::make_intrusive<c10d::ProcessGroupNCCL>(spec.store, spec.rank, spec.size(), options);
    // The communicator is made now, while every member is here: NCCL waits for a member that fails
    // before its first collective, and nothing can abort that.
    if (spec.size() > 1) backend->eagerConnectSingleDevice(spec.device);
    return backend;
  }

  std::unique_ptr<distributed::DirectCommunicator> make_direct(
      c10d::Backend& of_this_group) const override {
    if (of_this_group.getSize() == 1) return nullptr;  // it has no communicator yet
    return make_direct_nccl(dynamic_cast<c10d::ProcessGroupNCCL&>(of_this_group));
  }
};

}  // namespace

const distributed::BackendProvider& nccl() {
  static const NcclProvider provider;
  return provider;
}

}  // namespace scalemark::cuda
