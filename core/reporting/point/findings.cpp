#include "core/reporting/point/findings.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "core/base/renamed_variables.h"
#include "core/base/text.h"
#include "core/monitoring/gpu_code.h"
#include "core/monitoring/telemetry/gpu_probes.h"
#include "core/reporting/point/disturbances.h"
#include "core/reporting/point/rank_cpus.h"
#include "core/reporting/record/finding_kinds.h"
#include "core/reporting/record/point_facts.h"
#include "core/statistics/steadiness/pooled.h"
#include "core/statistics/summary.h"

namespace scalemark::reporting {
namespace {

constexpr double kCommunicationShare = 0.30;
// On an H100 the share was 0 to 2 % where the GPU was the limit, and 3 to 78 % where its host was
// (results/measured/2026-11-26-h100.md).
constexpr double kIdleGpu = 0.10;
constexpr double kStronglyCorrelated = 0.5;
constexpr std::size_t kStepsForCorrelation = 50;

class Findings {
 public:
  explicit Findings(const PointRecord& point) : point_(point) {}

  void add(const FindingKind& kind, std::string text,
           std::optional<FindingPlace> place = std::nullopt) {
    const bool told = std::ranges::any_of(
        list_, [&](const auto& other) { return other.code == kind.code && other.text == text; });
    if (told) return;  // several GPUs or hosts give the same one
    list_.push_back(make_finding(kind, point_.id, std::move(text), std::move(place)));
  }
  std::vector<Finding> take() { return std::move(list_); }

