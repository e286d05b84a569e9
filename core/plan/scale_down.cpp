#include "core/plan/scale_down.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "core/base/text.h"
#include "core/base/words.h"
#include "core/catalogue/backends.h"
#include "core/catalogue/workload.h"
#include "core/plan/listed_configs.h"
#include "core/plan/scaled_values.h"
#include "core/settings/checks.h"
#include "core/settings/comm_settings.h"
#include "core/settings/reader.h"

namespace scalemark::planning {
namespace {

using settings::RawSettings;

constexpr const char* kNone = "none";
constexpr double kUsualLimit_s = 300, kSustained_s = 2;
// Estimates are rough: a plan is meant to take less than the limit, and runs are cut only when they
// are about to take a multiple of it.
constexpr double kShare = 0.6, kHardLimit = 5, kLimitOfRepetitions = 3;
constexpr double kWorthwhile = 0.9;         // a change must cut the time to this share
constexpr std::int64_t kSmallestBatch = 2;  // batch norms need two values
constexpr std::int64_t kSmallestImage = 64, kShortestSequence = 32;
constexpr std::int64_t kFewestSteps = 10, kFewestWarmupSteps = 5, kForAnInterval = 3;
constexpr std::int64_t kUsualSteps = 100, kUsualWarmupSteps = 20, kUsualRepetitions = 5;
constexpr std::int64_t kUsualPasses = 11;  // comm --pairs makes so many by default

class Shrinker {
 public:
  Shrinker(settings::Command command, const RawSettings& given, const Surveyed& surveyed,
           double limit_s)
      : command_(command), given_(given), surveyed_(surveyed), limit_s_(limit_s), raw_(given) {}

  ScaledDown run() {
    use_what_is_here();
    forecast_ = forecast(command_, raw_, surveyed_);
    if (command_ == settings::kComm) {
      drop_missing_backends();
      while (try_list("sizes", smaller_messages, usual_messages())) continue;
    } else {
      shorten_acceptance();
      shrink_sizes();
      shorten_runs();
    }
    repeat_less();
    // Short runs gain from sizes that did not matter in long ones.
    if (command_ != settings::kComm) shrink_sizes();
    drop_extras();
    return {.raw = raw_, .changes = changes(), .planned_s = forecast_.estimated_s};
  }

 private:
  // --- Options as lists of texts.

  std::string text(const std::string& option) const { return value_at(raw_, option).text; }
  bool is_on(const std::string& option) const { return settings::is_on(raw_, option); }
  bool is_kept(const std::string& option) const {
    return value_at(given_, option).origin == "option" && !forecast_.breaks_preset;
  }
  // Ranges are expanded; what is no value of the option is left out.
  Texts list(const std::string& option) const {
    const auto found = raw_.find(option);
    if (found == raw_.end()) return {};
    return settings::read_list(option, found->second).texts;
  }
  void put(RawSettings& raw, const std::string& option, const std::string& value) const {
    if (value == kNone) {
      raw.erase(option);
    } else {
      raw[option] = {value, "scale_down"};
    }
  }
  void set(const std::string& option, const std::string& value, const std::string& from = "") {
    note(option, from);
    put(raw_, option, value);
  }
  void note(const std::string& option, const std::string& from) {
    if (std::ranges::count(order_, option) > 0) return;
    order_.push_back(option);
    const auto given = given_.find(option);
    from_[option] = given != given_.end() ? given->second.text : from.empty() ? kNone : from;
  }
  void keep_only(const std::string& option, const std::function<bool(const std::string&)>& stays,
                 const std::string& otherwise) {
    const Texts now = list(option);
    if (now.empty()) return;
    const Texts kept = only(now, stays, otherwise);
    if (kept != now) set(option, joined(kept, ","));
  }

  std::vector<Change> changes() const {
    std::vector<Change> all;
    for (const std::string& option : order_) {
      const std::string now = text(option);
      const std::string to = now.empty() ? kNone : now;
      if (to != from_.at(option)) all.push_back({option, from_.at(option), to});
    }
    return all;
  }

  // --- Does it fit, and does a change help?

  bool fits() const {
    // The plan reports a refusal that no change of sizes lifts.
    if (!forecast_.problems.empty()) return true;
    return forecast_.fits_memory() && !forecast_.breaks_preset &&
           forecast_.estimated_s <= kShare * limit_s_;
  }

