#include "tests/report/sample_fleet.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

#include "core/base/number_words.h"
#include "core/plan/collectives/link_rounds.h"
#include "core/statistics/summary.h"
#include "report/record/finding_kinds.h"

namespace scalemark::reporting {
namespace {

constexpr const char* kChip = "NVIDIA H100 80GB HBM3";
constexpr double kProduct = 700e12, kCopy = 3.0e12, kLinkGBps = 45;
constexpr double kBetweenSwitches = 1.4;
constexpr double kWindow_s = 20;

double value_at(const std::map<std::pair<int, int>, double>& values, int node, int device) {
  const auto found = values.find({node, device});
  return found == values.end() ? 0 : found->second;
}

monitoring::Host host_of(const FleetShape& shape, int node) {
  monitoring::Host host;
  host.hostname = fleet_host(node);
  host.scheduler_node = "n" + printed("%03.0f", node);
  host.cpu = "Made Up 9000";
  host.boot_id = "boot-" + std::to_string(shape.boot) + "-of-" + host.hostname;
  host.cores = {.physical = 96, .logical = 192, .usable = 192};
  host.memory_bytes = 1ULL << 41;
  host.nics.push_back({"eth0", "up", 100000, 9000});
  for (int i = 0; i < shape.ports; ++i) {
    const std::string name = "mlx5_" + std::to_string(i);
    host.rdma.push_back({.device = name, .state = "ACTIVE", .rate_Gbit_per_s = 400});
  }
  const auto driver = shape.drivers.find(node);
  for (int i = 0; i < shape.devices; ++i) {
    monitoring::Gpu gpu;
    gpu.index = i;
    gpu.name = kChip;
    gpu.uuid = "GPU-" + std::to_string(node) + "-" + std::to_string(i);
    gpu.pci = "0000:" + std::to_string(i);
    gpu.serial = std::to_string(1000 * node + i);
    gpu.memory_bytes = 85899345920ULL;
    gpu.driver = driver == shape.drivers.end() ? "580.65" : driver->second;
    gpu.power_limit_W = 700;
    gpu.pcie = {5, 16};
    gpu.nvlinks = 18;
    gpu.compute_major = 9;
    gpu.compute_minor = 0;
    host.gpus.push_back(gpu);
    host.visible_gpus.push_back(i);
  }
  return host;
}

monitoring::NcclChoice nccl_of(const FleetShape& shape, int node) {
  monitoring::NcclChoice record;
  record.host = fleet_host(node);
  if (shape.devices > 1) record.within = {"NVLink"};
  record.adapters = {"mlx5_0:1/IB", "mlx5_1:1/IB"};
  return record;
}

class NodeMaker {
 public:
  NodeMaker(const FleetShape& shape, int node)
      : shape_(shape), node_(node), random_(shape.seed * 1000 + static_cast<std::uint64_t>(node)) {
    random_of_links_.seed(shape.seed * 1000 +
                          static_cast<std::uint64_t>(node + 500 * (1 + shape.boot)));
    for (int i = 0; i < shape.devices; ++i) {
      const auto slow_node = shape.slow_nodes.find(node);
      const double slow = value_at(shape.slow, node, i) +
                          (slow_node == shape.slow_nodes.end() ? 0 : slow_node->second);
      truth_.push_back(std::log1p(-slow) + shape.device_sd * normal_(random_));
    }
    if (shape.boot == 0) return;
    random_.discard(1'000'000ULL * static_cast<std::uint64_t>(shape.boot));
    for (double& truth : truth_) truth += shape.boot_sd * normal_(random_);
  }

  Report report() {
    Report report;
    report.status = ReportStatus::kComplete;
    const auto code = shape_.exit_codes.find(node_);
    report.exit_code = code == shape_.exit_codes.end() ? 0 : code->second;
    report.started = report.finished = "2026-11-2" + std::to_string(shape_.boot) + "T08:00:00Z";
    report.run_id = fleet_host(node_);
    report.tool.version = "0.1.0";
    report.tool.libraries["nccl"] = {.built_with = "2.28", .running_with = "2.28"};
    report.invocation.command = "sweep";
    report.invocation.command_line =
        "scalemark sweep --config configs/acceptance/node.json --output 'acc/1/{host}'";
    report.environment.hosts.push_back(host_of(shape_, node_));
    for (int start = 0; start < shape_.starts; ++start) {
      for (const std::string& workload : shape_.workloads) {
        report.points.push_back(run(workload, start, /*alone=*/true));
        report.points.push_back(run(workload, start, /*alone=*/false));
      }
    }
    add_fingerprint(report);
    if (shape_.devices > 1) report.nccl.push_back(nccl_of(shape_, node_));
    add_disturbances(report);
    if (shape_.health) add_health(report);
    return report;
  }

