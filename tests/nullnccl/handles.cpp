// Which communicators live, and the last error's text.
#include <mutex>
#include <set>

#include "tests/nullnccl/communicator.h"

namespace nullnccl {
namespace {

struct Registry {
  std::mutex mutex;
  std::set<Communicator*> living;
  std::string last_error;
};

// Never destroyed: a thread may still be at work when the process ends.
Registry& registry() {
  static auto* const all = new Registry;
  return *all;
}

}  // namespace

ncclComm_t handle_of(Communicator* communicator) {
  const std::lock_guard lock(registry().mutex);
  registry().living.insert(communicator);
  return reinterpret_cast<ncclComm_t>(communicator);
}

Communicator* find(ncclComm_t handle) {
  auto* const communicator = reinterpret_cast<Communicator*>(handle);
  const std::lock_guard lock(registry().mutex);
  if (registry().living.contains(communicator)) return communicator;
  registry().last_error = "a communicator that is none, or was destroyed or aborted";
  return nullptr;
}

void forget(Communicator* communicator) {
  const std::lock_guard lock(registry().mutex);
  registry().living.erase(communicator);
}

void set_last_error(const std::string& text) {
  const std::lock_guard lock(registry().mutex);
  registry().last_error = text;
}

const char* last_error() {
  static thread_local std::string text;
  const std::lock_guard lock(registry().mutex);
  text = registry().last_error;
  return text.c_str();
}

}  // namespace nullnccl
