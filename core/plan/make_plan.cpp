#include "core/plan/make_plan.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/base/text.h"
#include "core/base/words.h"
#include "core/catalogue/strategy.h"
#include "core/plan/axes.h"
#include "core/plan/order.h"
#include "core/plan/point_builder.h"
#include "core/plan/presets.h"
#include "core/plan/quick_network.h"
#include "core/settings/machine.h"
#include "core/settings/option.h"
#include "core/settings/processes.h"
#include "core/settings/reader.h"

namespace scalemark::planning {
namespace {

using settings::Axis;
using settings::Problem;

bool computes_on_gpus(const settings::SweepRequest& asked, const settings::Machine& machine) {
  return !machine.gpus.empty() && value_at(asked.common, "device").text != "cpu";
}

std::vector<std::string> texts_of(const settings::SweepRequest& asked, const char* option) {
  const Axis* axis = find_axis(asked.axes, option);
  return axis ? axis->values : std::vector<std::string>{""};
}

// Lists the processes of each strategy and server that is asked for.
std::vector<settings::Processes> kinds_of_processes(const settings::SweepRequest& asked) {
  std::vector<settings::Processes> kinds;
  for (const std::string& strategy : texts_of(asked, "strategy")) {
    for (const std::string& server : texts_of(asked, "server")) {
      kinds.push_back(settings::processes_in(
          {{"strategy", {strategy, "option"}}, {"server", {server, "option"}}}));
    }
  }
  return kinds;
}

// Processes that the points of `world_size` training ranks need: the fewest of any, the most.
std::pair<int, int> processes_for(const settings::SweepRequest& asked, int world_size) {
  std::vector<int> counts;
  for (const auto& kind : kinds_of_processes(asked)) {
    counts.push_back(settings::process_count(kind, world_size));
  }
  const auto [fewest, most] = std::ranges::minmax(counts);
  return {fewest, most};
}

// 1, 2, 4, ... and `most` itself.
std::vector<int> doublings(int most) {
  std::vector<int> sizes;
  for (int n = 1; n < most; n *= 2) sizes.push_back(n);
  sizes.push_back(most);
  return sizes;
}

std::string whole_seconds(double seconds) {
  return std::to_string(std::llround(std::ceil(seconds))) + " s";
}

// Estimates differ a little from call to call: this many minutes suffice in the next one, too.
std::string enough_minutes(double seconds) {
  return std::to_string(std::llround(std::ceil(1.1 * seconds / 60))) + "m";
}

std::uint64_t seed_of(const settings::RawSettings& common) {
  return static_cast<std::uint64_t>(settings::value_in<std::int64_t>(common, "seed").value_or(0));
}

class PlanMaker {
 public:
  explicit PlanMaker(const PlanRequest& request)
      : request_(request), axes_(request.asked.axes), common_(request.asked.common) {
    answer_.plan.sweep = request.asked.sweep;
    answer_.plan.world_size = static_cast<int>(request.node_of_rank.size());
    answer_.plan.memory_available_bytes = request.memory_available_bytes;
  }

  PlanAnswer run() {
    answer_.problems = request_.asked.problems;
    decide_world_sizes();
    decide_workload();
    decide_output();
    if (!answer_.problems.empty()) return std::move(answer_);
    make_points();
    if (!answer_.problems.empty()) return std::move(answer_);
    Plan& plan = answer_.plan;
    plan.seed = seed_of(common_);
    plan.notes.insert(plan.notes.begin(), request_.asked.notes.begin(), request_.asked.notes.end());
    if (const auto overrun = schedule(plan)) {
      answer_.problems.push_back(problem_of(*overrun));
      return std::move(answer_);
    }
    for (int k = 0; k < plan.stop.least_blocks; ++k) {
      for (PlannedRun& run : block(plan, k)) plan.runs.push_back(std::move(run));
    }
    return std::move(answer_);
  }

 private:
  Problem problem_of(const Overrun& over) const {
    const auto runs = std::ranges::count_if(
        answer_.plan.points, [](const PlannedPoint& point) { return !point.skipped; });
    return {.option = over.option,
            .allowed = "by the estimate the " + std::to_string(runs) +
                       " points of this plan need " + whole_seconds(over.least_s) +
                       " at least, and it has " + whole_seconds(over.limit_s),
            .origin = value_at(request_.asked.own, over.option).origin,
            .hint = "--max-time " + enough_minutes(over.least_s) +
                    ", fewer points or smaller batches; most takes " +
                    answer_.plan.points[over.longest].group + ", " + whole_seconds(over.longest_s)};
  }

