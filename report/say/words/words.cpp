#include "report/say/words/words.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "core/base/text.h"
#include "report/record/surety.h"

namespace scalemark::reporting {
namespace {

constexpr double kThreeDigits = 9.95;  // from here on one decimal makes three digits

// More digits than the interval allows would make the number look surer than it is.
std::string percent_of(const ScalingRow& row, double efficiency) {
  constexpr double kNarrow = 0.02;
  const Bounds& ci95 = row.efficiency_ci95;
  const bool is_narrow = ci95 && *ci95.high - *ci95.low < kNarrow;
  return with_decimals(100 * efficiency, is_narrow ? 1 : 0);
}

}  // namespace

std::string speed_up_digits(double factor) {
  return with_decimals(factor, factor < kThreeDigits ? 2 : 1);
}

std::string efficiency_digits(double share) { return with_decimals(100 * share, 0); }

std::string speed_up_text(const ScalingRow& row) {
  if (!row.speedup) return held_text(row.standing, kAbsent);
  const double speedup = *row.speedup;
  return held_text(row.standing,
                   has_two_digits(row) ? two_digits(speedup) : speed_up_digits(speedup));
}

std::string efficiency_text(const ScalingRow& row, const std::string& unit) {
  if (!row.efficiency) return held_text(row.standing, kAbsent);
  return held_text(row.standing, (has_two_digits(row) ? two_digits(100 * *row.efficiency)
                                                      : percent_of(row, *row.efficiency)) +
                                     unit);
}

std::string efficiency_interval(const ScalingRow& row) {
  if (!row.efficiency) return kAbsent;
  const std::string instead = instead_of_interval(surety_of(row), std::ssize(row.points));
  if (!instead.empty()) return instead;
  return percent_of(row, *row.efficiency_ci95.low) + " to " +
         percent_of(row, *row.efficiency_ci95.high);
}

std::string scaling_in_words(const ScalingRow& row) {
  std::string text = counted(row.world_size, "rank") + " give " + speed_up_text(row) + "x of the " +
                     speed_up_digits(row.ideal()) + "x that would be ideal: efficiency " +
                     efficiency_text(row, " %");
  const Surety surety = surety_of(row);
  if (surety == Surety::kNoInterval) return text;
  const std::string interval = efficiency_interval(row);
  if (surety == Surety::kNotKnown) return text + ", how surely is " + interval;
  return text + (surety == Surety::kOneRun ? " (" : " (95 %: ") + interval + ")";
}

std::string group_rate(const GroupRecord& group) {
  if (!group.samples_per_sec) return held_text(group.standing, kAbsent);
  const double rate = *group.samples_per_sec;
  return held_text(group.standing, has_two_digits(group) ? two_digits(rate) : readable(rate));
}

std::string option_in_words(std::string option) {
  if (!option.starts_with("env.")) std::ranges::replace(option, '_', ' ');
  return option;
}

std::string slice_text(const ScalingTable& table, const std::vector<ScalingTable>& all) {
  std::string text;
  for (const auto& [name, value] : table.fixed) {
    const auto differs = [&](const ScalingTable& other) {
      const auto found = other.fixed.find(name);
      return found == other.fixed.end() || found->second != value;
    };
    const bool is_size = name == (table.kind == "weak" ? "batch_size" : "global_batch_size");
    if (!is_size && std::ranges::none_of(all, differs)) continue;
    text += ", " + option_in_words(name) + " " + value;
  }
  return table.kind + text;
}

namespace {

constexpr double kTwice = 2;
constexpr double kHalfMiB = 0x1p19;
constexpr double kLossWorthSaying = 0.0005;  // a smaller loss is 0.000 in three decimals

std::string factor_text(double factor) { return with_decimals(factor, factor >= 10 ? 0 : 1); }

// How a ratio is written: as a factor if it is at least twice as fast or slow, else in percent.
struct Scale {
  bool slower = false, by_factor = false;
  std::string amount(double ratio) const {
    if (by_factor) return factor_text(slower ? 1 / ratio : ratio);
    return percent_text(slower ? 1 - ratio : ratio - 1);
  }
  std::string unit() const {
    return std::string(by_factor ? " x " : " % ") + (slower ? "slower" : "faster");
  }
};

Scale scale_of(double ratio) {
  const bool slower = ratio < 1;
  return {.slower = slower, .by_factor = (slower ? 1 / ratio : ratio) >= kTwice};
}

std::string alone(double ratio) {
  const Scale scale = scale_of(ratio);
  return scale.amount(ratio) + scale.unit();
}

// Writes "bucket_cap_mb 100 against 25 (2 ranks): 2.8 % faster (1.4 to 4.2)".
std::string compared_text(const EffectRecord& effect, const std::vector<EffectRecord>& all) {
  const std::string where = where_text(effect, all);
  return effect.axis + " " + effect.to + " against " + effect.from +
         (where.empty() ? "" : " (" + where + ")") + ": " + speed_text(effect);
}

// Writes " (3 options looked at)": the more there are, the more seem to have an effect by chance.
std::string of_options(const std::vector<EffectRecord>& effects) {
  std::set<std::string> axes;
  for (const EffectRecord& effect : effects) axes.insert(effect.axis);
  return axes.size() < 2 ? "" : " (" + std::to_string(axes.size()) + " options looked at)";
}

}  // namespace

std::string axes_looked_at(const std::vector<EffectRecord>& effects) {
  std::set<std::string> axes;
  for (const EffectRecord& effect : effects) {
    if (effect.p_holm) axes.insert(effect.axis);
  }
  if (axes.size() < 2) return "";
  return std::to_string(axes.size()) +
         " options were looked at, each tested by itself at 5 %: " + "up to " +
         percent(std::min(1.0, 0.05 * static_cast<double>(axes.size())), 0) +
         " of sweeps without any effect call one of them real";
}

std::string option_text(const std::string& option, const std::string& value) {
  if (option == "world_size") return value + (value == "1" ? " rank" : " ranks");
  return option + " " + value;
}

std::string unknown_text(const EffectRecord& effect) {
  return effect.verdict == statistics::EffectVerdict::kDisturbed ? "withheld" : "";
}

std::string effect_interval_instead(const EffectRecord& effect) {
  return instead_of_interval(surety_of(effect), effect.pairs, "pair");
}

std::string speed_text(const EffectRecord& effect) {
  if (std::string unknown = unknown_text(effect); !unknown.empty()) return unknown;
  const Surety surety = surety_of(effect);
  const std::string text = (is_rough(surety) ? "about " : "") + alone(effect.ratio);
  if (surety == Surety::kNoInterval) return text;
  if (const std::string instead = effect_interval_instead(effect); !instead.empty()) {
    return text + " (" + instead + ")";
  }
  const double low = *effect.ratio_ci95.low, high = *effect.ratio_ci95.high;
  if (low < 1 && high > 1) return text + " (" + alone(low) + " to " + alone(high) + ")";
  const Scale scale = scale_of(effect.ratio);
  return text + " (" + scale.amount(scale.slower ? high : low) + " to " +
         scale.amount(scale.slower ? low : high) + ")";
}

std::string verdict_text(const EffectRecord& effect) {
  const std::string text(name_of(effect.verdict));
  if (effect.verdict == statistics::EffectVerdict::kDisturbed) {
    return effect.disturbed_by +
           " disturbed, or too brief to tell: stop what else runs there, and repeat";
  }
  const bool is_unsure = effect.verdict == statistics::EffectVerdict::kUnsure;
  if (!is_unsure || !effect.ratio_ci95 || !effect.p_holm) return text;
  if (*effect.ratio_ci95.low <= 1 && *effect.ratio_ci95.high >= 1) return text;
  return text + " (" + p_text(*effect.p_holm) + " with all comparisons of this option)";
}

std::string effect_in_words(const EffectRecord& effect, const std::vector<EffectRecord>& all) {
  std::string text = compared_text(effect, all);
  const auto memory = static_cast<double>(effect.memory_delta_bytes.value_or(0));
  if (std::abs(memory) >= kHalfMiB) text += (memory > 0 ? ", +" : ", ") + size_text(memory);
  if (effect.loss_delta && std::abs(*effect.loss_delta) >= kLossWorthSaying) {
    text += ", loss " + with_sign(*effect.loss_delta, 3) + " at step " +
            std::to_string(effect.loss_step.value_or(0));
  }
  return text + ": " + verdict_text(effect);
}

std::string tuning_in_words(const TuningRecord& record, const std::vector<TuningRecord>& all) {
  const std::string where = where_text(record, all);
  const std::string others =
      record.not_distinguishable.empty()
          ? "all others are slower"
          : "not distinguishable from " + joined(record.not_distinguishable, ", ");
  std::string text = "fastest" + (where.empty() ? "" : " (" + where + ")") + ": " + record.axis +
                     " " + record.fastest + " (" + others + ")";
  for (const DroppedValue& one : record.dropped) {
    text += "; " + one.value + " dropped after " + counted(one.runs, "run") + " (" + p_text(one.p) +
            ")";
  }
  return text;
}

std::string limit_in_words(const CommunicationLimit& limit,
                           const std::vector<CommunicationLimit>& all) {
  std::string where = where_text(limit, all);
  if (where.find(" rank") == std::string::npos) {
    const std::string ranks = option_text("world_size", limit.fixed.at("world_size"));
    where = where.empty() ? ranks : where + ", " + ranks;
  }
  const std::string batch = limit.axis == "batch_size" ? "batch " : "global batch ";
  const std::string share = percent(limit.share, 0) + " of a step";
  if (!limit.from) {
    return "communication is not surely below " + share + " at any " + batch + "size up to " +
           std::to_string(limit.largest) + " (" + where + ")";
  }
  return "communication stays below " + share + " from " + batch + std::to_string(*limit.from) +
         " on" + (*limit.from == limit.smallest ? ", the smallest measured" : "") + " (" + where +
         ")";
}

std::string effects_found(const std::vector<EffectRecord>& effects) {
  std::vector<const EffectRecord*> real;
  for (const EffectRecord& effect : effects) {
    if (effect.verdict == statistics::EffectVerdict::kReal) real.push_back(&effect);
  }
  std::ranges::stable_sort(real, std::greater{},
                           [](const auto* effect) { return std::abs(std::log(effect->ratio)); });
  if (!real.empty()) {
    const std::size_t more = real.size() - 1;
    return compared_text(*real.front(), effects) +
           (more > 0 ? "; " + std::to_string(more) + " more" : "") + of_options(effects);
  }
  if (effects.empty()) return "";
  const bool any_judged = std::ranges::any_of(effects, [](const EffectRecord& effect) {
    return effect.verdict != statistics::EffectVerdict::kDisturbed;
  });
  return any_judged ? "no value is surely faster or slower than the first of its option"
                    : "no value can be compared: other programs disturbed the runs";
}

}  // namespace scalemark::reporting
