// The resolved settings of one run: plain structs, each with the owner that reads it, and the words
// and compound values that they hold. No value is "auto" or missing here unless absence means
// something; resolve.h computes them.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/words.h"
#include "core/machine/places.h"

namespace scalemark::settings {

// An option with a fixed set of words is an enumeration with its one table of names. The names of
// workloads, strategies, backends and launchers come from lists instead.

enum class DeviceKind { kCpu, kCuda };
constexpr auto words_of(DeviceKind) {
  return std::to_array<Word<DeviceKind>>({{DeviceKind::kCpu, "cpu"}, {DeviceKind::kCuda, "cuda"}});
}

// The number format of the arithmetic.
enum class Precision { kFp32, kTf32, kAmpFp16, kAmpBf16 };
constexpr auto words_of(Precision) {
  return std::to_array<Word<Precision>>({{Precision::kFp32, "fp32"},
                                         {Precision::kTf32, "tf32"},
                                         {Precision::kAmpFp16, "amp-fp16"},
                                         {Precision::kAmpBf16, "amp-bf16"}});
}
constexpr bool is_half(Precision precision) {
  return precision == Precision::kAmpFp16 || precision == Precision::kAmpBf16;
}

// Checks that a sweep or `comm` makes of its devices besides its points (--checks).
enum class Check { kDevices, kReplay, kHealth };
constexpr auto words_of(Check) {
  return std::to_array<Word<Check>>(
      {{Check::kDevices, "devices"}, {Check::kReplay, "replay"}, {Check::kHealth, "health"}});
}

// Order of image tensors in memory.
enum class MemoryFormat { kChannelsLast, kContiguous };
constexpr auto words_of(MemoryFormat) {
  return std::to_array<Word<MemoryFormat>>(
      {{MemoryFormat::kChannelsLast, "channels-last"}, {MemoryFormat::kContiguous, "contiguous"}});
}

// Which process of strategy parameter-server is the server: rank 0, which also trains, or one
// beside the training ranks.
enum class Server { kRank0, kDedicated };
constexpr auto words_of(Server) {
  return std::to_array<Word<Server>>(
      {{Server::kRank0, "rank0"}, {Server::kDedicated, "dedicated"}});
}

// The format in which gradients travel, where it is not their own.
enum class GradientCompression { kNone, kFp16, kBf16 };
constexpr auto words_of(GradientCompression) {
  return std::to_array<Word<GradientCompression>>({{GradientCompression::kNone, "none"},
                                                   {GradientCompression::kFp16, "fp16"},
                                                   {GradientCompression::kBf16, "bf16"}});
}

enum class LrScaling { kNone, kLinear };
constexpr auto words_of(LrScaling) {
  return std::to_array<Word<LrScaling>>(
      {{LrScaling::kNone, "none"}, {LrScaling::kLinear, "linear"}});
}

// A file that cannot be decoded does this to the run.
enum class OnBadSample { kFail, kSkip };
constexpr auto words_of(OnBadSample) {
  return std::to_array<Word<OnBadSample>>(
      {{OnBadSample::kFail, "fail"}, {OnBadSample::kSkip, "skip"}});
}

// How an image of a JPEG file becomes RGB at the network's size.
enum class ImageDecoding { kExact, kFast };
constexpr auto words_of(ImageDecoding) {
  return std::to_array<Word<ImageDecoding>>(
      {{ImageDecoding::kExact, "exact"}, {ImageDecoding::kFast, "fast"}});
}

// Training does this to an image beside crop and flip.
enum class Augment { kBasic, kTrivial, kRandAugment, kColourJitter };
constexpr auto words_of(Augment) {
  return std::to_array<Word<Augment>>({{Augment::kBasic, "basic"},
                                       {Augment::kTrivial, "trivial"},
                                       {Augment::kRandAugment, "randaugment"},
                                       {Augment::kColourJitter, "colour-jitter"}});
}

enum class LogFormat { kText, kJson };
constexpr auto words_of(LogFormat) {
  return std::to_array<Word<LogFormat>>({{LogFormat::kText, "text"}, {LogFormat::kJson, "json"}});
}

// How a fixed global batch is kept with fewer ranks.
enum class StrongBy { kBatch, kAccumulation };
constexpr auto words_of(StrongBy) {
  return std::to_array<Word<StrongBy>>(
      {{StrongBy::kBatch, "batch"}, {StrongBy::kAccumulation, "accumulation"}});
}

// Which ranks a smaller point of a sweep gets: whole nodes first, or one of each node in turn.
enum class Placement { kFill, kSpread };
constexpr auto words_of(Placement) {
  return std::to_array<Word<Placement>>(
      {{Placement::kFill, "fill"}, {Placement::kSpread, "spread"}});
}

// Which links `comm --pairs` measures between two nodes: those of their first ranks, or of each
// rank with the rank at the same place on the other node, all at once.
enum class PairBy { kNode, kRank };
constexpr auto words_of(PairBy) {
  return std::to_array<Word<PairBy>>({{PairBy::kNode, "node"}, {PairBy::kRank, "rank"}});
}

struct Betas {
  double first = 0.9;
  double second = 0.999;
  bool operator==(const Betas&) const = default;
};

// Deadlines in seconds: one for every phase, and those of single phases.
struct Timeouts {
  double every_s = 300;
  std::map<std::string, double> phase_s;
  bool operator==(const Timeouts&) const = default;
};

// Bytes that the tensors of a rank may hold. Absent: each node decides for its ranks.
struct MemoryLimits {
  std::optional<std::int64_t> every_bytes;
  std::map<int, std::int64_t> bytes_of_rank;  // limits of single ranks
  bool operator==(const MemoryLimits&) const = default;
};

// Environment variables of the ranks by name; kUnset: the variable is not set.
using Variables = std::map<std::string, std::string>;
inline constexpr const char* kUnset = "unset";

struct TaskSettings {
  std::string workload = "mlp";
  std::string task = "pretrain";
  std::string data = "synthetic";  // or a path
  std::string vocab;               // path; empty: none given
  bool cased = false;
  std::int64_t image_size = 224;
  std::int64_t sequence_length = 128;
};

struct SizeSettings {
  std::int64_t batch_size = 0;  // per rank and micro-step
  std::int64_t gradient_accumulation_steps = 1;
  std::int64_t global_batch_size = 0;  // batch_size x gradient_accumulation_steps x world_size
};

struct RecipeSettings {
  std::string optimizer;     // sgd | adam | adamw | lamb | lars
  double learning_rate = 0;  // after lr_scaling
  std::string lr_schedule;   // constant | cosine | step | linear | polynomial | cyclic
  std::int64_t lr_warmup_steps = 0;
  double lr_warmup_share = 0;  // share of the total steps, added; 0 when lr_warmup_steps was given
  LrScaling lr_scaling = LrScaling::kNone;
  double momentum = 0;
  bool nesterov = false;
  double weight_decay = 0;
  bool decay_norms_and_biases = true;
  Betas adam_betas;
  double eps = 1e-8;
  std::optional<double> clip_grad_norm;
  double label_smoothing = 0;
  bool zero_init_residual = false;
  double stochastic_depth = 0;  // share of batches that skip the last residual branch
  std::uint64_t seed = 0;
  bool deterministic = false;
  std::string init_from;  // safetensors; empty: fresh initialisation from the seed
  std::string save;       // safetensors; empty: not saved
};

struct ParallelSettings {
  std::string strategy = "ddp";  // a name of core/catalogue/strategy_list.inc
  bool overlap = true;
  GradientCompression gradient_compression = GradientCompression::kNone;
  double bucket_cap_mb = 25;       // MiB, as DDP's bucket_cap_mb
  double first_bucket_cap_mb = 1;  // MiB
  bool broadcast_buffers = true;
  bool find_unused_parameters = false;
  bool static_graph = false;
  bool gradient_as_bucket_view = false;
  std::int64_t local_steps = 8;  // between two averages of local-sgd
  Server server = Server::kRank0;
  Precision precision = Precision::kFp32;
  MemoryFormat memory_format = MemoryFormat::kChannelsLast;
  bool activation_checkpointing = false;
  bool fused_layers = true;  // used where there are any: notes.h
  bool cuda_graphs = false;  // used where steps can be captured: notes.h
  std::string backend = "gloo";
  DeviceKind device = DeviceKind::kCpu;
  int threads = 1;  // compute threads of one rank
  placement::Bind bind = placement::Bind::kNone;
  MemoryLimits memory_limit;
  std::int64_t empty_cache_every = 0;  // steps; 0: never
};

struct LoadingSettings {
  int workers = 0;
  bool pin_memory = true;  // used where the device is cuda
  bool drop_last = false;
  OnBadSample on_bad_sample = OnBadSample::kFail;
  ImageDecoding image_decoding = ImageDecoding::kExact;
  bool synthetic_in_loop = false;  // each batch of synthetic data is made when it is used
  int prefetch = 2;                // batches that are ready or being made ahead of the step
  Augment augment = Augment::kBasic;
  double random_erasing = 0;  // share of the images
  double mixup = 0;           // alpha; 0: off
  double cutmix = 0;          // alpha; 0: off
};

struct MeasuringSettings {
  std::optional<std::int64_t> iters;         // unset: at least 100 steps and 2 s
  std::optional<std::int64_t> warmup_iters;  // unset: max(20 steps, 2 s on cpu, 10 s on cuda)
  std::optional<double> max_warmup_s;        // unset: 5 x the least time
  std::optional<std::int64_t> epochs;        // present: train for real, with evaluation
  double min_time_s = 0;                     // per window
  bool communication_cost = false;           // T - T_noop, in blocks after the window
  bool raw_steps = false;                    // a file of every rank's steps
  std::string trace;             // folder of the traces of steps after the window; empty: none
  std::int64_t trace_steps = 5;  // in each trace
  bool profiler_range = false;   // the window is a range for a profiler that was started outside
  // When weights and gradients are counted for general.tensorboard: "ends", "epoch", "100steps".
  std::string histograms = "none";
};

// train --epochs reads these.
struct CheckpointSettings {
  std::string every = "none";  // "100steps", "10m": parse_steps_or_time()
  std::int64_t keep = 2;
  bool resume = false;
};

struct LaunchSettings {
  int nproc_per_node = 1;
  int nnodes = 1;
  int node_rank = 0;
  std::string hostfile;           // path; empty: none
  std::string rendezvous;         // HOST:PORT or file:PATH; empty: from the launcher
  std::string launcher = "auto";  // whose variables are read; auto: the first that is there
  bool standalone = false;
  std::string mpi_library = "auto";  // auto | openmpi | mpich
  std::string run_id;                // empty: derived
  std::optional<int> local_rank;
  Timeouts timeout;
  // Ranks are started with these, beside what this process has.
  Variables environment;
};

struct GeneralSettings {
  std::string output;  // folder, placeholders filled in
  bool overwrite = false;
  bool dry_run = false;
  bool quiet = false;
  bool verbose = false;
  bool no_progress = false;
  LogFormat log_format = LogFormat::kText;
  std::string fail_on = "error";  // reporting::FailOn reads it
  double telemetry_every_s = 0.1;
  std::string tensorboard;  // folder of the runs' event files; empty: none
  std::string torch;        // folder of the wheel; empty: SCALEMARK_TORCH, then the built-in path
};

struct Settings {
  std::string command = "train";
  TaskSettings task;
  SizeSettings size;
  RecipeSettings recipe;
  ParallelSettings parallel;
  LoadingSettings loading;
  MeasuringSettings measuring;
  CheckpointSettings checkpoints;
  LaunchSettings launch;
  GeneralSettings general;
  std::map<std::string, std::string>
      origins;  // option -> "default" | "recipe" | "config FILE" | "environment" | "option" | "set"
};

// Samples of one micro-step, over all ranks.
inline double samples_per_batch(const Settings& settings) {
  return static_cast<double>(settings.size.global_batch_size) /
         static_cast<double>(settings.size.gradient_accumulation_steps);
}

// Steps after which the pattern of the exchange repeats: what is measured holds whole periods.
std::int64_t exchange_period(const Settings& settings);

// Whether steps without communication follow the window: only where the run communicates.
bool measures_communication_cost(const Settings& settings);

}  // namespace scalemark::settings
