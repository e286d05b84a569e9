// Creates the backend that carries a group's messages: one provider for each backend that --backend
// can name. Knows no device, no settings and no other provider.
#pragma once

#include <c10/core/Device.h>

#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <vector>

namespace scalemark::distributed {

// One process group, as one of its members sees it.
struct GroupSpec {
  c10::intrusive_ptr<c10d::Store> store;
  std::string name;                     // unique within the run
  std::vector<int> members;             // ranks of the run's world, ascending
  int rank = 0;                         // this rank's place among the members
  c10::Device device{c10::kCPU};        // whose tensors the payload is
  std::chrono::milliseconds timeout{};  // of a collective
  std::string interface;                // of TCP traffic ("eth0")

  int size() const { return static_cast<int>(members.size()); }
};

class BackendProvider {
 public:
  virtual ~BackendProvider() = default;

  // As --backend and c10d's Backend::getBackendName() name it.
  virtual std::string_view name() const = 0;

  // Version of the library behind it ("2.28.9"), where that is not torch itself.
  virtual std::optional<std::string> library_version() const { return std::nullopt; }

  // Whether it carries tensors of such a device.
  virtual bool serves(c10::DeviceType device) const = 0;

  // Whether a collective fails within the timeout when a member is gone. If not, the backend's
  // group is watched while in use, shut down after success, and aborted after a failure
  // (group_end.h).
  virtual bool notices_lost_peers() const = 0;

  // Collective over the members. The keys in the store are this backend's alone. Throws what c10d
  // throws; translate_collective_error() turns it into an Error.
  virtual c10::intrusive_ptr<c10d::Backend> make(const GroupSpec& spec) const = 0;

  // Ends a process that has made a group and must end at once, from any thread, without
  // destructors. An MPI process must not end without MPI_Abort.
  [[noreturn]] virtual void end_process(int exit_code) const noexcept { std::_Exit(exit_code); }
};

// Ends a process whose payload goes over `backend`; null: no group was made yet.
[[noreturn]] inline void end_process(const BackendProvider* backend, int exit_code) noexcept {
  if (backend != nullptr) backend->end_process(exit_code);
  std::_Exit(exit_code);
}

}  // namespace scalemark::distributed
