// write-raw-steps FOLDER: a sweep of two ranks with --raw-steps, made by the product's own code
// from random step times: FOLDER/report.json and FOLDER/raw/. And what a sweep on a CPU has not:
// runs with marks on every k-th step, steps without phases, windows of --epochs.
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>

#include "report/judge/point/assemble.h"
#include "report/judge/sweep/summary.h"
#include "report/keep/raw_steps.h"
#include "report/record/report_json.h"
#include "tests/report/sample_report.h"
#include "tests/report/sample_slices.h"
#include "tests/report/sample_sweep.h"
#include "tools/programs/commands.h"

namespace {

using namespace scalemark::reporting;
namespace fs = std::filesystem;

struct Kind {
  const char* workload = "mlp";
  int ranks = 1;
  const char* strategy = "none";
  std::int64_t batch_size = 8;
  std::int64_t steps_per_mark = 1;
  bool phases = true;
  int epochs = 0, stretches = 1;  // stretches per epoch
  int entries = 300;              // per window
  bool cost = false;
  double slow_rank = 0;  // relative
};

struct Rank {
  RankMeasurement measured;
  RawSteps raw;
};

class ChangingMachine {
 public:
  std::vector<Rank> run(const Kind& kind) {
    std::vector<Rank> ranks(static_cast<std::size_t>(kind.ranks));
    run_speed_ = std::exp(0.004 * normal_(random_));
    const int windows = std::max(1, kind.epochs) * kind.stretches;
    for (int window = 0; window < windows; ++window) add_window(ranks, kind, window);
    for (std::size_t r = 0; r < ranks.size(); ++r) finish(ranks[r], static_cast<int>(r), kind);
    return ranks;
  }

 private:
  void add_window(std::vector<Rank>& ranks, const Kind& kind, int window) {
    const std::size_t first = ranks.front().raw.step_s.size();
    for (int t = 0; t < kind.entries; ++t) add_step(ranks, kind);
    // Where marks are thinned, some steps stay behind the last whole group.
    const std::int64_t rest = kind.steps_per_mark > 1 ? 3 : 0;
    for (Rank& rank : ranks) {
      double wall_s = 1e-4 * std::abs(normal_(random_)) + 1e-3 * static_cast<double>(rest);
      for (std::size_t t = first; t < rank.raw.step_s.size(); ++t) {
        wall_s += rank.raw.step_s[t] * static_cast<double>(kind.steps_per_mark);
      }
      rank.raw.windows.push_back({.wall_s = wall_s,
                                  .steps = kind.entries * kind.steps_per_mark + rest,
                                  .entries = kind.entries,
                                  .epoch = kind.epochs ? 1 + window / kind.stretches : 0});
    }
  }

  // The slowest rank comes last; all leave together.
  void add_step(std::vector<Rank>& ranks, const Kind& kind) {
    correlated_ = 0.6 * correlated_ + 0.8 * normal_(random_);
    double latest = 0;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      const double slow = r + 1 == ranks.size() && r > 0 ? 1 + kind.slow_rank : 1;
      const double base = 1e-3 * static_cast<double>(kind.batch_size) / 8 * slow * run_speed_ *
                          std::exp(0.01 * correlated_ + 0.01 * normal_(random_));
      Phases phases{.data_wait = normal_(random_) > 1 ? 2e-4 : 1e-6,
                    .host_to_device = 1e-5,
                    .forward = 0.3 * base,
                    .backward = 0.6 * base,
                    .exposed_communication = 0,
                    .optimizer = 0.09 * base,
                    .other = 0.01 * base};
      ranks[r].raw.phases_s.push_back(phases);
      latest = std::max(latest, phases.sum());
    }
    const bool alone = std::string_view(kind.strategy) == "none";
    const double network = 1e-4 * (1 + 0.1 * std::abs(normal_(random_)));
    for (Rank& rank : ranks) {
      Phases& phases = rank.raw.phases_s.back();
      if (!alone && ranks.size() > 1) {
        phases.exposed_communication = latest - phases.sum() + network;
      }
      rank.raw.step_s.push_back(phases.sum());
    }
  }

