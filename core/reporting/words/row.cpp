#include <algorithm>

#include "core/base/text.h"
#include "core/reporting/record/surety.h"
#include "core/reporting/words/words.h"

namespace scalemark::reporting {
namespace {

constexpr double kThreeDigits = 9.95;  // from here on one decimal gives as many

// More digits than the interval knows would look surer than the number is.
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

}  // namespace scalemark::reporting
