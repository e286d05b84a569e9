#include "tests/report/sample_report.h"

#include <span>
#include <utility>

#include "report/judge/point/assemble.h"

namespace scalemark::reporting {
namespace {

monitoring::Host sample_host(bool everything) {
  monitoring::Host host;
  host.hostname = "node-7";
  host.os =
      "Debian n\xC3\xB6"
      "de-\xE6\xA9\x9F\"1\"\n";  // text that systems should not have, but may
  host.cpu = "Made Up 9000";
  host.cores = {.physical = 8, .logical = 16, .usable = 16};
  host.cpu_flags = {"avx2"};
  host.memory_bytes = 1ULL << 36;
  host.nics.push_back({"eth0", "up", 25000, 1500});
  host.nics.push_back({"veth0", "down", {}, {}});
  if (!everything) return host;
  host.kernel = "Linux 6.1";
  host.scheduler_node = "n1";
  host.boot_id = "2f0c6a1e-1111-4222-8333-444455556666";
  host.rdma.push_back({"mlx5_0", 1, "ACTIVE", "LinkUp", "InfiniBand", 400, "ib0"});
  host.cgroup = {.version = 2, .cpus = 2.5, .memory_bytes = 1ULL << 34};
  host.gpus.push_back(
      {.index = 0,
       .name = "NVIDIA H100 80GB HBM3",
       .uuid = "GPU-a",
       .pci = "0:1",
       .serial = "1",
       .memory_bytes = 85899345920ULL,
       .driver = "580.65",
       .compute_major = 9,
       .compute_minor = 0,
       .max_sm_clock_MHz = 1980,
       .max_memory_clock_MHz = 2619,
       .power_limit_W = 700.0,
       .pcie = {5, 16},
       .nvlinks = 18,
       .mig_instances = {{"NVIDIA H100 80GB HBM3 MIG 1g.10gb", "MIG-a", 10737418240ULL}}});
  host.gpus.push_back({.index = 1, .name = "NVIDIA H100 80GB HBM3"});
  host.visible_gpus = {0};
  host.gpu_note = "not read: serial";
  return host;
}

PointRecord identity(int world_size) {
  PointRecord point;
  point.id = "p0.r0";
  point.group = "p0";
  point.workload = "resnet50";
  point.strategy = world_size == 1 ? "none" : "ddp";
  point.gradient_compression = "none";
  point.backend = "gloo";
  point.device = "cpu";
  point.precision = "fp32";
  point.memory_format = "channels-last";
  point.threads = 1;
  point.world_size = point.processes = world_size;
  for (int rank = 0; rank < world_size; ++rank) point.members.push_back(rank);
  point.batch_size = 8;
  point.gradient_accumulation_steps = 1;
  point.global_batch_size = 8 * world_size;
  point.bucket_cap_mb = 25;
  point.image_size = 64;
  point.activation_checkpointing = true;
  point.stochastic_depth = 0.2;
  point.fused_layers = true;
  point.cuda_graphs = false;
  point.data = "synthetic";
  point.started = "2026-01-02T03:04:05Z";
  point.parameters = 25557032;
  point.flops_per_sample = 2.0e9;
  point.warmup_method = "max(20 steps, 2 s)";
  return point;
}

void add_sweep(Report& report) {
  report.groups.push_back({.group = "p0",
                           .n = 2,
                           .sessions = 3,
                           .samples_per_sec = 10,
                           .step_time_s = 0.8,
                           .ci95 = {9, 11},
                           .slowest = 9.5,
                           .fastest = 10.5,
                           .at_least = 0.02,
                           .unseen_share = 0.776,
                           .cv_between = 0.01,
                           .stop_reason = "repetitions",
                           .samples_per_joule = 1,
                           .samples_per_dollar = 1000,
                           .steady = false,
                           .steady_reason = "3 of 5 runs are not steady",
                           .bias_bound = 0.02,
                           .variance = VarianceRecord{.between_runs = 0.01,
                                                      .steps = 0.002,
                                                      .beyond_steps = 0.0098,
                                                      .beyond_steps_ci95 = {0.005, 0.03},
                                                      .sessions = 0.02,
                                                      .sessions_ci95 = {0.01, 0.1},
                                                      .window_s = 2.2,
                                                      .run_s = 3.1,
                                                      .buy = statistics::ReplicationLevel::kWindows,
                                                      .best_window_s = 8,
                                                      .in_words = "runs differ by 1.0 %"},
                           .communication = GroupCommunication{.cost_s = 0.001,
                                                               .contention_s = 0.0002,
                                                               .efficiency = 0.9,
                                                               .cost_ci95 = {0.0009, 0.0011},
                                                               .contention_ci95 = {0.0001, 0.0003},
                                                               .efficiency_ci95 = {0.89, 0.91}},
                           .status_counts = {{"ok", 2}}});
  report.scaling.push_back({.kind = "weak",
                            .fixed = {{"batch_size", "8"}},
                            .baseline_points = {"p0.r0"},
                            .relative_to = "1 rank without communication",
                            .rows = {{.world_size = 2,
                                      .group = "p1",
                                      .strategy = "ddp",
                                      .points = {"p1.r0"},
                                      .samples_per_sec = 18,
                                      .step_time_s = 0.9,
                                      .speedup = 1.8,
                                      .efficiency = 0.9,
                                      .efficiency_ci95 = {0.88, 0.92},
                                      .efficiency_lowest = 0.87,
                                      .efficiency_highest = 0.93,
                                      .at_least = 0.03,
                                      .unsteady_runs = 1,
                                      .loss_of_efficiency = {{0.01, 0.02, 0.02, 0.01, 0.01, 0.03}},
                                      .loss_of_efficiency_ci95 = {{{0.0, 0.02},
                                                                   {0.01, 0.03},
                                                                   {0.01, 0.03},
                                                                   {0.0, 0.02},
                                                                   {0.0, 0.02},
                                                                   {0.02, 0.04}}},
                                      .slowest_rank = 1,
                                      .in_words = "2.0x -> 1.8x"}},
                            .left_out = {"p1.r1"}});
  report.stragglers.push_back({.group = "p1",
                               .rank = 1,
                               .host = "n1",
                               .device = "cpu",
                               .deviation = 0.05,
                               .low95 = 0.01,
                               .runs = 5,
                               .slow_runs = 5,
                               .verdict = RankVerdict::kSlower});
  report.devices.push_back({.group = "p2",
                            .rank = 1,
                            .host = "n1",
                            .device = "cuda:0",
                            .uuid = "GPU-a",
                            .pci = "0:1",
                            .runs = 5,
                            .samples_per_sec = 9,
                            .ci95 = {8.5, 9.5},
                            .deviation = -0.05,
                            .deviation_ci95 = {-0.06, -0.04},
                            .max_sm_clock_MHz = 1980,
                            .max_memory_clock_MHz = 2619});
  report.fastest = FastestPoint{"p1", {"p0"}};
  report.data_gaps.push_back({"p3", "p0", 8, 10, 0.2, 0.15, 0.25});
  report.effects.push_back({.axis = "bucket_cap_mb",
                            .fixed = {{"world_size", "2"}},
                            .from = "25",
                            .to = "100",
                            .groups = {"p0", "p1"},
                            .pairs = 5,
                            .ratio = 1.028,
                            .ratio_ci95 = {1.014, 1.042},
                            .p_holm = 0.004,
                            .verdict = statistics::EffectVerdict::kReal,
                            .memory_delta_bytes = -1048576,
                            .phases_delta_s = Phases{.backward = -0.002},
                            .loss_delta = -0.01,
                            .loss_step = 96,
                            .in_words = "bucket_cap_mb 100 against 25: 2.8 % faster",
                            .disturbed_by = "1 of 5 pairs"});
  report.tuning.push_back({.axis = "bucket_cap_mb",
                           .fixed = {{"world_size", "2"}},
                           .fastest = "100",
                           .group = "p1",
                           .not_distinguishable = {"50"},
                           .dropped = {{"1", 3, 0.002}},
                           .in_words = "fastest: bucket_cap_mb 100"});
  report.communication_limits.push_back({.axis = "batch_size",
                                         .fixed = {{"world_size", "2"}},
                                         .share = 0.3,
                                         .from = 64,
                                         .smallest = 32,
                                         .largest = 256,
                                         .in_words = "communication stays below 30 %"});
  report.drift = Drift{-0.01, -0.02, 0.0, 0.5};
  report.sessions.push_back(
      {0, report.started, report.finished, "n1", "scalemark sweep", 12, "driver"});
  report.predictions.push_back({.slice = "p0",
                                .world_size = 16,
                                .samples_per_sec = 150,
                                .efficiency = 0.9,
                                .predictor = "rule",
                                .reason = "the model is not better",
                                .model_samples_per_sec = 155,
                                .rule_samples_per_sec = 150,
                                .low = 140,
                                .high = 160,
                                .band_coverage = 0.9,
                                .tested_series = 20,
                                .tested_sources = 4,
                                .basis = "assumed"});
}

Bounds around(double value) { return {0.9 * value, 1.1 * value}; }
OverRuns over_runs(double value) { return {value, around(value)}; }

CollectiveIdentity sample_collective_identity() {
  return {.backend = "gloo", .device = "cpu", .bytes = 4096, .world_size = 2, .placement = "fill"};
}

CollectiveRecord sample_collective() {
  CollectiveRecord run{sample_collective_identity()};
  run.id = "all-reduce-4KiB-fp32-w2-gloo/r0";
  run.group = "all-reduce-4KiB-fp32-w2-gloo";
  run.order = 3;
  run.started = "2026-01-02T03:04:05Z";
  run.members = {0, 1};
  run.iterations = 200;
  run.calls = 420;
  run.time_s = 1e-4;
  run.latency_s = Latency{.n = 200, .p50 = 1.1e-4, .p95 = 2e-4, .p99 = 3e-4};
  run.algbw_GBps = run.busbw_GBps = 0.04096;
  run.expected_busbw_GBps = 10;
  run.expected_source = "memory";
  run.wrong = 0;
  return run;
}

void add_collectives(Report& report) {
  report.collectives = {sample_collective(), sample_collective()};
  CollectiveRecord& failed = report.collectives.back();
  failed.parts = 2;
  failed.id = "all-reduce-4KiB-fp32-w2-gloo/r1";
  failed.status = PointStatus::kFailed;
  failed.reason = "3 of 1,024 elements wrong on rank 1";
  failed.wrong = 3;
  failed.wrong_rank = 1;
  failed.attempts = 2;
  failed.disturbed = "shared: by a compiler";
  CollectiveGroup group{sample_collective_identity(), "all-reduce-4KiB-fp32-w2-gloo"};
  group.n = 1;
  group.status_counts = {{"failed", 1}, {"ok", 1}};
  group.time_s = over_runs(1e-4);
  group.latency_p50_s = over_runs(1.1e-4);
  group.latency_p95_s = over_runs(2e-4);
  group.latency_p99_s = over_runs(3e-4);
  group.algbw_GBps = group.busbw_GBps = over_runs(0.04096);
  group.expected_busbw_GBps = 10;
  group.expected_source = "memory";
  group.expected_share = over_runs(0.004096);
  group.wrong = 3;
  report.collective_groups.push_back(std::move(group));
  report.collective_winners.push_back(
      {.fixed = {{"collective", "all-reduce"}, {"dtype", "fp32"}, {"world_size", "2"}},
       .sizes = {{4096, "gloo", {"mpi"}}, {65536, "mpi", {}}},
       .ranges = {{"mpi", 65536, 65536}},
       .in_words = "mpi from 64 KiB on"});
  report.collective_fits.push_back({.fixed = {{"backend", "gloo"},
                                              {"collective", "all-reduce"},
                                              {"dtype", "fp32"},
                                              {"world_size", "2"}},
                                    .level = "intra_node",
                                    .from_bytes = 1024,
                                    .to_bytes = 1 << 20,
                                    .sizes = 6,
                                    .alpha_s = 5e-5,
                                    .alpha_ci95 = around(5e-5),
                                    .bandwidth_GBps = 1.25,
                                    .bandwidth_ci95 = around(1.25),
                                    .worst_relative_error = 0.04,
                                    .in_words = "gloo: 50 us and 1.25 GB/s"});
  report.links.push_back({.a = "n1",
                          .b = "n2",
                          .latency_s = 5e-5,
                          .bandwidth_GBps = 1.2,
                          .passes = 3,
                          .latency_ci95 = {4e-5, 6e-5},
                          .bandwidth_ci95 = {1.1, 1.3}});
  report.links.push_back({.a = "n1",
                          .b = "n2",
                          .latency_s = 2e-5,
                          .bandwidth_GBps = 11.5,
                          .passes = 11,
                          .a_rank = 3,
                          .b_rank = 11,
                          .a_device = "cuda:3",
                          .b_device = "cuda:3"});
}

void add_telemetry(Report& report) {
  report.points.front().attempts = {{9.5, "shared: n1: other processes used 1.00 CPUs"},
                                    {12.5, ""}};
  report.points[1].attempts = {{{}, "rank 1: E_NET"}, {{}, "out of memory"}};
  report.telemetry.push_back(
      {"p0.r0", "n1", {"other_cpus", "", 1, 1.5, 1.5, 1.5, 1.5, 1.5, {}, 2}});
  report.telemetry.push_back(
      {"p0.r0", "n1", {"quota_throttled_cpus", "", 20, 0.3, 0, 1, 0, 1, 0.6, 2}, 1});
  report.telemetry.push_back(
      {"p0.r0", "n1", {"sm_clock_MHz", "cuda:0", 21, 1700, 1200, 1980, 1980, 1200, {}, 2}});
  report.telemetry.push_back(
      {"p0.r0", "n1", {"sent_bytes_per_s", "eth0", 20, 50, 0, 100, 1, 2, 100.0, 2}});
  report.telemetry.push_back(
      {"p0.r0", "n1", {"sampler_cpu_share", "", 1, 3e-4, 3e-4, 3e-4, 3e-4, 3e-4, {}, 2}});
}

void add_fingerprint(Report& report) {
  FingerprintRecord record;
  record.host = "n1";
  record.device = "cpu";
  record.device_name = "Made Up 9000";
  record.precision = "fp32";
  record.threads = 16;
  record.method = "2048 x 2048";
  record.value = 1.432e12;
  record.unit = "FLOP/s";
  record.ci95.low = 1.42e12;
  record.ci95.high = 1.44e12;
  record.n = 160;
  record.seconds = 2.0;
  report.fingerprint.push_back(record);
  FingerprintRecord lone;
  lone.host = "n1";
  lone.device = "cpu";
  lone.what = MachineRate::kAllReduce;
  lone.unit = "B/s";
  lone.reason = "one rank has no peer";
  report.fingerprint.push_back(lone);
  FingerprintRecord held = record;
  held.what = MachineRate::kSustainedProduct;
  held.device = "cuda:0";
  held.rank = 0;
  held.method = "8192 x 8192, held for 60 s";
  held.sm_clock_MHz = 1755;
  held.power_W = 698.5;
  held.temperature_C = 71;
  report.fingerprint.push_back(held);
  ReplayRecord replay;
  replay.host = "n1";
  replay.device = "cuda:0";
  replay.uuid = "GPU-1f2e";
  replay.rank = 0;
  replay.session = 1;
  replay.work = "matrix product";
  replay.precision = "bf16";
  replay.method = "8192 x 8192, Made Up 9000, 132 multiprocessors";
  replay.rounds = 12000;
  replay.wrong = 1;
  replay.first_wrong = "round 77, row 5, column 9, 1 element";
  replay.digest = "0123456789abcdef0123456789abcdef";
  report.replays.push_back(replay);
  replay.digest.clear();
  replay.reason = "out of memory";
  report.replays.push_back(replay);
}

void add_nccl(Report& report) {
  report.nccl.push_back({.host = "n1",
                         .within = {"NVLink"},
                         .between = {"InfiniBand", "InfiniBand with GPUDirect"},
                         .adapters = {"mlx5_0:1/IB", "mlx5_1:1/IB"},
                         .unknown = {}});
  report.nccl.push_back(
      {.host = "n2", .within = {}, .between = {}, .adapters = {}, .unknown = "NCCL_DEBUG is set"});
}

void add_health(Report& report) {
  report.health.push_back({.host = "n1",
                           .device = "cuda:0",
                           .uuid = "GPU-aaaa-0000",
                           .counter = "ecc_uncorrected_volatile",
                           .session = 0,
                           .before = 1,
                           .after = 3,
                           .seconds = 60.5});
}

void add_everything(Report& report) {
  report.invocation.about = "What the experiment shows.";
  report.invocation.launcher_command = "mpirun -n 2 --host a,b";
  report.scaled_down.push_back({"batch_size", "32", "4"});
  report.claims.push_back({.row = "pub-1741",
                           .table = "practice-buckets",
                           .source = "practice, a how-to on bucket sizes",
                           .what = "resnet50, 8 GPUs, bucket_cap_mb 100 / 25",
                           .metric = "step_s",
                           .claimed_low = 0.8,
                           .claimed_high = 0.85,
                           .measured = 0.97,
                           .measured_ci95_low = 0.96,
                           .measured_ci95_high = 0.98,
                           .ratio = 1.14,
                           .tolerance = 0.0,
                           .tolerance_source = "the range that is claimed",
                           .basis = "other_hardware",
                           .verdict = ClaimVerdict::kDiffersHere,
                           .reason = "other machine",
                           .groups = {"a", "b"}});
  PointRecord& point = report.points.front();
  point.task = "pretrain";
  point.device_name = "NVIDIA H100 80GB HBM3";
  point.sequence_length = 128;
  point.data_identity = "sha256:00";
  point.tokens_per_sec = 1000;
  point.non_pad_share = 0.75;
  point.within_run_ci95.low = 9.5;
  point.within_run_ci95.high = 10.5;
  point.step_s.p95 = point.step_s.p99 = 0.5;
  point.evaluation.push_back({1, 2.5, 2.25, "top-1", 0.5, 100, 12.5});
  point.resumed.push_back({90, "2026-09-01T10:00:00Z"});
  point.memory_estimate_bytes = 1 << 20;
  point.mfu = 0.4;
  point.mfu_peak_source = "a datasheet";
  point.mfu_of_measured_gemm = 0.55;
  point.warmup_settled = true;
  point.steady = true;
  point.bias_bound = 0.004;
  point.biases = {0.001, 0.0, -0.001, 0.002, 0.003};
  point.change_point_step = 7;
  point.energy_J = 12.5;
  point.attention_backend = "efficient+flash";
  point.steps_per_mark = 7;
  point.ranks.front().uuid = "GPU-a";
  point.ranks.front().cpus = "0-3,8";
  point.ranks.front().memory_node = 1;
  point.ranks.front().around_s = point.ranks.front().wall_s;
  point.ranks.front().cpu_limit = 1.5;
  point.ranks.front().memory_limit_bytes = 4ULL << 30;
  point.noop_step_s = 0.25;
  point.communication = {.peer_wait_s = 0.01,
                         .network_s = 0.02,
                         .exposed_ci95 = {0.025, 0.035},
                         .cost_s = 1e-3,
                         .contention_s = 5e-4,
                         .noop_imbalance_s = 2e-4,
                         .efficiency = 0.996,
                         .alone_s = 0.015,
                         .latency_s = 2e-4,
                         .cost_ci95 = {-1e-3, 3e-3},
                         .contention_ci95 = {-5e-4, 1.5e-3},
                         .efficiency_ci95 = {0.988, 1.004}};
  point.ranks.front().scheduling = Scheduling{
      .ran_s = 0.2, .queued_s = 0.01, .stopped_s = 0.02, .throttled_s = 0.005, .major_faults = 3};
  point.causes.push_back({.code = "stopped",
                          .is_fault = true,
                          .domain = "launch",
                          .layer = "node",
                          .seconds = 0.02,
                          .place = FindingPlace{.rank = 1, .host = "node-7"},
                          .text = "rank 1 (node-7) was stopped from outside for 8.0 % of the time",
                          .remedy = "find what stops it",
                          .at_most_s = 0.02,
                          .predicted_s = 0.01,
                          .values = {{"stopped", 0.08}},
                          .words = {{"told", "node-7"}}});
  point.raw_steps = {.file = "raw/p0.r0.steps", .bytes = 4096, .xxh3_128 = "0f"};
  point.server_memory_peak_bytes = 90ULL << 20;
  point.memory_reserved_bytes = point.ranks.front().memory_reserved_bytes = 200ULL << 20;
  point.varying = {{"workers", "8"}};
  point.env = {{"NCCL_ALGO", "Ring"}};
  point.break_even_steps = 40;
  point.padded = 3;
  point.left_out = 5;
  point.skipped.push_back({"a/b.JPEG", "truncated"});
  point.replaced_bytes = 12;
  point.files_left_out = {{"HDF5 file", 6}, {"JPEG image", 1}};
  report.points.push_back(identity(2));
  report.points.back().id = "p1.r0";
  report.points.back().status = PointStatus::kOom;
  report.points.back().reason = "out of memory";
  report.points.back().oom = {.rank = 1, .requested_bytes = 1 << 30};
  report.points.back().outside_window_s = 0.5;
  add_sweep(report);
  add_telemetry(report);
  add_fingerprint(report);
  add_health(report);
  add_nccl(report);
  add_collectives(report);
  report.findings.push_back({"padding", "info", "p0.r0", "3 padded samples"});
  report.findings.push_back(
      {.code = "note",
       .severity = "warning",
       .text = "of the whole report",
       .domain = "network",
       .place = FindingPlace{.rank = 1, .host = "n1", .device = "cuda:0", .link = "n1 to n2"},
       .values = {{"share", -0.5}},
       .words = {{"why", "of a word"}}});
  report.verdict = Verdict{.level = VerdictLevel::kWithCare,
                           .reasons = {{"no_interval", "one run each", "more runs"}}};
  ErrorRecord error = bad_data("seen", "expected", "do this").record();
  error.rank = 1;
  error.host = "n1";
  error.phase = "window";
  error.point = "p1.r0";
  error.step = 17;
  error.hang = Hang{.folder = "hang",
                    .ranks = {{.rank = 1,
                               .host = "node-7",
                               .state = ProcessState::kStopped,
                               .kind = HangKind::kStopped,
                               .phase = "window",
                               .step = 12,
                               .collectives = 57,
                               .stack = "poll < uv_run"}}};
  report.errors = {error, bug("only what").record()};
  report.tool.libraries = {{"libtorch", {"2.11.0", "2.11.0"}}, {"nccl", {"2.28.9", {}}}};
  report.environment.variables = {{"OMP_NUM_THREADS", "1"}};
  report.invocation.command_line = "scalemark train";
}

}  // namespace

std::vector<RankMeasurement> sample_measurements(int world_size, int steps) {
  std::vector<RankMeasurement> ranks;
  for (int r = 0; r < world_size; ++r) {
    RankMeasurement& rank = ranks.emplace_back();
    rank.record.rank = r;
    rank.record.host = "n1";
    rank.record.device = "cpu";
    rank.iterations = steps;
    rank.record.samples = 8 * steps;
    for (int t = 0; t < steps; ++t) {
      rank.series.step_s.push_back(0.5 + 0.1 * r + 0.01 * (t % 4));
      rank.series.exposed_communication_s.push_back(world_size == 1 ? 0.0 : 0.1);
      rank.series.counted_data_wait_s.push_back(0.02);
      rank.record.wall_s += rank.series.step_s.back();
    }
    rank.record.phases_s =
        Phases{.data_wait = 0.02, .forward = 0.1, .backward = 0.2, .other = 0.01};
    rank.loss_first = 6.9;
    rank.loss_last = 5.5;
    rank.loss_course = {{1, 7.5}, {2, 6.9}, {4, 5.5}};
    rank.record.memory_peak_bytes = (100ULL + r) << 20;
    rank.warmup_iterations = 20;
    rank.payload_bytes_per_step = 102228128;
    rank.bucket_bytes = {1048576, 26214400};
    rank.bucket_timeline = {{.bytes = 1048576,
                             .collective = "all_reduce",
                             .ready_s = 0.02,
                             .start_s = 0.02,
                             .end_s = 0.03,
                             .hidden_share = 0.5}};
  }
  return ranks;
}

void drop_phases(PointRecord& point) {
  point.phases_s.reset();
  point.own_mean_s.reset();
  point.own_max_of_rank_means_s.reset();
  point.own_mean_of_step_max_s.reset();
  point.compute_samples_per_sec.reset();
  point.communication.peer_wait_s.reset();
  point.communication.network_s.reset();
  for (RankRecord& rank : point.ranks) {
    rank.phases_s.reset();
    rank.own_mean_s.reset();
    rank.own_mean_ln.reset();
    rank.data_wait_s.reset();
    rank.exposed_communication_s.reset();
  }
}

PointRecord assemble_point(PointRecord identity, std::vector<RankMeasurement> ranks) {
  if (ranks.empty()) return assemble_point(std::move(identity), ranks, {});
  StepSeries series = condense(ranks.front());
  for (RankMeasurement& rank : std::span(ranks).subspan(1)) take_largest(series, condense(rank));
  return assemble_point(std::move(identity), ranks, series);
}

PointRecord sample_point(int world_size) {
  return assemble_point(identity(world_size), sample_measurements(world_size));
}

Report sample_report(int world_size, bool everything) {
  Report report;
  report.status = ReportStatus::kComplete;
  report.exit_code = 0;
  report.started = "2026-01-02T03:04:05Z";
  report.finished = "2026-01-02T03:05:05Z";
  report.run_id = "run-1";
  report.tool = this_tool();
  report.invocation = {"train",
                       "",
                       "local",
                       "",
                       "{\"batch_size\":8,\"workload\":\"resnet50\"}",
                       {{"batch_size", "option"}}};
  report.environment.hosts.push_back(sample_host(everything));
  report.points.push_back(sample_point(world_size));
  if (everything) add_everything(report);
  return report;
}

}  // namespace scalemark::reporting
