// Plain records of what was measured: the engine fills RankMeasurement, assemble.h turns one per
// rank into a PointRecord, report_json.h writes it. Names contain the units; what was not measured
// is unset. Each record has a list of fields beside it (rank_fields.h and its neighbours).
// Definitions of every number: METRICS.md.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/words.h"
#include "core/machine/telemetry/source.h"
#include "core/statistics/summary.h"
#include "report/record/findings.h"
#include "report/record/sweep_records.h"

namespace scalemark::reporting {

using statistics::Bounds;
using Summary = statistics::Summary;

// Mean seconds per step. Their sum is the mean step.
struct Phases {
  double data_wait = 0, host_to_device = 0, forward = 0, backward = 0, exposed_communication = 0,
         optimizer = 0, other = 0;

  double sum() const {
    return data_wait + host_to_device + forward + backward + exposed_communication + optimizer +
           other;
  }
};
struct NamedPhase {
  const char* name;
  double Phases::*phase;
};
inline constexpr auto kPhases =
    std::to_array<NamedPhase>({{"data_wait", &Phases::data_wait},
                               {"host_to_device", &Phases::host_to_device},
                               {"forward", &Phases::forward},
                               {"backward", &Phases::backward},
                               {"exposed_communication", &Phases::exposed_communication},
                               {"optimizer", &Phases::optimizer},
                               {"other", &Phases::other}});

struct SetupTimes {
  double rendezvous_s = 0, model_s = 0, data_s = 0, first_step_s = 0;
};

// Steps are counted from 1, warm-up included.
struct LossAtStep {
  std::int64_t step = 0;
  double loss = 0;
};

struct SkippedFile {
  std::string name, reason;
};

// A block of --communication-cost as one rank saw it, as means per step.
struct CostBlock {
  double step_s = 0;            // the block's wall time divided by its steps
  std::optional<double> own_s;  // exposed communication is left out; unset without phases
};

// The exchange of a bucket of gradients, in seconds since its step began: medians over a few steps
// after the window.
struct BucketRecord {
  double bytes = 0;
  std::string collective;  // "all_reduce"
  double ready_s = 0, start_s = 0, end_s = 0;
  // The share of the time from start to end that lies before the last bucket is ready, while
  // backward still computes. It is 1 for a bucket that takes no time.
  double hidden_share = 0;
};

// One evaluation of --epochs.
struct Evaluation {
  std::int64_t epoch = 0;
  double train_loss = 0;
  double loss = 0;
  std::string metric;  // "top-1"
  double value = 0;    // between 0 and 1
  std::int64_t samples = 0;
  double samples_per_sec = 0;  // counts the epoch's training window only
};

// Marks where a later session continued a training from a checkpoint.
struct Resumption {
  std::int64_t step = 0;  // optimizer steps done before
  std::string at;         // RFC 3339, UTC
};

// Describes the file of --raw-steps.
struct RawStepsRecord {
  std::string file;  // below the output folder
  std::int64_t bytes = 0;
  std::string xxh3_128;  // hex
};

// The rank that did not get the memory that it asked for.
struct OutOfMemory {
  int rank = 0;
  std::optional<std::uint64_t> requested_bytes;
};

// One measurement of a run that was measured more than once.
struct Attempt {
  std::optional<double> samples_per_sec;  // unset where it failed
  std::string reason;                     // why it was repeated, or what is wrong with it
};

// The record of one source over the window of one run.
struct TelemetryRecord {
  std::string point, host;
  monitoring::SourceSummary values;
  std::optional<int> rank = std::nullopt;  // the rank that the source belongs to; unset: the host
};

// Sources that need all ranks of a host together: CPUs that others on their machine use, and CPUs
// that the ranks use.
inline constexpr const char* kOtherCpus = "other_cpus";
inline constexpr const char* kRanksCpus = "ranks_cpus";

// Rates of a machine by itself, in short measurements of one kind. More is faster.
enum class MachineRate {
  kMatrixProduct,
  kMemoryCopy,
  kHostToDevice,
  kAllReduce,
  kImageLoader,
  kDiskRead,
  kSustainedProduct,  // matrix products after some time under load (--sustain)
  kDeviceToHost,
  kNodeAllReduce,  // among all devices of one node
  kNodeAllToAll,
  kPeerExchange  // a device with each other one of its node in turn
};
constexpr auto words_of(MachineRate) {
  return std::to_array<Word<MachineRate>>({{MachineRate::kMatrixProduct, "matrix-product"},
                                           {MachineRate::kMemoryCopy, "memory-copy"},
                                           {MachineRate::kHostToDevice, "host-to-device"},
                                           {MachineRate::kAllReduce, "all-reduce"},
                                           {MachineRate::kImageLoader, "image-loader"},
                                           {MachineRate::kDiskRead, "disk-read"},
                                           {MachineRate::kSustainedProduct, "sustained-product"},
                                           {MachineRate::kDeviceToHost, "device-to-host"},
                                           {MachineRate::kNodeAllReduce, "node-all-reduce"},
                                           {MachineRate::kNodeAllToAll, "node-all-to-all"},
                                           {MachineRate::kPeerExchange, "peer-exchange"}});
}

struct FingerprintRecord {
  std::string host, device, device_name;  // device: "cpu" | "cuda:0"; device_name: the model
  std::optional<int> rank;                // rank that owns the device (--checks devices)
  std::optional<int> session;             // session that measured it; unset: the first
  MachineRate what = MachineRate::kMatrixProduct;
  std::string precision;        // set for matrix products: fp32 | tf32 | fp16 | bf16
  int threads = 1;              // compute threads that took part
  std::string method;           // exactly what was done: values of one method can be compared
  std::optional<double> value;  // unset: `reason` says why
  std::string unit;             // "FLOP/s", "B/s", "images/s"
  Bounds ci95;
  std::int64_t n = 0;  // timed calls
  double seconds = 0;  // the sum of all timed calls
  std::string reason;
  std::string disturbed;  // names what others did meanwhile (--checks devices); empty: nothing
  std::vector<std::string> disturbed_by;  // codes of the findings in `disturbed`
  std::optional<double> sm_clock_MHz, power_W, temperature_C;  // set for a GPU with --sustain
};

// The same work, repeated on one device, and its bits (--checks replay).
struct ReplayRecord {
  std::string host, device, uuid;  // "cpu" | "cuda:0"; uuid empty on a CPU
  int rank = 0;
  std::optional<int> session;          // session that did it; unset: the first
  std::string work;                    // "matrix product", "training of resnet50"
  std::string precision;               // fp32 | tf32 | fp16 | bf16
  std::string method;                  // all that the bits depend on: equal methods are compared
  std::int64_t rounds = 0, wrong = 0;  // wrong: rounds that differ from the first
  std::string first_wrong;             // place of the first wrong bits; empty: there are none
  std::string digest;                  // taken in the first round; empty: it was not done
  std::string reason;                  // why it was not done
};

enum class PointStatus { kOk, kOom, kFailed, kSkipped };
constexpr auto words_of(PointStatus) {
  return std::to_array<Word<PointStatus>>({{PointStatus::kOk, "ok"},
                                           {PointStatus::kOom, "oom"},
                                           {PointStatus::kFailed, "failed"},
                                           {PointStatus::kSkipped, "skipped"}});
}

// The part of communication in a step, and its cost. A number is unset where it was not measured,
// or nothing is exchanged.
struct CommunicationTimes {
  // The two parts of exposed communication, mean per step. exposed_ci95 is the interval of their
  // sum.
  std::optional<double> peer_wait_s, network_s;
  Bounds exposed_ci95;
  // --communication-cost measures these, with intervals over its quadruples of blocks.
  std::optional<double> cost_s;  // T - T_noop
  // Own time with communication less own time without it.
  std::optional<double> contention_s;
  // T_noop less the ranks' mean own time in the same steps: differences between ranks that no
  // network removes.
  std::optional<double> noop_imbalance_s;
  std::optional<double> efficiency;  // T_noop / T
  // Measured after the window, without computation: the all-reduces of a step's buckets, and a
  // single one of four bytes.
  std::optional<double> alone_s, latency_s;
  Bounds cost_ci95, contention_ci95, efficiency_ci95;
};

struct RankRecord {
  int rank = 0;
  std::string host;
  std::string device;        // "cpu" | "cuda:0"
  std::string uuid;          // uuid of the GPU or MIG instance; empty on a CPU
  std::int64_t samples = 0;  // executed by this rank, padding excluded
  double wall_s = 0;         // t1 - t0 of this rank, summed over stretches
  // The time from before the barrier that begins the rank's window to after the one that ends it.
  // The windows of all ranks lie within it. Reports of earlier versions lack it.
  std::optional<double> around_s;
  Summary step_s;
  // Both are unset without phases, and own_mean_ln also when a step was communication only.
  std::optional<double> own_mean_s, own_mean_ln;
  std::optional<double> data_wait_s, exposed_communication_s;  // mean per step
  std::optional<Phases> phases_s;
  std::optional<Scheduling> scheduling;
  std::uint64_t memory_peak_bytes = 0;
  std::optional<std::uint64_t> memory_reserved_bytes;  // CUDA only
  std::string cpus;                                 // CPUs that it may use: "0-3"; empty: unknown
  std::optional<int> memory_node;                   // NUMA node that it prefers
  std::optional<double> cpu_limit;                  // quota of its control groups, in CPUs
  std::optional<std::uint64_t> memory_limit_bytes;  // limit of its control groups
};

// The window of one rank in step order. With steps_per_mark above 1, a value is the mean over a
// group of so many steps. The series stays on its rank, so that no rank ever holds the steps of
// all.
struct RankSeries {
  std::vector<double> step_s;
  // These are filled only where phases are marked within a step.
  std::vector<double> exposed_communication_s;
  std::vector<double> counted_data_wait_s;  // d = max(0, batch ready - device drained)
  // --epochs fills this: one value per stretch between two barriers. Empty: the window is one
  // stretch.
  std::vector<double> stretch_wall_s;
};

// One rank's measurements of one window: its entry of ranks[], and its part of the point's row. Its
// list of fields is what travels to rank 0.
struct RankMeasurement {
  RankRecord record;
  RankSeries series;
  bool serves = false;  // a dedicated server, which trains nothing: its times do not count
  std::int64_t iterations = 0;
  std::int64_t steps_per_mark = 1;
  std::int64_t padded = 0;
  // Samples that fill no batch, over all ranks and all epochs. Set with --epochs.
  std::optional<std::int64_t> left_out;
  std::int64_t tokens = 0;               // text only: samples x sequence length
  std::int64_t non_pad_tokens = 0;       // text only
  double loss_first = 0, loss_last = 0;  // already the mean over ranks
  std::vector<LossAtStep> loss_course;   // already the mean over ranks; see keeps_loss_at()
  // Energy over the window, one value per counter that this rank reads: its GPU, or the packages of
  // its machine when it is the first rank there. Empty: none can be read.
  std::vector<double> energy_J;
  SetupTimes setup_s;
  std::int64_t warmup_iterations = 0;
  std::optional<bool> warmup_settled;  // set on rank 0 only
  double payload_bytes_per_step = 0;
  std::vector<double> bucket_bytes;
  std::vector<BucketRecord> bucket_timeline;
  std::optional<double> exchange_alone_s, exchange_latency_s;  // see CommunicationTimes
  // Quadruples of blocks: with communication, without, without, with. Empty: not requested.
  std::vector<CostBlock> cost_blocks;
  // Mean exposed communication of equal parts of the window, in order. Empty without phases, and
  // for fewer steps than parts.
  std::vector<double> exposed_batches;
  std::vector<SkippedFile> skipped;
  std::vector<std::string> attention_backends;  // used in its training steps; each once
  std::string machine;    // monitoring::machine_id(): several hosts (containers) may share one
  std::string cpu_group;  // monitoring::cpu_group_id(): ranks of a host may share one
  std::vector<monitoring::SourceSummary> telemetry;  // read by this rank over the window
};

struct PointRecord {
  // These members identify the point.
  std::string id, group;
  std::string workload, task, strategy, gradient_compression, backend, device, precision,
      memory_format;
  std::string device_name;  // "NVIDIA H200": its peak is the base of MFU; empty on a CPU
  bool overlap = true;
  int threads = 1, world_size = 1, processes = 1, nodes = 1;
  std::vector<int> members;
  // A skipped row lacks one of the two, since the global batch size cannot be divided.
  std::optional<std::int64_t> batch_size, gradient_accumulation_steps;
  std::int64_t global_batch_size = 0;
  double bucket_cap_mb = 0;
  std::optional<std::int64_t> image_size, sequence_length;
  // The next three are set where the run could have them; cuda_graphs is set on a GPU.
  std::optional<bool> activation_checkpointing;
  std::optional<double> stochastic_depth;
  std::optional<bool> fused_layers;
  std::optional<bool> cuda_graphs;
  std::string data, data_identity;
  std::map<std::string, std::string> varying;  // all other options that are axes of the sweep
  std::map<std::string, std::string> env;      // --env: variables of the ranks; "unset": not set
  int repetition = 0, order = 0, block = 0, session = 0;
  std::string started;  // RFC 3339, UTC

