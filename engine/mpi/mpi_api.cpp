#include "engine/mpi/mpi_api.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>

#include "build_stamp.h"
#include "core/base/error.h"
#include "engine/distributed/backend.h"
#include "engine/mpi/communicator.h"
#include "engine/mpi/mpi_backend.h"
#include "engine/mpi/runtime.h"

namespace scalemark::mpi {
namespace {

using collectives::Collective;

DataType own_type(collectives::DataType type) {
  switch (type) {
    case collectives::DataType::kFp32:
      return DataType::kFloat32;
    case collectives::DataType::kFp16:
      return DataType::kFloat16;
    case collectives::DataType::kBf16:
      return DataType::kBFloat16;
    case collectives::DataType::kInt32:
      return DataType::kInt32;
  }
  throw bug("an unknown data type");
}

// MPI's collectives without c10d, for a benchmark of c10d's share.
class Direct final : public distributed::DirectCommunicator {
 public:
  explicit Direct(Communicator& communicator) : mpi_(communicator) {}

  bool supports(Collective, collectives::DataType) const override { return true; }

  // An MPI call returns when it is done, so there is nothing to finish.
  void run(Collective collective, const void* in, void* out, std::int64_t elements,
           collectives::DataType of, int root) override {
    const DataType type = own_type(of);
    const std::int64_t part = elements / mpi_.size();
    switch (collective) {
      case Collective::kAllReduce:
        return mpi_.all_reduce(in, out, elements, type, Operation::kSum);
      case Collective::kAllGather:
        return mpi_.all_gather(in, out, part, type);
      case Collective::kReduceScatter:
        return mpi_.reduce_scatter(in, out, part, type, Operation::kSum);
      case Collective::kBroadcast:
        return broadcast(in, out, elements, type, root);
      case Collective::kReduce:
        return mpi_.reduce(in, out, elements, type, Operation::kSum, root);
      case Collective::kGather:
        return mpi_.gather(in, out, part, type, root);
      case Collective::kAllToAll:
        return mpi_.all_to_all(in, out, part, type);
      case Collective::kSendRecv:
        return shift(in, out, elements, type);
      case Collective::kBarrier:
        return mpi_.barrier();
    }
    throw bug("an unknown collective");
  }

  void finish() override {}

 private:
  // MPI_Bcast has one buffer only.
  void broadcast(const void* in, void* out, std::int64_t elements, DataType type, int root) {
    if (mpi_.rank() == root && in != out) {
      std::memcpy(out, in, static_cast<std::size_t>(elements) * bytes_of(type));
    }
    mpi_.broadcast(out, elements, type, root);
  }

  // Each rank sends to the next rank of a ring.
  void shift(const void* in, void* out, std::int64_t elements, DataType type) {
    const int next = (mpi_.rank() + 1) % mpi_.size();
    const int previous = (mpi_.rank() + mpi_.size() - 1) % mpi_.size();
    const auto received = mpi_.receive(out, elements, type, previous, /*tag=*/0);
    const auto sent = mpi_.send(in, elements, type, next, /*tag=*/0);
    received->wait();
    sent->wait();
  }

  Communicator& mpi_;
};

// MPI_Finalize waits for every rank of the run.
constexpr std::chrono::seconds kFinishLimit{10};

class MpiProvider final : public distributed::BackendProvider {
 public:
  std::string_view name() const override { return "mpi"; }
  std::optional<distributed::LibraryVersion> library_version() const override {
    return distributed::LibraryVersion{.built_with = built_version(),
                                       .running_with = running_version()};
  }
  bool serves(c10::DeviceType device) const override { return device == c10::DeviceType::CPU; }
  bool notices_lost_peers() const override { return false; }
  bool can_abort() const override { return false; }

  void start(const launching::World& world) const override { mpi::start(world); }

  c10::intrusive_ptr<c10d::Backend> make(const distributed::GroupSpec& spec) const override {
    return c10::make_intrusive<MpiBackend>(spec.members, spec.rank);
  }

  std::unique_ptr<distributed::DirectCommunicator> make_direct(
      c10d::Backend& of_this_group) const override {
    return std::make_unique<Direct>(static_cast<MpiBackend&>(of_this_group).communicator());
  }

  // MPI requires the thread that has started MPI, so another thread watches the limit.
  void finish_process(int exit_code) const override {
    if (!is_started()) return;
    std::thread([exit_code] {
      std::this_thread::sleep_for(kFinishLimit);
      std::_Exit(exit_code);
    }).detach();
    finish();
  }

  [[noreturn]] void end_process(int exit_code) const noexcept override { mpi::abort(exit_code); }
};

const distributed::BackendProvider& provider() {
  static const MpiProvider mpi;
  return mpi;
}

}  // namespace

}  // namespace scalemark::mpi

extern "C" const scalemark::mpi::MpiApi* scalemark_mpi_api() {
  static const scalemark::mpi::MpiApi api{
      .stamp = {.abi = scalemark::mpi::kMpiAbi, .git_commit = SCALEMARK_GIT_COMMIT},
      .provider = &scalemark::mpi::provider};
  return &api;
}
