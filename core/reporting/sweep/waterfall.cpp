#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "core/reporting/sweep/summary.h"

namespace scalemark::reporting {
namespace {

// Small speed-ups need a second decimal for their terms to be seen.
constexpr double kOneDecimalFrom = 8;
constexpr double kThreeDigitsFrom = 9.95;  // with one decimal

int decimals_of(const SpeedUpStory& speedup) {
  if (speedup.unsteady) return speedup.measured >= kThreeDigitsFrom ? 0 : 1;
  return speedup.ideal >= kOneDecimalFrom ? 1 : 2;
}

std::string fixed_text(double value, int decimals, bool with_sign) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), with_sign ? "%+.*f" : "%.*f", decimals, value);
  return text.data();
}

}  // namespace

std::string waterfall_in_words(const SpeedUpStory& speedup, const LossOfEfficiency& loss,
                               std::optional<int> named_rank) {
  const int decimals = decimals_of(speedup);
  const double smallest = 0.5 * std::pow(10.0, -decimals);
  const std::string of_rank =
      named_rank ? " (rank " + std::to_string(*named_rank) + ")" : std::string();
  std::vector<std::pair<std::string, double>> terms = {
      {"communication", loss.communication},
      {"imbalance", loss.persistent_imbalance},
      {"run-to-run imbalance", loss.run_imbalance.value_or(0)},
      {"data", loss.data_wait},
      {"jitter", loss.jitter.value_or(0)},
      {"slower compute", loss.slower_compute}};
  std::ranges::stable_sort(terms, std::greater{},
                           [](const auto& term) { return std::abs(term.second); });

  std::string text = fixed_text(speedup.ideal, decimals, false) + "x -> " +
                     (speedup.unsteady ? "~" : "") + fixed_text(speedup.measured, decimals, false) +
                     "x";
  const char* separator = ": ";
  const auto add = [&](const std::string& name, double change) {
    text += separator + name + " " + fixed_text(change, decimals, true);
    separator = ", ";
  };
  double other = 0;
  for (const auto& [name, share] : terms) {
    const double change = -share * speedup.ideal;
    if (std::abs(change) < smallest) {
      other += change;
      continue;
    }
    add(name, change);
    if (name == "imbalance") text += of_rank;
  }
  if (std::abs(other) >= smallest) add("other", other);
  return text;
}

}  // namespace scalemark::reporting
