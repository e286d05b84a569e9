#include "core/settings/resolve.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/catalogue/backends.h"
#include "core/catalogue/strategy.h"
#include "core/catalogue/workload.h"
#include "core/settings/checks.h"
#include "core/settings/layers.h"
#include "core/settings/machine.h"
#include "core/settings/notes.h"
#include "core/settings/problem.h"
#include "core/settings/processes.h"
#include "core/settings/reader.h"

namespace scalemark::settings {
namespace {

std::optional<std::int64_t> product(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}

BatchAnswer from_parts(std::int64_t batch, std::int64_t accumulation, int world_size) {
  const auto per_rank = product(batch, accumulation);
  const auto global = per_rank ? product(*per_rank, world_size) : std::nullopt;
  if (!global) {
    return {{}, "batch size x accumulation x ranks must fit into 63 bits"};
  }
  return {{batch, accumulation, *global}, {}};
}

// `global` spread over `factor` (in words: `what`) without remainder, or the problem.
std::string does_not_divide(std::int64_t global, std::int64_t factor, const std::string& what) {
  if (global % factor == 0) return {};
  const std::int64_t below = global / factor * factor;
  const std::string nearest = below > 0
                                  ? std::to_string(below) + " or " + std::to_string(below + factor)
                                  : std::to_string(factor);
  return "a multiple of " + std::to_string(factor) + " (" + what + "), like " + nearest;
}

}  // namespace

BatchAnswer resolve_batch(const BatchRequest& request, int world_size,
                          std::int64_t default_batch_size) {
  const std::string ranks = counted(world_size, "rank");
  if (!request.global_batch_size) {
    return from_parts(request.batch_size.value_or(default_batch_size),
                      request.gradient_accumulation_steps.value_or(1), world_size);
  }
  const std::int64_t global = *request.global_batch_size;
  const bool follows_accumulation = request.batch_size && !request.gradient_accumulation_steps;
  const std::int64_t known =
      follows_accumulation ? *request.batch_size : request.gradient_accumulation_steps.value_or(1);
  const auto factor = product(known, world_size);
  if (!factor) return {{}, "batch size x accumulation x ranks must fit into 63 bits"};
  const std::string what = (follows_accumulation ? "batch size " : "accumulation ") +
                           std::to_string(known) + " x " + ranks;
  std::string problem = does_not_divide(global, *factor, what);
  if (!problem.empty()) return {{}, std::move(problem)};

  const std::int64_t other = global / *factor;
  const BatchSizes sizes =
      follows_accumulation ? BatchSizes{known, other, global} : BatchSizes{other, known, global};
  if (request.batch_size && *request.batch_size != sizes.batch_size) {
    return {{},
            "must be batch size " + std::to_string(*request.batch_size) + " x accumulation " +
                std::to_string(known) + " x " + ranks + "; leave one of the three out"};
  }
  return {sizes, {}};
}

namespace {

// Walks from raw text to settings, one kind of decision at a time. A refused value leaves raw_ at
// once, so that no later decision rests on it.
class Resolver {
 public:
  Resolver(const RawSettings& given, const Surroundings& around)
      : given_(given), around_(around), raw_(default_values(kTrain)) {}

  Resolution run() {
    layer_values();
    refuse_bad_values();
    join_master_options();
    decide_device();
    decide_ranks();
    decide_strategy();
    decide_threads();
    decide_first_bucket();
    decide_batch();
    decide_output();
    finish();
    return std::move(result_);
  }

 private:
  // default < recipe < given. The recipe is that of the workload in force.
  void layer_values() {
    for (const auto& [name, value] : given_) raw_[name] = value;
    const std::string name = raw_["workload"].text;
    workload_ = catalogue::find_workload(name);
    if (!workload_) {
      refuse_workload(name);
      return;
    }
    for (const auto& [option, value] : recipe_values(*workload_)) {
      if (!given_.contains(option)) raw_[option] = value;
    }
    // A number of steps replaces the recipe's share of the run.
    if (given_.contains("lr_warmup_steps")) raw_.erase("lr_warmup_share");
  }

  void refuse_workload(const std::string& name) {
    const auto names = catalogue::workload_names();
    refuse("workload", "one of " + joined(names, ", ") + " is allowed", did_you_mean(name, names));
  }