  void decide_world_sizes() {
    auto& sizes = answer_.plan.sweep.world_sizes;
    const int launched = answer_.plan.world_size;
    if (sizes.empty()) {
      const int beside = processes_for(request_.asked, launched).second - launched;
      const int most = std::max(1, launched - std::max(0, beside));
      sizes = answer_.plan.sweep.all_ranks ? std::vector{most} : doublings(most);
    }
    const int needed = processes_for(request_.asked, sizes.back()).first;
    if (needed <= launched) return;
    answer_.problems.push_back(
        {"world_sizes", std::to_string(sizes.back()),
         "at most " + std::to_string(launched - (needed - sizes.back())) +
             ", the ranks that are launched" + (needed > sizes.back() ? " without the server" : ""),
         value_at(request_.asked.own, "world_sizes").origin, "start more ranks, or leave it out"});
  }

  void decide_workload() {
    if (find_axis(axes_, "workload")) return;
    const bool gpus = computes_on_gpus(request_.asked, request_.machine);
    const settings::RawSettings& own = request_.asked.own;
    if (request_.asked.sweep.quick && settings::given_by_a_person(own, "quick")) {
      std::ranges::move(
          axes_of_quick(request_.machine, gpus, request_.memory_available_bytes, axes_),
          std::back_inserter(axes_));
      std::ranges::stable_sort(axes_, {},
                               [](const Axis& axis) { return settings::find_option(axis.option); });
      return;
    }
    axes_.insert(axes_.begin(), Axis{"workload", {gpus ? "resnet50" : "mlp"}, "default"});
  }

  void decide_output() {
    if (common_.contains("output")) return;
    const Axis* workload = find_axis(axes_, "workload");
    const std::string what = workload->values.size() == 1 ? "-" + workload->values.front() : "";
    common_["output"] = {"results/runs/sweep" + what + "-{date}", "default"};
  }

  // The same for every point, the baseline too: METRICS.md, "threads".
  int threads_of_a_rank() const {
    const int launched = answer_.plan.world_size;
    const auto most_of = [&](int processes) {
      return most_on_a_node(
          members(processes, request_.node_of_rank, request_.asked.sweep.placement),
          request_.node_of_rank);
    };
    int most = 1;
    for (const int n : answer_.plan.sweep.world_sizes) {
      const int processes = std::max(n, processes_for(request_.asked, n).second);
      most = std::max(most, most_of(std::min(processes, launched)));
    }
    const bool gpus = computes_on_gpus(request_.asked, request_.machine);
    // The ranks of the whole launch count, since all of them are bound.
    return settings::threads_per_rank(
        request_.machine, bind(), gpus ? settings::DeviceKind::kCuda : settings::DeviceKind::kCpu,
        most_of(launched), most);
  }

  placement::Bind bind() const {
    return find_word<placement::Bind>(value_at(common_, "bind").text)
        .value_or(placement::Bind::kNone);
  }

  void make_points() {
    const SliceQuestion question{axes_, common_, answer_.plan.sweep};
    answer_.problems = size_problems(question);
    const std::size_t count = count_points(question);
    if (count > settings::kMostPoints) {
      answer_.problems.push_back({"", std::to_string(count) + " points",
                                  "a sweep has at most " + std::to_string(settings::kMostPoints),
                                  "", "shorten a list, or make several sweeps"});
    }
    if (!answer_.problems.empty()) return;

    PointBuilder builder(request_, axes_, threads_of_a_rank());
    for (const SliceRequest& slice : slice_requests(question)) add_slice(slice, builder);
    answer_.problems = builder.refusals();
    if (answer_.problems.empty() && drop_axes_without_effect(builder)) {
      answer_.plan.slices.clear();
      return make_points();
    }
    if (!answer_.problems.empty()) return;
    builder.finish(answer_.plan);
    std::erase_if(answer_.plan.notes, [&](const std::string& note) {
      return std::ranges::count(without_effect_, note) > 0;
    });
    std::ranges::move(dropped_, std::back_inserter(answer_.plan.notes));
    answer_.plan.comparisons = comparisons_of(answer_.plan, axes_);
    refuse_tuning_nothing();
    note_axes_without_meaning();
    start_anew_for_each_environment();
  }

