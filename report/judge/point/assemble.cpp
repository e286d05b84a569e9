#include "report/judge/point/assemble.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "core/statistics/steadiness/steady.h"
#include "core/statistics/summary.h"
#include "report/judge/point/fingerprint.h"
#include "report/judge/point/rank_steps.h"
#include "report/record/point_facts.h"

namespace scalemark::reporting {
namespace {

using Ranks = std::span<const RankMeasurement>;

void refuse_contradictions(Ranks processes, const StepSeries& series) {
  if (processes.empty()) throw bug("a point without measurements");
  const RankMeasurement& first = processes.front();
  const auto n = static_cast<std::int64_t>(series.max_step_s.size());
  const std::size_t marked = first.record.phases_s ? series.max_step_s.size() : 0;
  if (!series_fits(n, first) || series.max_own_s.size() != marked ||
      series.max_own_less_wait_s.size() != marked) {
    throw bug("the series over the ranks do not hold one value for each of " +
              std::to_string(first.iterations) + " steps");
  }
  for (const RankMeasurement& rank : processes) {
    const std::string who = "rank " + std::to_string(rank.record.rank) + ": ";
    if (rank.record.step_s.n != n || rank.iterations != first.iterations ||
        rank.record.phases_s.has_value() != first.record.phases_s.has_value() ||
        rank.steps_per_mark != first.steps_per_mark) {
      throw bug(who + "its summary is not of " + std::to_string(first.iterations) + " steps");
    }
    if (!(rank.record.wall_s > 0) || !std::isfinite(rank.record.wall_s)) {
      throw bug(who + "no time passed in its window");
    }
  }
}

double mean_over(const std::vector<RankRecord>& ranks,
                 const std::function<double(const RankRecord&)>& value) {
  double sum = 0;
  for (const auto& rank : ranks) sum += value(rank);
  return sum / static_cast<double>(ranks.size());
}

bool all_have_phases(const std::vector<RankRecord>& ranks) {
  return std::ranges::all_of(ranks, [](const RankRecord& rank) {
    return rank.phases_s.has_value() && rank.own_mean_s.has_value();
  });
}

Phases mean_phases(const std::vector<RankRecord>& ranks) {
  Phases mean;
  for (const auto& [name, phase] : kPhases) {
    mean.*phase =
        mean_over(ranks, [&](const RankRecord& rank) { return rank.phases_s.value().*phase; });
  }
  return mean;
}

// Only marks within the steps give phases. Without them these members are unset.
void set_phases(PointRecord& point, const StepSeries& series, std::int64_t steps_per_mark) {
  point.own_mean_s.reset();
  point.own_max_of_rank_means_s.reset();
  point.own_mean_of_step_max_s.reset();
  point.phases_s.reset();
  if (!all_have_phases(point.ranks)) return;
  point.phases_s = mean_phases(point.ranks);
  const auto own_of = [](const RankRecord& rank) { return rank.own_mean_s.value(); };
  point.own_mean_s = mean_over(point.ranks, own_of);
  point.own_max_of_rank_means_s = own_of(*std::ranges::max_element(point.ranks, {}, own_of));
  // The slowest rank over a group of steps need not be the slowest of each step, unless there is
  // only one rank. Where ranks exchange in some steps only, nobody waits for the slowest rank of
  // each step.
  if ((steps_per_mark == 1 && !skips_exchanges(point)) || point.ranks.size() == 1) {
    point.own_mean_of_step_max_s = statistics::mean(series.max_own_s);
  }
}

void set_steady(PointRecord& point, const StepSeries& series, std::int64_t steps_per_mark) {
  const auto check = statistics::check_steady(series.max_step_s);
  point.steady = check.steady;
  point.steady_reason = check.reason;
  point.bias_bound = check.bias_bound;
  point.biases.clear();
  if (check.biases) point.biases.assign(check.biases->begin(), check.biases->end());
  point.change_point_step.reset();
  if (check.change_step) point.change_point_step = *check.change_step * steps_per_mark;
}

void set_steps(PointRecord& point, const StepSeries& series, std::int64_t steps_per_mark) {
  point.steps_per_mark.reset();
  if (steps_per_mark > 1) point.steps_per_mark = steps_per_mark;
  point.step_s = summary_of(series.max_step_s, steps_per_mark);
  point.step_samples_s = series.max_step_s;
  point.step_mean_over_ranks_s =
      mean_over(point.ranks, [](const RankRecord& rank) { return rank.step_s.mean; });
  set_phases(point, series, steps_per_mark);
  set_steady(point, series, steps_per_mark);
}

// samples / (wall - sum_t [max_r own - max_r(own - d)]): the rate without the waits for data that
// counted. Their cost is subtracted, so that without any the result equals samples_per_sec to the
// last bit. Like own_mean_of_step_max_s, it needs each step's slowest rank.
std::optional<double> compute_rate(const StepSeries& series, const PointRecord& point) {
  double waited_s = 0;
  for (std::size_t t = 0; t < series.max_own_s.size(); ++t) {
    waited_s += series.max_own_s[t] - series.max_own_less_wait_s[t];
  }
  // An entry may be a mean over several steps, and steps may follow the last entry. These count by
  // the mean.
  waited_s *= static_cast<double>(point.iterations) / static_cast<double>(series.max_own_s.size());
  if (!(waited_s < point.wall_s)) return std::nullopt;
  return static_cast<double>(point.samples) / (point.wall_s - waited_s);
}

// Between two barriers the slowest rank counts. After the next barrier that may be another rank.
double wall_of(const StepSeries& series) {
  if (series.max_wall_s.empty()) throw bug("a point without the length of its window");
  return std::accumulate(series.max_wall_s.begin(), series.max_wall_s.end(), 0.0);
}

void set_throughput(PointRecord& point, Ranks ranks, const StepSeries& series) {
  std::int64_t tokens = 0, non_pad = 0;
  point.samples = point.padded = 0;
  point.wall_s = wall_of(series);
  for (const auto& rank : ranks) {
    point.samples += rank.record.samples;
    point.padded += rank.padded;
    tokens += rank.tokens;
    non_pad += rank.non_pad_tokens;
  }
  point.iterations = ranks.front().iterations;
  point.step_time_s = point.wall_s / static_cast<double>(point.iterations);
  point.samples_per_sec = static_cast<double>(point.samples) / point.wall_s;
  point.samples_per_sec_per_rank = point.samples_per_sec / point.world_size;
  point.compute_samples_per_sec.reset();
  if (point.own_mean_of_step_max_s) point.compute_samples_per_sec = compute_rate(series, point);
  if (tokens > 0) {
    point.tokens_per_sec = static_cast<double>(tokens) / point.wall_s;
    // The shares count all rows that were computed, even those that the sampler repeats, since a
    // rank may have no others.
    const std::int64_t padded_tokens = tokens / point.samples * point.padded;
    point.non_pad_share =
        static_cast<double>(non_pad) / static_cast<double>(tokens + padded_tokens);
  }
}

// The interval of the mean step is converted to the rate: X = samples / wall is inverse to it.
void set_interval(PointRecord& point) {
  const auto step = statistics::batch_means_interval(point.step_samples_s);
  if (!step || !(step->low > 0)) return;
  const double centre = (step->low + step->high) / 2;
  const double scaled = point.samples_per_sec * centre;
  point.within_run_ci95 = {scaled / step->high, scaled / step->low};
}

void set_mfu(PointRecord& point) {
  if (point.device != "cuda" || !(point.flops_per_sample > 0)) return;
  const auto peak = peak_flops(point.device_name, point.precision);
  if (!peak) return;
  point.mfu = point.samples_per_sec * point.flops_per_sample / (point.world_size * peak->per_sec);
  point.mfu_peak_source = peak->source;
}

// Shuffled epochs give one bad file to several ranks; it is listed once.
void add_unlisted(std::vector<SkippedFile>& listed, const std::vector<SkippedFile>& more) {
  for (const SkippedFile& file : more) {
    const auto known = std::ranges::find(listed, file.name, &SkippedFile::name);
    if (known == listed.end()) listed.push_back(file);
  }
}

void set_loss(PointRecord& point, const RankMeasurement& rank) {
  if (std::isfinite(rank.loss_first)) point.loss_first = rank.loss_first;
  if (std::isfinite(rank.loss_last)) point.loss_last = rank.loss_last;
  point.loss_course.clear();
  for (const LossAtStep& at : rank.loss_course) {
    if (std::isfinite(at.loss)) point.loss_course.push_back(at);
  }
  if (!point.loss_first || !point.loss_last) {
    point.status = PointStatus::kFailed;
    point.reason = "the loss is not finite";
  }
}

// Sets the energy only where every GPU, or the packages of every machine, could be read: half of
// the energy beside all of the samples is no measurement.
void set_energy(PointRecord& point, Ranks processes) {
  double sum = 0;
  std::map<std::string, bool> read;  // keyed by GPU, or by machine, where one rank reads for all
  for (const auto& rank : processes) {
    bool& known =
        read[point.device == "cuda" ? std::to_string(rank.record.rank) : rank.record.host];
    known = known || !rank.energy_J.empty();
    for (const double joules : rank.energy_J) sum += joules;
  }
  if (std::ranges::all_of(read, [](const auto& entry) { return entry.second; })) {
    point.energy_J = sum;
  }
}

// Keeps the largest of any process, since the allocator of each serves one GPU.
void set_memory(PointRecord& point, Ranks processes) {
  point.memory_peak_bytes = 0;
  point.memory_reserved_bytes.reset();
  point.server_memory_peak_bytes.reset();
  for (const auto& rank : processes) {
    const RankRecord& record = rank.record;
    if (rank.serves) point.server_memory_peak_bytes = record.memory_peak_bytes;
    point.memory_peak_bytes = std::max(point.memory_peak_bytes, record.memory_peak_bytes);
    // std::optional orders nullopt before any value.
    point.memory_reserved_bytes =
        std::max(point.memory_reserved_bytes, record.memory_reserved_bytes);
  }
}

// The ranks may have used different backends, if only some of them had padded batches.
void set_attention(PointRecord& point, Ranks ranks) {
  std::set<std::string> names;
  for (const auto& rank : ranks) {
    names.insert(rank.attention_backends.begin(), rank.attention_backends.end());
  }
  point.attention_backend.reset();
  for (const std::string& name : names) {
    point.attention_backend =
        point.attention_backend ? *point.attention_backend + "+" + name : name;
  }
}

// If the ranks' buckets differ, there is no common timeline.
void set_bucket_timeline(PointRecord& point, Ranks ranks) {
  point.bucket_timeline = ranks.front().bucket_timeline;
  const auto n = static_cast<double>(ranks.size());
  for (const auto value : {&BucketRecord::ready_s, &BucketRecord::start_s, &BucketRecord::end_s,
                           &BucketRecord::hidden_share}) {
    for (std::size_t b = 0; b < point.bucket_timeline.size(); ++b) {
      point.bucket_timeline[b].*value = 0;
      for (const auto& rank : ranks) {
        if (rank.bucket_timeline.size() != point.bucket_timeline.size()) {
          return point.bucket_timeline.clear();
        }
        point.bucket_timeline[b].*value += rank.bucket_timeline[b].*value / n;
      }
    }
  }
}

// Averages over the ranks; returns nothing where a rank has no batches.
std::vector<double> mean_batches(Ranks ranks) {
  std::vector<double> sum(kExposedBatches, 0.0);
  for (const auto& rank : ranks) {
    if (rank.exposed_batches.size() != sum.size()) return {};
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += rank.exposed_batches[i];
  }
  for (double& value : sum) value /= static_cast<double>(ranks.size());
  return sum;
}

void set_the_rest(PointRecord& point, Ranks ranks) {
  set_bucket_timeline(point, ranks);
  set_attention(point, ranks);
  const auto& first = ranks.front();
  point.warmup_iterations = first.warmup_iterations;
  point.payload_bytes_per_step = first.payload_bytes_per_step;
  point.bucket_bytes = first.bucket_bytes;
  point.left_out = first.left_out;
  point.skipped.clear();
  point.setup_s = {};
  point.warmup_settled.reset();
  for (const auto& rank : ranks) {
    if (rank.warmup_settled) point.warmup_settled = rank.warmup_settled;
    add_unlisted(point.skipped, rank.skipped);
    auto& setup = point.setup_s;  // the slowest rank of each part: the others waited for it
    setup.rendezvous_s = std::max(setup.rendezvous_s, rank.setup_s.rendezvous_s);
    setup.model_s = std::max(setup.model_s, rank.setup_s.model_s);
    setup.data_s = std::max(setup.data_s, rank.setup_s.data_s);
    setup.first_step_s = std::max(setup.first_step_s, rank.setup_s.first_step_s);
  }
}

}  // namespace

PointRecord assemble_point(PointRecord identity, Ranks processes, const StepSeries& series) {
  refuse_contradictions(processes, series);
  PointRecord point = std::move(identity);
  point.status = PointStatus::kOk;
  point.ranks.clear();
  std::vector<RankMeasurement> ranks;  // dedicated servers are left out
  for (const auto& process : processes) {
    if (process.serves) continue;
    point.ranks.push_back(process.record);
    ranks.push_back(process);
  }
  std::ranges::sort(point.ranks, {}, &RankRecord::rank);

  set_steps(point, series, ranks.front().steps_per_mark);
  set_throughput(point, ranks, series);
  set_interval(point);
  set_mfu(point);
  set_the_rest(point, ranks);
  set_communication(point, ranks, mean_batches(ranks));
  set_energy(point, processes);
  set_memory(point, processes);
  const auto rank_of = [](const RankMeasurement& rank) { return rank.record.rank; };
  set_loss(point, *std::ranges::min_element(ranks, {}, rank_of));
  return point;
}

}  // namespace scalemark::reporting
