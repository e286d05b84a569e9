// Rules over a scaling series: more than linear, and numbers that stand twice.
#include <algorithm>
#include <cctype>
#include <map>

#include "core/base/text.h"
#include "core/lint/rules.h"

namespace scalemark::lint {
namespace {

namespace kinds = reporting::finding_kinds;

constexpr double kWeak = 1.02, kStrong = 1.25;  // strong scaling gains caches
constexpr std::size_t kDigitsThatTell = 3, kCellsThatProve = 3;

void judge_efficiency(const Series& series, Findings& findings) {
  const auto base =
      std::ranges::find_if(series, [](const Row* row) { return rate_of(*row).has_value(); });
  if (base == series.end()) return;
  for (const Row* row : series) {
    const auto rate = rate_of(*row);
    if (row == *base || !rate) continue;
    const double fewer = *(*base)->gpus / *row->gpus;
    const Bounds efficiency = times(quotient(*rate, *rate_of(**base)), fewer);
    if (!(efficiency.low > 1)) continue;
    // A larger batch per GPU is faster by itself.
    const bool larger = row->batch && (*base)->batch && *row->batch > *(*base)->batch;
    const bool warns = !larger && efficiency.low >= (row->strong ? kStrong : kWeak);
    findings.add(kinds::superlinear, warns ? kWarning : kInfo, row->id,
                 {{"rate", rate->text},
                  {"gpus", gpus_text(*row)},
                  {"share", rate->value / rate_of(**base)->value * fewer},
                  {"times", 1 / fewer},
                  {"base", rate_of(**base)->text}});
  }
}

std::size_t digits_in(const Printed& printed) {
  std::string digits;
  std::ranges::copy_if(printed.text, std::back_inserter(digits),
                       [](char c) { return c >= '0' && c <= '9'; });
  const std::size_t first = digits.find_first_not_of('0');
  return first == std::string::npos ? 0 : digits.size() - first;
}

void judge_copies(const Series& series, Findings& findings) {
  std::map<std::string, std::vector<const Row*>> cells;
  for (const Row* row : series) {
    const auto& printed = row->rate ? row->rate : row->rate_per_gpu;
    // Rates per GPU of a machine that scales well are equal.
    if (row->rate && digits_in(*printed) >= kDigitsThatTell) cells[printed->text].push_back(row);
  }
  for (const auto& [text, rows] : cells) {
    if (rows.size() < 2) continue;
    std::vector<std::string> counts;
    for (const Row* row : rows) counts.push_back(significant(*row->gpus, 6));
    findings.add(kinds::copied_cell, rows.size() >= kCellsThatProve ? kWarning : kInfo,
                 rows.back()->id, {{"rate", text}, {"counts", joined(counts, ", ")}});
  }
}

}  // namespace

void judge_series(const Table& table, Findings& findings) {
  for (const Series& series : series_of(table)) {
    judge_efficiency(series, findings);
    judge_copies(series, findings);
  }
}

}  // namespace scalemark::lint
