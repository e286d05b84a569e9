#include "core/reporting/table/row_text.h"

#include "core/base/text.h"
#include "core/reporting/record/surety.h"
#include "core/reporting/table/text_table.h"

namespace scalemark::reporting {
namespace {

// More digits than the interval knows would look surer than the number is.
std::string percent_of(const ScalingRow& row, double efficiency) {
  constexpr double kNarrow = 0.02;
  const Bounds& ci95 = row.efficiency_ci95;
  const bool is_narrow = ci95 && *ci95.high - *ci95.low < kNarrow;
  return printed(is_narrow ? "%.1f" : "%.0f", 100 * efficiency);
}

}  // namespace

std::string speed_up_text(const ScalingRow& row) {
  if (!row.speedup) return held_text(row.standing, kAbsent);
  const double speedup = *row.speedup;
  return held_text(row.standing, has_two_digits(row)
                                     ? two_digits(speedup)
                                     : printed(speedup < 9.95 ? "%.2f" : "%.1f", speedup));
}

std::string efficiency_text(const ScalingRow& row, const std::string& unit) {
  if (!row.efficiency) return held_text(row.standing, kAbsent);
  return held_text(row.standing, (has_two_digits(row) ? two_digits(100 * *row.efficiency)
                                                      : percent_of(row, *row.efficiency)) +
                                     unit);
}

std::string efficiency_interval(const ScalingRow& row, const char* between) {
  if (!row.efficiency) return kAbsent;
  const std::string instead = instead_of_interval(surety_of(row), std::ssize(row.points));
  if (!instead.empty()) return instead;
  return percent_of(row, *row.efficiency_ci95.low) + between +
         percent_of(row, *row.efficiency_ci95.high);
}

}  // namespace scalemark::reporting
