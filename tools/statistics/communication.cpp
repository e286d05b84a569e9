// Compares what a point's record says about communication with the truth: cost and contention from
// short blocks, the network beside a slow rank, and the rate without waits for data.
#include <algorithm>
#include <boost/random/exponential_distribution.hpp>
#include <boost/random/uniform_01.hpp>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "core/statistics/summary.h"
#include "report/record/records.h"
#include "tests/report/sample_report.h"
#include "tools/statistics/generator.h"
#include "tools/statistics/sections.h"

namespace scalemark::trials::communication {
namespace {

constexpr double kOwn_s = 0.1, kNetwork_s = 0.002;
constexpr std::size_t kSteps = 110;  // a window has as many by default
constexpr std::size_t kBlocks = 16, kBlockSteps = 7;

using Series = std::vector<double>;  // one value per step
using Ranks = std::vector<reporting::RankMeasurement>;

// Steps of ranks that wait for each other at the network, which then takes `network_s`, or do not
// (solo). `wait_s` is the part of `own_s` in which a rank waited for data.
struct Window {
  std::vector<Series> own_s, wait_s;  // one series per rank
  Series network_s;
  bool solo = false;
};

double longest_own(const Window& window, std::size_t t) {
  double longest = 0;
  for (const Series& own_s : window.own_s) longest = std::max(longest, own_s[t]);
  return longest;
}

Ranks measured(const Window& window) {
  Ranks ranks(window.own_s.size());
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    auto& rank = ranks[r];
    rank.record.rank = static_cast<int>(r);
    rank.iterations = static_cast<std::int64_t>(kSteps);
    rank.record.samples = 32 * rank.iterations;
    rank.record.phases_s.emplace();
    for (std::size_t t = 0; t < kSteps; ++t) {
      const double own_s = window.own_s[r][t];
      const double step_s = window.solo ? own_s : longest_own(window, t) + window.network_s[t];
      rank.series.step_s.push_back(step_s);
      rank.series.exposed_communication_s.push_back(step_s - own_s);
      rank.record.wall_s += step_s;
    }
    rank.series.counted_data_wait_s =
        window.wait_s.empty() ? Series(kSteps, 0.0) : window.wait_s[r];
  }
  return ranks;
}

reporting::PointRecord assembled(const Window& window, const Ranks& ranks) {
  reporting::PointRecord identity;
  identity.strategy = window.solo ? "none" : "ddp";
  return reporting::assemble_point(std::move(identity), ranks);
}

std::vector<Series> own_series(Random& random, const Noise& noise, std::size_t ranks,
                               std::size_t steps) {
  std::vector<Series> own_s;
  for (std::size_t r = 0; r < ranks; ++r) {
    own_s.push_back(simulate_steps(random, noise, kOwn_s, steps));
  }
  return own_s;
}

// --- cost and contention ---

struct CostSetup {
  std::size_t ranks;
  Noise noise;
  double contention;  // relative: what communication adds to own time
};

bool is_with(std::size_t block) { return block % 4 == 0 || block % 4 == 3; }

// A block's steps: with communication all ranks take as long as the slowest of each, without it
// each continues alone (a network without buffers).
void add_block(Ranks& ranks, const std::vector<Series>& own_s, std::size_t block,
               double contention) {
  const double longer = is_with(block) ? 1 + contention : 1;
  Series own(ranks.size(), 0.0);
  double coupled = 0;
  for (std::size_t t = block * kBlockSteps; t < (block + 1) * kBlockSteps; ++t) {
    double longest = 0;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      own[r] += longer * own_s[r][t] / kBlockSteps;
      longest = std::max(longest, longer * own_s[r][t]);
    }
    coupled += (longest + kNetwork_s) / kBlockSteps;
  }
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    ranks[r].cost_blocks.push_back({.step_s = is_with(block) ? coupled : own[r], .own_s = own[r]});
  }
}

reporting::PointRecord cost_trial(Random& random, const CostSetup& setup) {
  Window window{.own_s = own_series(random, setup.noise, setup.ranks, kSteps),
                .network_s = Series(kSteps, kNetwork_s)};
  for (Series& own_s : window.own_s) {
    for (double& own : own_s) own *= 1 + setup.contention;
  }
  Ranks ranks = measured(window);
  const auto own_s = own_series(random, setup.noise, setup.ranks, kBlocks * kBlockSteps);
  for (std::size_t block = 0; block < kBlocks; ++block) {
    add_block(ranks, own_s, block, setup.contention);
  }
  return assembled(window, ranks);
}

// Values of all trials with their intervals.
struct Estimates {
  Series value, low, high;

  void add(const std::optional<double>& one, const std::optional<double>& from,
           const std::optional<double>& to) {
    value.push_back(one.value());
    low.push_back(from.value());
    high.push_back(to.value());
  }
  double covered(double truth) const {
    int count = 0;
    for (std::size_t i = 0; i < value.size(); ++i) count += low[i] <= truth && truth <= high[i];
    return count / static_cast<double>(value.size());
  }
};

struct CostResults {
  Estimates cost, contention, efficiency;
  Series formerly;  // contention as cost less the window's waits: it holds the jitter, too

  void add(const reporting::PointRecord& point) {
    const auto& c = point.communication;
    cost.add(c.cost_s, c.cost_ci95.low, c.cost_ci95.high);
    contention.add(c.contention_s, c.contention_ci95.low, c.contention_ci95.high);
    efficiency.add(c.efficiency, c.efficiency_ci95.low, c.efficiency_ci95.high);
    const double step_s = point.wall_s / static_cast<double>(point.iterations);
    formerly.push_back(*c.cost_s - (step_s - point.own_mean_of_step_max_s.value()));
  }
};

