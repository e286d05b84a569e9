// The one function that MPI's part exports, and the provider behind it.
#include <chrono>
#include <cstdlib>
#include <thread>

#include "build_stamp.h"
#include "engine/distributed/backend.h"
#include "engine/mpi/direct.h"
#include "engine/mpi/mpi_api.h"
#include "engine/mpi/mpi_backend.h"
#include "engine/mpi/runtime.h"

namespace scalemark::mpi {
namespace {

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
    return mpi::make_direct(static_cast<MpiBackend&>(of_this_group).communicator());
  }

  // From the thread that has started MPI, as MPI asks for, so the limit is another thread's.
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