 private:
  double rate(double base, double ln) {
    return base * std::exp(ln + shape_.run_sd * normal_(random_));
  }

  // Links do not slow down with the arithmetic of a device. In B/s.
  double link_rate(double GBps, double ln) {
    return 1e9 * GBps * std::exp(ln + shape_.run_sd * normal_of_links_(random_of_links_));
  }

  double effect(int device, int start, MeasuredRate what) const {
    return shape_.effect ? shape_.effect(node_, device, start, what) : 0;
  }

  PointRecord run(const std::string& workload, int start, bool alone) {
    PointRecord run;
    run.group =
        workload + "-b256-amp-bf16-w" + std::to_string(shape_.devices) + (alone ? "-none" : "-ddp");
    run.id = run.group + "/r" + std::to_string(start);
    run.workload = workload;
    run.strategy = alone ? "none" : "ddp";
    run.device = "cuda";
    run.device_name = kChip;
    run.precision = "amp-bf16";
    run.world_size = run.processes = shape_.devices;
    run.session = run.repetition = run.block = start;
    run.started = "2026-11-20T08:00:00Z";
    run.steady = true;
    run.iterations = 100;
    run.wall_s = kWindow_s;
    double slowest = 1e300;
    for (int i = 0; i < shape_.devices; ++i) {
      RankRecord& rank = run.ranks.emplace_back();
      rank.rank = i;
      rank.host = fleet_host(node_);
      rank.device = "cuda:" + std::to_string(i);
      rank.uuid = std::to_string(node_) + "-" + std::to_string(i);  // CUDA names the device by it
      rank.samples = 1'000'000;
      const double own =
          rate(kRateOfDevice,
               truth_[static_cast<std::size_t>(i)] +
                   effect(i, start, alone ? MeasuredRate::kAlone : MeasuredRate::kTogether));
      rank.wall_s = static_cast<double>(rank.samples) / own;
      rank.own_mean_ln = std::log(kRateOfDevice / own);
      slowest = std::min(slowest, own);
    }
    run.samples_per_sec =
        slowest * shape_.devices * std::exp(alone ? 0 : effect(-1, start, MeasuredRate::kTogether));
    return run;
  }

  void add_fingerprint(Report& report) {
    for (int start = 0; start < shape_.starts; ++start) {
      for (int i = 0; i < shape_.devices; ++i) {
        const double slow = std::log1p(-value_at(shape_.products, node_, i));
        const double own = truth_[static_cast<std::size_t>(i)];
        add_rate(report, start, i, MachineRate::kMatrixProduct,
                 rate(kProduct, own + slow + effect(i, start, MeasuredRate::kProduct)));
        add_rate(report, start, i, MachineRate::kMemoryCopy,
                 rate(kCopy, own + effect(i, start, MeasuredRate::kCopy)));
        for (const auto what : {MachineRate::kHostToDevice, MachineRate::kDeviceToHost}) {
          add_rate(report, start, i, what,
                   link_rate(shape_.host_copy_GBps, effect(i, start, MeasuredRate::kInside)));
        }
      }
      add_inside(report, start);
    }
    for (int i = 0; i < shape_.devices; ++i) {
      const double slow = std::log1p(-value_at(shape_.products, node_, i)) +
                          std::log1p(-value_at(shape_.fading, node_, i));
      add_rate(report, 0, i, MachineRate::kSustainedProduct,
               rate(0.97 * kProduct, truth_[static_cast<std::size_t>(i)] + slow +
                                         effect(i, 0, MeasuredRate::kHeld)));
      add_replay(report, i);
    }
  }