  void finish(Rank& rank, int number, const Kind& kind) {
    RankMeasurement& measured = rank.measured;
    RawSteps& raw = rank.raw;
    raw.steps_per_mark = measured.steps_per_mark = kind.steps_per_mark;
    if (!kind.phases) raw.phases_s.clear();
    for (int i = 0; kind.cost && i < 16; ++i) {
      const double noise = 1e-5 * normal_(random_), with = i % 4 == 0 || i % 4 == 3 ? 1 : 0;
      raw.cost_blocks.push_back({1e-3 + 2e-4 * with + noise, 9e-4 + 5e-5 * with + noise});
    }
    measured.record.rank = number;
    measured.record.host = "n1";
    measured.record.device = "cpu";
    for (const RawWindow& window : raw.windows) {
      measured.iterations += window.steps;
      measured.record.wall_s += window.wall_s;
      if (kind.epochs) measured.series.stretch_wall_s.push_back(window.wall_s);
    }
    measured.record.samples = measured.iterations * kind.batch_size;
    measured.series.step_s = raw.step_s;
    measured.cost_blocks = raw.cost_blocks;
    if (!raw.phases_s.empty()) measured.record.phases_s.emplace();
    for (const Phases& phases : raw.phases_s) {
      measured.series.exposed_communication_s.push_back(phases.exposed_communication);
      measured.series.counted_data_wait_s.push_back(phases.data_wait);
      add(*measured.record.phases_s, phases, 1 / static_cast<double>(raw.phases_s.size()));
    }
    measured.loss_first = measured.loss_last = 1;
    measured.record.memory_peak_bytes = 1 << 20;
  }

  static void add(Phases& mean, const Phases& one, double share) {
    for (const auto& [name, phase] : kPhases) mean.*phase += share * one.*phase;
  }

  std::mt19937_64 random_{20261122};
  std::normal_distribution<double> normal_;
  double run_speed_ = 1, correlated_ = 0;
};

void save_raw(const fs::path& folder, PointRecord& point, const std::vector<Rank>& ranks) {
  const RawPart first = raw_part(ranks.front().raw);
  std::vector<RawRank> described;
  for (const Rank& rank : ranks)
    described.push_back({rank.measured.record.rank, rank.measured.record.samples});
  RawStepsFile file(folder, point.id, raw_steps_header(point.id, first, described), ranks.size(),
                    first.values.size());
  for (std::size_t r = 0; r < ranks.size(); ++r) file.write(r, 0, raw_part(ranks[r].raw).values);
  file.finish();
  point.raw_steps = {.file = raw_steps_name(point.id),
                     .bytes = static_cast<std::int64_t>(fs::file_size(file.path())),
                     .xxh3_128 = "0"};
}

PointRecord measured_point(const Kind& kind, int block, int session, std::size_t place,
                           ChangingMachine& machine, const fs::path& folder) {
  PointRecord identity{.strategy = kind.strategy};
  identity.workload = kind.workload;
  identity.group = std::string(kind.workload) + "-b" + std::to_string(kind.batch_size) + "-w" +
                   std::to_string(kind.ranks) + "-" + kind.strategy;
  identity.id = identity.group + "/r" + std::to_string(block);
  identity.device = "cpu";
  identity.precision = "fp32";
  identity.data = "synthetic";
  identity.world_size = identity.processes = kind.ranks;
  identity.batch_size = kind.batch_size;
  identity.gradient_accumulation_steps = 1;
  identity.global_batch_size = kind.batch_size * kind.ranks;
  identity.repetition = identity.block = block;
  identity.session = session;
  char started[64];
  std::snprintf(started, sizeof started, "2026-01-02T0%d:%02zu:%02dZ", session, place % 60, block);
  identity.started = started;
  const std::vector<Rank> ranks = machine.run(kind);
  std::vector<RankMeasurement> measured;
  for (const Rank& rank : ranks) measured.push_back(rank.measured);
  PointRecord point = assemble_point(std::move(identity), measured);
  save_raw(folder, point, ranks);
  return point;
}

