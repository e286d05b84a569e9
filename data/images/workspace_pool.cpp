#include "data/images/workspace_pool.h"

#include <cstddef>

namespace scalemark::data {
namespace {

// A file that is larger was one of a few.
constexpr std::size_t kMostKeptOfAFile = std::size_t{16} << 20;

}  // namespace

std::unique_ptr<ImageWorkspace> WorkspacePool::take() {
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) {
    idle_.reserve(idle_.capacity() + 1);  // so that giving it back cannot fail
    return std::make_unique<ImageWorkspace>();
  }
  std::unique_ptr<ImageWorkspace> workspace = std::move(idle_.back());
  idle_.pop_back();
  return workspace;
}

void WorkspacePool::give_back(std::unique_ptr<ImageWorkspace> workspace) noexcept {
  if (workspace->file.capacity() > kMostKeptOfAFile) workspace->file = {};
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(workspace));
}

}  // namespace scalemark::data
