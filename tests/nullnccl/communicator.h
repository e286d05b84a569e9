// One rank's side of a communicator: its creation, its operations, and three ways to end. Every
// call returns what NCCL's function of that name would.
#pragma once

#include <nccl.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "tests/nullnccl/operation.h"
#include "tests/nullnccl/segment.h"
#include "tests/nullnccl/worker.h"

namespace nullnccl {

class Communicator {
 public:
  Communicator(std::string name, int rank, int size, bool blocking);

  // Joins the others. Non-blocking: ncclInProgress, and async_error() shows when it is done.
  ncclResult_t start();

  // Operations that were issued together: collectives one after the other, then sends and receives.
  ncclResult_t append(std::vector<Operation> operations);
  // Whether the arguments are valid; ncclGetLastError explains what is not.
  ncclResult_t check(const Operation& operation);

  ncclResult_t async_error();
  // Null for a rank without a colour.
  ncclResult_t split(int color, int key, bool blocking, Communicator** child);

  // Waits for what was issued, here and on every other rank.
  ncclResult_t finalize();
  ncclResult_t destroy();
  // Frees the device at once; issued operations get no result.
  void begin_abort();
  // The rest of an abort, which may take long.
  void end_abort();

  int add_reduction(double factor);  // the number of a multiplying sum
  ncclResult_t reduction_of(int op, Reduction* reduction);

  int rank() const { return rank_; }
  int size() const { return size_; }

 private:
  ncclResult_t meet();
  void execute(const std::vector<Operation>& operations);
  // NCCL connects two ranks when they first exchange something.
  void connect(int other);
  void mark(const char* what) const;

  const std::string name_;
  const int rank_, size_;
  const bool blocking_;
  Segment segment_;
  std::atomic<bool> aborted_{false};
  std::atomic<int> in_progress_{0};  // initialisation and finalize, where they do not block
  std::atomic<ncclResult_t> error_{ncclSuccess};
  const std::function<bool()> is_aborted_ = [this] { return aborted_.load(); };
  std::mutex reductions_mutex_;
  std::vector<double> reductions_;
  int splits_ = 0;
  std::set<int> connected_;  // the worker's
  std::unique_ptr<Worker> worker_;
};

// Communicators live until the process ends, so that a use after the end is detected.
ncclComm_t handle_of(Communicator* communicator);
// Null, and a text for ncclGetLastError, for an invalid handle or an ended communicator.
Communicator* find(ncclComm_t handle);
void forget(Communicator* communicator);

void set_last_error(const std::string& text);
const char* last_error();

}  // namespace nullnccl
