#include "engine/cuda/nccl_provider.h"

#include <ATen/ops/zeros.h>
#include <c10/cuda/CUDAStream.h>
#include <nccl.h>

#include <memory>
#include <string>
#include <torch/csrc/distributed/c10d/NCCLUtils.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

#include "core/base/error.h"
#include "engine/cuda/cuda_check.h"
#include "engine/cuda/nccl_defaults.h"
#include "engine/distributed/backend.h"

namespace scalemark::cuda {
namespace {

using collectives::Collective;
using collectives::DataType;

// Throws E_GPU_FAULT (84) with the call's name and NCCL's own words.
void check_nccl(ncclResult_t result, const char* call) {
  if (result == ncclSuccess) return;
  throw Error(ErrorRecord{.code = "E_GPU_FAULT",
                          .exit_code = ExitCode::kGpuFault,
                          .domain = ErrorDomain::kHardware,
                          .what = std::string(call) + ": " + ncclGetErrorString(result)});
}

ncclDataType_t nccl_type(DataType type) {
  switch (type) {
    case DataType::kFp32:
      return ncclFloat32;
    case DataType::kFp16:
      return ncclFloat16;
    case DataType::kBf16:
      return ncclBfloat16;
    case DataType::kInt32:
      return ncclInt32;
  }
  throw_unnamed_value();
}

class DirectNccl final : public distributed::DirectCommunicator {
 public:
  DirectNccl(ncclComm_t communicator, int rank, int size)
      : communicator_(communicator), rank_(rank), size_(size) {}

  bool supports(Collective, DataType) const override { return true; }

  void run(Collective collective, const void* in, void* out, std::int64_t elements, DataType type,
           int root) override {
    const auto whole = static_cast<std::size_t>(elements);
    const std::size_t part = whole / static_cast<std::size_t>(size_);
    const ncclDataType_t of = nccl_type(type);
    const ncclComm_t all = communicator_;
    const cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
    switch (collective) {
      case Collective::kAllReduce:
        return check_nccl(ncclAllReduce(in, out, whole, of, ncclSum, all, stream), "ncclAllReduce");
      case Collective::kAllGather:
        return check_nccl(ncclAllGather(in, out, part, of, all, stream), "ncclAllGather");
      case Collective::kReduceScatter:
        return check_nccl(ncclReduceScatter(in, out, part, of, ncclSum, all, stream),
                          "ncclReduceScatter");
      case Collective::kBroadcast:
        return check_nccl(ncclBroadcast(in, out, whole, of, root, all, stream), "ncclBroadcast");
      case Collective::kReduce:
        return check_nccl(ncclReduce(in, out, whole, of, ncclSum, root, all, stream), "ncclReduce");
      case Collective::kGather:
        return check_nccl(ncclGather(in, out, part, of, root, all, stream), "ncclGather");
      case Collective::kAllToAll:
        return check_nccl(ncclAlltoAll(in, out, part, of, all, stream), "ncclAlltoAll");
      case Collective::kSendRecv:
        return ring_shift(in, out, whole, of, stream);
      case Collective::kBarrier:
        return barrier(stream);
    }
    throw_unnamed_value();
  }

  void finish() override {
    check(cudaStreamSynchronize(c10::cuda::getCurrentCUDAStream()), "cudaStreamSynchronize");
  }

 private:
  // Within one NCCL group, sending and receiving run at once.
  void ring_shift(const void* in, void* out, std::size_t count, ncclDataType_t type,
                  cudaStream_t stream) {
    check_nccl(ncclGroupStart(), "ncclGroupStart");
    check_nccl(ncclSend(in, count, type, (rank_ + 1) % size_, communicator_, stream), "ncclSend");
    check_nccl(ncclRecv(out, count, type, (rank_ + size_ - 1) % size_, communicator_, stream),
               "ncclRecv");
    check_nccl(ncclGroupEnd(), "ncclGroupEnd");
  }

  // NCCL has no barrier; like c10d, this all-reduces one number.
  void barrier(cudaStream_t stream) {
    if (!token_.defined()) {
      token_ = at::zeros({1}, at::TensorOptions().dtype(at::kInt).device(at::kCUDA));
    }
    void* token = token_.mutable_data_ptr();
    check_nccl(ncclAllReduce(token, token, 1, ncclInt32, ncclSum, communicator_, stream),
               "ncclAllReduce");
    finish();
  }

  ncclComm_t communicator_;
  int rank_, size_;
  at::Tensor token_;  // barrier() all-reduces it
};

// Calls NCCL without c10d, on the communicator of a c10d group. `group` must have its communicator
// already, and must outlive the result. Calls run on the current stream.
std::unique_ptr<distributed::DirectCommunicator> make_direct_nccl(c10d::ProcessGroupNCCL& group) {
  auto* communicator = reinterpret_cast<ncclComm_t>(group.getCommPtr());
  if (communicator == nullptr) throw bug("a group over NCCL without its communicator");
  return std::make_unique<DirectNccl>(communicator, group.getRank(), group.getSize());
}

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
    if (of_this_group.getSize() == 1) return nullptr;  // a group of one has no communicator yet
    return make_direct_nccl(dynamic_cast<c10d::ProcessGroupNCCL&>(of_this_group));
  }
};

}  // namespace

const distributed::BackendProvider& nccl() {
  static const NcclProvider provider;
  return provider;
}

}  // namespace scalemark::cuda
