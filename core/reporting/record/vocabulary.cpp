#include "core/reporting/record/vocabulary.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "core/base/number_words.h"
#include "core/catalogue/strategy.h"
#include "core/reporting/record/surety.h"

namespace scalemark::reporting {
namespace {

// Small speed-ups need a second decimal for their terms to be seen.
constexpr double kOneDecimalFrom = 8;
constexpr double kThreeDigitsFrom = 9.95;  // with one decimal

int decimals_of(const ScalingRow& row, double ideal) {
  if (has_two_digits(row)) return *row.speedup >= kThreeDigitsFrom ? 0 : 1;
  return ideal >= kOneDecimalFrom ? 1 : 2;
}

using Terms = std::vector<std::pair<std::string, double>>;

// Largest first.
Terms terms_of(const ScalingRow& row) {
  Terms terms;
  for_each_loss([&](const auto& part) {
    const std::optional<double> share = (*row.loss_of_efficiency).*part.share;
    terms.emplace_back(part.name, share.value_or(0));
    if (part.ci95 == &LossIntervals::persistent_imbalance && row.slowest_rank) {
      terms.back().first += " (rank " + std::to_string(*row.slowest_rank) + ")";
    }
  });
  std::ranges::stable_sort(terms, std::greater{},
                           [](const auto& term) { return std::abs(term.second); });
  return terms;
}

}  // namespace

std::string waterfall_in_words(const ScalingRow& row) {
  if (!row.loss_of_efficiency || !row.speedup || !(row.efficiency.value_or(0) > 0)) return "";
  const double ideal = row.ideal();
  const int decimals = decimals_of(row, ideal);
  const double smallest = 0.5 * std::pow(10.0, -decimals);
  std::string text = with_decimals(ideal, decimals) + "x -> " + (has_two_digits(row) ? "~" : "") +
                     with_decimals(*row.speedup, decimals) + "x";
  const char* separator = ": ";
  const auto add = [&](const std::string& name, double change) {
    text += separator + name + " " + with_sign(change, decimals);
    separator = ", ";
  };
  double other = 0;
  for (const auto& [name, share] : terms_of(row)) {
    const double change = -share * ideal;
    if (std::abs(change) < smallest) {
      other += change;
    } else {
      add(name, change);
    }
  }
  if (std::abs(other) >= smallest) add("other", other);
  return text;
}

std::string strategy_text(const std::string& strategy) {
  return catalogue::exchanges(strategy) ? strategy : kNoExchange;
}

std::string baseline_text(const ScalingTable& table) {
  std::string text = table.relative_to;
  const auto at = text.find("without communication");
  return at == std::string::npos ? text : text.replace(at, std::string::npos, "with no exchange");
}

}  // namespace scalemark::reporting
