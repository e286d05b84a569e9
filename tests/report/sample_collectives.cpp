#include "tests/report/sample_collectives.h"

#include <cmath>
#include <random>

#include "report/judge/collectives/collectives.h"
#include "report/judge/collectives/words.h"

namespace scalemark::reporting {
namespace {

using collectives::Collective;
using collectives::DataType;

constexpr int kCalls = 200;

CollectiveRecord identity(const std::string& backend, Collective collective, DataType dtype,
                          std::int64_t bytes, bool in_place) {
  CollectiveRecord run;
  run.collective = collective;
  run.backend = backend;
  run.dtype = dtype;
  run.device = "cpu";
  run.bytes = bytes;
  run.world_size = 2;
  run.placement = "fill";
  run.members = {0, 1};
  run.in_place = in_place;
  run.started = "2026-01-02T03:04:05Z";
  run.expected_busbw_GBps = 5;
  run.expected_source = "memory bandwidth measured here, 10 GB/s, read and written";
  run.group = std::string(name_of(collective)) +
              (bytes > 0 ? "-" + std::to_string(bytes) + "B-" + std::string(name_of(dtype)) : "") +
              "-w2-" + backend + (in_place ? "" : "-in-place-off");
  return run;
}

class Runs {
 public:
  explicit Runs(const CollectivesShape& shape) : shape_(shape), random_(shape.seed) {}

  void add(const CollectiveRecord& identity, int repetition) {
    CollectiveRecord run = identity;
    run.repetition = repetition;
    run.order = static_cast<int>(all_.size());
    run.id = run.group + "/r" + std::to_string(repetition);
    const double time =
        true_time_s(run.backend, run.bytes) * std::exp(shape_.noise * normal_(random_));
    std::vector<double> calls;
    for (int i = 0; i < kCalls; ++i)
      calls.push_back(time * std::exp(0.2 * std::abs(normal_(random_))));
    all_.push_back(assemble_collective(std::move(run),
                                       {{.iterations = 50, .calls = 90, .time_s = time},
                                        {.iterations = 50, .calls = 90, .time_s = time}},
                                       std::move(calls)));
  }
  void skip(CollectiveRecord run) {
    run.id = run.group + "/r0";
    run.status = PointStatus::kSkipped;
    run.reason = "this library has no broadcast of that type";
    all_.push_back(std::move(run));
  }
  std::vector<CollectiveRecord> take() { return std::move(all_); }

 private:
  CollectivesShape shape_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::vector<CollectiveRecord> all_;
};

}  // namespace

double true_time_s(const std::string& backend, std::int64_t bytes) {
  const bool gloo = backend == "gloo";
  return (gloo ? 1e-4 : 2e-6) + static_cast<double>(bytes) / (gloo ? 2e9 : 1e9);
}

std::vector<CollectiveRecord> sample_collective_runs(const CollectivesShape& shape) {
  Runs runs(shape);
  for (int repetition = 0; repetition < shape.repetitions; ++repetition) {
    for (const std::string& backend : shape.backends) {
      for (std::int64_t bytes = 1024; bytes <= 4 << 20; bytes *= 4) {
        runs.add(identity(backend, Collective::kAllReduce, DataType::kFp32, bytes, true),
                 repetition);
        runs.add(identity(backend, Collective::kAllReduce, DataType::kFp32, bytes, false),
                 repetition);
        runs.add(identity(backend, Collective::kAllReduce, DataType::kBf16, bytes, true),
                 repetition);
      }
      runs.add(identity(backend, Collective::kBarrier, DataType::kFp32, 0, true), repetition);
    }
  }
  runs.skip(identity(shape.backends.back(), Collective::kBroadcast, DataType::kFp32, 4096, true));
  return runs.take();
}

Report sample_collectives(const CollectivesShape& shape) {
  Report report;
  report.status = ReportStatus::kComplete;
  report.exit_code = 0;
  report.started = "2026-01-02T03:04:05Z";
  report.finished = "2026-01-02T03:05:05Z";
  report.run_id = "run-7";
  report.tool = this_tool();
  report.invocation = {"comm", "scalemark comm --backends gloo,mpi", "local", "", "{}", {}};
  monitoring::Host host;
  host.hostname = shape.host;
  host.cpu = "Made Up 9000";
  host.cores = {.physical = 8, .logical = 16, .usable = 16};
  report.environment.hosts = {host};
  report.collectives = sample_collective_runs(shape);
  report.links = {{shape.host, "gpu-node-08", 6.5e-3, 0.9}};
  report.findings = findings_of_links(report.links);
  summarise_collectives(report);
  return report;
}

}  // namespace scalemark::reporting
