#include "core/reporting/effects/effect_phrases.h"

#include <algorithm>
#include <set>

#include "core/base/text.h"
#include "core/reporting/record/surety.h"

namespace scalemark::reporting {
namespace {

constexpr double kTwice = 2;

std::string one_decimal(double share) {
  const std::string text = printed("%.1f", 100 * share);
  return text == "-0.0" ? "0.0" : text;
}

std::string factor_text(double factor) { return printed(factor >= 10 ? "%.0f" : "%.1f", factor); }

// How a ratio is said: as a factor from twice as fast or slow on, else in percent.
struct Scale {
  bool slower = false, by_factor = false;
  std::string amount(double ratio) const {
    if (by_factor) return factor_text(slower ? 1 / ratio : ratio);
    return one_decimal(slower ? 1 - ratio : ratio - 1);
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

}  // namespace

std::string axes_looked_at(const std::vector<EffectRecord>& effects) {
  std::set<std::string> axes;
  for (const EffectRecord& effect : effects) {
    if (effect.p_holm) axes.insert(effect.axis);
  }
  if (axes.size() < 2) return "";
  return std::to_string(axes.size()) + " options were looked at, each tested by itself at 5 %: " +
         printed("up to %.0f %% of sweeps without any effect call one of them real",
                 std::min(100.0, 5.0 * static_cast<double>(axes.size())));
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

}  // namespace scalemark::reporting
