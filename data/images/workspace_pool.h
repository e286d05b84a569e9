// Workspaces for images, handed from thread to thread: at most as many as threads load at once.
// Knows nothing of what is done with them.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "data/images/image_view.h"

namespace scalemark::data {

class WorkspacePool {
 public:
  class Lease {
   public:
    explicit Lease(WorkspacePool& pool) : pool_(pool), workspace_(pool.take()) {}
    ~Lease() { pool_.give_back(std::move(workspace_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ImageWorkspace& operator*() const { return *workspace_; }
    ImageWorkspace* operator->() const { return workspace_.get(); }

   private:
    WorkspacePool& pool_;
    std::unique_ptr<ImageWorkspace> workspace_;
  };

 private:
  std::unique_ptr<ImageWorkspace> take();
  void give_back(std::unique_ptr<ImageWorkspace> workspace) noexcept;

  std::mutex mutex_;
  std::vector<std::unique_ptr<ImageWorkspace>> idle_;
};

}  // namespace scalemark::data
