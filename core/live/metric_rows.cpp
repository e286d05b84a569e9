#include "core/live/metric_rows.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

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

// --- Where a row's series come from: each makes a reader out of a function of one part.

auto of_run(auto value) {
  return [value](const MetricMoment& moment) {
    const auto is = number(value(moment.status));
    return is ? MetricSamples{{{}, *is}} : MetricSamples{};
  };
}

auto of_ranks(auto value) {
  return [value](const MetricMoment& moment) {
    MetricSamples all;
    for (const RankStatus& rank : moment.status.ranks) {
      if (const auto is = number(value(rank))) all.push_back({{text_of(rank.rank)}, *is});
    }
    return all;
  };
}

auto of_nodes(auto value) {
  return [value](const MetricMoment& moment) {
    MetricSamples all;
    for (const NodeStatus& node : moment.status.nodes) {
      if (const auto is = number(value(node))) all.push_back({{node.host}, *is});
    }
    return all;
  };
}

// Several ranks may compute on one GPU; the first of them tells of it.
void for_each_gpu(const Status& status, auto body) {
  std::set<std::pair<std::string, std::string>> told;
  for (const RankStatus& rank : status.ranks) {
    if (!rank.gpu || !told.insert({rank.host, rank.gpu->uuid}).second) continue;
    body(*rank.gpu, std::vector<std::string>{rank.gpu->uuid, rank.gpu->device, rank.host});
  }
}

auto of_gpus(auto value) {
  return [value](const MetricMoment& moment) {
    MetricSamples all;
    for_each_gpu(moment.status, [&](const GpuStatus& gpu, std::vector<std::string> labels) {
      if (const auto is = number(value(gpu))) all.push_back({std::move(labels), *is});
    });
    return all;
  };
}

auto of_interfaces(double InterfaceStatus::*bytes) {
  return [bytes](const MetricMoment& moment) {
    MetricSamples all;
    for (const NodeStatus& node : moment.status.nodes) {
      for (const InterfaceStatus& one : node.interfaces)
        all.push_back({{one.name, node.host}, one.*bytes});
    }
    return all;
  };
}

// --- Rows that are more than one number.

MetricSamples run_info(const MetricMoment& moment) {
  const Status& run = moment.status;
  const TrainingStatus& is = run.training;
  return {{{run.run_id, run.command, is.workload, is.strategy, is.backend, is.precision,
            is.world_size > 0 ? text_of(is.world_size) : "", run.version, run.commit}}};
}

MetricSamples rank_info(const MetricMoment& moment) {
  MetricSamples all;
  for (const RankStatus& rank : moment.status.ranks) {
    all.push_back({{text_of(rank.rank), text_of(rank.local_rank), rank.host, rank.device,
                    rank.gpu ? rank.gpu->uuid : ""}});
  }
  return all;
}

MetricSamples phases(const MetricMoment& moment) {
  MetricSamples all;
  for (const RankStatus& rank : moment.status.ranks) {
    all.push_back({{text_of(rank.rank), rank.phase}});
  }
  return all;
}

MetricSamples done_runs(const MetricMoment& moment) {
  MetricSamples all;
  for (const CountedRuns& runs : moment.status.runs) {
    all.push_back({{runs.status}, static_cast<double>(runs.count)});
  }
  return all;
}