 private:
  const PointRecord& point_;
  std::vector<Finding> list_;
};

void judge_window(Findings& findings, const PointRecord& point, int repetitions) {
  // With several runs, the sweep's findings judge them together.
  const bool speaks = repetitions < static_cast<int>(statistics::kRunsToPool);
  if (speaks && point.steady == false)
    findings.add(finding_kinds::not_steady, "not steady: " + point.steady_reason);
  if (speaks && !point.steady)
    findings.add(finding_kinds::steady_unknown, "steady: unknown, " + point.steady_reason);
  if (repetitions < 2) {
    findings.add(finding_kinds::single_repetition,
                 "one run: its interval says how steps vary, not how runs vary; repeat it before "
                 "comparing");
  }
  if (is_short_window(point)) {
    findings.add(finding_kinds::short_window, "short window: " + std::to_string(point.iterations) +
                                                  " steps in " + printed("%.2f", point.wall_s) +
                                                  " s (100 steps and 2 s wanted)");
  }
  if (point.steps_per_mark) {
    findings.add(finding_kinds::marks_thinned,
                 "steps are too short to mark each: values are means over " +
                     std::to_string(*point.steps_per_mark) + " steps, without quantiles");
  }
  if (point.step_s.max && point.step_s.p50 && *point.step_s.max > kSlowStep * *point.step_s.p50) {
    findings.add(finding_kinds::slow_steps, printed("the slowest step took %.1f times the median",
                                                    *point.step_s.max / *point.step_s.p50));
  }
}

bool clocks_differ(const RankRecord& longest, const RankRecord& shortest, double allowed_s) {
  return longest.wall_s > *shortest.around_s + allowed_s;
}

// The only rank that the clocks of all others contradict; absent: it is not known which is wrong.
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

// The window of a rank lies between the same two barriers as those of all others, and so within the
// time from before the first to after the second one, by whichever clock: it can be no longer than
// that, however long a rank was kept from a CPU.
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
  const auto who = [](const RankRecord& rank) {
    return "rank " + std::to_string(rank.rank) + " (" + rank.host + ")";
  };
  findings.add(finding_kinds::clocks_disagree,
               "clocks disagree: between the same two barriers " + who(longest) + " counted " +
                   printed("%.2f s", longest.wall_s) + ", and " + who(shortest) +
                   printed(" no more than %.2f s", *shortest.around_s) +
                   ": rates are those of the longest",
               odd_clock(ranks, allowed_s));
}

// Their number says how well the mean is known only where steps are independent.
void judge_step_correlation(Findings& findings, const PointRecord& point) {
  const auto& steps = point.step_samples_s;
  if (steps.size() < kStepsForCorrelation) return;
  const double lag1 = statistics::lag1_correlation(steps);
  if (!(lag1 > kStronglyCorrelated)) return;
  const auto n = static_cast<double>(steps.size());
  findings.add(
      finding_kinds::steps_correlated,
      printed("neighbouring steps resemble each other (correlation %.2f): ", lag1) +
          printed("%.0f of them tell as much as about ", n) +
          printed("%.0f independent ones, and the interval within the run may be too narrow",
                  std::max(1.0, n * (1 - lag1) / (1 + lag1))));
}

void tell_old_variables(Findings& findings, const FindingContext& context) {
  for (const auto& [name, value] : context.variables) {
    if (std::string told = told_about_variable(name); !told.empty()) {
      findings.add(finding_kinds::old_variable, std::move(told));
    }
  }
}

void judge_threads(Findings& findings, const PointRecord& point, const FindingContext& context) {
  const auto omp = context.variables.find("OMP_NUM_THREADS");
  if (omp != context.variables.end() && omp->second != std::to_string(point.threads)) {
    findings.add(finding_kinds::threads_variable,
                 "OMP_NUM_THREADS=" + omp->second +
                     " had no effect: only --threads sets the number of threads (" +
                     std::to_string(point.threads) + ")");
  }
  if (point.device != "cpu") return;
  if (const auto crowded = crowded_rank(point)) {
    findings.add(finding_kinds::too_many_threads, *crowded);
    return;
  }
  for (const auto& host : context.hosts) {
    const auto processes = std::ranges::count(point.ranks, host.hostname, &RankRecord::host);
    const auto ranks = processes * ranks_per_process(point);
    const int cores = usable_cpus(point, host);
    if (ranks * point.threads > cores) {
      findings.add(finding_kinds::too_many_threads,
                   std::to_string(ranks) + " ranks x " + std::to_string(point.threads) +
                       " threads share " + std::to_string(cores) + " cores of " + host.hostname +
                       ": efficiency measures that, not communication");
    }
  }
}

void tell_binding(Findings& findings, const PointRecord& point) {
  if (const auto text = binding_of(point)) findings.add(finding_kinds::ranks_bound, *text);
}

void tell_replicas(Findings& findings, const PointRecord& point) {
  const int replicas = ranks_per_process(point);
  if (replicas == 1) return;
  findings.add(finding_kinds::replicas_in_one_process,
               "the " + std::to_string(replicas) +
                   " replicas share one process: what that costs is a lower bound of the cost of "
                   "torch.nn.DataParallel in Python, whose threads also wait for the interpreter "
                   "lock");
}

void judge_data(Findings& findings, const PointRecord& point) {
  if (point.padded > 0) {
    findings.add(finding_kinds::padding,
                 std::to_string(point.padded) + " padded samples are not counted in samples");
  }
  if (!point.skipped.empty()) {
    const auto& [name, reason] = point.skipped.front();
    const std::size_t count = point.skipped.size();
    findings.add(finding_kinds::skipped_samples,
                 (count == 1 ? std::string("1 sample") : std::to_string(count) + " samples") +
                     (count == 1 ? " could not be read and was skipped: "
                                 : " could not be read and were skipped, first ") +
                     (reason.starts_with(name) ? reason : name + ": " + reason));
  }
  if (point.replaced_bytes.value_or(0) > 0) {
    findings.add(finding_kinds::text_broken,
                 counted(*point.replaced_bytes, "byte") +
                     (*point.replaced_bytes == 1 ? " of the text is no UTF-8 and was dropped"
                                                 : " of the text are no UTF-8 and were dropped") +
                     ": is it in another encoding?");
  }
  if (!point.files_left_out.empty()) {
    findings.add(finding_kinds::files_left_out,
                 "files beside the data were not read: " + listed_counts(point.files_left_out));
  }
}

// Loaders help against waits for files only.
std::string what_waits_mean(const PointRecord& point, const FindingContext& context) {
  if (point.data != "synthetic") return "more --workers, or data that is cheaper to read";
  const auto varied = point.varying.find("synthetic_in_loop");
  const bool in_loop =
      varied == point.varying.end() ? context.synthetic_in_loop : varied->second == "on";
  return in_loop ? "the loop makes its own random data" : "the host was held up";
}

void judge_shares(Findings& findings, const PointRecord& point, const FindingContext& context) {
  const double step = point.step_mean_over_ranks_s;
  const double wait = counted_data_wait_s(point).value_or(0);
  if (wait > kDataWaitShare * step) {
    findings.add(finding_kinds::data_wait, percent(wait / step) + " of the step waits for data: " +
                                               what_waits_mean(point, context));
  }
  // Not of the waits for slower ranks: no network makes those shorter.
  const double network = point.communication.network_s.value_or(0);
  if (network > kCommunicationShare * step) {
    findings.add(finding_kinds::communication,
                 percent(network / step) + " of the step is communication that nothing hides");
  }
}

double exposed_share(const PointRecord& point) {
  const CommunicationTimes& times = point.communication;
  return (times.network_s.value_or(0) + times.peer_wait_s.value_or(0)) /
         point.step_mean_over_ranks_s;
}

// NCCL's kernels keep a GPU busy while they wait; those of other backends do not, so the time of
// the exchange is granted to all. The driver's count needs a window of some seconds.
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
  findings.add(finding_kinds::gpu_waits,
               most->values.device + " of " + most->host + " computed in " +
                   percent(most->values.mean) + " of the window only" +
                   (count > 1 ? ", and " + std::to_string(count - 1) + " more alike" : "") +
                   ": the host hands out work too slowly; a larger batch" +
                   (point.cuda_graphs == true ? "" : " or --cuda-graphs on") + " helps");
}

