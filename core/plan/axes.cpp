#include "core/plan/axes.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include "core/base/words.h"
#include "core/catalogue/strategy.h"
#include "core/catalogue/workload.h"
#include "core/settings/checks.h"
#include "core/settings/option.h"
#include "core/settings/value.h"

namespace scalemark::planning {
namespace {

using settings::Axis;
using settings::RawSettings;
using settings::RawValue;

constexpr std::array<std::string_view, 3> kSizes{"batch_size", "global_batch_size",
                                                 "gradient_accumulation_steps"};

bool is_size(const Axis& axis) { return std::ranges::count(kSizes, axis.option) > 0; }

// Every combination of the axes that are no sizes, the last axis running fastest.
std::vector<RawSettings> combinations(const SliceQuestion& question) {
  std::vector<RawSettings> all{question.common};
  for (const Axis& axis : question.axes) {
    if (is_size(axis)) continue;
    std::vector<RawSettings> longer;
    for (const RawSettings& one : all) {
      for (const std::string& value : axis.values) {
        longer.push_back(one);
        longer.back()[axis.option] = {value, axis.origin};
      }
    }
    all = std::move(longer);
  }
  return all;
}

std::string text_or(const RawSettings& raw, const char* option, const char* otherwise) {
  return value_at(raw, option, {otherwise, ""}).text;
}

bool has_effect(const RawSettings& raw, std::string_view option) {
  const auto among = [&](std::span<const std::string_view> options) {
    return std::ranges::count(options, option) > 0;
  };
  const catalogue::Workload* workload = catalogue::find_workload(text_or(raw, "workload", ""));
  if (workload && !settings::serves(*workload, option)) return false;
  if (among(catalogue::options_without_meaning(text_or(raw, "strategy", "")))) return false;
  const bool is_synthetic = text_or(raw, "data", "synthetic") == "synthetic";
  if (is_synthetic ? among(settings::reading_options()) : option == "synthetic_in_loop") {
    return false;
  }
  if (option == "fused_layers") {
    return !workload || !settings::serves(*workload, "memory_format") ||
           text_or(raw, "memory_format", "") != "contiguous";
  }
  return option != "pin_memory" || text_or(raw, "device", "") != "cpu";
}

// An axis that means nothing for a combination would only repeat points under other names.
void drop_axes_without_effect(const SliceQuestion& question, RawSettings& raw) {
  for (const Axis& axis : question.axes) {
    if (axis.values.size() > 1 && !has_effect(raw, axis.option)) raw.erase(axis.option);
  }
  if (catalogue::exchanges(text_or(raw, "strategy", ""))) return;
  for (const std::string_view option : catalogue::exchange_options()) {
    const auto found = raw.find(option);
    if (found != raw.end()) raw.erase(found);
  }
}

// The largest batch size that serves every world size which divides the global batch at all.
std::int64_t batch_for_accumulation(std::int64_t global, const std::vector<int>& world_sizes) {
  std::int64_t common = 1;
  for (const int n : world_sizes) {
    if (global % n == 0) common = std::lcm(common, n);  // divides `global` too
  }
  return global / common;
}

class Expander {
 public:
  explicit Expander(const SliceQuestion& question)
      : in_(question),
        batch_(find_axis(question.axes, "batch_size")),
        global_(find_axis(question.axes, "global_batch_size")),
        accumulation_(find_axis(question.axes, "gradient_accumulation_steps")) {}

  std::vector<SliceRequest> run() {
    for (RawSettings& raw : combinations(in_)) {
      drop_axes_without_effect(in_, raw);
      if (batch_ || !global_) add_weak(raw);
      if (global_) add_strong(raw);
    }
    return std::move(out_);
  }

 private:
  using Values = std::vector<std::optional<std::string>>;
  static Values values_or_none(const Axis* axis) {
    if (!axis) return {std::nullopt};
    return {axis->values.begin(), axis->values.end()};
  }