  bool try_value(const std::string& option, const std::string& value,
                 const std::string& from = "") {
    RawSettings smaller = raw_;
    put(smaller, option, value);
    Forecast found = forecast(command_, smaller, surveyed_);
    const bool gains = found.estimated_s < kWorthwhile * forecast_.estimated_s ||
                       (!forecast_.fits_memory() && found.memory_share < forecast_.memory_share);
    const bool breaks = found.breaks_preset && !forecast_.breaks_preset;
    // A batch that no longer divides among the ranks would leave rows out.
    const bool loses_rows = found.runs < forecast_.runs && option.ends_with("batch_size");
    if (!gains || breaks || loses_rows || !found.problems.empty()) return false;
    set(option, value, from);
    forecast_ = std::move(found);
    return true;
  }
  // `usual`: the values where none is given.
  bool try_list(const std::string& option, const std::function<Texts(const Texts&)>& shrink,
                const Texts& usual = {}, const std::string& from = "") {
    if (fits()) return false;
    Texts now = list(option);
    if (now.empty()) now = usual;
    const Texts smaller = shrink(now);
    return !smaller.empty() &&
           try_value(option, joined(smaller, ","), from.empty() ? joined(usual, ",") : from);
  }

  // --- The machine.

  bool computes_on_gpus() const {
    return !surveyed_.machine.gpus.empty() && text("device") != "cpu";
  }

  void use_what_is_here() {
    const auto& machine = surveyed_.machine;
    if (text("device") == "cuda" && machine.gpus.empty()) set("device", "cpu");
    for (const char* endless : {"epochs", "checkpoint_every", "resume", "burn_in", "thorough",
                                "until_ci", "min_time", "max_warmup"}) {
      // A sweep can resume a plan that is made anew; a checkpoint needs the epochs that are
      // dropped.
      if (std::string(endless) == "resume" && command_ == settings::kSweep) continue;
      const std::string now = text(endless);
      if (!now.empty() && now != "off") set(endless, kNone);
    }
    limit_ranks(computes_on_gpus() ? static_cast<int>(machine.gpus.size())
                                   : std::max(2, machine.cores));
    drop_precisions();
    if (!computes_on_gpus()) {
      keep_only(
          "backend", [](const auto& name) { return !catalogue::needs_one_rank_per_gpu(name); },
          "auto");
    }
    name_images();
  }

  void limit_ranks(int most) {
    if (text("nnodes") != "" && text("nnodes") != "1") {
      set("nnodes", "1");
      for (const char* of_nodes : {"node_rank", "rendezvous"}) {
        if (!text(of_nodes).empty()) set(of_nodes, kNone);
      }
    }
    // 1,8 on two cores is 1,2: an experiment about scaling stays one.
    for (const char* option : {"world_sizes", "nproc_per_node"}) {
      const Texts now = list(option), here = at_most(now, most);
      if (here != now) set(option, joined(here, ","));
    }
  }

  void drop_precisions() {
    settings::PrecisionDevice device{.cpu_flags = surveyed_.machine.cpu_flags};
    if (computes_on_gpus()) {
      device = {settings::DeviceKind::kCuda, "", surveyed_.machine.gpus.front().capability};
    }
    keep_only(
        "precision", [&](const auto& name) { return is_supported(name, device); }, "fp32");
  }

  bool trains(const std::function<bool(const catalogue::Workload&)>& is) const {
    return std::ranges::any_of(workloads(), [&](const std::string& name) {
      const catalogue::Workload* workload = catalogue::find_workload(name);
      return workload && is(*workload);
    });
  }
  Texts workloads() const {
    const Texts named = list("workload");
    if (!named.empty()) return named;
    return {computes_on_gpus() && command_ == settings::kSweep ? "resnet50" : "mlp"};
  }

  // An experiment about reading needs something to read.
  void name_images() {
    const bool reads = std::ranges::any_of(settings::reading_options(), [&](std::string_view name) {
      return list(std::string(name)).size() > 1;
    });
    const bool of_images = trains([](const catalogue::Workload& workload) {
      return workload.data_kind == catalogue::DataKind::kImages;
    });
    if (reads && of_images && text("data").empty()) set("data", kMadeImages, "synthetic");
  }

  void drop_missing_backends() {
    if (forecast_.backends.empty()) return;
    keep_only(
        "backend",
        [&](const auto& name) { return std::ranges::count(forecast_.backends, name) > 0; }, "auto");
  }

  // --- Smaller.

  Texts usual_messages() const {
    if (!text("sizes_of").empty()) return {};
    return settings::read_list("sizes", {settings::kDefaultMessageSizes, "default"}).texts;
  }

  void shrink_sizes() {
    const auto batches = [](const Texts& now) { return halved_apart(now, kSmallestBatch); };
    if (text("batch_size") == "auto" && !fits()) try_value("batch_size", kNone);
    while (try_list("global_batch_size", batches)) continue;
    while (try_list("batch_size", batches, {smallest_own_batch(workloads())}, "the workload's own"))
      continue;
    while (try_list("gradient_accumulation_steps",
                    [](const Texts& now) { return without_largest(now, 1); })) {
      continue;
    }
    const auto images = [](const Texts& now) { return halved_apart(now, kSmallestImage); };
    while (try_list("image_size", images, usual("image_size", "224"))) continue;
    const auto sequences = [](const Texts& now) { return halved_apart(now, kShortestSequence); };
    while (try_list("sequence_length", sequences, usual("sequence_length", "128"))) continue;
    try_list("workload", mini_networks);
  }

