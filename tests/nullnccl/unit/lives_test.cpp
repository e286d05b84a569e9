// How communicators begin and end: splits, hangs, aborts, peers that die.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>

#include "tests/nullnccl/unit/ranks.h"

namespace nullnccl_test {
namespace {

double seconds_of(const std::function<void()>& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

ncclComm_t joined(const ncclUniqueId& id, int size, int rank) {
  ncclComm_t comm = nullptr;
  NCCL(ncclCommInitRank(&comm, size, id, rank));
  return comm;
}

float sum_of(ncclComm_t comm, float mine) {
  NCCL(ncclAllReduce(&mine, &mine, 1, ncclFloat32, ncclSum, comm, kStream));
  synchronise(kStream);
  return mine;
}

void end(ncclComm_t comm) {
  NCCL(ncclCommFinalize(comm));
  NCCL(ncclCommDestroy(comm));
}

ncclResult_t error_within(ncclComm_t comm, double seconds) {
  ncclResult_t error = ncclSuccess;
  const auto limit = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (error == ncclSuccess && std::chrono::steady_clock::now() < limit) {
    NCCL(ncclCommGetAsyncError(comm, &error));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return error;
}

TEST(NullNcclLives, ASplitOrdersByKey) {
  const ncclUniqueId id = new_id();
  expect_all_well(on_ranks(4, [&](int rank) {
    const ncclComm_t all = joined(id, 4, rank);
    ncclComm_t half = nullptr;
    NCCL(ncclCommSplit(all, rank % 2, -rank, &half, nullptr));
    int place = -1, count = 0;
    NCCL(ncclCommUserRank(half, &place));
    NCCL(ncclCommCount(half, &count));
    require(count == 2 && place == (rank < 2 ? 1 : 0), "place " + std::to_string(place));
    require(sum_of(half, static_cast<float>(rank)) == static_cast<float>(rank % 2 == 0 ? 2 : 4),
            "the sum within a half");
    ncclComm_t none = all;
    NCCL(ncclCommSplit(all, rank == 0 ? NCCL_SPLIT_NOCOLOR : 7, 0, &none, nullptr));
    require((none == nullptr) == (rank == 0), "a rank without a colour has no communicator");
    if (none != nullptr) end(none);
    end(half);
    require(sum_of(all, 1) == 4, "the parent goes on");
    end(all);
  }));
}

TEST(NullNcclLives, ANonBlockingBeginShowsWhenItIsDone) {
  const ncclUniqueId id = new_id();
  expect_all_well(on_ranks(2, [&](int rank) {
    if (rank == 1) std::this_thread::sleep_for(std::chrono::seconds(3));
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    ncclComm_t comm = nullptr;
    const double took = seconds_of([&] {
      require(ncclCommInitRankConfig(&comm, 2, id, rank, &config) == ncclInProgress, "init");
    });
    require(took < 1.5, "it waited for the other rank");
    ncclResult_t state = ncclInProgress;
    while (state == ncclInProgress) NCCL(ncclCommGetAsyncError(comm, &state));
    NCCL(state);
    require(sum_of(comm, 1) == 2, "sum");
    require(ncclCommFinalize(comm) == ncclInProgress, "finalize");
    do NCCL(ncclCommGetAsyncError(comm, &state));
    while (state == ncclInProgress);
    NCCL(ncclCommDestroy(comm));
  }));
}

TEST(NullNcclLives, FinalizeWaitsForEveryRank) {
  const ncclUniqueId id = new_id();
  expect_all_well(on_ranks(2, [&](int rank) {
    const ncclComm_t comm = joined(id, 2, rank);
    if (rank == 1) std::this_thread::sleep_for(std::chrono::seconds(3));
    const double took = seconds_of([&] { NCCL(ncclCommFinalize(comm)); });
    require((took > 1.5) == (rank == 0),
            "rank " + std::to_string(rank) + " took " + std::to_string(took));
    NCCL(ncclCommDestroy(comm));
    require(ncclCommDestroy(comm) == ncclInvalidArgument, "a communicator ended twice");
  }));
}

TEST(NullNcclLives, AHangEndsByAnAbort) {
  const ncclUniqueId id = new_id();
  expect_all_well(on_ranks(2, [&](int rank) {
    setenv("NULLNCCL_HANG_AT", "3", 1);
    setenv("NULLNCCL_HANG_RANK", "1", 1);
    setenv("NULLNCCL_ABORT_SECONDS", "4", 1);
    setenv("NULLNCCL_PEER_LOSS", "silent", 1);
    const ncclComm_t comm = joined(id, 2, rank);
    require(sum_of(comm, 1) == 2 && sum_of(comm, 2) == 4, "the first two");
    float values[2] = {1, 2};
    const double took = seconds_of([&] {
      for (float& value : values) {
        NCCL(ncclAllReduce(&value, &value, 1, ncclFloat32, ncclSum, comm, kStream));
      }
    });
    require(took < 2, "the caller waited");
    require(!becomes_idle(kStream, 0.3), "the stream is free");
    require(error_within(comm, 0.1) == ncclSuccess, "a hang is no error");
    std::thread aborting([&] { NCCL(ncclCommAbort(comm)); });
    require(becomes_idle(kStream, 2), "the abort does not free the stream at once");
    const double rest = seconds_of([&] { aborting.join(); });
    require(rest > 1, "the abort took no time");
    ncclResult_t error;
    require(ncclCommGetAsyncError(comm, &error) == ncclInvalidArgument, "it can be used on");
  }));
}

TEST(NullNcclLives, AnAbortInAGroupEndsWithIt) {
  const ncclUniqueId id = new_id();
  expect_all_well(on_ranks(2, [&](int rank) {
    setenv("NULLNCCL_ABORT_SECONDS", "2", 1);
    const ncclComm_t comm = joined(id, 2, rank);
    NCCL(ncclGroupStart());
    require(seconds_of([&] { NCCL(ncclCommAbort(comm)); }) < 1, "the abort waited");
    require(seconds_of([&] { NCCL(ncclGroupEnd()); }) >= 2, "the group's end did not wait");
  }));
}

// How rank 0 sees that rank 1 has died, or has aborted.
void lose_a_peer(const char* mode, bool by_death, ncclResult_t expected) {
  const ncclUniqueId id = new_id();
  const auto endings = on_ranks(2, [&](int rank) {
    setenv("NULLNCCL_PEER_LOSS", mode, 1);
    const ncclComm_t comm = joined(id, 2, rank);
    require(sum_of(comm, 1) == 2, "both are there");
    if (rank == 1) {
      if (by_death) raise(SIGKILL);
      NCCL(ncclCommAbort(comm));
      std::this_thread::sleep_for(std::chrono::seconds(1));
      return;
    }
    float value = 1;
    NCCL(ncclAllReduce(&value, &value, 1, ncclFloat32, ncclSum, comm, kStream));
    // An error is there as soon as it is noticed; that there is none takes a while to say.
    const auto error = error_within(comm, expected == ncclSuccess ? 0.6 : 20);
    require(error == expected, std::string("async error: ") + ncclGetErrorString(error));
    require(is_busy(kStream), "the collective ended by itself");
    NCCL(ncclCommAbort(comm));
    require(!is_busy(kStream), "the abort did not free the stream");
  });
  EXPECT_EQ(endings[0], "");
  EXPECT_EQ(endings[1], by_death ? "killed" : "");
}

TEST(NullNcclLives, ADeadPeerIsARemoteError) { lose_a_peer("error", true, ncclRemoteError); }
TEST(NullNcclLives, AnAbortedPeerIsARemoteError) { lose_a_peer("error", false, ncclRemoteError); }
TEST(NullNcclLives, ADeadPeerMayBeSilent) { lose_a_peer("silent", true, ncclSuccess); }
TEST(NullNcclLives, AnAbortedPeerMayBeSilent) { lose_a_peer("silent", false, ncclSuccess); }

TEST(NullNcclLives, WrongArgumentsAreNamed) {
  const ncclUniqueId id = new_id();
  expect_all_well(on_ranks(2, [&](int rank) {
    const ncclComm_t comm = joined(id, 2, rank);
    float value = 1;
    require(ncclBroadcast(&value, &value, 1, ncclFloat32, 2, comm, kStream) == ncclInvalidArgument,
            "root");
    require(ncclAllReduce(&value, &value, 1, ncclFloat8e4m3, ncclSum, comm, kStream) ==
                ncclInvalidArgument,
            "type");
    require(ncclAllReduce(&value, &value, 1, ncclFloat32, static_cast<ncclRedOp_t>(9), comm,
                          kStream) == ncclInvalidArgument,
            "operation");
    require(std::string(ncclGetLastError(comm)).find("not created") != std::string::npos,
            "last error");
    end(comm);
  }));
}

TEST(NullNcclLives, NothingIsLeftInSharedMemory) {
  const ncclUniqueId id = new_id();
  on_ranks(2, [&](int rank) {
    joined(id, 2, rank);
    raise(SIGKILL);
  });
  EXPECT_NE(access((std::string("/dev/shm") + id.internal).c_str(), F_OK), 0);
}

}  // namespace
}  // namespace nullnccl_test