  void add_weak(const RawSettings& raw) {
    for (const auto& batch : values_or_none(batch_)) {
      for (const auto& accumulation : values_or_none(accumulation_)) {
        SliceRequest slice{.kind = SliceKind::kWeak, .raw = raw};
        slice.batch_auto = batch == "auto";
        if (!batch) {
          put_default_batch(slice.raw);
        } else if (!slice.batch_auto) {
          slice.raw["batch_size"] = {*batch, batch_->origin};
        }
        put(slice.raw, accumulation_, accumulation);
        add(std::move(slice));
      }
    }
  }

  void add_strong(const RawSettings& raw) {
    const bool by_batch = in_.sweep.strong_by == settings::StrongBy::kBatch;
    for (const std::string& global : global_->values) {
      for (const auto& other : values_or_none(by_batch ? accumulation_ : batch_)) {
        SliceRequest slice{
            .kind = by_batch ? SliceKind::kStrongByBatch : SliceKind::kStrongByAccumulation,
            .raw = raw};
        slice.raw["global_batch_size"] = {global, global_->origin};
        put(slice.raw, by_batch ? accumulation_ : batch_, other);
        if (!by_batch && !other) {
          const auto number = settings::parse_count(global);
          slice.raw["batch_size"] = {
              std::to_string(batch_for_accumulation(number.value_or(1), in_.sweep.world_sizes)),
              "derived"};
        }
        add(std::move(slice));
      }
    }
  }

  static void put(RawSettings& raw, const Axis* axis, const std::optional<std::string>& value) {
    if (value) raw[axis->option] = {*value, axis->origin};
  }

  static void put_default_batch(RawSettings& raw) {
    const catalogue::Workload* workload = catalogue::find_workload(text_or(raw, "workload", ""));
    if (workload) raw["batch_size"] = {std::to_string(workload->default_batch_size), "recipe"};
  }

  void add(SliceRequest slice) {
    slice.fixed = {
        {"workload", text_or(slice.raw, "workload", "")},
        {"precision", text_or(slice.raw, "precision", "fp32")},
        {"strategy", text_or(slice.raw, "strategy", catalogue::default_strategy(2).c_str())}};
    if (slice.batch_auto) slice.fixed["batch_size"] = "auto";
    for (const std::string_view size : kSizes) {
      const auto found = slice.raw.find(size);
      if (found != slice.raw.end()) slice.fixed[std::string(size)] = found->second.text;
    }
    for (const Axis& axis : in_.axes) {
      const auto found = slice.raw.find(axis.option);
      if (axis.values.size() > 1 && found != slice.raw.end()) {
        slice.fixed[axis.option] = found->second.text;
      }
    }
    if (seen_.insert({slice.kind, slice.fixed}).second) out_.push_back(std::move(slice));
  }

