#include "tests/report/sample_sweep.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <random>

#include "report/judge/point/findings.h"
#include "tests/report/sample_report.h"
#include "tests/report/sample_slices.h"

namespace scalemark::reporting {
namespace {

constexpr double kSecondsPerSample = 0.00036, kSecondsPerStep = 0.004;
constexpr double kSlowFactor = 1.04, kRealDataWaitShare = 0.07;
constexpr std::time_t kBegin = 1767322800;  // 2026-01-02T03:00:00Z

struct Planned {
  std::string strategy, data;
  int world_size;
  std::int64_t batch_size;
};

std::string uuid_of(int gpu) { return "GPU-5a1e" + std::to_string(gpu) + "c1e-7d42"; }

std::string time_text(double seconds_after_begin) {
  const std::time_t at = kBegin + static_cast<std::time_t>(seconds_after_begin);
  std::tm parts{};
  gmtime_r(&at, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

std::vector<Planned> plan_of(const SweepShape& shape) {
  std::vector<Planned> plan;
  for (const std::int64_t batch : shape.batch_sizes) {
    plan.push_back({"none", "synthetic", 1, batch});
    for (const int ranks : shape.world_sizes) plan.push_back({"ddp", "synthetic", ranks, batch});
    if (shape.solo && shape.world_sizes.back() > 1) {
      plan.push_back({"none", "synthetic", shape.world_sizes.back(), batch});
    }
  }
  if (shape.real_data) {
    plan.push_back({"ddp", "/data/imagenet", shape.world_sizes.back(), shape.batch_sizes.back()});
  }
  return plan;
}

class Machine {
 public:
  explicit Machine(const SweepShape& shape) : shape_(shape), random_(shape.seed) {}

  std::vector<RankMeasurement> run(const Planned& planned, double progress) {
    const double speed =
        std::exp(shape_.run_noise * normal_(random_) - shape_.drift * (progress - 0.5));
    std::vector<RankMeasurement> ranks(static_cast<std::size_t>(planned.world_size));
    for (int r = 0; r < planned.world_size; ++r)
      describe(ranks[static_cast<std::size_t>(r)], r, planned);
    for (int t = 0; t < shape_.steps; ++t) step(ranks, planned, speed);
    for (auto& rank : ranks) finish(rank);
    return ranks;
  }

 private:
  void describe(RankMeasurement& rank, int number, const Planned& planned) const {
    rank.record.rank = number;
    rank.record.host = shape_.host;
    rank.record.device = "cuda:" + std::to_string(number);
    rank.record.uuid = uuid_of(number);
    rank.iterations = shape_.steps;
    rank.record.samples = planned.batch_size * shape_.steps;
    rank.loss_first = 6.95;
    rank.loss_last = 6.21;
    rank.record.memory_peak_bytes =
        static_cast<std::uint64_t>(1.1e9 + 9.1e7 * static_cast<double>(planned.batch_size));
    rank.warmup_iterations = 60;
    rank.payload_bytes_per_step = planned.strategy == "none" ? 0 : 102228128;
    rank.bucket_bytes = {1048576, 26214400, 26214400, 26214400, 22536544};
    rank.setup_s = {0.9, 0.4, 0.1, 2.5};
  }

  void step(std::vector<RankMeasurement>& ranks, const Planned& planned, double speed) {
    const double ideal =
        kSecondsPerStep + kSecondsPerSample * static_cast<double>(planned.batch_size);
    std::vector<double> own;
    for (auto& rank : ranks) {
      double time = ideal * speed * std::exp(shape_.step_noise * normal_(random_));
      if (rank.record.rank == shape_.slow_rank) time *= kSlowFactor;
      const double wait =
          planned.data == "synthetic" ? 0 : time * kRealDataWaitShare * std::abs(normal_(random_));
      rank.series.counted_data_wait_s.push_back(wait);
      own.push_back(time + wait);
    }
    const bool alone = planned.strategy == "none";
    const double latest = *std::ranges::max_element(own);
    const double reduce =
        alone || ranks.size() == 1 ? 0 : 0.0011 * std::log2(static_cast<double>(ranks.size()));
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      const double whole = alone ? own[r] : latest + reduce;
      ranks[r].series.step_s.push_back(whole);
      ranks[r].series.exposed_communication_s.push_back(whole - own[r]);
    }
  }

  static void finish(RankMeasurement& rank) {
    const auto steps = static_cast<double>(rank.iterations);
    double wait = 0, exposed = 0;
    for (std::size_t t = 0; t < rank.series.step_s.size(); ++t) {
      rank.record.wall_s += rank.series.step_s[t];
      wait += rank.series.counted_data_wait_s[t] / steps;
      exposed += rank.series.exposed_communication_s[t] / steps;
    }
    const double busy = rank.record.wall_s / steps - wait - exposed;
    rank.record.phases_s = Phases{.data_wait = wait,
                                  .host_to_device = 0.01 * busy,
                                  .forward = 0.32 * busy,
                                  .backward = 0.61 * busy,
                                  .exposed_communication = exposed,
                                  .optimizer = 0.05 * busy,
                                  .other = 0.01 * busy};
  }

  const SweepShape& shape_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
};

PointRecord identity(const Planned& planned, int block, int order) {
  PointRecord point;
  point.group = "resnet50-b" + std::to_string(planned.batch_size) + "-amp-bf16-w" +
                std::to_string(planned.world_size) + "-" + planned.strategy +
                (planned.data == "synthetic" ? "" : "-real");
  point.id = point.group + "/r" + std::to_string(block);
  point.workload = "resnet50";
  point.strategy = planned.strategy;
  point.gradient_compression = "none";
  point.backend = "nccl";
  point.device = "cuda";
  point.device_name = "NVIDIA H100 80GB HBM3";
  point.precision = "amp-bf16";
  point.memory_format = "channels-last";
  point.threads = 8;
  point.world_size = point.processes = planned.world_size;
  for (int rank = 0; rank < planned.world_size; ++rank) point.members.push_back(rank);
  point.batch_size = planned.batch_size;
  point.gradient_accumulation_steps = 1;
  point.global_batch_size = planned.batch_size * planned.world_size;
  point.bucket_cap_mb = 25;
  point.image_size = 224;
  point.data = planned.data;
  point.repetition = point.block = block;
  point.order = order;
  point.parameters = 25557032;
  point.flops_per_sample = 2.45e10;
  point.warmup_method = "max(20 steps, 10 s)";
  point.memory_estimate_bytes =
      static_cast<std::uint64_t>(1.2e9 + 8.6e7 * static_cast<double>(planned.batch_size));
  return point;
}

PointRecord out_of_memory(PointRecord point) {
  point.status = PointStatus::kOom;
  point.reason = "rank 0 asked for 1.53 GiB more than there is";
  point.oom = {.rank = 0, .requested_bytes = 1642070016};
  return point;
}

monitoring::Host host_of(const SweepShape& shape) {
  monitoring::Host host;
  host.hostname = shape.host;
  host.os = "Debian GNU/Linux 12 (bookworm)";
  host.kernel = "Linux 6.1.0 x86_64";
  host.cpu = "Made Up 9000";
  host.cores = {.physical = 64, .logical = 128, .usable = 128};
  host.memory_bytes = 1ULL << 40;
  host.nics.push_back({"eth0", "up", 100000, 9000});
  for (int i = 0; i < shape.world_sizes.back(); ++i) {
    host.gpus.push_back({.index = i,
                         .name = "NVIDIA H100 80GB HBM3",
                         .uuid = uuid_of(i),
                         .pci = "00000000:1" + std::to_string(i) + ":00.0",
                         .serial = "16530" + std::to_string(i),
                         .memory_bytes = 85899345920ULL,
                         .driver = "580.65.06",
                         .max_sm_clock_MHz = 1980,
                         .max_memory_clock_MHz = 2619,
                         .power_limit_W = 700.0,
                         .nvlinks = 18});
  }
  return host;
}

}  // namespace

std::vector<PointRecord> sample_sweep_points(const SweepShape& shape) {
  std::mt19937_64 order_of(shape.seed);
  Machine machine(shape);
  const auto plan = plan_of(shape);
  std::vector<PointRecord> points;
  double clock_s = 10;
  const auto runs = static_cast<double>(plan.size()) * shape.repetitions;
  for (int block = 0; block < shape.repetitions; ++block) {
    auto shuffled = plan;
    std::ranges::shuffle(shuffled, order_of);
    for (std::size_t i = 0; i < shuffled.size(); ++i) {
      PointRecord point = identity(shuffled[i], block, static_cast<int>(i));
      point.started = time_text(clock_s);
      if (shuffled[i].batch_size >= shape.out_of_memory_from) {
        points.push_back(out_of_memory(std::move(point)));
        clock_s += 6;
        continue;
      }
      point = assemble_point(std::move(point),
                             machine.run(shuffled[i], static_cast<double>(points.size()) / runs));
      point.energy_J = 640.0 * point.world_size * point.wall_s;
      point.outside_window_s = 1.5;
      clock_s += point.wall_s + 12;
      points.push_back(std::move(point));
    }
  }
  return points;
}

std::vector<ComparedGroups> sample_comparisons(const SweepShape& shape) {
  std::vector<ComparedGroups> all;
  for (const int ranks : shape.world_sizes) {
    ComparedGroups& one = all.emplace_back();
    one.axis = "batch_size";
    one.fixed = {{"world_size", std::to_string(ranks)}, {"strategy", "ddp"}};
    for (const std::int64_t batch : shape.batch_sizes) {
      const Planned planned{"ddp", "synthetic", ranks, batch};
      one.values.push_back({std::to_string(batch), identity(planned, 0, 0).group});
    }
  }
  return all;
}

Report sample_sweep(const SweepShape& shape) {
  Report report;
  report.status = ReportStatus::kComplete;
  report.exit_code = 0;
  report.run_id = "sample-" + std::to_string(shape.seed);
  report.tool = this_tool();
  report.tool.libraries = {{"libtorch", {"2.11.0", "2.11.0"}}, {"nccl", {"2.28.9", "2.28.9"}}};
  report.invocation = {
      "sweep",
      "scalemark sweep --workload resnet50 --data /home/ada/imagenet",
      "local",
      "",
      "{\"batch_size\":64,\"data\":\"/home/ada/imagenet\",\"workload\":\"resnet50\"}",
      {{"batch_size", "option"}}};
  report.environment.hosts.push_back(host_of(shape));
  report.environment.variables = {{"CUDA_VISIBLE_DEVICES", "0,1,2,3,4,5,6,7"}};
  report.points = sample_sweep_points(shape);
  report.started = time_text(0);
  report.finished = time_text(3600);
  report.sessions.push_back(
      {0, report.started, report.finished, shape.host, report.invocation.command_line, {}, ""});
  for (const PointRecord& point : report.points) {
    const auto found = findings_of(point, {report.environment.hosts, {}, shape.repetitions});
    report.findings.insert(report.findings.end(), found.begin(), found.end());
  }
  summarise(report, {.slices = {},
                     .comparisons = sample_comparisons(shape),
                     .stop_reasons = {},
                     .price_per_hour = 24.0});
  return report;
}

Report summarised(const std::vector<PointRecord>& points, const SummaryOptions& options) {
  Report report;
  report.points = points;
  summarise(report, options);
  return report;
}

}  // namespace scalemark::reporting
