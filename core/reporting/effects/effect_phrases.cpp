#include "core/reporting/effects/effect_phrases.h"

#include "core/base/text.h"

namespace scalemark::reporting {
namespace {

constexpr double kTwice = 2;

std::string one_decimal(double share) {
  const std::string text = printed("%.1f", 100 * share);
  return text == "-0.0" ? "0.0" : text;
}

std::string factor_text(double factor) { return printed(factor >= 10 ? "%.0f" : "%.1f", factor); }

}  // namespace

std::string speed_text(const EffectRecord& effect) {
  const bool slower = effect.ratio < 1;
  const double factor = slower ? 1 / effect.ratio : effect.ratio;
  const bool by_factor = factor >= kTwice;
  const auto amount = [&](double ratio) {
    if (by_factor) return factor_text(slower ? 1 / ratio : ratio);
    return one_decimal(slower ? 1 - ratio : ratio - 1);
  };
  const std::string text =
      amount(effect.ratio) + (by_factor ? " x " : " % ") + (slower ? "slower" : "faster");
  if (!effect.ratio_ci95_low || !effect.ratio_ci95_high) return text;
  const double low = slower ? *effect.ratio_ci95_high : *effect.ratio_ci95_low;
  const double high = slower ? *effect.ratio_ci95_low : *effect.ratio_ci95_high;
  return text + " (" + amount(low) + " to " + amount(high) + ")";
}

}  // namespace scalemark::reporting