  // The slowest device holds up what all exchange.
  void add_inside(Report& report, int start) {
    if (shape_.devices < 2) return;
    const auto slow = shape_.slow_inside.find(node_);
    const double node = (slow == shape_.slow_inside.end() ? 0 : std::log1p(-slow->second)) +
                        effect(-1, start, MeasuredRate::kInside);
    double slowest = 1e300;
    for (int i = 0; i < shape_.devices; ++i) {
      const double own =
          link_rate(shape_.all_reduce_GBps, node + effect(i, start, MeasuredRate::kInside));
      slowest = std::min(slowest, own);
      add_rate(report, start, i, MachineRate::kPeerExchange, own);
    }
    for (const auto what : {MachineRate::kNodeAllReduce, MachineRate::kNodeAllToAll}) {
      add_rate(report, start, 0, what, slowest);
      report.fingerprint.back().rank.reset();
    }
  }

  void add_replay(Report& report, int device) {
    ReplayRecord& replay = report.replays.emplace_back();
    replay.host = report.run_id;
    replay.device = "cuda:" + std::to_string(device);
    replay.uuid = std::to_string(node_) + "-" + std::to_string(device);
    replay.rank = device;
    replay.work = "matrix product";
    replay.precision = "bf16";
    replay.method = std::string("8192 x 8192, ") + kChip;
    replay.rounds = 10000;
    const std::pair here(node_, device);
    if (shape_.wrong_once.contains(here)) {
      replay.wrong = 1;
      replay.first_wrong = "round 77, row 5, column 9, 1 element";
    }
    replay.digest = shape_.wrong_always.contains(here) ? "bad" : "good";
  }

  void add_rate(Report& report, int start, int device, MachineRate what, double value) {
    FingerprintRecord& record = report.fingerprint.emplace_back();
    record.host = report.run_id;
    record.device = "cuda:" + std::to_string(device);
    record.device_name = kChip;
    record.what = what;
    record.session = start;
    const bool copies =
        what != MachineRate::kMatrixProduct && what != MachineRate::kSustainedProduct;
    record.precision = copies ? "" : "bf16";
    record.method = copies ? "1 GiB" : "8192 x 8192";
    if (what == MachineRate::kSustainedProduct) record.method += ", held for 60 s";
    record.unit = copies ? "B/s" : "FLOP/s";
    record.ci95.low = value * 0.999;
    record.ci95.high = value * 1.001;
    record.value = value;
    if (shape_.disturbed.contains(node_)) {
      record.disturbed = "shared: other processes used 3.0 CPUs";
      record.disturbed_by = {"shared"};
    }
    if (shape_.throttled.contains(node_)) {
      record.disturbed = "throttled: a CPU quota held it back";
      record.disturbed_by = {"throttled"};
    }
  }

  void add_disturbances(Report& report) {
    for (const PointRecord& run : report.points) {
      const FindingPlace place{.host = fleet_host(node_)};
      if (shape_.disturbed.contains(node_)) {
        report.findings.push_back(
            make_finding(finding_kinds::shared, run.id, {{"others", 3.0}}, place));
      }
      if (shape_.throttled.contains(node_)) {
        report.findings.push_back(
            make_finding(finding_kinds::throttled, run.id, {{"quota_cpus", 0.2}}, place));
      }
    }
  }

  void add_health(Report& report) {
    for (int start = 0; start < shape_.starts; ++start) {
      for (int i = 0; i < shape_.devices; ++i) {
        const auto growth = shape_.counters.find({node_, i});
        for (const char* counter :
             {"ecc_uncorrected_volatile", "rows_remapped_uncorrected", "rows_remap_pending",
              "rows_remap_failed", "xid_events", "nvlink_replays", "held_back_thermal_s"}) {
          HealthRecord record{.host = report.run_id,
                              .device = "cuda:" + std::to_string(i),
                              .uuid = std::to_string(node_) + "-" + std::to_string(i),
                              .counter = counter,
                              .session = start,
                              .before = 0,
                              .after = 0,
                              .seconds = 300};
          if (start == 0 && growth != shape_.counters.end() && growth->second.contains(counter)) {
            record.after = growth->second.at(counter);
          }
          report.health.push_back(record);
        }
      }
      report.health.push_back({.host = report.run_id,
                               .device = "mlx5_0/1",
                               .uuid = {},
                               .counter = "link_downed",
                               .session = start,
                               .before = 2,
                               .after = 2,
                               .seconds = 300});
    }
  }

