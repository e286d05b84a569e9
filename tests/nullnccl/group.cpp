#include "tests/nullnccl/group.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace nullnccl {
namespace {

struct Group {
  int depth = 0;
  std::vector<std::pair<Communicator*, std::vector<Operation>>> issued;
  std::vector<Communicator*> aborting;
};

thread_local Group open_group;

}  // namespace

void begin_group() { ++open_group.depth; }

ncclResult_t end_group() {
  if (open_group.depth == 0) {
    set_last_error("ncclGroupEnd without ncclGroupStart");
    return ncclInvalidUsage;
  }
  if (--open_group.depth > 0) return ncclSuccess;
  Group ended = std::exchange(open_group, {});
  ncclResult_t result = ncclSuccess;
  for (auto& [communicator, operations] : ended.issued) {
    const ncclResult_t one = communicator->append(std::move(operations));
    if (result == ncclSuccess) result = one;
  }
  for (Communicator* communicator : ended.aborting) communicator->end_abort();
  return result;
}

ncclResult_t issue(Communicator& communicator, const Operation& operation) {
  if (open_group.depth == 0) return communicator.append({operation});
  auto& issued = open_group.issued;
  auto found =
      std::ranges::find(issued, &communicator, [](const auto& entry) { return entry.first; });
  if (found == issued.end()) found = issued.insert(issued.end(), {&communicator, {}});
  found->second.push_back(operation);
  return ncclSuccess;
}

void end_abort_of(Communicator& communicator) {
  if (open_group.depth == 0) return communicator.end_abort();
  open_group.aborting.push_back(&communicator);
}

}  // namespace nullnccl