  void refuse_bad_values() {
    for (Problem& problem : bad_values(raw_)) {
      refused_.insert(problem.option);
      raw_.erase(problem.option);
      result_.problems.push_back(std::move(problem));
    }
  }

  // --master-addr and --master-port are another spelling of --rendezvous.
  void join_master_options() {
    const std::string* host = text("master_addr");
    const std::string* port = text("master_port");
    if (!host && !port) return;
    if (text("rendezvous")) {
      refuse(host ? "master_addr" : "master_port", "cannot be combined with --rendezvous");
      return;
    }
    const bool many_nodes = text("nnodes") && *text("nnodes") != "1";
    if (!host && many_nodes) {
      refuse("master_port", "on several nodes --master-addr must name the host");
      return;
    }
    std::string name = host ? *host : "127.0.0.1";
    if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
    const auto colons = std::ranges::count(name, ':');
    if (name.empty() || colons == 1 || name.find_first_of(" \t/[]") != std::string::npos) {
      refuse("master_addr", "the name or the address of a host is expected",
             "its port belongs to --master-port");
      return;
    }
    if (colons > 1) name = "[" + name + "]";  // the colon behind IPv6 is that of the port
    // A host without a port stays so: launching chooses the port.
    const std::string address = name + (port ? ":" + *port : "");
    raw_["rendezvous"] = {address, raw_[host ? "master_addr" : "master_port"].origin};
    raw_.erase("master_addr");
    raw_.erase("master_port");
  }

  void decide_device() {
    const bool has_gpu = !around_.machine.gpus.empty();
    replace_auto("device", has_gpu ? "cuda" : "cpu");
    const std::string* device = text("device");
    if (device) {
      replace_auto("backend", std::string(catalogue::default_backend(*device == "cuda")));
    }
  }

  void decide_ranks() {
    const int beside = has_dedicated_server(processes_in(raw_)) ? 1 : 0;
    const std::string* device = text("device");
    const bool cuda = device && *device == "cuda";
    // A rank with automatic threads uses all cores, so that one fits.
    const auto per_rank = optional_count("threads");
    const auto fitting =
        per_rank ? std::max<std::int64_t>(1, around_.machine.cores / *per_rank) : 1;
    const auto automatic = !cuda ? fitting : std::ssize(around_.machine.gpus);
    replace_auto("nproc_per_node", std::to_string(std::max<std::int64_t>(1, automatic - beside)));

    if (around_.ranks) {
      ranks_ = *around_.ranks;
      return;
    }
    const auto per_node = static_cast<int>(count("nproc_per_node"));
    ranks_.local_world_size =
        count("nnodes") == 1 ? process_count(processes_in(raw_), per_node) : per_node;
    ranks_.world_size = per_node * static_cast<int>(count("nnodes"));  // <= 2^28
  }

  void decide_strategy() {
    if (refused_.contains("strategy") || text("strategy")) return;
    raw_["strategy"] = {catalogue::default_strategy(ranks_.world_size), "default"};
  }

  void decide_threads() {
    const std::string* bind = text("bind");
    const std::string* device = text("device");
    const int processes = ranks_.local_world_size;
    const bool one_process = processes_in(raw_).count == catalogue::ProcessCount::kOne;
    const int threads =
        threads_per_rank(around_.machine,
                         bind ? find_word<placement::Bind>(*bind).value_or(placement::Bind::kNone)
                              : placement::Bind::kNone,
                         device && *device == "cuda" ? DeviceKind::kCuda : DeviceKind::kCpu,
                         processes, one_process ? ranks_.world_size : processes);
    replace_auto("threads", std::to_string(threads));
  }

  // Does as DistributedDataParallel: its small first bucket belongs to its default size; with a
  // given size every bucket has that size, the first one too.
  void decide_first_bucket() {
    const bool named = given_.contains("bucket_cap_mb") && text("bucket_cap_mb");
    if (!named || given_.contains("first_bucket_cap_mb")) return;
    raw_["first_bucket_cap_mb"] = {*text("bucket_cap_mb"), "derived"};
  }