// Cost and efficiency have no formula for their truth: it is the mean over the trials.
void print_cost(const Study& study, const CostSetup& setup, const CostResults& results) {
  Series half_width;
  for (std::size_t i = 0; i < results.cost.value.size(); ++i) {
    half_width.push_back((results.cost.high[i] - results.cost.low[i]) / 2);
  }
  std::printf(
      "{\"section\": \"communication\", \"kind\": \"cost\", \"ranks\": %zu, \"step_cv\": %g, "
      "\"phi\": %g, \"contention\": %g, \"trials\": %d, \"told\": %.5f, \"formerly\": %.5f, "
      "\"covered\": %.5f, \"cost_covered\": %.5f, \"efficiency_covered\": %.5f, "
      "\"cost_half_width\": %.5f}\n",
      setup.ranks, setup.noise.step_cv, setup.noise.phi, setup.contention, study.trials,
      statistics::mean(results.contention.value) / kOwn_s,
      statistics::mean(results.formerly) / kOwn_s,
      results.contention.covered(setup.contention * kOwn_s),
      results.cost.covered(statistics::mean(results.cost.value)),
      results.efficiency.covered(statistics::mean(results.efficiency.value)),
      statistics::mean(half_width) / kOwn_s);
}

void cost_scenario(const Study& study, std::uint64_t number, const CostSetup& setup) {
  if (!is_mine(study, number)) return;
  Random random = random_for(study.seed, number);
  CostResults results;
  for (int trial = 0; trial < study.trials; ++trial) results.add(cost_trial(random, setup));
  print_cost(study, setup, results);
}

// --- a slow rank, and waits for data ---

struct WindowSetup {
  const char* kind;  // "slow_rank" | "data" | "solo"
  std::size_t ranks;
  double step_cv;
  double slower = 0;  // rank 1, relative
};

Window plain_window(Random& random, const WindowSetup& setup) {
  Window window{.own_s = own_series(random, {.step_cv = setup.step_cv}, setup.ranks, kSteps)};
  for (double& own : window.own_s[1]) own *= 1 + setup.slower;
  for (std::size_t t = 0; t < kSteps; ++t) {
    window.network_s.push_back(kNetwork_s * std::abs(1 + 0.5 * normal(random)));
  }
  window.solo = std::string(setup.kind) == "solo";
  return window;
}

// In one step of ten a rank waits for its batch, half a step in the mean.
void add_waits(Random& random, Window& window) {
  boost::random::uniform_01<double> chance;
  boost::random::exponential_distribution<double> wait(2 / kOwn_s);
  window.wait_s.assign(window.own_s.size(), Series(kSteps, 0.0));
  for (std::size_t r = 0; r < window.own_s.size(); ++r) {
    for (std::size_t t = 0; t < kSteps; ++t) {
      if (chance(random) < 0.1) window.wait_s[r][t] = wait(random);
      window.own_s[r][t] += window.wait_s[r][t];
    }
  }
}

struct WindowTrial {
  double network = 0, peer_wait = 0, exposed = 0;  // shares of the step, as reported
  double off = 0;                                  // relative distance from what was planted
};

WindowTrial trial_of(Random& random, const WindowSetup& setup) {
  Window window = plain_window(random, setup);
  const double undisturbed = assembled(window, measured(window)).samples_per_sec;
  if (std::string(setup.kind) == "data") add_waits(random, window);
  const auto point = assembled(window, measured(window));
  const double step_s = point.step_mean_over_ranks_s;
  WindowTrial trial{.network = point.communication.network_s.value_or(0) / step_s,
                    .peer_wait = point.communication.peer_wait_s.value_or(0) / step_s};
  trial.exposed = (step_s - point.own_mean_s.value()) / step_s;
  trial.off = std::abs(point.compute_samples_per_sec.value() / undisturbed - 1);
  if (!window.solo) {
    const double planted = statistics::mean(window.network_s) / step_s;
    trial.off = std::max(trial.off, std::abs(trial.network - planted));
  }
  return trial;
}

void window_scenario(const Study& study, std::uint64_t number, const WindowSetup& setup) {
  if (!is_mine(study, number)) return;
  Random random = random_for(study.seed, number);
  WindowTrial sum;
  for (int i = 0; i < study.trials; ++i) {
    const WindowTrial one = trial_of(random, setup);
    sum.network += one.network / study.trials;
    sum.peer_wait += one.peer_wait / study.trials;
    sum.exposed += one.exposed / study.trials;
    sum.off = std::max(sum.off, one.off);
  }
  std::printf(
      "{\"section\": \"communication\", \"kind\": \"%s\", \"ranks\": %zu, \"step_cv\": %g, "
      "\"slower\": %g, \"trials\": %d, \"network\": %.5f, \"peer_wait\": %.5f, \"exposed\": %.5f, "
      "\"worst\": %.3g}\n",
      setup.kind, setup.ranks, setup.step_cv, setup.slower, study.trials, sum.network,
      sum.peer_wait, sum.exposed, sum.off);
}

}  // namespace

void communication_section(const Study& study) {
  std::uint64_t number = 6'000'000;
  for (const std::size_t ranks : {2, 8}) {
    for (const double step_cv : {0.02, 0.05}) {
      for (const double phi : {0.0, 0.5, 0.9}) {
        for (const double contention : {0.0, 0.02}) {
          cost_scenario(study, ++number, {ranks, {.step_cv = step_cv, .phi = phi}, contention});
        }
      }
      for (const double slower : {0.0, 0.1}) {
        window_scenario(study, ++number, {"slow_rank", ranks, step_cv, slower});
      }
      window_scenario(study, ++number, {"data", ranks, step_cv});
      window_scenario(study, ++number, {"solo", ranks, step_cv});
    }
  }
}

}  // namespace scalemark::trials::communication