  // These members describe the outcome.
  PointStatus status = PointStatus::kOk;
  std::string reason;
  std::vector<Attempt> attempts;           // ordered; the last is this row; empty: there was one
  std::optional<double> outside_window_s;  // time beside warm-up, window and cost blocks
  std::optional<OutOfMemory> oom;

  // These members were measured. They have a meaning when status is ok.
  SetupTimes setup_s;
  std::int64_t iterations = 0, samples = 0;
  double wall_s = 0, step_mean_over_ranks_s = 0;
  std::optional<double> step_time_s;  // T = wall_s / iterations; earlier reports lack it
  // Unset: each step is timed by itself. Otherwise every value below that belongs to single steps
  // is a mean over so many, and values that need single steps are unset.
  std::optional<std::int64_t> steps_per_mark;
  // These and phases_s are unset where no phases were marked.
  std::optional<double> own_mean_s, own_max_of_rank_means_s, own_mean_of_step_max_s;
  double samples_per_sec = 0, samples_per_sec_per_rank = 0;
  std::optional<double> compute_samples_per_sec, tokens_per_sec, non_pad_share;
  Bounds within_run_ci95;
  Summary step_s;
  std::vector<double> step_samples_s;  // one per step: the largest over ranks
  std::optional<Phases> phases_s;
  std::optional<std::string> attention_backend;  // "flash"; "efficient+flash": ranks differ
  std::optional<double> loss_first, loss_last;
  std::vector<LossAtStep> loss_course;
  std::vector<Evaluation> evaluation;
  std::vector<Resumption> resumed;
  std::uint64_t memory_peak_bytes = 0;
  std::optional<std::uint64_t> server_memory_peak_bytes;  // set with a dedicated server
  std::optional<std::uint64_t> memory_reserved_bytes;     // CUDA only
  std::optional<std::uint64_t> memory_estimate_bytes;
  std::optional<double> energy_J;     // all members' devices together, over the window
  std::optional<double> noop_step_s;  // T_noop: the same steps without communication
  CommunicationTimes communication;
  std::optional<double> break_even_steps;
  std::int64_t parameters = 0;
  double flops_per_sample = 0;
  std::optional<double> mfu;
  std::optional<std::string> mfu_peak_source;
  std::optional<double> mfu_of_measured_gemm;  // relative to matrix products in fingerprint[]
  std::int64_t warmup_iterations = 0;
  std::optional<bool> warmup_settled;  // unset where its length was given in steps
  std::optional<bool> steady;          // unset: unknown
  std::string steady_reason;
  // check_steady() gives these. They are unset or empty for a window of few steps.
  std::optional<double> bias_bound;
  std::vector<double> biases;
  std::optional<std::int64_t> change_point_step;
  std::string warmup_method;
  double payload_bytes_per_step = 0;
  std::vector<double> bucket_bytes;
  std::vector<BucketRecord> bucket_timeline;  // means over ranks
  std::int64_t padded = 0;
  std::optional<std::int64_t> left_out;  // set with --epochs
  std::vector<SkippedFile> skipped;
  std::optional<std::int64_t> replaced_bytes;          // set for text
  std::map<std::string, std::int64_t> files_left_out;  // kind of file -> how many
  std::optional<RawStepsRecord> raw_steps;
  std::vector<RankRecord> ranks;
  std::vector<CauseRecord> causes;  // faults, then costs, each the largest first
  Standing standing = {};
};

// One hardware counter over one session: monitoring::HealthCounter at two snapshots.
struct HealthRecord {
  std::string host, device, uuid, counter;
  int session = 0;
  std::optional<double> before, after;
  std::optional<double> seconds;  // between the two snapshots
};

}  // namespace scalemark::reporting