  void decide_batch() {
    for (const char* name : {"batch_size", "global_batch_size", "gradient_accumulation_steps",
                             "nproc_per_node", "nnodes", "workload"}) {
      if (refused_.contains(name)) return;
    }
    const BatchRequest request{optional_count("batch_size"),
                               optional_count("gradient_accumulation_steps"),
                               optional_count("global_batch_size")};
    const BatchAnswer answer =
        resolve_batch(request, ranks_.world_size, workload_->default_batch_size);
    if (!answer.problem.empty()) {
      refuse(request.global_batch_size ? "global_batch_size" : "batch_size", answer.problem);
      return;
    }
    const bool global_given = request.global_batch_size.has_value();
    fill("batch_size", answer.sizes.batch_size, global_given ? "derived" : "recipe");
    fill("gradient_accumulation_steps", answer.sizes.gradient_accumulation_steps,
         global_given && request.batch_size ? "derived" : "default");
    fill("global_batch_size", answer.sizes.global_batch_size, "derived");
  }

  void decide_output() {
    if (refused_.contains("output")) return;
    if (!text("output")) {
      const std::string what = workload_ ? workload_->name : "train";
      raw_["output"] = {"results/runs/" + what + "-{date}", "default"};
    }
    refuse_resume_in_new_folder();
    const auto filled = fill_placeholders(raw_["output"].text, around_.place);
    if (!filled) {
      refuse("output", "the placeholders {host}, {job} and {date} are allowed");
      return;
    }
    raw_["output"].text = *filled;
  }

  void refuse_resume_in_new_folder() {
    const auto& output = raw_["output"];
    const bool always_new =
        output.origin == "default" || output.text.find("{date}") != std::string::npos;
    if (!always_new || !is_on(raw_, "resume")) return;
    refuse("resume",
           "needs an --output that stays the same from one start to the next: without it, and with "
           "{date}, each start has a new folder",
           "name the folder with --output DIR");
  }

  void finish() {
    Settings& settings = result_.settings;
    result_.add(read_fields(raw_, settings));
    scale_learning_rate(settings.recipe, settings.size);
    for (const auto& [name, value] : raw_) settings.origins[name] = value.origin;

    const CheckInput input{settings, raw_, workload_, around_.machine, ranks_, refused_};
    result_.add({.problems = check_together(input), .notes = {}});
    if (result_.problems.empty()) result_.notes = notes_on(input);
    result_.raw = std::move(raw_);
  }

  void scale_learning_rate(RecipeSettings& recipe, const SizeSettings& size) const {
    if (!workload_ || recipe.lr_scaling != LrScaling::kLinear) return;
    const auto reference = workload_->recipe.reference_batch;
    if (reference <= 0 || size.global_batch_size <= 0) return;
    recipe.learning_rate *=
        static_cast<double>(size.global_batch_size) / static_cast<double>(reference);
  }

  const std::string* text(std::string_view name) const {
    const auto found = raw_.find(name);
    return found == raw_.end() ? nullptr : &found->second.text;
  }
  std::optional<std::int64_t> optional_count(std::string_view name) const {
    return value_in<std::int64_t>(raw_, name);
  }
  std::int64_t count(std::string_view name) const { return optional_count(name).value_or(1); }
  void replace_auto(const std::string& name, std::string decided) {
    const auto found = raw_.find(name);
    if (found != raw_.end() && found->second.text == "auto")
      found->second.text = std::move(decided);
  }
  void fill(const std::string& name, std::int64_t value, const std::string& origin) {
    raw_.try_emplace(name, RawValue{std::to_string(value), origin});
  }
  void refuse(const std::string& name, std::string allowed, std::string hint = {}) {
    result_.problems.push_back(problem_of(raw_, name, std::move(allowed), std::move(hint)));
    refused_.insert(name);
    raw_.erase(name);
  }

  const RawSettings& given_;
  const Surroundings& around_;
  RawSettings raw_;
  RankCount ranks_;
  const catalogue::Workload* workload_ = nullptr;
  std::set<std::string> refused_;
  Resolution result_;
};

}  // namespace

Resolution resolve(const RawSettings& given, const Surroundings& surroundings) {
  return Resolver(given, surroundings).run();
}

}  // namespace scalemark::settings
