#include "tests/nullnccl/communicator.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <future>
#include <thread>
#include <utility>

#include "tests/nullnccl/collectives.h"
#include "tests/nullnccl/debug_log.h"
#include "tests/nullnccl/modes.h"
#include "tests/nullnccl/point_to_point.h"
#include "tests/nullnccl/streams.h"

namespace nullnccl {

Communicator::Communicator(std::string name, int rank, int size, bool blocking)
    : name_(std::move(name)),
      rank_(rank),
      size_(size),
      blocking_(blocking),
      worker_(std::make_unique<Worker>()) {}

void Communicator::mark(const char* what) const { log(what, rank_, size_); }

ncclResult_t Communicator::start() {
  switch (segment_.join(name_, rank_, size_)) {
    case Segment::Join::kOtherSize:
      set_last_error("the ranks disagree about the number of ranks");
      return ncclInvalidArgument;
    case Segment::Join::kTaken:
      set_last_error("two ranks have one number");
      return ncclInvalidUsage;
    case Segment::Join::kNoMemory:
      set_last_error("shared memory cannot be had");
      return ncclSystemError;
    case Segment::Join::kJoined:
      break;
  }
  const std::string gpu = current_gpu();
  std::strncpy(segment_.rank(rank_).gpu, gpu.c_str(), sizeof Rank::gpu - 1);
  std::strncpy(segment_.rank(rank_).host, host().c_str(), sizeof Rank::host - 1);
  if (blocking_) return meet();
  ++in_progress_;
  worker_->append(
      [this] {
        error_ = meet();
        --in_progress_;
      },
      {});
  return ncclInProgress;
}

ncclResult_t Communicator::meet() {
  segment_.await_all(is_aborted_);
  for (int other = 0; other < size_; ++other) {
    const char* mine = segment_.rank(rank_).gpu;
    const bool same_host = std::strcmp(segment_.rank(rank_).host, segment_.rank(other).host) == 0;
    if (other == rank_ || !same_host || *mine == '\0' ||
        std::strcmp(mine, segment_.rank(other).gpu) != 0)
      continue;
    set_last_error("Duplicate GPU detected : rank " + std::to_string(rank_) + " and rank " +
                   std::to_string(other) + " both on CUDA device " + mine);
    return ncclInvalidUsage;
  }
  mark("created");
  debug_log_made(rank_, size_);
  return ncclSuccess;
}

void Communicator::connect(int other) {
  if (other == rank_ || !connected_.insert(other).second) return;
  debug_log_connected(rank_, other, segment_.rank(other).host);
}

ncclResult_t Communicator::check(const Operation& operation) {
  const auto refuse = [](const char* text) {
    set_last_error(text);
    return ncclInvalidArgument;
  };
  if (size_of(operation.type) == 0) return refuse("a data type that NCCL does not know");
  if (reduces(operation.kind) && !can_reduce(operation.type)) {
    return refuse("the null NCCL moves 8-bit floats and cannot reduce them");
  }
  if (operation.root < 0 || operation.root >= size_)
    return refuse("a root or peer that is no rank");
  return ncclSuccess;
}

ncclResult_t Communicator::append(std::vector<Operation> operations) {
  // A graph holds what was asked. Its launches exchange nothing, as its kernels compute nothing.
  const auto is_captured = [](const Operation& operation) {
    return capture(operation.stream, "a communication of NCCL");
  };
  if (std::ranges::count_if(operations, is_captured) > 0) return ncclSuccess;
  std::vector<cudaStream_t> streams;
  for (Operation& operation : operations) {
    if (!is_point_to_point(operation.kind)) operation.hangs = next_collective_hangs(rank_);
    if (std::ranges::find(streams, operation.stream) == streams.end()) {
      streams.push_back(operation.stream);
    }
  }
  worker_->append([this, operations = std::move(operations)] { execute(operations); }, streams);
  return ncclSuccess;
}

void Communicator::execute(const std::vector<Operation>& operations) {
  std::vector<Operation> point_to_point;
  for (Operation operation : operations) {
    operation.input = host_view(operation.input);
    operation.output = host_view(operation.output);
    if (aborted_) throw Aborted{};
    if (operation.hangs) {
      mark("hangs");
      while (!aborted_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      throw Aborted{};
    }
    connect(is_point_to_point(operation.kind) ? operation.root : (rank_ + 1) % size_);
    if (modes().empty && operation.count > kSlotBytes / 4) continue;
    if (is_point_to_point(operation.kind)) {
      point_to_point.push_back(operation);
    } else {
      run_collective(segment_, rank_, operation, is_aborted_);
    }
  }
  run_point_to_point(segment_, rank_, point_to_point, is_aborted_);
}

// A transport notices the loss of a peer when it has something to carry.
ncclResult_t Communicator::async_error() {
  if (error_ == ncclSuccess && modes().peer_loss == PeerLoss::kError && worker_->is_busy() &&
      in_progress_ == 0 && segment_.lost_a_peer()) {
    set_last_error("a peer closed its connection");
    mark("remote error");
    error_ = ncclRemoteError;
  }
  if (error_ == ncclSuccess && in_progress_ > 0) return ncclInProgress;
  return error_;
}

ncclResult_t Communicator::split(int color, int key, bool blocking, Communicator** child) {
  std::vector<std::pair<int, int>> members;  // key, rank
  std::promise<void> done;
  worker_->append(
      [&] {
        segment_.rank(rank_).number[0] = color;
        segment_.rank(rank_).number[1] = key;
        try {
          segment_.barrier(is_aborted_);
          for (int other = 0; other < size_; ++other) {
            const Rank& peer = segment_.rank(other);
            if (peer.number[0] == color) members.emplace_back(peer.number[1], other);
          }
          segment_.barrier(is_aborted_);
        } catch (const Aborted&) {
          members.clear();
        }
        done.set_value();
      },
      {});
  done.get_future().wait();
  ++splits_;
  if (aborted_) return ncclInternalError;
  if (color == NCCL_SPLIT_NOCOLOR) return ncclSuccess;
  std::ranges::sort(members);
  const auto me = std::ranges::find(members, rank_, &std::pair<int, int>::second);
  *child = new Communicator(name_ + "-" + std::to_string(splits_) + "-" + std::to_string(color),
                            static_cast<int>(me - members.begin()),
                            static_cast<int>(members.size()), blocking);
  return (*child)->start();
}

ncclResult_t Communicator::finalize() {
  ++in_progress_;
  worker_->append(
      [this] {
        try {
          segment_.barrier(is_aborted_);
          mark("finalized");
        } catch (const Aborted&) {
        }
        --in_progress_;
      },
      {});
  if (!blocking_) return ncclInProgress;
  worker_->wait_until_idle();
  return aborted_ ? ncclInternalError : ncclSuccess;
}

ncclResult_t Communicator::destroy() {
  worker_->close();
  mark("destroyed");
  return ncclSuccess;
}

void Communicator::begin_abort() {
  mark("aborted");
  segment_.mark_gone();
  aborted_ = true;
}

void Communicator::end_abort() {
  worker_->close();
  std::this_thread::sleep_for(std::chrono::duration<double>(modes().abort_s));
  mark("abort ended");
}

int Communicator::add_reduction(double factor) {
  const std::lock_guard lock(reductions_mutex_);
  reductions_.push_back(factor);
  return static_cast<int>(ncclNumOps) + static_cast<int>(reductions_.size()) - 1;
}

ncclResult_t Communicator::reduction_of(int op, Reduction* reduction) {
  if (op >= 0 && op < static_cast<int>(ncclNumOps)) {
    *reduction = {.op = static_cast<ncclRedOp_t>(op)};
    return ncclSuccess;
  }
  const std::lock_guard lock(reductions_mutex_);
  const auto index = static_cast<std::size_t>(op - static_cast<int>(ncclNumOps));
  if (op < 0 || index >= reductions_.size()) {
    set_last_error("a reduction that was not created on this communicator");
    return ncclInvalidArgument;
  }
  *reduction = {.op = ncclSum, .multiplies = true, .factor = reductions_[index]};
  return ncclSuccess;
}

}  // namespace nullnccl
