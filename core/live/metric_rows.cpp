// The table of metrics: each has its name, help and labels here, and is read from status.json.

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/live/pages.h"
#include "core/live/rates.h"

namespace scalemark::live {
namespace {

using MetricSamples = std::vector<MetricSample>;

std::optional<double> number(double value) { return value; }
std::optional<double> number(std::int64_t value) { return static_cast<double>(value); }
std::optional<double> number(std::optional<double> value) { return value; }
std::optional<double> number(std::optional<std::int64_t> value) {
  return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
}

std::string text_of(std::int64_t value) { return std::to_string(value); }

// --- These make the reader of a row out of a function that reads one part of the status.

auto of_run(auto value) {
  return [value](const MetricMoment& moment) {
    const auto is = number(std::invoke(value, moment.status));
    return is ? MetricSamples{{{}, *is}} : MetricSamples{};
  };
}

// One series for each part in a list of the status.
auto of_each(auto list, auto sample) {
  return [=](const MetricMoment& moment) {
    MetricSamples all;
    for (const auto& part : moment.status.*list) all.push_back(sample(part));
    return all;
  };
}

auto of_ranks(auto value) {
  return [value](const MetricMoment& moment) {
    MetricSamples all;
    for (const RankStatus& rank : moment.status.ranks) {
      if (const auto is = number(std::invoke(value, rank)))
        all.push_back({{text_of(rank.rank)}, *is});
    }
    return all;
  };
}

// Times, each so many seconds ago; rounded to milliseconds, as records are no finer.
auto times_of_ranks(auto ago) {
  return [ago](const MetricMoment& moment) {
    MetricSamples all = of_ranks(ago)(moment);
    for (MetricSample& one : all) one.value = std::round(1e3 * (moment.now_s - one.value)) / 1e3;
    return all;
  };
}

// Several ranks may compute on one GPU; the record of the first of them is used.
constexpr auto for_each_gpu = [](const Status& status, auto body) {
  std::set<std::pair<std::string, std::string>> told;
  for (const RankStatus& rank : status.ranks) {
    if (!rank.gpu || !told.insert({rank.host, rank.gpu->uuid}).second) continue;
    body(*rank.gpu, std::vector<std::string>{rank.gpu->uuid, rank.gpu->device, rank.host});
  }
};

constexpr auto for_each_node = [](const Status& status, auto body) {
  for (const NodeStatus& node : status.nodes) body(node, std::vector<std::string>{node.host});
};

constexpr auto for_each_interface = [](const Status& status, auto body) {
  for (const NodeStatus& node : status.nodes) {
    for (const InterfaceStatus& one : node.interfaces)
      body(one, std::vector<std::string>{one.name, node.host});
  }
};

// Adds a metric for each distinct name among a machine's `numbers`, in which numbers of one metric
// follow each other. `for_each(status, body)` calls body(record, values of `labels`) for each
// record that holds such numbers.
void add_numbers(std::vector<Metric>& rows, const auto& numbers, const char* labels,
                 auto for_each) {
  for (const auto& first : numbers) {
    const std::string_view name = first.is.metric.name;
    if (name.empty() || (!rows.empty() && rows.back().name == name)) continue;
    const auto read = [=, &numbers](const MetricMoment& moment) {
      MetricSamples all;
      for_each(moment.status, [&](const auto& record, const std::vector<std::string>& where) {
        for (const auto& one : numbers) {
          const auto is = one.is.metric.name == name ? number(record.*one.value) : std::nullopt;
          if (!is) continue;
          all.push_back({where, one.is.metric.scale * *is});
          if (*one.is.metric.label) all.back().labels.emplace_back(one.is.metric.value);
        }
      });
      return all;
    };
    const auto& [metric, help, label, value, scale] = first.is.metric;
    const bool counts = first.is.kind == monitoring::SourceKind::kCounter;
    rows.push_back({metric, counts ? MetricKind::kCounter : MetricKind::kGauge,
                    std::string(labels) + (*label ? "," : "") + label, help, read});
  }
}

// --- Rows that are more than one number.

MetricSamples run_info(const MetricMoment& moment) {
  const Status& run = moment.status;
  const TrainingStatus& is = run.training;
  return {{{run.run_id, run.command, is.workload, is.strategy, is.backend, is.precision,
            is.world_size > 0 ? text_of(is.world_size) : "", run.version, run.commit}}};
}

MetricSamples main_thread(const MetricMoment& moment) {
  MetricSamples all;
  for (const RankStatus& rank : moment.status.ranks) {
    const std::string name = text_of(rank.rank);
    if (rank.main_ran_s) all.push_back({{name, "running"}, *rank.main_ran_s});
    if (rank.main_queued_s) all.push_back({{name, "queued"}, *rank.main_queued_s});
  }
  return all;
}

// How many exchanges fewer a rank has begun than the rank of its phase that has begun most.
MetricSamples behind(const MetricMoment& moment) {
  std::map<std::string_view, std::int64_t> front;
  for (const RankStatus& rank : moment.status.ranks)
    front[rank.phase] = std::max(front[rank.phase], rank.collectives);
  return of_ranks([&](const RankStatus& rank) {
    const bool counts = is_measuring(rank.phase);
    return counts ? std::optional(front[rank.phase] - rank.collectives) : std::nullopt;
  })(moment);
}

MetricSamples held_down(const MetricMoment& moment) {
  MetricSamples all;
  for_each_gpu(moment.status, [&](const GpuStatus& gpu, const std::vector<std::string>& labels) {
    for (const std::string& reason : gpu.held_down_by) {
      all.push_back({labels});
      all.back().labels.push_back(reason);
    }
  });
  return all;
}

// --- The table.

using enum MetricKind;
constexpr const char* kOfRank = "rank";

std::vector<Metric> run_rows() {
  return {
      {"run_info", kInfo,
       "run_id,command,workload,strategy,backend,precision,world_size,version,commit",
       "The run, and what is trained or measured now; always 1.", run_info},
      {"run_state", kGauge, "state", "running, complete, interrupted or failed; always 1.",
       [](const MetricMoment& moment) { return MetricSamples{{{moment.status.state}}}; }},
      {"remaining_seconds", kGauge, "",
       "To the end of the phase, or of a sweep, by the pace so far.",
       of_run(&Status::seconds_left)},
      {"loss", kGauge, "", "Training loss, of the last step of rank 0 that told it.",
       of_run(&Status::loss)},
      {"learning_rate", kGauge, "", "Learning rate of the last step.",
       of_run(&Status::learning_rate)},
      {"epoch", kGauge, "", "Epoch behind which was evaluated, counted from 1.",
       of_run([](const Status& s) {
         return s.evaluation ? std::optional(s.evaluation->epoch) : std::nullopt;
       })},
      {"evaluation_loss", kGauge, "", "Mean loss of the held-out samples.",
       of_run([](const Status& s) {
         return s.evaluation ? std::optional(s.evaluation->loss) : std::nullopt;
       })},
      {"evaluation_ratio", kGauge, "metric", "Metric of the held-out samples, such as top-1.",
       [](const MetricMoment& moment) {
         const auto& is = moment.status.evaluation;
         return is ? MetricSamples{{{is->metric}, is->value}} : MetricSamples{};
       }},
      {"points_done_total", kCounter, "status", "Runs of the report so far.",
       of_each(&Status::runs,
               [](const CountedRuns& runs) {
                 return MetricSample{{runs.status}, static_cast<double>(runs.count)};
               })},
      {"points_planned", kGauge, "", "Runs that a sweep plans; it may grow.",
       of_run(&Status::runs_planned)},
  };
}

std::vector<Metric> rank_rows() {
  return {
      {"rank_info", kInfo, "rank,local_rank,host,device,UUID",
       "Where a rank computes; UUID of its GPU; always 1.",
       of_each(&Status::ranks,
               [](const RankStatus& rank) {
                 return MetricSample{{text_of(rank.rank), text_of(rank.local_rank), rank.host,
                                      rank.device, rank.gpu ? rank.gpu->uuid : ""}};
               })},
      {"rank_phase", kGauge, "rank,phase",
       "The phase that it is in; steps are made in warmup, window and epochs; always 1.",
       of_each(&Status::ranks,
               [](const RankStatus& rank) {
                 return MetricSample{{text_of(rank.rank), rank.phase}};
               })},
      {"last_beat_timestamp_seconds", kGauge, kOfRank,
       "Newest sign of life, since 1970; one comes each 1 to 2.5 s.",
       times_of_ranks(&RankStatus::silent_s)},
      {"last_step_timestamp_seconds", kGauge, kOfRank, "End of its last step, since 1970.",
       times_of_ranks([](const RankStatus& rank) {
         return rank.since_step_s ? std::optional(rank.silent_s + *rank.since_step_s)
                                  : std::nullopt;
       })},
      {"steps_total", kCounter, kOfRank, "Optimizer steps that ended.",
       of_ranks(&RankStatus::steps)},
      {"samples_total", kCounter, kOfRank, "Samples trained on.", of_ranks(&RankStatus::samples)},
      {"data_wait_seconds_total", kCounter, kOfRank, "Waited for the loader.",
       of_ranks(&RankStatus::data_wait_s)},
      {"payload_bytes_total", kCounter, kOfRank, "Gradients and weights handed to exchanges.",
       of_ranks(&RankStatus::payload_bytes)},
      {"collectives_started_total", kCounter, kOfRank, "Exchanges begun.",
       of_ranks(&RankStatus::all_collectives)},
      {"collectives_behind", kGauge, kOfRank,
       "Exchanges begun fewer than by the front rank of its phase, as of the newest records.",
       behind},
      {"rank_resident_memory_bytes", kGauge, kOfRank, "Resident memory of its process.",
       of_ranks(&RankStatus::resident_bytes)},
      {"process_cpu_seconds_total", kCounter, kOfRank, "CPU time of its process.",
       of_ranks(&RankStatus::cpu_s)},
      {"main_thread_seconds_total", kCounter, "rank,state",
       "Main thread on a CPU (running), and ready without one (queued).", main_thread},
      {"late_wakeups_total", kCounter, kOfRank, "Times its sampler woke more than 5 ms late.",
       of_ranks(&RankStatus::late_wakeups)},
      {"major_faults_total", kCounter, kOfRank, "Pages read from a disk.",
       of_ranks(&RankStatus::major_faults)},
      {"monitoring_cpu_seconds_total", kCounter, kOfRank,
       "CPU time of the threads that watch the run.", of_ranks(&RankStatus::watching_cpu_s)},
  };
}

std::vector<Metric> machine_rows() {
  std::vector<Metric> rows = {{"gpu_clocks_held_down", kGauge, "UUID,device,host,reason",
                               "1 for each reason that holds its clocks down now.", held_down},
                              {"host_cpus", kGauge, "host", "CPUs of the machine.",
                               of_each(&Status::nodes, [](const NodeStatus& node) {
                                 return MetricSample{{node.host}, static_cast<double>(node.cpus)};
                               })}};
  // UUID is spelled as dcgm-exporter spells it.
  add_numbers(rows, kGpuNumbers, "UUID,device,host", for_each_gpu);
  add_numbers(rows, kNodeNumbers, "host", for_each_node);
  add_numbers(rows, kInterfaceNumbers, "device,host", for_each_interface);
  return rows;
}

}  // namespace

const std::vector<Metric>& metrics() {
  static const std::vector<Metric> all = [] {
    std::vector<Metric> table;
    for (auto part : {run_rows(), rank_rows(), machine_rows()})
      table.insert(table.end(), part.begin(), part.end());
    return table;
  }();
  return all;
}

}  // namespace scalemark::live