  // An axis whose values change nothing here would measure the same point again and again. Returns
  // whether one was dropped; to have nothing left to compare is a problem.
  bool drop_axes_without_effect(const PointBuilder& builder) {
    bool dropped = false;
    for (Axis& axis : axes_) {
      const std::string why = axis.values.size() > 1 ? builder.why_without_effect(axis.option) : "";
      if (why.empty()) continue;
      const bool others = request_.asked.own.contains("world_sizes") ||
                          std::ranges::any_of(axes_, [&](const Axis& other) {
                            return &other != &axis && other.values.size() > 1;
                          });
      if (!others) {
        answer_.problems.push_back({axis.option, joined(axis.values, ","),
                                    "no axis is left to sweep: " + why, axis.origin,
                                    "sweep something that has an effect here"});
        return false;
      }
      without_effect_.push_back(why);
      dropped_.push_back(why + "; only " + axis.values.front() + " is measured");
      axis.values.resize(1);
      dropped = true;
    }
    return dropped;
  }

  // Ranks cannot change their environment, so that each block starts them anew.
  void start_anew_for_each_environment() {
    Plan& plan = answer_.plan;
    if (environments_of(plan).size() < 2) return;
    plan.sweep.fresh_process = true;
    if (plan.searches.empty()) return;
    answer_.problems.push_back({"batch_size", "auto",
                                "cannot be searched for several environments (--env)",
                                find_axis(axes_, "batch_size")->origin, "give a number"});
  }

  // Points that would be the same are one.
  void note_axes_without_meaning() {
    for (const Axis& axis : axes_) {
      const settings::Option* option = settings::find_option(axis.option);
      if (axis.values.size() < 2 || !option || !settings::is_compared(*option)) continue;
      if (std::ranges::count(answer_.plan.comparisons, axis.option, &Comparison::axis) > 0)
        continue;
      answer_.plan.notes.push_back(settings::option_flag(axis.option) +
                                   ": no two points of this sweep differ in it");
    }
  }

  void refuse_tuning_nothing() {
    const std::string& tuned = answer_.plan.sweep.tune;
    if (tuned.empty() || std::ranges::count(answer_.plan.comparisons, tuned, &Comparison::axis) > 0)
      return;

    answer_.problems.push_back(
        {"tune", tuned, "no two points of this sweep differ in it: it has no effect here",
         value_at(request_.asked.own, "tune").origin,
         "an option of the exchange needs 2 ranks, one of the loader --data"});
  }

  void add_slice(const SliceRequest& request, PointBuilder& builder) {
    Slice slice{.kind = request.kind, .fixed = request.fixed};
    int largest = 0;
    for (const int n : answer_.plan.sweep.world_sizes) {
      slice.rows.push_back(builder.add(request, n, true));
      if (builder.runs(slice.rows.back())) largest = n;
    }
    if (largest > 0) {
      const std::size_t baseline = builder.add(request, 1, false, catalogue::baseline_strategy());
      if (builder.runs(baseline)) slice.baseline = baseline;
    }
    if (largest > 1)
      slice.solo = builder.add(request, largest, false, catalogue::baseline_strategy());
    answer_.plan.slices.push_back(std::move(slice));
  }

  const PlanRequest& request_;
  std::vector<Axis> axes_;
  settings::RawSettings common_;
  std::vector<std::string> dropped_, without_effect_;  // axes without effect: what was done, why
  PlanAnswer answer_;
};

}  // namespace

PlanAnswer make_plan(const PlanRequest& request) { return PlanMaker(request).run(); }

int ranks_wanted(const settings::SweepRequest& asked, const settings::Machine& machine) {
  if (asked.sweep.world_sizes.empty() && computes_on_gpus(asked, machine)) {
    return static_cast<int>(machine.gpus.size()) * settings::nodes_in(asked.common);
  }
  const int largest = asked.sweep.world_sizes.empty() ? 2 : asked.sweep.world_sizes.back();
  return std::max(largest, processes_for(asked, largest).second);
}

}  // namespace scalemark::planning
