#include "tests/report/generated_report.h"

#include <algorithm>
#include <array>
#include <random>
#include <string>

#include "report/judge/collectives/collectives.h"
#include "tests/report/sample_collectives.h"
#include "tests/report/sample_report.h"
#include "tests/report/sample_slices.h"
#include "tests/report/sample_sweep.h"

namespace scalemark::reporting {
namespace {

constexpr std::array kNames = {
    "node-7",
    "n7.cluster.example.org",
    "n\xC3\xB6"
    "de-\xE6\xA9\x9F-\xF0\x9F\x94\xA5",  // umlaut, CJK, emoji
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "]]>&amp;\"'`",
    "a|b\\|c*_[x](javascript:alert(1))",
    "line\nbreak\r\n\ttab",
    "=cmd|' /C calc'!A0",
    "\xE2\x80\xAE"
    "evil\xE2\x80\xA8",  // right-to-left, line separator
    "bad\xFF\xC0utf8",   // not UTF-8
    "\x01\x1F\x7F",      // control characters
    "@DATA@ @TEXT@ @SCRIPT@ $& $1 %s %n",
    "",
    "ns:metric:0,le=\"+Inf\"} 1",
};

// A report with another name of a machine is refused where it is read.
constexpr std::array kHosts = {"node-7", "n7.cluster.example.org", "gpu_07", "10.0.0.7"};

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed), seed_(seed) {}

  Report report() {
    if (chance(15)) return of_collectives();
    Report report = chance(15) ? sample_report(1 + pick(2), chance(50)) : sweep();
    if (chance(20)) damage_identity(report);
    for (PointRecord& point : report.points) disturb(point);
    resummarise(report);
    surroundings(report);
    return report;
  }

 private:
  bool chance(int percent) { return pick(100) < percent; }
  int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
  std::string name() {
    return kNames[static_cast<std::size_t>(pick(static_cast<int>(kNames.size())))];
  }

  std::string host() {
    return kHosts[static_cast<std::size_t>(pick(static_cast<int>(kHosts.size())))];
  }

  Report sweep() {
    constexpr std::array<std::array<int, 3>, 4> kWorlds = {
        {{1, 1, 1}, {1, 2, 4}, {2, 4, 8}, {1, 3, 5}}};
    const auto& worlds = kWorlds[static_cast<std::size_t>(pick(4))];
    SweepShape shape{
        .seed = seed_, .world_sizes = {worlds.begin(), worlds.end()}, .batch_sizes = {16, 64}};
    shape.world_sizes.erase(std::unique(shape.world_sizes.begin(), shape.world_sizes.end()),
                            shape.world_sizes.end());
    shape.repetitions = 1 + pick(4);
    shape.steps = 1 + pick(30);
    shape.run_noise = chance(20) ? 0.5 : 0.004;
    shape.step_noise = chance(20) ? 0 : 0.02;
    if (chance(20)) shape.out_of_memory_from = 1;  // nothing fits
    shape.solo = chance(50);
    shape.real_data = chance(50);
    shape.host = chance(60) ? host() : "gpu-node-07";
    return sample_sweep(shape);
  }

  Report of_collectives() {
    Report report = sample_collectives({.seed = seed_,
                                        .repetitions = 1 + pick(4),
                                        .noise = chance(20) ? 0.5 : 0.01,
                                        .backends = {chance(30) ? name() : "gloo", "mpi"},
                                        .host = chance(60) ? host() : "gpu-node-07"});
    const std::string odd = chance(30) ? name() : "";
    for (CollectiveRecord& run : report.collectives) disturb(run, odd);
    if (chance(30)) report.links.push_back({host(), "rank 3", 1e-300, 1e300});
    summarise_collectives(report);
    surroundings(report);
    return report;
  }