MetricSamples evaluation(const MetricMoment& moment) {
  const auto& is = moment.status.evaluation;
  return is ? MetricSamples{{{is->metric}, is->value}} : MetricSamples{};
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

// Exchanges fewer than the rank of the same phase that has begun most.
MetricSamples behind(const MetricMoment& moment) {
  std::map<std::string_view, std::int64_t> front;
  for (const RankStatus& rank : moment.status.ranks)
    front[rank.phase] = std::max(front[rank.phase], rank.collectives);
  MetricSamples all;
  for (const RankStatus& rank : moment.status.ranks) {
    if (!is_measuring(rank.phase)) continue;
    all.push_back(
        {{text_of(rank.rank)}, static_cast<double>(front[rank.phase] - rank.collectives)});
  }
  return all;
}

// Milliseconds: records are no finer.
double at(const MetricMoment& moment, double ago_s) {
  return std::round(1e3 * (moment.now_s - ago_s)) / 1e3;
}

MetricSamples last_steps(const MetricMoment& moment) {
  MetricSamples all;
  for (const RankStatus& rank : moment.status.ranks) {
    if (!rank.since_step_s) continue;
    all.push_back({{text_of(rank.rank)}, at(moment, rank.silent_s + *rank.since_step_s)});
  }
  return all;
}

MetricSamples last_beats(const MetricMoment& moment) {
  MetricSamples all;
  for (const RankStatus& rank : moment.status.ranks)
    all.push_back({{text_of(rank.rank)}, at(moment, rank.silent_s)});
  return all;
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

MetricSamples memory_errors(const MetricMoment& moment) {
  MetricSamples all;
  const auto add = [&](std::vector<std::string> labels, const char* kind, auto count) {
    if (!count) return;
    labels.emplace_back(kind);
    all.push_back({std::move(labels), *count});
  };
  for_each_gpu(moment.status, [&](const GpuStatus& gpu, const std::vector<std::string>& labels) {
    add(labels, "corrected", gpu.ecc_corrected);
    add(labels, "uncorrected", gpu.ecc_uncorrected);
  });
  return all;
}

MetricSamples pressure(const MetricMoment& moment) {
  MetricSamples all;
  for (const NodeStatus& node : moment.status.nodes) {
    if (node.pressure_cpu_s) all.push_back({{node.host, "cpu"}, *node.pressure_cpu_s});
    if (node.pressure_memory_s) all.push_back({{node.host, "memory"}, *node.pressure_memory_s});
    if (node.pressure_io_s) all.push_back({{node.host, "io"}, *node.pressure_io_s});
  }
  return all;
}

// --- The table.

using enum MetricKind;
constexpr const char* kOfRank = "rank";
constexpr const char* kOfHost = "host";
constexpr const char* kOfGpu = "UUID,device,host";  // UUID is spelled as dcgm-exporter spells it

std::vector<Metric> run_rows() {
  return {
      {"run_info", kInfo,
       "run_id,command,workload,strategy,backend,precision,world_size,version,commit",
       "The run, and what is trained or measured now; always 1.", run_info},
      {"run_state", kGauge, "state", "running, complete, interrupted or failed; always 1.",
       [](const MetricMoment& moment) { return MetricSamples{{{moment.status.state}}}; }},
      {"remaining_seconds", kGauge, "",
       "To the end of the phase, or of a sweep, by the pace so far.",
       of_run([](const Status& s) { return s.seconds_left; })},
      {"loss", kGauge, "", "Training loss, of the last step of rank 0 that told it.",
       of_run([](const Status& s) { return s.loss; })},
      {"learning_rate", kGauge, "", "Learning rate of the last step.",
       of_run([](const Status& s) { return s.learning_rate; })},
      {"epoch", kGauge, "", "Epoch behind which was evaluated, counted from 1.",
       of_run([](const Status& s) {
         return s.evaluation ? std::optional(s.evaluation->epoch) : std::nullopt;
       })},
      {"evaluation_loss", kGauge, "", "Mean loss of the held-out samples.",
       of_run([](const Status& s) {
         return s.evaluation ? std::optional(s.evaluation->loss) : std::nullopt;
       })},
      {"evaluation_ratio", kGauge, "metric", "Metric of the held-out samples, such as top-1.",
       evaluation},
      {"points_done_total", kCounter, "status", "Runs of the report so far.", done_runs},
      {"points_planned", kGauge, "", "Runs that a sweep plans; it may grow.",
       of_run([](const Status& s) { return s.runs_planned; })},
  };
}

std::vector<Metric> rank_rows() {
  return {
      {"rank_info", kInfo, "rank,local_rank,host,device,UUID",
       "Where a rank computes; UUID of its GPU; always 1.", rank_info},
      {"rank_phase", kGauge, "rank,phase",
       "The phase that it is in; steps are made in warmup, window and epochs; always 1.", phases},
      {"last_beat_timestamp_seconds", kGauge, kOfRank,
       "Newest sign of life, since 1970; one comes each 1 to 2.5 s.", last_beats},
      {"last_step_timestamp_seconds", kGauge, kOfRank, "End of its last step, since 1970.",
       last_steps},
      {"steps_total", kCounter, kOfRank, "Optimizer steps that ended.",
       of_ranks([](const RankStatus& r) { return r.steps; })},
      {"samples_total", kCounter, kOfRank, "Samples trained on.",
       of_ranks([](const RankStatus& r) { return r.samples; })},
      {"data_wait_seconds_total", kCounter, kOfRank, "Waited for the loader.",
       of_ranks([](const RankStatus& r) { return r.data_wait_s; })},
      {"payload_bytes_total", kCounter, kOfRank, "Gradients and weights handed to exchanges.",
       of_ranks([](const RankStatus& r) { return r.payload_bytes; })},
      {"collectives_started_total", kCounter, kOfRank, "Exchanges begun.",
       of_ranks([](const RankStatus& r) { return r.all_collectives; })},
      {"collectives_behind", kGauge, kOfRank,
       "Exchanges begun fewer than by the front rank of its phase, as of the newest records.",
       behind},
      {"rank_resident_memory_bytes", kGauge, kOfRank, "Resident memory of its process.",
       of_ranks([](const RankStatus& r) { return r.resident_bytes; })},
      {"process_cpu_seconds_total", kCounter, kOfRank, "CPU time of its process.",
       of_ranks([](const RankStatus& r) { return r.cpu_s; })},
      {"main_thread_seconds_total", kCounter, "rank,state",
       "Main thread on a CPU (running), and ready without one (queued).", main_thread},
      {"late_wakeups_total", kCounter, kOfRank, "Times its sampler woke more than 5 ms late.",
       of_ranks([](const RankStatus& r) { return r.late_wakeups; })},
      {"major_faults_total", kCounter, kOfRank, "Pages read from a disk.",
       of_ranks([](const RankStatus& r) { return r.major_faults; })},
      {"monitoring_cpu_seconds_total", kCounter, kOfRank,
       "CPU time of the threads that watch the run.",
       of_ranks([](const RankStatus& r) { return r.watching_cpu_s; })},
  };
}

std::vector<Metric> gpu_rows() {
  return {
      {"gpu_utilization_ratio", kGauge, kOfGpu, "Share of the time in which a kernel ran.",
       of_gpus([](const GpuStatus& g) { return g.utilisation; })},
      {"gpu_sm_clock_hertz", kGauge, kOfGpu, "Clock of its processors.",
       of_gpus([](const GpuStatus& g) {
         return g.sm_clock_MHz ? std::optional(1e6 * *g.sm_clock_MHz) : std::nullopt;
       })},
      {"gpu_temperature_celsius", kGauge, kOfGpu, "Temperature of the chip.",
       of_gpus([](const GpuStatus& g) { return g.temperature_C; })},
      {"gpu_power_watts", kGauge, kOfGpu, "Power drawn.",
       of_gpus([](const GpuStatus& g) { return g.power_W; })},
      {"gpu_memory_used_bytes", kGauge, kOfGpu, "Memory in use, of all processes.",
       of_gpus([](const GpuStatus& g) { return g.memory_used_bytes; })},
      {"gpu_clocks_held_down", kGauge, "UUID,device,host,reason",
       "1 for each reason that holds its clocks down now.", held_down},
      {"gpu_ecc_errors_total", kCounter, "UUID,device,host,kind",
       "Memory errors, corrected and uncorrected, since the driver was loaded.", memory_errors},
      {"gpu_xid_errors_total", kCounter, kOfGpu, "Errors that the driver reported since the start.",
       of_gpus([](const GpuStatus& g) { return g.xid_errors; })},
      {"gpu_pcie_replays_total", kCounter, kOfGpu, "PCIe packets sent again.",
       of_gpus([](const GpuStatus& g) { return g.pcie_replays; })},
  };
}

std::vector<Metric> node_rows() {
  return {
      {"host_cpus", kGauge, kOfHost, "CPUs of the machine.",
       of_nodes([](const NodeStatus& n) { return n.cpus; })},
      {"host_busy_cpu_seconds_total", kCounter, kOfHost, "CPU time of all programs.",
       of_nodes([](const NodeStatus& n) { return n.busy_cpu_s; })},
      {"host_steal_cpu_seconds_total", kCounter, kOfHost,
       "CPU time that the hypervisor gave to others.",
       of_nodes([](const NodeStatus& n) { return n.steal_cpu_s; })},
      {"host_throttled_cpu_seconds_total", kCounter, kOfHost, "CPU time that a quota held back.",
       of_nodes([](const NodeStatus& n) { return n.throttled_cpu_s; })},
      {"host_memory_available_bytes", kGauge, kOfHost, "Memory that programs could still take.",
       of_nodes([](const NodeStatus& n) { return n.memory_available_bytes; })},
      {"host_swapped_bytes_total", kCounter, kOfHost, "Written to swap and read from it.",
       of_nodes([](const NodeStatus& n) { return n.swapped_bytes; })},
      {"pressure_seconds_total", kCounter, "host,resource",
       "Time in which some task waited for it: cpu, memory, io.", pressure},
      {"network_receive_bytes_total", kCounter, "device,host", "Bytes that an interface received.",
       of_interfaces(&InterfaceStatus::received_bytes)},
      {"network_transmit_bytes_total", kCounter, "device,host", "Bytes that an interface sent.",
       of_interfaces(&InterfaceStatus::sent_bytes)},
      {"network_retransmitted_segments_total", kCounter, kOfHost, "TCP segments sent again.",
       of_nodes([](const NodeStatus& n) { return n.retransmitted_segments; })},
      {"network_errors_total", kCounter, kOfHost, "Errors and drops of its interfaces.",
       of_nodes([](const NodeStatus& n) { return n.network_errors; })},
      {"disk_read_bytes_total", kCounter, kOfHost, "Bytes read from its disks.",
       of_nodes([](const NodeStatus& n) { return n.disk_read_bytes; })},
      {"disk_written_bytes_total", kCounter, kOfHost, "Bytes written to its disks.",
       of_nodes([](const NodeStatus& n) { return n.disk_written_bytes; })},
      {"output_free_bytes", kGauge, kOfHost, "Free where the report goes.",
       of_nodes([](const NodeStatus& n) { return n.output_free_bytes; })},
  };
}

}  // namespace

const std::vector<Metric>& metrics() {
  static const std::vector<Metric> all = [] {
    std::vector<Metric> table;
    for (auto part : {run_rows(), rank_rows(), gpu_rows(), node_rows()})
      table.insert(table.end(), part.begin(), part.end());
    return table;
  }();
  return all;
}

}  // namespace scalemark::live
