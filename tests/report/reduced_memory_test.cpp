// Tests how much memory rank 0 holds at the end of a long run: there are 64 ranks of 100,000 steps
// each, and it must not have their series. This is an executable of its own, because it counts
// every allocation.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "core/base/wire.h"
#include "report/judge/point/assemble.h"
#include "report/judge/point/rank_steps.h"
#include "report/record/rank_fields.h"

#if defined(__GNUC__) && !defined(__clang__)
// It sees malloc() where it has inlined one of the two below and not the other.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif

namespace {
std::size_t in_use = 0, most_in_use = 0;
}  // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  void* const block = std::malloc(bytes);
  if (block == nullptr) throw std::bad_alloc();
  in_use += ::malloc_usable_size(block);
  most_in_use = std::max(most_in_use, in_use);
  return block;
}
[[gnu::noinline]] void operator delete(void* block) noexcept {
  in_use -= ::malloc_usable_size(block);
  std::free(block);
}
void operator delete(void* block, std::size_t) noexcept { operator delete(block); }

namespace scalemark::reporting {
namespace {

constexpr int kRanks = 64;
constexpr std::int64_t kSteps = 100'000;

double step_of(int rank, std::int64_t t) {
  return 0.1 + 1e-3 * rank + 1e-9 * static_cast<double>(t);
}

RankMeasurement measured_by(int rank) {
  RankMeasurement measured{.record = {.rank = rank, .host = "n", .device = "cpu"},
                           .iterations = kSteps};
  for (std::int64_t t = 0; t < kSteps; ++t) {
    measured.series.step_s.push_back(step_of(rank, t));
    measured.series.exposed_communication_s.push_back(0.01);
    measured.series.counted_data_wait_s.push_back(0.001);
  }
  measured.record.phases_s.emplace();
  measured.record.samples = 8 * kSteps;
  measured.record.wall_s = 20'000;
  return measured;
}

TEST(ReducedMemory, OfRankZeroDoesNotGrowWithTheRanks) {
  const std::size_t before = in_use;
  most_in_use = in_use;
  RankMeasurement mine = measured_by(0);
  StepSeries series = condense(mine);
  const auto sent = from_wire<RankMeasurement>(to_wire(mine));
  mine = {};
  // This does to the series what the all-reduce with ranks that are not here would do.
  for (std::size_t t = 0; t < series.max_step_s.size(); ++t) {
    const double more = step_of(kRanks - 1, static_cast<std::int64_t>(t)) - step_of(0, 0);
    series.max_step_s[t] += more;
    series.max_own_s[t] += more;
    series.max_own_less_wait_s[t] += more;
  }
  std::vector<RankMeasurement> gathered(kRanks, sent);
  for (int rank = 0; rank < kRanks; ++rank) {
    gathered[static_cast<std::size_t>(rank)].record.rank = rank;
  }
  const PointRecord point = assemble_point({}, gathered, series);
  EXPECT_EQ(point.ranks.size(), static_cast<std::size_t>(kRanks));
  EXPECT_EQ(point.iterations, kSteps);
  const double MiB = static_cast<double>(most_in_use - before) / (1 << 20);
  RecordProperty("peak_MiB", std::to_string(MiB));
  std::printf("rank 0 held %.1f MiB at most; the series of all ranks are %.1f MiB\n", MiB,
              3.0 * 8 * kSteps * kRanks / (1 << 20));
  EXPECT_LT(MiB, 16);
}

}  // namespace
}  // namespace scalemark::reporting
