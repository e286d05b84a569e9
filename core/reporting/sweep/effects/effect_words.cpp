#include <cmath>

#include "core/base/text.h"
#include "core/reporting/sweep/runs.h"

namespace scalemark::reporting {
namespace {

constexpr double kMiB = 1024.0 * 1024.0;
constexpr double kLossWorthSaying = 0.0005;  // of three decimals

}  // namespace

std::string effect_in_words(const EffectRecord& effect, const std::vector<EffectRecord>& all) {
  std::string text = effect.axis + " " + effect.to + " against " + effect.from;
  if (const std::string where = where_text(effect, all); !where.empty()) text += " (" + where + ")";
  text += ": " + speed_text(effect);
  const double memory = static_cast<double>(effect.memory_delta_bytes.value_or(0)) / kMiB;
  if (std::abs(memory) >= 0.5) text += printed(", %+.0f MiB", memory);
  if (effect.loss_delta && std::abs(*effect.loss_delta) >= kLossWorthSaying) {
    text += printed(", loss %+.3f", *effect.loss_delta) + " at step " +
            std::to_string(effect.loss_step.value_or(0));
  }
  return text + ": " + verdict_text(effect);
}

}  // namespace scalemark::reporting
