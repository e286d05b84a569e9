#include "core/settings/checks.h"

#include <algorithm>
#include <initializer_list>

#include "core/base/text.h"
#include "core/catalogue/backends.h"
#include "core/catalogue/strategy.h"
#include "core/settings/notes.h"
#include "core/settings/processes.h"
#include "core/settings/value.h"

namespace scalemark::settings {
namespace {

class Checker {
 public:
  explicit Checker(const CheckInput& input) : in_(input), s_(input.settings) {}

  std::vector<Problem> run() {
    check_measuring();
    check_profilers();
    check_workload();
    check_norms();
    check_data();
    check_recipe();
    check_strategy();
    check_exchange();
    check_missing_gradients();
    check_replicas();
    check_graphs();
    check_device();
    return std::move(problems_);
  }

 private:
  // No check uses a value that was refused: its field holds some other value.
  bool known(std::initializer_list<const char*> options) const {
    return std::ranges::none_of(options,
                                [&](const char* name) { return in_.refused.contains(name); });
  }
  void refuse(const std::string& option, std::string allowed, std::string hint = {}) {
    problems_.push_back(problem_of(in_.raw, option, std::move(allowed), std::move(hint)));
  }

  void check_measuring() {
    if (known({"iters", "epochs"}) && s_.measuring.iters && s_.measuring.epochs) {
      refuse("iters", "cannot be combined with --epochs: give a number of steps or of epochs");
    }
    if (known({"epochs", "data"}) && s_.measuring.epochs && s_.task.data == "synthetic") {
      refuse("epochs", "needs a finite data set: give --data PATH, or count steps with --iters");
    }
    if (known({"checkpoint_every", "epochs"}) && s_.checkpoints.every != "none" &&
        !s_.measuring.epochs) {
      refuse("checkpoint_every", "needs --epochs: nothing may interrupt a measured window");
    }
    if (known({"resume", "epochs"}) && s_.checkpoints.resume && !s_.measuring.epochs) {
      refuse("resume", "needs --epochs: only a training that writes checkpoints can be resumed",
             "leave --resume out");
    }
    if (known({"resume", "overwrite"}) && s_.checkpoints.resume && s_.general.overwrite) {
      refuse("resume", "cannot be combined with --overwrite");
    }
    if (known({"quiet", "verbose"}) && s_.general.quiet && s_.general.verbose) {
      refuse("quiet", "cannot be combined with --verbose");
    }
  }

  void check_profilers() {
    if (known({"trace", "epochs"}) && !s_.measuring.trace.empty() && s_.measuring.epochs) {
      refuse("trace", "cannot be combined with --epochs: its steps follow a measured window",
             "leave --epochs out, or --trace");
    }
    if (known({"histograms", "epochs"})) check_histograms();
    if (known({"profiler_range", "epochs"}) && s_.measuring.profiler_range && s_.measuring.epochs) {
      refuse("profiler_range", "cannot be combined with --epochs: it is about a measured window",
             "leave --epochs out, or --profiler-range");
    }
    if (known({"profiler_range", "device"}) && s_.measuring.profiler_range &&
        s_.parallel.device == DeviceKind::kCpu) {
      refuse("profiler_range", "needs --device cuda: its range is for profilers of GPUs",
             "leave --profiler-range out; --trace DIR works on a CPU");
    }
  }

  void check_histograms() {
    const std::string& when = s_.measuring.histograms;
    if (when == "none" || when == "ends") return;
    if (when != "epoch" && !parse_steps_or_time(when)->steps) {
      refuse("histograms", "is counted in steps", "use --histograms 100steps");
    } else if (!s_.measuring.epochs) {
      refuse("histograms", "needs --epochs: nothing may interrupt a measured window",
             "use --histograms ends");
    }
  }

  void check_workload() {
    if (!in_.workload) return;
    const bool synthetic_only = in_.workload->data_kind == catalogue::DataKind::kVectors;
    if (synthetic_only && known({"data"}) && s_.task.data != "synthetic") {
      refuse("data", in_.workload->name + " trains on synthetic data only");
    }
    const auto& transformer = in_.workload->transformer;
    if (transformer && known({"sequence_length"}) &&
        s_.task.sequence_length > transformer->max_positions) {
      refuse("sequence_length", in_.workload->name + " has " +
                                    std::to_string(transformer->max_positions) + " positions");
    }
    if (known({"activation_checkpointing"}) && s_.parallel.activation_checkpointing &&
        !in_.workload->checkpointed_bytes) {
      refuse("activation_checkpointing",
             in_.workload->name + " has no blocks whose forward could run again",
             "leave --activation-checkpointing out");
    }
  }