// Pairs of one session and of several, all of them fit or not.
std::vector<ComparedGroups> comparisons() {
  const auto of_axis = [](const char* axis, std::vector<ComparedGroups::Value> values) {
    return ComparedGroups{.axis = axis, .values = std::move(values)};
  };
  return {of_axis("strategy", {{"ddp", "mlp-b8-w2-ddp"},
                               {"none", "mlp-b8-w2-none"},
                               {"flat", "mlp-b8-w2-flat"},
                               {"sharded", "mlp-b8-w2-sharded"}}),
          of_axis("overlap", {{"on", "linear-b16-w1-none"}, {"off", "linear-b8-w2-ddp"}}),
          of_axis("overlap", {{"on", "bert-mini-b8-w1-none"}, {"off", "bert-mini-b8-w2-ddp"}})};
}

}  // namespace

int scalemark::commands::write_raw_steps(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: write-raw-steps FOLDER\n");
    return 64;
  }
  const fs::path folder(argv[1]);
  fs::create_directories(folder);
  const std::vector<Kind> weak{{.ranks = 1},
                               {.ranks = 2, .strategy = "ddp", .cost = true, .slow_rank = 0.03},
                               {.ranks = 2, .strategy = "none"},
                               {.ranks = 2, .strategy = "flat", .slow_rank = 0.03},
                               {.ranks = 2, .strategy = "sharded", .slow_rank = 0.06}};
  const std::vector<Kind> strong{
      {.workload = "linear", .ranks = 1, .batch_size = 16, .entries = 1200},
      {.workload = "linear", .ranks = 2, .strategy = "ddp", .batch_size = 8, .entries = 1200}};
  const std::vector<Kind> thinned{
      {.workload = "bert-mini", .ranks = 1, .steps_per_mark = 7},
      {.workload = "bert-mini", .ranks = 2, .strategy = "ddp", .steps_per_mark = 7}};
  const std::vector<Kind> others{
      {.workload = "resnet50", .ranks = 2, .strategy = "ddp", .batch_size = 4, .phases = false},
      {.workload = "resnet50", .ranks = 2, .strategy = "ddp", .epochs = 2, .stretches = 3},
      {.workload = "resnet50", .ranks = 1, .batch_size = 16, .entries = 8}};
  ChangingMachine machine;
  Report report = sample_sweep({.world_sizes = {1},
                                .batch_sizes = {8},
                                .repetitions = 1,
                                .steps = 5,
                                .solo = false,
                                .real_data = false});
  report.points.clear();
  report.findings.clear();
  std::size_t place = 0;
  const auto add = [&](const std::vector<Kind>& kinds, int blocks, int blocks_per_session) {
    for (int block = 0; block < blocks; ++block) {
      for (const Kind& kind : kinds) {
        report.points.push_back(
            measured_point(kind, block, block / blocks_per_session, place++, machine, folder));
      }
    }
  };
  add(weak, 4, 4);
  add(strong, 5, 2);  // three sessions, the last of one run
  add(thinned, 3, 3);
  add(others, 1, 1);
  // Others used the machine in one of five runs, and in one of three.
  for (const char* point : {"linear-b8-w2-ddp/r0", "bert-mini-b8-w2-ddp/r1"}) {
    report.findings.push_back({.code = "shared",
                               .severity = "warning",
                               .point = point,
                               .text = "made",
                               .domain = "hardware"});
  }
  summarise(report, {.comparisons = comparisons()});
  std::ofstream(folder / "report.json") << to_json(report);
  return 0;
}
