#include <gtest/gtest.h>

#include "core/base/field.h"
#include "core/base/wire.h"
#include "engine/device/cpu_allocator.h"
#include "engine/sweep/sweep_messages.h"

namespace scalemark::sweeping {
namespace {

using Kind = RankResult::Kind;

RankResult failing(Kind kind, const std::string& what) {
  RankResult result{.kind = kind, .record = bug(what).record()};
  return result;
}

TEST(PointVerdict, IsOkWhenEveryRankIs) {
  EXPECT_EQ(verdict_of({{0, {}}, {1, {}}}).ending, planning::Ending::kOk);
}

TEST(PointVerdict, OfOneRankOutOfMemoryIsOomWhateverItsPeersSaw) {
  RankResult oom = failing(Kind::kOom, "no memory");
  oom.requested_bytes = 4096;
  const auto verdict = verdict_of({{0, failing(Kind::kPeerLost, "connection closed")}, {1, oom}});
  EXPECT_EQ(verdict.ending, planning::Ending::kOom);
  ASSERT_TRUE(verdict.oom);
  EXPECT_EQ(verdict.oom->rank, 1);
  EXPECT_EQ(verdict.oom->requested_bytes, 4096u);
  EXPECT_EQ(verdict.reason, "rank 1: E_BUG: no memory");
}

TEST(PointVerdict, NamesTheRankThatFailedNotTheOnesThatLostIt) {
  const auto verdict = verdict_of(
      {{0, failing(Kind::kPeerLost, "connection closed")}, {3, failing(Kind::kFailed, "broken")}});
  EXPECT_EQ(verdict.ending, planning::Ending::kFailed);
  EXPECT_EQ(verdict.reason, "rank 3: E_BUG: broken");
  ASSERT_TRUE(verdict.failed);
  EXPECT_EQ(verdict.failed->what, "broken");
}

TEST(PointVerdict, KnowsThatALossWithoutACauseIsADeadRank) {
  const std::map<int, RankResult> results{{0, failing(Kind::kPeerLost, "x")}, {1, {}}};
  EXPECT_TRUE(has_lost_peer(results));
  EXPECT_FALSE(has_root_cause(results));
  EXPECT_THROW(verdict_of(results), Error);
}

TEST(RankResult, OfARefusedAllocationCarriesItsSize) {
  const auto result = result_of(std::make_exception_ptr(device::CpuMemoryRefused("refused", 123)));
  EXPECT_EQ(result.kind, Kind::kOom);
  EXPECT_EQ(result.requested_bytes, 123u);
}

TEST(RankResult, OfALostPeerIsBereft) {
  const std::runtime_error lost("[gloo/transport] Connection closed by peer [127.0.0.1]:1");
  EXPECT_EQ(result_of(std::make_exception_ptr(lost)).kind, Kind::kPeerLost);
}

TEST(RankResult, TravelsWhole) {
  RankResult result = failing(Kind::kOom, "no \"memory\"\n");
  result.requested_bytes = 1ULL << 40;
  const RankResult back = from_wire<RankResult>(to_wire(result));
  EXPECT_EQ(back.kind, Kind::kOom);
  EXPECT_EQ(back.record.what, result.record.what);
  EXPECT_EQ(back.requested_bytes, 1ULL << 40);
}

TEST(RankResult, OfAStoppedRunTravelsWithItsSignal) {
  const RankResult back = from_wire<RankResult>(
      to_wire(RankResult{.kind = Kind::kStopped, .signal = 15, .agreed = false}));
  const auto stopped = stop_in({{0, back}});
  ASSERT_TRUE(stopped);
  EXPECT_EQ(stopped->signal, 15);
  EXPECT_FALSE(stopped->agreed);
}

TEST(SweepCommand, TravelsWhole) {
  planning::Task task{.kind = planning::Task::Kind::kTrial,
                      .run = {.id = "a/r1", .point = 3, .repetition = 1, .block = 2, .order = 4},
                      .search = 5,
                      .batch_size = 96,
                      .attempt = 1};
  const auto back = from_wire<SweepCommand>(to_wire(SweepCommand{.task = task}));
  ASSERT_TRUE(back.task);
  EXPECT_EQ(back.task->kind, task.kind);
  EXPECT_EQ(back.task->run.id, "a/r1");
  EXPECT_EQ(back.task->run.point, 3u);
  EXPECT_EQ(back.task->run.order, 4);
  EXPECT_EQ(back.task->search, 5u);
  EXPECT_EQ(back.task->batch_size, 96);
  EXPECT_EQ(back.task->attempt, 1);
}

RankResult gpu_fault() {
  return result_of(std::make_exception_ptr(
      std::runtime_error("CUDA error: an illegal memory access was encountered")));
}

// 84, after the row is written: a process whose GPU has failed cannot run the next point.
TEST(PointVerdict, AGpuFaultOfOneRankEndsTheSweepWithIt) {
  const auto fault = gpu_fault_in({{0, failing(Kind::kPeerLost, "closed")}, {3, gpu_fault()}});
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->code, "E_GPU_FAULT");
  EXPECT_EQ(fault->exit_code, ExitCode::kGpuFault);
  EXPECT_EQ(fault->rank, 3);
}

TEST(PointVerdict, NothingElseEndsTheSweepSo) {
  EXPECT_FALSE(gpu_fault_in({{0, {}}, {1, failing(Kind::kFailed, "broken")}}));
  EXPECT_FALSE(gpu_fault_in({{0, failing(Kind::kOom, "CUDA out of memory")}}));
}

}  // namespace
}  // namespace scalemark::sweeping