  const SliceQuestion& in_;
  const Axis* batch_;
  const Axis* global_;
  const Axis* accumulation_;
  std::set<std::pair<SliceKind, std::map<std::string, std::string>>> seen_;
  std::vector<SliceRequest> out_;
};

}  // namespace

const Axis* find_axis(const std::vector<Axis>& axes, std::string_view option) {
  const auto found = std::ranges::find(axes, option, &Axis::option);
  return found == axes.end() ? nullptr : &*found;
}

std::vector<SliceRequest> slice_requests(const SliceQuestion& question) {
  return Expander(question).run();
}

std::size_t count_points(const SliceQuestion& question) {
  std::size_t product = question.sweep.world_sizes.size();
  std::size_t weak = 1, strong = 1;
  for (const Axis& axis : question.axes) {
    const std::size_t n = axis.values.size();
    if (axis.option != "global_batch_size") weak *= is_size(axis) ? n : 1;
    if (axis.option != "batch_size") strong *= is_size(axis) ? n : 1;
    if (is_size(axis)) continue;
    if (__builtin_mul_overflow(product, n, &product)) return SIZE_MAX;
  }
  const bool has_global = find_axis(question.axes, "global_batch_size") != nullptr;
  const bool has_weak = !has_global || find_axis(question.axes, "batch_size");
  const std::size_t sizes = (has_weak ? weak : 0) + (has_global ? strong : 0);
  if (__builtin_mul_overflow(product, sizes, &product)) return SIZE_MAX;
  return product;
}

std::vector<settings::Problem> size_problems(const SliceQuestion& question) {
  std::vector<settings::Problem> problems;
  const Axis* batch = find_axis(question.axes, "batch_size");
  const Axis* global = find_axis(question.axes, "global_batch_size");
  const Axis* accumulation = find_axis(question.axes, "gradient_accumulation_steps");
  if (!global || question.sweep.strong_by != settings::StrongBy::kAccumulation) return problems;
  if (accumulation && !batch) {
    problems.push_back({accumulation->option, accumulation->values.front(),
                        "follows from --global-batch-size with --strong-by accumulation",
                        accumulation->origin, "leave it out"});
  }
  if (batch && std::ranges::count(batch->values, "auto") > 0) {
    problems.push_back({batch->option, "auto",
                        "--strong-by accumulation needs a batch size as a number", batch->origin,
                        ""});
  }
  return problems;
}

namespace {

using Values = std::map<std::string, std::string>;

// Everything that both slices fix but `axis`; absent where they differ in something else.
std::optional<Values> common_fixed(const Slice& a, const Slice& b, const std::string& axis) {
  if (a.kind != b.kind) return std::nullopt;
  Values all = a.fixed;
  for (const auto& [option, value] : b.fixed) {
    const auto [known, is_new] = all.emplace(option, value);
    if (!is_new && known->second != value && option != axis) return std::nullopt;
  }
  all.erase(axis);
  return all;
}

bool has_value(const Slice& slice, const std::string& axis, const std::string& value) {
  const auto found = slice.fixed.find(axis);
  return found != slice.fixed.end() && found->second == value;
}

class Finder {
 public:
  Finder(const Plan& plan, const settings::Axis& axis) : plan_(plan), axis_(axis) {}

  std::vector<Comparison> run() {
    for (const Slice& slice : plan_.slices) {
      if (!has_value(slice, axis_.option, axis_.values.front())) continue;
      for (const std::string& value : axis_.values) {
        if (value != axis_.values.front()) compare(slice, value);
      }
    }
    return std::move(found_);
  }

 private:
  void compare(const Slice& first, const std::string& value) {
    for (const Slice& other : plan_.slices) {
      if (!has_value(other, axis_.option, value)) continue;
      const auto fixed = common_fixed(first, other, axis_.option);
      if (!fixed) continue;
      for (std::size_t i = 0; i < first.rows.size(); ++i) {
        add(*fixed, first.rows[i], value, other.rows[i]);
      }
    }
  }

  void add(Values fixed, std::size_t first, const std::string& value, std::size_t other) {
    if (first == other) return;
    const PlannedPoint& point = plan_.points[other];
    if (axis_.option != "strategy") fixed["strategy"] = point.settings.parallel.strategy;
    fixed["world_size"] = std::to_string(point.world_size);
    const auto same = [&](const Comparison& known) {
      return known.fixed == fixed && known.values.front().point == first;
    };
    auto known = std::ranges::find_if(found_, same);
    if (known == found_.end()) {
      found_.push_back({axis_.option, std::move(fixed), {{axis_.values.front(), first}}});
      known = std::prev(found_.end());
    }
    known->values.push_back({value, other});
  }

  const Plan& plan_;
  const settings::Axis& axis_;
  std::vector<Comparison> found_;
};

std::vector<std::size_t> points_of(const Comparison& comparison) {
  std::vector<std::size_t> points;
  for (const ComparedValue& value : comparison.values) points.push_back(value.point);
  return points;
}

}  // namespace

std::vector<Comparison> comparisons_of(const Plan& plan, const std::vector<settings::Axis>& axes) {
  std::vector<Comparison> all;
  for (const settings::Axis& axis : axes) {
    const settings::Option* option = settings::find_option(axis.option);
    if (axis.values.size() < 2 || !option || !settings::is_compared(*option)) continue;
    for (Comparison& one : Finder(plan, axis).run()) {
      // Slices of weak and of strong scaling may hold the same points.
      const bool known = std::ranges::any_of(all, [&](const Comparison& other) {
        return other.axis == one.axis && points_of(other) == points_of(one);
      });
      if (!known) all.push_back(std::move(one));
    }
  }
  return all;
}

}  // namespace scalemark::planning