  // A search tries no batch that is smaller.
  void check_norms() {
    if (!in_.workload || !known({"batch_size", "global_batch_size", "image_size"})) return;
    const std::int64_t batch = s_.size.batch_size;
    const catalogue::ModelShape shape{.image_size = s_.task.image_size};
    const auto least = catalogue::least_batch(*in_.workload, shape);
    const auto given = in_.raw.find("batch_size");
    const bool is_search = given != in_.raw.end() && given->second.origin == "search";
    if (batch < 1 || batch >= least || is_search) return;
    auto larger = shape;
    while (catalogue::least_batch(*in_.workload, larger) > batch) ++larger.image_size;
    const auto is_given = [&](const char* name) { return given_by_a_person(in_.raw, name); };
    refuse(is_given("batch_size")          ? "batch_size"
           : is_given("global_batch_size") ? "global_batch_size"
                                           : "image_size",
           "gives batch norm one value per channel at --image-size " +
               std::to_string(shape.image_size) + " and --batch-size " + std::to_string(batch) +
               " (of each rank): more than 1 value per channel is needed when training",
           "use --batch-size " + std::to_string(least) + ", or --image-size " +
               std::to_string(larger.image_size) + " or more");
    problems_.back().of_point = true;
  }

  void check_data() {
    if (known({"synthetic_in_loop", "data"}) && s_.loading.synthetic_in_loop &&
        s_.task.data != "synthetic") {
      refuse("synthetic_in_loop", "is about synthetic data, and --data names another",
             "leave --synthetic-in-loop out, or use --data synthetic");
    }
  }

  void check_recipe() {
    if (known({"nesterov", "momentum", "optimizer"}) && s_.recipe.nesterov &&
        s_.recipe.optimizer == "sgd" && s_.recipe.momentum == 0) {
      refuse("nesterov", "needs a momentum above 0");
    }
    if (in_.workload && known({"lr_scaling"}) && s_.recipe.lr_scaling == LrScaling::kLinear &&
        in_.workload->recipe.reference_batch <= 0) {
      refuse("lr_scaling", "the recipe of " + in_.workload->name + " has no reference batch");
    }
  }

  bool has_meaning(std::string_view option) const {
    const auto without = catalogue::options_without_meaning(s_.parallel.strategy);
    return std::ranges::count(without, option) == 0;
  }

  // Refuses options that were given and that the strategy, which exchanges gradients, cannot use.
  void check_strategy() {
    if (!known({"strategy"}) || !catalogue::exchanges(s_.parallel.strategy)) return;
    for (const std::string_view option : catalogue::options_without_meaning(s_.parallel.strategy)) {
      if (!given_by_a_person(in_.raw, option)) continue;
      refuse(std::string(option), "has no effect with --strategy " + s_.parallel.strategy,
             "leave " + option_flag(option) + " out");
    }
  }

  // DistributedDataParallel cannot combine them either: its reducer counts a static graph's
  // gradients in unsynchronised backwards too, and torch 2.11 ends in an internal assertion.
  void check_exchange() {
    if (known({"static_graph", "strategy", "gradient_accumulation_steps"}) &&
        s_.parallel.static_graph && has_meaning("static_graph") &&
        s_.size.gradient_accumulation_steps > 1) {
      refuse("static_graph",
             "cannot be combined with gradient accumulation (" +
                 std::to_string(s_.size.gradient_accumulation_steps) + " micro-steps per step)",
             "leave --static-graph out");
    }
    check_period();
  }

  // A window must hold whole periods of --local-steps, since only the last step of each pays for
  // the exchange.
  void check_period() {
    if (!known({"strategy", "local_steps", "iters"}) || !s_.measuring.iters) return;
    const std::int64_t iters = *s_.measuring.iters, period = exchange_period(s_);
    if (iters % period == 0) return;
    refuse("iters",
           "is " + std::to_string(iters) + ": a window must hold whole periods of --local-steps " +
               std::to_string(period),
           "use --iters " + std::to_string((iters / period + 1) * period));
  }

  void check_missing_gradients() {
    const auto* strategy = catalogue::find_strategy(s_.parallel.strategy);
    const bool skips =
        in_.workload && serves(*in_.workload, "stochastic_depth") && s_.recipe.stochastic_depth > 0;
    if (!skips || !strategy || strategy->takes_missing_gradients ||
        !known({"strategy", "stochastic_depth", "find_unused_parameters", "static_graph"})) {
      return;
    }
    const std::string skipping = "--stochastic-depth " + to_text(s_.recipe.stochastic_depth) +
                                 " skips branches, whose parameters then get no gradient";
    if (!has_meaning("find_unused_parameters")) {
      refuse("strategy", skipping + ": this strategy needs them all",
             "use --strategy ddp --find-unused-parameters");
    } else if (!s_.parallel.find_unused_parameters) {
      refuse("find_unused_parameters", skipping + ": --strategy " + strategy->name + " needs it on",
             "add --find-unused-parameters");
    } else if (s_.parallel.static_graph) {
      refuse("static_graph", skipping, "leave --static-graph out");
    }
  }

  bool trains_replicas() const {
    return process_kind_of(s_.parallel).count == catalogue::ProcessCount::kOne &&
           in_.ranks.world_size > 1;
  }

