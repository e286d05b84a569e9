#include "report/judge/point/findings.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "core/base/renamed_variables.h"
#include "core/base/text.h"
#include "core/machine/gpu_code.h"
#include "core/machine/telemetry/gpu_probes.h"
#include "core/statistics/steadiness/steady.h"
#include "core/statistics/summary.h"
#include "report/judge/point/disturbances.h"
#include "report/judge/point/telemetry.h"
#include "report/record/finding_kinds.h"
#include "report/record/point_facts.h"

namespace scalemark::reporting {
namespace {

constexpr double kCommunicationShare = 0.30;
// On an H100 the GPU was idle for 0 to 2 % of the time where it was the bottleneck, and for 3 to 78
// % where its host was (results/measured/2026-11-26-h100.md).
constexpr double kIdleGpu = 0.10;
constexpr double kStronglyCorrelated = 0.5;
constexpr std::size_t kStepsForCorrelation = 50;

class Findings {
 public:
  explicit Findings(const PointRecord& point) : point_(point) {}

  void add(const FindingKind& kind, const AllNamed& values = {},
           std::optional<FindingPlace> place = std::nullopt) {
    add(make_finding(kind, point_.id, values, std::move(place)));
  }
  void add(Finding found) {
    const bool told = std::ranges::any_of(list_, [&](const Finding& other) {
      return other.code == found.code && other.words == found.words && other.values == found.values;
    });
    if (told) return;  // several GPUs or hosts give equal findings
    found.point = point_.id;
    list_.push_back(std::move(found));
  }
  std::vector<Finding> take() { return std::move(list_); }

