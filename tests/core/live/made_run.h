// Two records of a made run, 10 s apart: 4 ranks of 10 steps/s that compute 68 % of the time and
// wait for the network in the rest.
#pragma once

#include "core/live/marks.h"
#include "core/live/rates.h"

namespace scalemark::live {

// `number` after `seconds`: it waits in its exchanges for `waits` of the time.
inline RankStatus made_rank(int number, double seconds, double waits = 0.3) {
  return {.rank = number,
          .host = "n" + std::to_string(number / 8),
          .device = "cpu",
          .beats = static_cast<std::int64_t>(seconds),
          .clock_s = seconds,
          .phase = "window",
          .step = static_cast<std::int64_t>(10 * seconds),
          .samples = static_cast<std::int64_t>(80 * seconds),
          .collectives = static_cast<std::int64_t>(30 * seconds),
          .data_wait_s = 0.01 * seconds,
          .since_step_s = 0.05,
          .resident_bytes = 1'300'000'000,
          .cpu_s = 0.75 * seconds,
          .main_ran_s = (0.98 - waits) * seconds,
          .main_queued_s = 0.01 * seconds};
}

inline Status made_status(int ranks, double seconds) {
  Status status{.run_id = "e530c6e50222c2a5", .command = "sweep", .what = "resnet50, ddp, gloo"};
  status.phase = "window";
  status.point = "w4/r1";
  status.done = static_cast<std::int64_t>(10 * seconds);
  status.planned = 2000;
  status.sample_unit = "images";
  for (int rank = 0; rank < ranks; ++rank) status.ranks.push_back(made_rank(rank, seconds));
  return status;
}

struct TwoRecords {
  Status before, now;

  explicit TwoRecords(int ranks) : before(made_status(ranks, 100)), now(made_status(ranks, 110)) {}
  void set_waits(int rank, double waits) {
    const auto place = static_cast<std::size_t>(rank);
    before.ranks[place] = made_rank(rank, 100, waits);
    now.ranks[place] = made_rank(rank, 110, waits);
  }
  RunNow view(double age_s = 1) const {
    RunNow run = rates_of(&before, now, age_s);
    mark_ranks(&before, now, run);
    return run;
  }
};

}  // namespace scalemark::live
