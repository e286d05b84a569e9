#include "engine/distributed/groups.h"

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <utility>

#include "engine/distributed/group_end.h"
#include "engine/distributed/providers.h"

namespace scalemark::distributed {

using std::chrono::milliseconds;

PointGroup::PointGroup(const GroupSpec& spec, const BackendProvider& payload)
    : payload_provider_(payload),
      store_(c10::make_intrusive<RecordingStore>(
          c10::make_intrusive<c10d::PrefixStore>("group/" + spec.name, spec.store))),
      count_(std::make_shared<CollectiveCount>(spec.name)) {
  const auto under = [&](const char* keys) {
    GroupSpec own = spec;
    own.store = c10::make_intrusive<c10d::PrefixStore>(keys, store_);
    return own;
  };
  const bool one_mesh = &payload == &gloo();  // its connections serve both
  if (!one_mesh && spec.size() > 1) control_ = connect_control(under("control"), *count_);
  payload_ = payload.make(under("payload"));
  if (one_mesh) control_ = payload_;
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