// " (1.000 to 1.400)": the 95 % interval, times `scale`. Empty without one.
std::string interval_text(const Bounds& bounds, double scale, int decimals) {
  if (!bounds) return {};
  const std::string number = "%." + std::to_string(decimals) + "f";
  return printed((" (" + number).c_str(), scale * *bounds.low) +
         printed((" to " + number + ")").c_str(), scale * *bounds.high);
}

// "1.200 ms (1.000 to 1.400)".
std::string milliseconds(double seconds, const Bounds& bounds = {}) {
  return printed("%.3f ms", 1e3 * seconds) + interval_text(bounds, 1e3, 3);
}

// Tells what --communication-cost measured.
void tell_communication_cost(Findings& findings, const PointRecord& point) {
  const CommunicationTimes& times = point.communication;
  if (!point.noop_step_s || !times.cost_s) return;
  const double step_s = *point.noop_step_s + *times.cost_s;
  std::string text = "communication costs " + milliseconds(*times.cost_s, times.cost_ci95) +
                     " of a step of " + milliseconds(step_s) + ", communication efficiency " +
                     percent(times.efficiency.value_or(*point.noop_step_s / step_s)) +
                     interval_text(times.efficiency_ci95, 100, 1);
  if (times.contention_s) {
    text += ", contention " + milliseconds(*times.contention_s, times.contention_ci95);
  }
  if (times.cost_ci95.low) text += "; in brackets 95 % intervals within this run";
  findings.add(finding_kinds::communication_cost, std::move(text));
}

void judge_mfu(Findings& findings, const PointRecord& point) {
  if (point.device != "cuda") return;
  if (!point.mfu) {
    findings.add(finding_kinds::mfu_unknown, "no MFU: the datasheet peak of '" + point.device_name +
                                                 "' for " + point.precision + " is not known");
  } else if (*point.mfu > 1) {
    findings.add(finding_kinds::mfu_implausible, "MFU of " + percent(*point.mfu) + " is impossible",
                 FindingPlace{.device = point.device_name});
  }
}

// A GPU that is newer than the machine code of this build.
void tell_compiled_code(Findings& findings, const monitoring::Gpu& gpu) {
  if (!gpu.compute_major || !gpu.compute_minor) return;
  const auto code = monitoring::gpu_code_for(*gpu.compute_major, *gpu.compute_minor);
  if (code.use != monitoring::CodeUse::kCompiledByDriver) return;
  findings.add(finding_kinds::gpu_code_compiled,
               gpu.name + " is newer than this build: " + monitoring::in_words(code));
}

void tell_missing_energy(Findings& findings, const std::string& device_name,
                         const monitoring::Host& host, const monitoring::Gpu& gpu) {
  const bool is_instance = std::ranges::any_of(
      gpu.mig_instances, [&](const auto& instance) { return instance.name == device_name; });
  if (is_instance) {
    findings.add(finding_kinds::energy_unknown,
                 "no energy: " + device_name +
                     " is a slice of a GPU, and the driver counts whole GPUs only");
  } else if (gpu.name == device_name && gpu.driver.empty() && !host.gpu_note.empty()) {
    findings.add(finding_kinds::energy_unknown, "no energy: " + host.gpu_note);
  }
}

void judge_gpus(Findings& findings, const PointRecord& point, const FindingContext& context) {
  if (point.device != "cuda") return;
  for (const auto& host : context.hosts) {
    for (const int index : host.visible_gpus) {
      const auto& gpu = host.gpus.at(static_cast<std::size_t>(index));
      tell_compiled_code(findings, gpu);
      if (!point.energy_J) tell_missing_energy(findings, point.device_name, host, gpu);
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
  tell_old_variables(findings, context);
  tell_binding(findings, point);
  tell_replicas(findings, point);
  judge_data(findings, point);
  judge_shares(findings, point, context);
  judge_gpu_use(findings, point, context);
  tell_communication_cost(findings, point);
  judge_mfu(findings, point);
  judge_gpus(findings, point, context);
  judge_clocks(findings, point);
  for (const auto& of_machine : {disturbances_of(context.telemetry, context.hosts),
                                 doubts_of(context.telemetry, context.hosts)}) {
    for (const Disturbance& found : of_machine) {
      findings.add(*found.kind, found.text, found.place);
    }
  }
  return findings.take();
}

}  // namespace scalemark::reporting
