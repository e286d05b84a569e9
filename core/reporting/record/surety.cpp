#include "core/reporting/record/surety.h"

#include <iterator>
#include <utility>

#include "core/base/text.h"
#include "core/reporting/record/finding_kinds.h"
#include "core/reporting/record/verdict.h"

namespace scalemark::reporting {

Surety surety_of(std::int64_t runs, const Bounds& ci95) {
  if (!ci95) return runs == 1 ? Surety::kOneRun : Surety::kNoInterval;
  const double low = *ci95.low, high = *ci95.high;
  if (!(low > 0) || high > kUnknownFactor * low) return Surety::kNotKnown;
  return high > kWideFactor * low ? Surety::kWide : Surety::kInterval;
}

// at_least is of one run or pair only.
Surety surety_of(const ScalingRow& row) {
  return surety_of(row.at_least ? 1 : std::ssize(row.points), row.efficiency_ci95);
}

Surety surety_of(const GroupRecord& group) {
  return surety_of(group.at_least ? 1 : group.n, group.ci95);
}

Surety surety_of(const CollectiveGroup& group) { return surety_of(group.n, group.time_s.ci95); }

Surety surety_of(const EffectRecord& effect) { return surety_of(effect.pairs, effect.ratio_ci95); }

bool is_rough(Surety surety) { return surety == Surety::kWide || surety == Surety::kNotKnown; }

bool is_disturbed(const Standing& standing) {
  return disturbs(standing.reason) && standing.reason != finding_kinds::others_unknown.code;
}

bool has_two_digits(const ScalingRow& row) {
  return row.unsteady_runs || is_disturbed(row.standing) || is_rough(surety_of(row));
}

bool has_two_digits(const GroupRecord& group) {
  return is_disturbed(group.standing) || is_rough(surety_of(group));
}

bool has_two_digits(const CollectiveGroup& group) {
  return is_disturbed(group.standing) || is_rough(surety_of(group));
}

std::optional<double> standing_number(const Standing& standing) {
  if (standing.level.empty()) return std::nullopt;
  return standing.is_withheld() ? 2 : standing.level == kShownWithCare ? 1 : 0;
}

std::string held_text(const Standing& standing, std::string text) {
  if (!standing.is_withheld()) return text;
  return text.empty() || text == "-" ? "withheld" : std::move(text) + " (withheld)";
}

bool is_known_share(const Bounds& ci95) { return *ci95.high - *ci95.low <= 1; }

std::string instead_of_interval(Surety surety, std::int64_t runs, std::string_view noun) {
  switch (surety) {
    case Surety::kOneRun:
      return "one run";
    case Surety::kNoInterval:
      return "-";
    case Surety::kNotKnown:
      return not_known(runs, noun);
    case Surety::kInterval:
    case Surety::kWide:
      break;
  }
  return "";
}

}  // namespace scalemark::reporting