  // Replicas live in one process.
  void check_replicas() {
    if (!known({"strategy", "device"}) || !trains_replicas()) return;
    if (s_.parallel.device == DeviceKind::kCuda) {
      const auto gpus = std::ssize(in_.machine.gpus);
      if (gpus > 0 && gpus < in_.ranks.world_size) {
        refuse("strategy",
               "takes one GPU for each of " + std::to_string(in_.ranks.world_size) +
                   " replicas, and " + std::to_string(gpus) +
                   (gpus == 1 ? " is visible" : " are visible"),
               "use fewer replicas, or --device cpu");
      }
      return;
    }
    // The second forward must draw the same masks, and on a CPU all replicas draw from one
    // generator.
    if (known({"activation_checkpointing"}) && s_.parallel.activation_checkpointing &&
        in_.workload && in_.workload->transformer) {
      refuse("activation_checkpointing",
             "cannot be combined with --strategy " + s_.parallel.strategy +
                 " on a CPU, whose replicas draw dropout from one generator",
             "leave --activation-checkpointing out");
    }
  }

  void check_graphs() {
    if (!s_.parallel.cuda_graphs || !in_.workload || !in_.refused.empty()) return;
    if (auto no = why_no_graph(s_, *in_.workload)) {
      refuse("cuda_graphs", std::move(no->why), std::move(no->hint));
    }
  }

  void check_device() {
    if (!known({"device"})) return;
    const bool cuda = s_.parallel.device == DeviceKind::kCuda;
    const auto gpus = static_cast<int>(in_.machine.gpus.size());
    if (cuda && gpus == 0) {
      refuse("device", "no GPU is visible here", "`scalemark doctor` says what was looked for");
      return;
    }
    const std::string& backend = s_.parallel.backend;
    if (known({"backend"}) && catalogue::needs_one_rank_per_gpu(backend)) {
      const std::string instead = "use --backend " + std::string(catalogue::default_backend(false));
      if (!cuda) refuse("backend", backend + " needs --device cuda", instead);
      if (cuda && in_.ranks.local_world_size > gpus) {
        refuse("backend",
               std::to_string(in_.ranks.local_world_size) + " ranks on " + counted(gpus, "GPU") +
                   ": " + backend + " takes one rank per GPU",
               "start fewer ranks, or " + instead);
      }
    }
    if (cuda && known({"backend"}) && catalogue::is_cpu_only(backend)) {
      refuse("backend", backend + " carries tensors of the CPU only",
             "use --device cpu, or --backend " + std::string(catalogue::default_backend(true)));
    }
    if (known({"precision"})) check_precision();
  }

  // Checks every GPU that a local rank computes on: a machine may hold different ones.
  void check_precision() {
    const bool cuda = s_.parallel.device == DeviceKind::kCuda;
    const auto& gpus = in_.machine.gpus;
    const auto ranks = static_cast<std::size_t>(
        std::max(1, trains_replicas() ? in_.ranks.world_size : in_.ranks.local_world_size));
    const std::size_t devices = cuda ? std::min(gpus.size(), ranks) : 1;
    for (std::size_t i = 0; i < devices; ++i) {
      PrecisionDevice device{.device = s_.parallel.device, .cpu_flags = in_.machine.cpu_flags};
      if (cuda) device.gpu = gpus[i].capability;
      const auto reason = why_unsupported(s_.parallel.precision, device);
      if (!reason) continue;
      refuse("precision", devices > 1
                              ? "GPU " + std::to_string(i) + " (" + gpus[i].name + "): " + *reason
                              : *reason);
      return;
    }
  }

  const CheckInput& in_;
  const Settings& s_;
  std::vector<Problem> problems_;
};

// Options that at least one workload names as its own; the others serve all workloads.
bool belongs_to_some_workload(std::string_view option) {
  return std::ranges::any_of(catalogue::all_workloads(), [&](const catalogue::Workload& workload) {
    return std::ranges::count(workload.options, option) > 0;
  });
}

}  // namespace

std::span<const std::string_view> reading_options() {
  static constexpr std::string_view kOptions[] = {
      "workers", "prefetch", "on_bad_sample",  "drop_last", "vocab",         "cased",
      "augment", "mixup",    "random_erasing", "cutmix",    "image_decoding"};
  return kOptions;
}

bool serves(const catalogue::Workload& workload, std::string_view option) {
  return std::ranges::count(workload.options, option) > 0 || !belongs_to_some_workload(option);
}

std::int64_t exchange_period(const Settings& settings) {
  const auto* strategy = catalogue::find_strategy(settings.parallel.strategy);
  return strategy && !strategy->in_every_step ? settings.parallel.local_steps : 1;
}

bool measures_communication_cost(const Settings& settings) {
  return settings.measuring.communication_cost && catalogue::exchanges(settings.parallel.strategy);
}

std::vector<Problem> check_together(const CheckInput& input) { return Checker(input).run(); }

}  // namespace scalemark::settings
