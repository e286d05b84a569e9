// Creates the backend that carries a group's messages: one provider for each backend that --backend
// can name. Knows no device, no settings and no other provider.
#pragma once

#include <c10/core/Device.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <vector>

#include "core/collectives/collective.h"
#include "core/launch/world.h"

namespace scalemark::distributed {

// One process group, as one of its members sees it.
struct GroupSpec {
  c10::intrusive_ptr<c10d::Store> store;
  std::string name;                     // unique within the run
  std::vector<int> members;             // ranks of the run's world, ascending
  int rank = 0;                         // this rank's place among the members
  c10::Device device{c10::kCPU};        // the device of the payload's tensors
  std::chrono::milliseconds timeout{};  // a collective that takes longer fails
  std::string interface;                // TCP traffic goes over it ("eth0")
  bool lazy = false;                    // Gloo connects two ranks at their first message

  int size() const { return static_cast<int>(members.size()); }
};

// Calls the communicator below a group's c10d backend directly: a benchmark subtracts its times to
// find c10d's share of a collective's time. Only one thread may use it, and nothing else may use
// the group meanwhile.
class DirectCommunicator {
 public:
  virtual ~DirectCommunicator() = default;

  virtual bool supports(collectives::Collective collective, collectives::DataType type) const = 0;

  // Starts or does one collective of sums; every member calls it. `elements` is the size as
  // nccl-tests counts it: for an all-gather what a rank ends with, for a reduce-scatter what it
  // begins with. The collective is in place where in == out, or where a rank's part lies at its
  // place in the whole. `root` is only for collectives that have one. Throws E_PEER_LOST (69) when
  // the library fails.
  virtual void run(collectives::Collective collective, const void* in, void* out,
                   std::int64_t elements, collectives::DataType type, int root) = 0;

  // Returns when the collectives that run() has started are done.
  virtual void finish() = 0;
};

// The version of the library behind a backend, as that library names it ("2.28.9").
struct LibraryVersion {
  std::optional<std::string> built_with, running_with;
};

class BackendProvider {
 public:
  virtual ~BackendProvider() = default;

  // Returns the name that --backend and c10d's Backend::getBackendName() use.
  virtual std::string_view name() const = 0;

  // Returns nothing where torch itself is the library.
  virtual std::optional<LibraryVersion> library_version() const { return std::nullopt; }

  // Whether the backend carries tensors of this kind of device.
  virtual bool serves(c10::DeviceType device) const = 0;

  // Whether a collective fails within the timeout when a member is gone. If not, the backend's
  // group is watched while in use, shut down after success, and aborted after a failure
  // (group_end.h).
  virtual bool notices_lost_peers() const = 0;

  // Whether abort() of its backends frees a rank that is stuck in a collective. If not (MPI), only
  // the end of its process frees such a rank.
  virtual bool can_abort() const { return true; }

  // Collective over the run's ranks, once, before the first group. Throws what the library's start
  // throws.
  virtual void start(const launching::World& /*world*/) const {}

  // Collective over the members. Only this backend uses its keys in the store. Throws what c10d
  // throws; translate_collective_error() turns it into an Error.
  virtual c10::intrusive_ptr<c10d::Backend> make(const GroupSpec& spec) const = 0;

  // Returns the communicator below a backend that make() has made, or null where this backend has
  // none. The backend must outlive it.
  virtual std::unique_ptr<DirectCommunicator> make_direct(c10d::Backend& /*of_this_group*/) const {
    return nullptr;
  }

  // Ends a process properly after start(), collective over the run's ranks. A process that waits
  // for a peer too long exits with `exit_code`.
  virtual void finish_process(int /*exit_code*/) const {}

  // Ends a process at once after start(), from any thread, without destructors. An MPI process must
  // end by MPI_Abort.
  [[noreturn]] virtual void end_process(int exit_code) const noexcept { std::_Exit(exit_code); }
};

// Ends a process whose payload goes over `backend`; null: no group was made yet.
[[noreturn]] inline void end_process(const BackendProvider* backend, int exit_code) noexcept {
  if (backend != nullptr) backend->end_process(exit_code);
  std::_Exit(exit_code);
}

}  // namespace scalemark::distributed