  const FleetShape& shape_;
  int node_;
  std::mt19937_64 random_, random_of_links_;
  std::normal_distribution<double> normal_, normal_of_links_;
  std::vector<double> truth_;  // ln of each device's speed
};

void take_passes(std::mt19937_64& random, double noise, LinkRecord& link) {
  std::normal_distribution<double> normal;
  std::vector<double> passes;
  for (int k = 0; k < link.passes; ++k) {
    passes.push_back(link.bandwidth_GBps * std::exp(noise * normal(random)));
  }
  link.bandwidth_GBps = statistics::median(passes);
  if (const auto interval = statistics::median_interval(passes)) {
    link.bandwidth_ci95 = {interval->low, interval->high};
  }
}

LinkRecord link_of(const FleetShape& shape, int a, int b, std::mt19937_64& random) {
  LinkRecord link{.a = fleet_host(a), .b = fleet_host(b), .latency_s = 1e-5};
  link.bandwidth_GBps = shape.slow_links.contains({a, b}) ? 0.4 * kLinkGBps : kLinkGBps;
  if (shape.link_effect) link.bandwidth_GBps *= std::exp(shape.link_effect(a, b));
  link.bandwidth_ci95 = {0.97 * link.bandwidth_GBps, 1.03 * link.bandwidth_GBps};
  if (shape.nodes_of_switch > 0 && a / shape.nodes_of_switch != b / shape.nodes_of_switch) {
    link.latency_s *= kBetweenSwitches;
  }
  link.passes = 11;
  if (shape.link_noise > 0) take_passes(random, shape.link_noise, link);
  return link;
}

// All nodes, halves, quarters ... exchange at the same time, three times each.
void add_all_reduces(const FleetShape& shape, Report& report) {
  std::vector<int> node_of_rank;
  for (int rank = 0; rank < shape.nodes * shape.devices; ++rank) {
    node_of_rank.push_back(rank / shape.devices);
  }
  for (const auto& parts : planning::drawn_parts(node_of_rank, shape.seed)) {
    const int count = static_cast<int>(parts.size());
    for (int part = 0; part < count; ++part) {
      const planning::Part& members = parts[static_cast<std::size_t>(part)];
      const int nodes = static_cast<int>(members.size()) / shape.devices;
      const std::string group = std::to_string(part + 1) + "of" + std::to_string(count);
      for (int run = 0; run < 3; ++run) {
        auto row = all_reduce_run(group, members, nodes,
                                  count > 1 ? std::optional(count) : std::nullopt, run);
        row.expected_busbw_GBps = kLinkGBps;
        row.busbw_GBps = kLinkGBps * std::exp(shape.under_load(count, part, run));
        report.collectives.push_back(std::move(row));
      }
    }
  }
}

Report links_report(const FleetShape& shape) {
  Report report;
  report.status = ReportStatus::kComplete;
  report.exit_code = 0;
  report.started = report.finished = "2026-11-20T08:20:00Z";
  report.run_id = "links";
  report.invocation.command = "comm";
  for (int node = 0; node < shape.nodes; ++node) {
    report.environment.hosts.push_back(host_of(shape, node));
    report.nccl.push_back(nccl_of(shape, node));
    report.nccl.back().within.clear();  // lazily connected ranks of a node exchange nothing here
    report.nccl.back().between = {"InfiniBand with GPUDirect"};
  }
  std::mt19937_64 random(shape.seed);
  for (const auto& [a, b] : linked_nodes(shape.nodes, shape.seed)) {
    for (int i = 0; i < (shape.links_by_rank ? shape.devices : 1); ++i) {
      LinkRecord link = link_of(shape, a, b, random);
      if (shape.links_by_rank) {
        link.a_rank = shape.devices * a + i;
        link.b_rank = shape.devices * b + i;
        link.a_device = link.b_device = "cuda:" + std::to_string(i);
      }
      report.links.push_back(link);
      if (!shape.slow_links.contains({a, b})) continue;
      report.findings.push_back(
          make_finding(finding_kinds::slow_link, "", {}, FindingPlace{.link = link.name()}));
    }
  }
  if (shape.under_load) add_all_reduces(shape, report);
  return report;
}

// Adds what a sweep concludes from the runs of all ranks: communication takes what is missing.
void add_scaling(Report& report, double efficiency) {
  ScalingTable table{.kind = "weak", .relative_to = "1 rank without communication"};
  std::map<std::string, ScalingRow> rows;
  for (const PointRecord& run : report.points) {
    if (run.strategy == "none") continue;
    ScalingRow& row = rows[run.group];
    row.world_size = run.world_size;
    row.group = run.group;
    row.strategy = run.strategy;
    row.points.push_back(run.id);
    row.speedup = efficiency * run.world_size;
    row.efficiency = efficiency;
    row.efficiency_ci95 = {efficiency - 0.01, efficiency + 0.01};
    row.loss_of_efficiency = LossOfEfficiency{.communication = 1 - efficiency};
  }
  for (auto& [group, row] : rows) table.rows.push_back(std::move(row));
  report.scaling.push_back(std::move(table));
}

// One start of all ranks, whose speeds are nobody's: nodes have their own reports.
Report training_report(const FleetShape& shape) {
  Report report = NodeMaker(shape, 0).report();
  report.run_id = "training";
  report.started = "2026-11-20T08:30:00Z";
  report.fingerprint.clear();
  report.findings.clear();
  report.environment.hosts.clear();
  for (int node = 0; node < shape.nodes; ++node) {
    report.environment.hosts.push_back(host_of(shape, node));
  }
  const std::string own = "-w" + std::to_string(shape.devices) + "-",
                    all = "-w" + std::to_string(shape.nodes * shape.devices) + "-";
  for (PointRecord& run : report.points) {
    for (std::string* name : {&run.group, &run.id}) name->replace(name->find(own), own.size(), all);
    run.samples_per_sec *= shape.efficiency * shape.nodes;
    run.session = 0;
    run.nodes = shape.nodes;
    run.world_size = run.processes = shape.nodes * shape.devices;
    run.ranks.resize(static_cast<std::size_t>(run.world_size), run.ranks.front());
    for (int rank = 0; rank < run.world_size; ++rank) {
      RankRecord& record = run.ranks[static_cast<std::size_t>(rank)];
      const int node = rank / shape.devices, device = rank % shape.devices;
      record.rank = rank;
      record.host = fleet_host(node);
      record.device = "cuda:" + std::to_string(device);
      record.uuid = std::to_string(node) + "-" + std::to_string(device);
    }
  }
  add_scaling(report, shape.efficiency);
  return report;
}

}  // namespace

CollectiveRecord all_reduce_run(const std::string& group, const std::vector<int>& members,
                                int nodes, std::optional<int> parts, int run) {
  CollectiveRecord row;
  row.group = group;
  row.id = group + "/r" + std::to_string(run);
  row.device = "cuda";
  row.backend = "nccl";
  row.members = members;
  row.world_size = static_cast<int>(members.size());
  row.nodes = nodes;
  row.parts = parts;
  row.repetition = run;
  row.expected_source = "the slowest link, as measured";
  return row;
}

std::string fleet_host(int node) { return "node" + printed("%03.0f", node); }

std::vector<std::pair<int, int>> linked_nodes(int nodes, std::uint64_t seed) {
  std::vector<std::pair<int, int>> pairs;
  for (const auto& round : planning::pair_rounds(nodes, seed)) {
    pairs.insert(pairs.end(), round.begin(), round.end());
  }
  std::ranges::sort(pairs);
  return pairs;
}

std::vector<NamedReport> sample_fleet(const FleetShape& shape) {
  std::vector<NamedReport> fleet;
  for (int node = 0; node < shape.nodes; ++node) {
    if (shape.without_report.contains(node)) continue;
    fleet.push_back({"acc/1/" + fleet_host(node), NodeMaker(shape, node).report()});
  }
  if (shape.links && shape.nodes > 1) fleet.push_back({"acc/links", links_report(shape)});
  if (shape.training) fleet.push_back({"acc/fleet", training_report(shape)});
  return fleet;
}

}  // namespace scalemark::reporting
