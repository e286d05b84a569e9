#include "core/plan/point_builder.h"

#include <algorithm>

#include "core/catalogue/strategy.h"
#include "core/plan/estimates.h"
#include "core/plan/plan.h"
#include "core/settings/checks.h"
#include "core/settings/option.h"
#include "core/settings/processes.h"
#include "core/settings/reader.h"
#include "core/settings/resolve.h"
#include "core/settings/settings_json.h"

namespace scalemark::planning {
namespace {

using settings::Problem;
using settings::RawSettings;

constexpr const char* kSizeOptions[] = {"batch_size", "global_batch_size",
                                        "gradient_accumulation_steps"};

std::string key_of(const PlannedPoint& point, const std::string& search_key) {
  std::string key = std::to_string(point.world_size) + " " + search_key;
  if (point.skipped) key += " skipped " + *point.skipped;
  for (const auto& [name, value] : settings::identity_settings(point.settings)) {
    key += "|" + name + "=" + value;
  }
  return key;
}

std::string reason_of(const std::vector<Problem>& problems) {
  std::string reason;
  for (const Problem& problem : problems) {
    if (!reason.empty()) reason += "; ";
    reason += settings::option_flag(problem.option) + " " + problem.found + ": " + problem.allowed;
  }
  return reason;
}

void erase(RawSettings& raw, std::string_view option) {
  const auto found = raw.find(option);
  if (found != raw.end()) raw.erase(found);
}

std::int64_t number_in(const RawSettings& raw, const char* option) {
  return settings::value_in<std::int64_t>(raw, option).value_or(0);
}

Problem too_many_processes(const RawSettings& raw, int processes, int launched) {
  const bool serves = settings::has_dedicated_server(settings::processes_in(raw));
  return settings::problem_of(raw, serves ? "server" : "strategy",
                              "needs " + std::to_string(processes) + " processes, and " +
                                  std::to_string(launched) + " are launched",
                              "start more ranks");
}

Role role_of(const PlannedPoint& point) {
  if (catalogue::exchanges(point.settings.parallel.strategy)) return Role::kMeasured;
  return point.world_size == 1 ? Role::kBaseline : Role::kSolo;
}

}  // namespace

PointBuilder::PointBuilder(const PlanRequest& request, const std::vector<settings::Axis>& axes,
                           int threads)
    : request_(request), axes_(axes), threads_(threads) {
  for (const settings::Axis& axis : axes) {
    if (axis.values.size() > 1) varying_.push_back(axis.option);
  }
}

RawSettings PointBuilder::raw_of(const SliceRequest& slice, int world_size,
                                 const std::optional<std::string>& strategy) const {
  RawSettings raw = slice.raw;
  if (strategy) raw["strategy"] = {*strategy, "plan"};
  const auto found = raw.find("strategy");
  const std::string& name =
      found == raw.end() ? catalogue::default_strategy(world_size) : found->second.text;
  const bool chosen = std::ranges::count(varying_, "strategy") > 0;
  // In any other case the option is refused: it could mean nothing else.
  if (!catalogue::exchanges(name) || chosen) {
    for (const std::string_view option : catalogue::options_without_meaning(name)) {
      erase(raw, option);
    }
  }
  if (!catalogue::exchanges(name)) {
    const settings::Axis* backend = find_axis(axes_, "backend");
    if (backend) raw["backend"].text = backend->values.front();
  }
  const auto threads = raw.find("threads");
  if (threads == raw.end() || threads->second.text == "auto") {
    raw["threads"] = {std::to_string(threads_),
                      threads == raw.end() ? "default" : threads->second.origin};
  }
  if (slice.batch_auto) raw["batch_size"] = {"1", "search"};
  return raw;
}

PlannedPoint PointBuilder::resolve(const RawSettings& raw, const SliceRequest& slice,
                                   int world_size, bool asked) {
  PlannedPoint point{.asked = asked,
                     .world_size = world_size,
                     .processes = settings::process_count(settings::processes_in(raw), world_size)};
  const auto launched = static_cast<int>(request_.node_of_rank.size());
  point.members = members(std::min(point.processes, launched), request_.node_of_rank,
                          request_.asked.sweep.placement);
  const settings::Surroundings around{
      .machine = request_.machine,
      .ranks =
          settings::RankCount{world_size, most_on_a_node(point.members, request_.node_of_rank)},
      .place = request_.place};
  settings::Resolution resolution = settings::resolve(raw, around);
  if (point.processes > launched) {
    resolution.problems.push_back(too_many_processes(raw, point.processes, launched));
  }
  if (asked) remember(raw, resolution.problems);
  if (asked && resolution.problems.empty()) {
    note_effects(resolution.notes);
    for (const std::string& note : resolution.notes) {
      if (std::ranges::count(notes_, note) == 0) notes_.push_back(note);
    }
  }
  if (!resolution.problems.empty()) {
    point.skipped = reason_of(resolution.problems);
    RawSettings without_sizes = raw;
    for (const char* size : kSizeOptions) erase(without_sizes, size);
    resolution.settings = settings::resolve(without_sizes, around).settings;
    resolution.settings.size = {
        slice.kind == SliceKind::kStrongByBatch ? 0 : number_in(raw, "batch_size"),
        slice.kind == SliceKind::kStrongByAccumulation
            ? 0
            : std::max<std::int64_t>(1, number_in(raw, "gradient_accumulation_steps")),
        number_in(raw, "global_batch_size")};
  }
  point.settings = std::move(resolution.settings);
  point.settings.command = "sweep";
  point.role = role_of(point);
  return point;
}

void PointBuilder::note_effects(const std::vector<std::string>& notes) {
  ++asked_points_;
  for (const settings::Axis& axis : axes_) {
    const std::string begin = settings::option_flag(axis.option) + " has no effect";
    const auto note = std::ranges::find_if(
        notes, [&](const std::string& text) { return text.starts_with(begin); });
    if (note != notes.end()) effectless_[axis.option] = {++effectless_[axis.option].points, *note};
  }
}

std::string PointBuilder::why_without_effect(const std::string& option) const {
  const auto found = effectless_.find(option);
  const bool nowhere = found != effectless_.end() && found->second.points == asked_points_;
  return nowhere ? found->second.note : "";
}

void PointBuilder::remember(const RawSettings& raw, const std::vector<Problem>& problems) {
  for (const Problem& problem : problems) {
    const bool axis = find_axis(axes_, problem.option) != nullptr;
    (axis ? axis_problems_ : general_problems_).emplace(to_line(problem), problem);
  }
  for (const settings::Axis& axis : axes_) {
    const auto text = raw.find(axis.option);
    if (text == raw.end()) continue;
    Value& value = values_[{axis.option, text->second.text}];
    value.used = value.used || problems.empty();
    const auto own = std::ranges::find_if(problems, [&](const Problem& problem) {
      return problem.option == axis.option && !problem.of_point;
    });
    if (own != problems.end() && !value.problem) value.problem = *own;
  }
}

std::size_t PointBuilder::add(const SliceRequest& slice, int world_size, bool asked,
                              std::optional<std::string> strategy) {
  RawSettings raw = raw_of(slice, world_size, strategy);
  PlannedPoint point = resolve(raw, slice, world_size, asked);
  std::string search_key;
  if (slice.batch_auto && !point.skipped) {
    // Points of slices that share a baseline must share one search, whatever else differs between
    // them.
    PlannedPoint alike = point;
    alike.world_size = alike.processes = 0;
    alike.settings.parallel = {};
    alike.settings.parallel.precision = point.settings.parallel.precision;
    alike.settings.parallel.memory_format = point.settings.parallel.memory_format;
    alike.settings.parallel.activation_checkpointing =
        point.settings.parallel.activation_checkpointing;
    alike.settings.parallel.fused_layers = point.settings.parallel.fused_layers;
    alike.settings.parallel.cuda_graphs = point.settings.parallel.cuda_graphs;
    alike.settings.parallel.device = point.settings.parallel.device;
    alike.settings.parallel.threads = point.settings.parallel.threads;
    alike.settings.size.global_batch_size = 0;
    alike.settings.recipe.learning_rate = 0;
    search_key = "auto " + key_of(alike, "");
  }
  const auto [found, is_new] = by_key_.emplace(key_of(point, search_key), points_.size());
  if (is_new) {
    points_.push_back(std::move(point));
    drafts_.push_back({std::move(raw), std::move(search_key)});
  } else {
    points_[found->second].asked = points_[found->second].asked || asked;
  }
  return found->second;
}

std::vector<Problem> PointBuilder::refusals() const {
  std::vector<Problem> refused;
  for (const auto& [line, problem] : general_problems_) refused.push_back(problem);
  for (const auto& [name, value] : values_) {
    if (!value.used && value.problem) refused.push_back(*value.problem);
  }
  const bool any_runs = std::ranges::any_of(
      points_, [](const PlannedPoint& point) { return point.asked && !point.skipped; });
  if (refused.empty() && !any_runs) {
    for (const auto& [line, problem] : axis_problems_) refused.push_back(problem);
  }
  return refused;
}

void PointBuilder::group_searches(Plan& plan) {
  std::map<std::string, std::size_t> by_key;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    if (drafts_[i].search_key.empty()) continue;
    const auto [found, is_new] = by_key.emplace(drafts_[i].search_key, plan.searches.size());
    if (is_new) plan.searches.push_back({.point = i});
    BatchSearch& search = plan.searches[found->second];
    search.users.push_back(i);
    points_[i].batch_search = found->second;
    // An exchange may hold gradients a second time, more ranks need the larger communicator.
    const auto need = [&](std::size_t at) {
      return std::pair(catalogue::exchanges(points_[at].settings.parallel.strategy),
                       points_[at].world_size);
    };
    if (need(i) > need(search.point)) search.point = i;
  }
}

void PointBuilder::name_points() {
  std::map<std::string, int> taken;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    points_[i].varying = varying_options(drafts_[i].raw, varying_);
    const std::string name = group_name(points_[i]);
    const int before = taken[name]++;
    points_[i].group = before == 0 ? name : name + "-" + std::to_string(before + 1);
  }
}

void PointBuilder::finish(Plan& plan) {
  group_searches(plan);
  name_points();
  for (PlannedPoint& point : points_) {
    if (!point.skipped && !point.batch_search) {
      point.memory_estimate_bytes = estimated_memory_bytes(point.settings, point.world_size);
    }
  }
  for (BatchSearch& search : plan.searches) search.id = points_[search.point].group + "/batch";
  plan.points = std::move(points_);
  plan.notes = std::move(notes_);
}

}  // namespace scalemark::planning