  void disturb(CollectiveRecord& run, const std::string& odd) {
    run.group += odd;
    run.id += odd;
    if (chance(5)) run.latency_s.reset();
    if (chance(3)) run.time_s *= chance(50) ? 1e150 : 1e-150;
    if (chance(3)) run.expected_source = name();
    if (!chance(5)) return;
    run.status =
        std::array{PointStatus::kOom, PointStatus::kFailed}[static_cast<std::size_t>(pick(2))];
    run.reason = name();
    if (chance(30)) run.wrong = 1LL << 40;
  }

  EffectRecord odd_effect() {
    EffectRecord effect;
    effect.axis = name();
    effect.fixed = {{name(), name()}};
    effect.from = name();
    effect.to = name();
    effect.groups = {name(), name()};
    effect.ratio = chance(20) ? 1e300 : 0.99;
    if (chance(50)) {
      effect.ratio_ci95.low = 1e-300;
      effect.ratio_ci95.high = 1e300;
    }
    if (chance(50)) effect.p_holm = 0.5;
    if (chance(50)) effect.phases_delta_s = Phases{.forward = -1e-9};
    effect.memory_delta_bytes = chance(50) ? -(1LL << 62) : 0;
    effect.in_words = name();
    return effect;
  }

  // Another name for a group, everywhere; ids stay unique.
  void damage_identity(Report& report) {
    const std::string odd = name();
    for (PointRecord& point : report.points) {
      point.group += odd;
      point.id += odd;
    }
  }

  void disturb(PointRecord& point) {
    if (chance(5)) fail(point);
    if (chance(5)) drop_phases(point);
    if (chance(3)) point.ranks.clear();
    if (chance(5)) point.step_samples_s.clear();
    if (chance(5)) point.loss_first.reset();
    if (chance(5)) point.started = "yesterday";
    if (chance(5)) point.session = 1;
    if (chance(3)) point.memory_peak_bytes = ~0ULL;
    if (chance(3)) scale(point, chance(50) ? 1e150 : 1e-150);
  }

  void fail(PointRecord& point) {
    point.status = std::array{PointStatus::kOom, PointStatus::kFailed,
                              PointStatus::kSkipped}[static_cast<std::size_t>(pick(3))];
    point.reason = name();
    if (point.status == PointStatus::kSkipped && chance(50)) point.batch_size.reset();
  }

  static void scale(PointRecord& point, double factor) {
    point.samples_per_sec *= factor;
    point.wall_s /= factor;
    point.step_s.mean /= factor;
    for (double& step : point.step_samples_s) step /= factor;
  }

  static void resummarise(Report& report) {
    std::erase_if(report.findings, [](const Finding& finding) { return finding.point.empty(); });
    if (report.invocation.command == "sweep") summarise(report);
  }

  void surroundings(Report& report) {
    if (chance(20)) report.environment.hosts.clear();
    if (chance(20)) report.run_id = name();
    if (chance(20))
      report.findings.push_back({"odd", chance(50) ? "error" : "warning", "", name()});
    if (chance(20)) report.errors.push_back(bad_data(name(), name(), name()).record());
    if (chance(20)) report.invocation.command_line = "scalemark sweep --data " + name();
    if (chance(20))
      report.predictions.push_back({.slice = name(),
                                    .world_size = 1024,
                                    .samples_per_sec = 1e300,
                                    .efficiency = 1e-300,
                                    .predictor = "model",
                                    .reason = name(),
                                    .low = 1.0,
                                    .high = 1e308,
                                    .basis = "assumed"});
    if (chance(30) && !measures_collectives(report)) report.effects.push_back(odd_effect());
    if (chance(10)) report.drift = Drift{-0.5, {}, {}};
    if (chance(10)) report.points.clear();
    if (chance(10)) report.scaling.clear();
    if (chance(20)) {
      report.status = ReportStatus::kPartial;
      report.exit_code.reset();
      report.finished.clear();
    }
  }

  std::mt19937_64 random_;
  std::uint64_t seed_;
};

}  // namespace

Report generated_report(std::uint64_t seed) { return Generator(seed).report(); }

}  // namespace scalemark::reporting