  // Empty where no workload has such a size.
  Texts usual(const std::string& option, const std::string& size) const {
    const bool used = trains([&](const catalogue::Workload& workload) {
      return std::ranges::count(workload.options, option) > 0;
    });
    return used ? Texts{size} : Texts{};
  }

  void shorten_acceptance() {
    if (fits()) return;
    if (settings::value_in<double>(raw_, "sustain").value_or(0) > kSustained_s)
      set("sustain", settings::to_text(kSustained_s) + "s");
    // No estimate includes the cost of a new start.
    if (is_on("fresh_process")) set("fresh_process", kNone);
    forecast_ = forecast(command_, raw_, surveyed_);
  }

  // A preset cuts each run of a sweep to the time; train has numbers of steps.
  void shorten_runs() {
    if (fits()) return;
    const bool is_sweep = command_ == settings::kSweep;
    if (is_sweep) {
      if (text("repetitions").empty() && !is_on("quick")) {  // --quick has one already
        put(raw_, "repetitions", std::to_string(kUsualRepetitions));
      }
      set("quick", "on", "off");
      if (text("retries") != "0")
        set("retries", "0", "1");  // a disturbed run shows the method, too
      // A preset fills its time: where repetitions stay, each run is shorter.
      const double given_s = settings::value_in<double>(raw_, "max_time").value_or(HUGE_VAL);
      for (const double share : {kLimitOfRepetitions, kHardLimit}) {
        if (share < kHardLimit && !is_kept("repetitions")) continue;
        if (given_s > share * limit_s_) set("max_time", settings::to_text(share * limit_s_) + "s");
        forecast_ = forecast(command_, raw_, surveyed_);
        if (!forecast_.breaks_preset) break;
      }
    }
    if (!is_sweep || !text("iters").empty()) {
      while (try_list(
          "iters", [](const Texts& now) { return halved(now, kFewestSteps); },
          {std::to_string(kUsualSteps)}, "100 and 2 s")) {
        continue;
      }
    }
    if (!is_sweep || !text("warmup_iters").empty()) {
      while (try_list(
          "warmup_iters", [](const Texts& now) { return halved(now, kFewestWarmupSteps); },
          {std::to_string(kUsualWarmupSteps)}, "20 and 2 s")) {
        continue;
      }
    }
  }

  // Measurements beside the runs themselves.
  void drop_extras() {
    if (forecast_.estimated_s > limit_s_ && !is_kept("communication_cost"))
      try_value("communication_cost", kNone);
    const auto is_short = [](const std::string& check) { return check != "replay"; };
    if (forecast_.estimated_s > limit_s_ && !text("checks").empty())
      try_value("checks", joined(only(list("checks"), is_short, kNone), ","));
  }

  void repeat_less() {
    if (command_ == settings::kTrain) return;
    const bool pairs = command_ == settings::kComm && is_on("pairs");
    const std::string usual = std::to_string(pairs ? kUsualPasses : kUsualRepetitions);
    for (const std::int64_t runs : {3, 2, 1}) {
      if (runs < kForAnInterval && is_kept("repetitions")) return;
      const auto fewer = [&](const Texts& now) {
        const bool is_less = settings::parse_count(now.front()).value_or(1) > runs;
        return is_less ? Texts{std::to_string(runs)} : Texts{};
      };
      try_list("repetitions", fewer, {usual}, usual);
    }
  }

  settings::Command command_;
  const RawSettings& given_;
  const Surveyed& surveyed_;
  double limit_s_;
  RawSettings raw_;
  Forecast forecast_;
  std::vector<std::string> order_;  // options, by their first change
  std::map<std::string, std::string> from_;
};

}  // namespace

ScaledDown scaled_down(settings::Command command, const RawSettings& given,
                       const Surveyed& surveyed, double limit_s) {
  return Shrinker(command, given, surveyed, limit_s).run();
}

std::optional<double> scale_down_s(const RawSettings& raw) {
  const auto found = raw.find("scale_down");
  if (found == raw.end()) return std::nullopt;
  if (found->second.text == "on") return kUsualLimit_s;
  return settings::value_in<double>(raw, "scale_down");
}

std::string in_words(const ScaledDown& scaled) {
  std::vector<std::string> changes;
  for (const Change& change : scaled.changes) {
    changes.push_back(change.option + " " + change.from + " -> " + change.to);
  }
  const std::string time = "about " + rough_duration(scaled.planned_s) + " by the plan";
  if (changes.empty()) return "nothing is scaled down: " + time;
  return "scaled down to " + time + ": " + joined(changes, "; ");
}

}  // namespace scalemark::planning