 private:
  const PointRecord& point_;
  std::vector<Finding> list_;
};

void judge_window(Findings& findings, const PointRecord& point, int repetitions) {
  // If there are several runs, the sweep's findings judge their windows together.
  const bool speaks = repetitions < static_cast<int>(statistics::kRunsToPool);
  if (speaks && point.steady == false)
    findings.add(finding_kinds::not_steady, {{"why", point.steady_reason}});
  if (speaks && !point.steady)
    findings.add(finding_kinds::steady_unknown, {{"why", point.steady_reason}});
  if (repetitions < 2) findings.add(finding_kinds::single_repetition);
  if (is_short_window(point)) {
    findings.add(finding_kinds::short_window,
                 {{"steps", point.iterations}, {"seconds", point.wall_s}});
  }
  if (point.steps_per_mark) {
    findings.add(finding_kinds::marks_thinned, {{"steps", *point.steps_per_mark}});
  }
  if (point.step_s.max && point.step_s.p50 && *point.step_s.max > kSlowStep * *point.step_s.p50) {
    findings.add(finding_kinds::slow_steps, {{"times", *point.step_s.max / *point.step_s.p50}});
  }
}

bool clocks_differ(const RankRecord& longest, const RankRecord& shortest, double allowed_s) {
  return longest.wall_s > *shortest.around_s + allowed_s;
}

// Returns the only rank that the clocks of all others contradict, or nothing where it is not known
// which rank is wrong.
std::optional<FindingPlace> odd_clock(const std::vector<RankRecord>& ranks, double allowed_s) {
  std::optional<FindingPlace> odd;
  for (const RankRecord& rank : ranks) {
    const bool is_odd = ranks.size() > 2 && std::ranges::all_of(ranks, [&](const auto& other) {
                          return &other == &rank || clocks_differ(rank, other, allowed_s) ||
                                 clocks_differ(other, rank, allowed_s);
                        });
    if (!is_odd) continue;
    if (odd) return std::nullopt;
    odd = FindingPlace{.rank = rank.rank, .host = rank.host};
  }
  return odd;
}

// The window of a rank lies between the same two barriers as those of all others. So it can be no
// longer, by any clock, than the time from before the first barrier to after the second one,
// however long a rank was kept from a CPU.
void judge_clocks(Findings& findings, const PointRecord& point) {
  constexpr double kLeast_s = 0.05, kShare = 0.01;
  const auto& ranks = point.ranks;
  if (ranks.size() < 2 ||
      !std::ranges::all_of(ranks, [](const auto& rank) { return rank.around_s.has_value(); }))
    return;
  const auto& longest = *std::ranges::max_element(ranks, {}, &RankRecord::wall_s);
  const auto& shortest = *std::ranges::min_element(ranks, {}, &RankRecord::around_s);
  const double step_s = shortest.wall_s / static_cast<double>(point.iterations);
  const double allowed_s = std::max({kLeast_s, kShare * shortest.wall_s, step_s});
  if (!clocks_differ(longest, shortest, allowed_s)) return;
  findings.add(finding_kinds::clocks_disagree,
               {{"longest_rank", longest.rank},
                {"longest_host", longest.host},
                {"longest_s", longest.wall_s},
                {"shortest_rank", shortest.rank},
                {"shortest_host", shortest.host},
                {"shortest_s", *shortest.around_s}},
               odd_clock(ranks, allowed_s));
}

// The number of steps shows how well the mean is known only if the steps are independent.
void judge_step_correlation(Findings& findings, const PointRecord& point) {
  const auto& steps = point.step_samples_s;
  if (steps.size() < kStepsForCorrelation) return;
  const double lag1 = statistics::lag1_correlation(steps);
  if (!(lag1 > kStronglyCorrelated)) return;
  const auto n = static_cast<double>(steps.size());
  findings.add(finding_kinds::steps_correlated,
               {{"correlation", lag1},
                {"steps", n},
                {"independent", std::max(1.0, n * (1 - lag1) / (1 + lag1))}});
}

void note_old_variables(Findings& findings, const FindingContext& context) {
  for (const auto& [name, value] : context.variables) {
    if (std::string told = note_on_variable(name); !told.empty()) {
      findings.add(finding_kinds::old_variable, {{"told", std::move(told)}});
    }
  }
}

void judge_threads(Findings& findings, const PointRecord& point, const FindingContext& context) {
  const auto omp = context.variables.find("OMP_NUM_THREADS");
  if (omp != context.variables.end() && omp->second != std::to_string(point.threads)) {
    findings.add(finding_kinds::threads_variable,
                 {{"variable", omp->second}, {"threads", point.threads}});
  }
  if (point.device != "cpu") return;
  if (const auto crowded = crowded_rank(point)) {
    findings.add(finding_kinds::too_many_threads,
                 {{"rank", crowded->rank}, {"cpus", crowded->cpus}, {"threads", crowded->threads}});
    return;
  }
  for (const auto& host : context.hosts) {
    const auto processes = std::ranges::count(point.ranks, host.hostname, &RankRecord::host);
    const auto ranks = processes * ranks_per_process(point);
    const int cores = usable_cpus(point, host);
    if (ranks * point.threads > cores) {
      findings.add(finding_kinds::too_many_threads, {{"ranks", ranks},
                                                     {"threads", point.threads},
                                                     {"cores", cores},
                                                     {"host", host.hostname}});
    }
  }
}

void note_binding(Findings& findings, const PointRecord& point) {
  if (const auto text = binding_of(point))
    findings.add(finding_kinds::ranks_bound, {{"told", *text}});
}

void note_replicas(Findings& findings, const PointRecord& point) {
  const int replicas = ranks_per_process(point);
  if (replicas == 1) return;
  findings.add(finding_kinds::replicas_in_one_process, {{"replicas", replicas}});
}

void judge_data(Findings& findings, const PointRecord& point) {
  if (point.padded > 0) findings.add(finding_kinds::padding, {{"samples", point.padded}});
  if (!point.skipped.empty()) {
    const auto& [name, reason] = point.skipped.front();
    findings.add(finding_kinds::skipped_samples,
                 {{"samples", point.skipped.size()},
                  {"first", reason.starts_with(name) ? reason : name + ": " + reason}});
  }
  if (point.replaced_bytes.value_or(0) > 0) {
    findings.add(finding_kinds::text_broken, {{"bytes", *point.replaced_bytes}});
  }
  if (!point.files_left_out.empty()) {
    findings.add(finding_kinds::files_left_out, {{"files", listed_counts(point.files_left_out)}});
  }
}

// More loaders help only where the waits are for files.
std::string what_waits_mean(const PointRecord& point, const FindingContext& context) {
  if (point.data != "synthetic") return "more --workers, or data that is cheaper to read";
  const char* usual = context.synthetic_in_loop ? "on" : "off";
  const bool in_loop = value_at(point.varying, "synthetic_in_loop", usual) == "on";
  return in_loop ? "the loop makes its own random data" : "the host was held up";
}

void judge_shares(Findings& findings, const PointRecord& point, const FindingContext& context) {
  const double step = point.step_mean_over_ranks_s;
  const double wait = counted_data_wait_s(point).value_or(0);
  if (wait > kDataWaitShare * step) {
    findings.add(finding_kinds::data_wait,
                 {{"share", wait / step}, {"why", what_waits_mean(point, context)}});
  }
  // Waits for slower ranks are not counted, since no network makes them shorter.
  const double network = point.communication.network_s.value_or(0);
  if (network > kCommunicationShare * step) {
    findings.add(finding_kinds::communication, {{"share", network / step}});
  }
}

double exposed_share(const PointRecord& point) {
  const CommunicationTimes& times = point.communication;
  return (times.network_s.value_or(0) + times.peer_wait_s.value_or(0)) /
         point.step_mean_over_ranks_s;
}

// NCCL's kernels keep a GPU busy while they wait; those of other backends do not, so the whole time
// of the exchange may be idle. The driver's count needs a window of some seconds.
void judge_gpu_use(Findings& findings, const PointRecord& point, const FindingContext& context) {
  const double wait = counted_data_wait_s(point).value_or(0) / point.step_mean_over_ranks_s;
  const double explained = wait + exposed_share(point);
  const TelemetryRecord* most = nullptr;
  int count = 0;
  for (const TelemetryRecord& record : context.telemetry) {
    const auto& values = record.values;
    const bool tells =
        values.source == monitoring::kUtilisation && values.observed_s >= kEnoughSeconds;
    if (!tells || !(1 - values.mean - explained > kIdleGpu)) continue;
    count++;
    if (!most || values.mean < most->values.mean) most = &record;
  }
  if (!most) return;
  const bool has_graphs = point.cuda_graphs == true;
  findings.add(finding_kinds::gpu_waits,
               {{"device", most->values.device},
                {"host", most->host},
                {"busy", most->values.mean},
                {"more", count > 1 ? std::optional<double>(count - 1) : std::nullopt},
                {"helps", has_graphs ? "a larger batch" : "a larger batch or --cuda-graphs on"}});
}

// Adds a 95 % interval under the names `low` and `high`.
void add_interval(AllNamed& values, const char* low, const char* high, const Bounds& bounds,
                  double scale) {
  if (!bounds) return;
  values.emplace_back(low, scale * *bounds.low);
  values.emplace_back(high, scale * *bounds.high);
}

// Notes what --communication-cost measured.
void note_communication_cost(Findings& findings, const PointRecord& point) {
  constexpr double kMs = 1e3;
  const CommunicationTimes& times = point.communication;
  if (!point.noop_step_s || !times.cost_s) return;
  const double step_s = *point.noop_step_s + *times.cost_s;
  AllNamed values{{"cost_ms", kMs * *times.cost_s},
                  {"step_ms", kMs * step_s},
                  {"efficiency", times.efficiency.value_or(*point.noop_step_s / step_s)}};
  add_interval(values, "cost_ms_low", "cost_ms_high", times.cost_ci95, kMs);
  add_interval(values, "efficiency_low", "efficiency_high", times.efficiency_ci95, 1);
  if (times.contention_s) {
    values.emplace_back("contention_ms", kMs * *times.contention_s);
    add_interval(values, "contention_ms_low", "contention_ms_high", times.contention_ci95, kMs);
  }
  findings.add(finding_kinds::communication_cost, values);
}

// One of two ranks may be the one that holds more, too: no median is needed.
void judge_memory(Findings& findings, const PointRecord& point) {
  constexpr double kGib = 1 << 30, kUneven = 1.5;
  const auto taken = [](const RankRecord& rank) {
    return static_cast<double>(rank.memory_reserved_bytes.value_or(rank.memory_peak_bytes)) / kGib;
  };
  const auto peers = peers_of(point);
  if (peers.size() < 2) return;
  const auto& most = *std::ranges::max_element(peers, {}, taken);
  double others = 0;
  for (const RankRecord& rank : peers) {
    if (&rank != &most) others = std::max(others, taken(rank));
  }
  if (taken(most) <= kUneven * others || taken(most) < others + 1) return;
  findings.add(finding_kinds::memory_uneven, {{"gib", taken(most)}, {"others_gib", others}},
               FindingPlace{.rank = most.rank, .host = most.host, .device = most.device});
}

void note_swings(Findings& findings, const FindingContext& context) {
  constexpr double kSwing = 0.2;
  for (const TelemetryRecord& record : context.telemetry) {
    const auto& course = record.values.course;
    if (record.values.source != monitoring::kUtilisation || course.empty()) continue;
    const auto [least, most] = std::ranges::minmax(course);
    if (most - least <= kSwing) continue;
    return findings.add(finding_kinds::utilisation_swings, {{"least", least}, {"most", most}},
                        FindingPlace{.host = record.host, .device = record.values.device});
  }
}

void judge_mfu(Findings& findings, const PointRecord& point) {
  if (point.device != "cuda") return;
  if (!point.mfu) {
    findings.add(finding_kinds::mfu_unknown,
                 {{"chip", point.device_name}, {"precision", point.precision}});
  } else if (*point.mfu > 1) {
    findings.add(finding_kinds::mfu_implausible, {{"mfu", *point.mfu}},
                 FindingPlace{.device = point.device_name});
  }
}

// Notes a GPU that is newer than the machine code of this build.
void note_compiled_code(Findings& findings, const monitoring::Gpu& gpu) {
  if (!gpu.compute_major || !gpu.compute_minor) return;
  const auto code = monitoring::gpu_code_for(*gpu.compute_major, *gpu.compute_minor);
  if (code.use != monitoring::CodeUse::kCompiledByDriver) return;
  findings.add(finding_kinds::gpu_code_compiled,
               {{"chip", gpu.name}, {"code", monitoring::in_words(code)}});
}

void note_missing_energy(Findings& findings, const std::string& device_name,
                         const monitoring::Host& host, const monitoring::Gpu& gpu) {
  const bool is_instance = std::ranges::any_of(
      gpu.mig_instances, [&](const auto& instance) { return instance.name == device_name; });
  if (is_instance) {
    findings.add(
        finding_kinds::energy_unknown,
        {{"why", device_name + " is a slice of a GPU, and the driver counts whole GPUs only"}});
  } else if (gpu.name == device_name && gpu.driver.empty() && !host.gpu_note.empty()) {
    findings.add(finding_kinds::energy_unknown, {{"why", host.gpu_note}});
  }
}

void judge_gpus(Findings& findings, const PointRecord& point, const FindingContext& context) {
  if (point.device != "cuda") return;
  for (const auto& host : context.hosts) {
    for (const int index : host.visible_gpus) {
      const auto& gpu = host.gpus.at(static_cast<std::size_t>(index));
      note_compiled_code(findings, gpu);
      if (!point.energy_J) note_missing_energy(findings, point.device_name, host, gpu);
    }
  }
}

}  // namespace

std::vector<Finding> findings_of(const PointRecord& point, const FindingContext& context) {
  if (point.status != PointStatus::kOk) return {};
  Findings findings(point);
  judge_window(findings, point, context.repetitions);
  judge_step_correlation(findings, point);
  judge_threads(findings, point, context);
  note_old_variables(findings, context);
  note_binding(findings, point);
  note_replicas(findings, point);
  judge_data(findings, point);
  judge_shares(findings, point, context);
  judge_gpu_use(findings, point, context);
  note_communication_cost(findings, point);
  judge_memory(findings, point);
  note_swings(findings, context);
  judge_mfu(findings, point);
  judge_gpus(findings, point, context);
  judge_clocks(findings, point);
  for (auto& of_machine : {disturbances_of(context.telemetry, context.hosts),
                           doubts_of(context.telemetry, context.hosts)}) {
    for (const Finding& found : of_machine) findings.add(found);
  }
  return findings.take();
}

}  // namespace scalemark::reporting
