// Rules over rows that belong together (of a scaling series, of one chip, of one table), and rules
// about what is only unlikely.

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>

#include "claims/lint/lint.h"
#include "claims/rows/arithmetic.h"
#include "claims/rows/mapping.h"
#include "core/base/characters.h"
#include "core/base/number_words.h"
#include "core/base/text.h"

namespace scalemark::lint {
namespace {

// These rules are about a scaling series: more than linear speed-up, and numbers that occur twice.

namespace kinds = reporting::finding_kinds;

constexpr double kWeak = 1.02, kStrong = 1.25;  // strong scaling may fit caches
constexpr std::size_t kDigitsThatProve = 3, kCellsThatProve = 3;

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
    // A larger batch per GPU is faster by itself, whatever the scaling.
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
    // On a machine that scales well, rates per GPU are equal.
    if (row->rate && digits_in(*printed) >= kDigitsThatProve) cells[printed->text].push_back(row);
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

namespace {

// Compares a rate per GPU with the rates of the same chip, network, precision and batch on fewer
// GPUs, in any of the tables.

constexpr double kAbove = 1.10;
constexpr std::size_t kEnough = 5;

struct Sibling {
  const Table* table = nullptr;
  const Row* row = nullptr;
  Printed per_gpu;
};

std::string kin_of(const Table& table, const Row& row) {
  // Without a chip's name, a table is taken to be about one machine.
  const std::string machine = row.chip.empty() ? "table " + table.name : row.chip;
  return machine + "|" + row.network + "|" + row.phase + "|" + row.precision + "|" + row.unit +
         "|" + (row.batch ? significant(*row.batch, 9) : "") + "|" +
         (row.sequence_length ? std::to_string(*row.sequence_length) : "");
}

void judge_kin(const std::vector<Sibling>& kin, std::vector<SiblingFinding>& all) {
  for (const Sibling& one : kin) {
    std::size_t fewer = 0;
    double most = 0;
    for (const Sibling& other : kin) {
      if (!(*other.row->gpus < *one.row->gpus)) continue;
      fewer++;
      most = std::max(most, other.per_gpu.high());
    }
    if (fewer < kEnough || one.per_gpu.low() <= kAbove * most) continue;
    std::vector<Finding> found;
    Findings(one.table->name, found)
        .add(reporting::finding_kinds::off_siblings, kWarning, one.row->id,
             {{"per_gpu", one.per_gpu.value},
              {"gpus", gpus_text(*one.row)},
              {"above", one.per_gpu.value / most - 1},
              {"rows", fewer}});
    all.push_back({one.table, std::move(found.front())});
  }
}

}  // namespace

void judge_siblings(std::span<const Table> tables, std::vector<SiblingFinding>& all) {
  std::map<std::string, std::vector<Sibling>> families;
  for (const Table& table : tables) {
    for (const Row& row : table.rows) {
      const auto rate = rate_of(row);
      if (!rate || !row.gpus) continue;
      families[kin_of(table, row)].push_back({&table, &row, scaled(*rate, 1 / *row.gpus)});
    }
  }
  for (const auto& [name, kin] : families) judge_kin(kin, all);
}

namespace {

// These rules are about what is only unlikely. Networks do stop scaling, so only one of them warns:
// a rate above what the chip can compute.

constexpr double kHighMfu = 0.75;
constexpr double kFlat = 0.15, kOffNeighbours = 0.25, kSlower = 0.05;
constexpr double kManyMore = 4;
constexpr std::size_t kRowsOfAPattern = 4;

void judge_mfu(const Row& row, Findings& findings) {
  const auto rate = rate_of(row);
  if (!rate || !row.gpus || row.counts_nodes || row.unit.find("tok") != std::string::npos) return;
  published::Row trained{.system = row.chip, .workload = row.network, .precision = row.precision};
  trained.phase = row.phase;
  trained.sequence_length = row.sequence_length;
  const auto of_chip = published::arithmetic_of(trained);
  if (!of_chip) return;
  const double mfu = rate->low() * of_chip->flops_of_sample / (*row.gpus * of_chip->peak_per_sec);
  if (mfu < kHighMfu) return;
  findings.add(kinds::mfu_implausible, mfu > 1 ? kError : kInfo, row.id,
               {{"rate", rate->text},
                {"gpus", gpus_text(row)},
                {"share", mfu},
                {"chip", std::string(published::chip_in(row.chip)->name)},
                {"precision", row.precision},
                {"gflop", of_chip->flops_of_sample / 1e9}});
}

double per_gpu(const Row& row) { return rate_of(row)->value / *row.gpus; }

// Notes rates that stay the same while GPUs are added.
bool judge_flat(const Series& rated, Findings& findings) {
  if (rated.size() < 2 || *rated.back()->gpus < kManyMore * *rated.front()->gpus) return false;
  const double first = rate_of(*rated.front())->value;
  const bool flat = std::ranges::all_of(
      rated, [&](const Row* row) { return std::fabs(rate_of(*row)->value / first - 1) < kFlat; });
  if (!flat || rated.front()->rate_per_gpu) return false;
  findings.add(kinds::total_or_per_gpu, kInfo, rated.back()->id,
               {{"rate", rate_of(*rated.back())->text},
                {"gpus", gpus_text(*rated.back())},
                {"first_rate", rate_of(*rated.front())->text},
                {"first_gpus", *rated.front()->gpus}});
  return true;
}

// A rate that would fit with a digit more, between two that agree per GPU.
bool judge_digit(const Series& rated, std::size_t i, Findings& findings) {
  if (i + 1 >= rated.size()) return false;
  const double before = per_gpu(*rated[i - 1]), after = per_gpu(*rated[i + 1]);
  const double share = 2 * per_gpu(*rated[i]) / (before + after);
  if (std::fabs(before / after - 1) > kOffNeighbours || share < 0.085 || share > 0.118)
    return false;
  findings.add(kinds::lost_digit, kWarning, rated[i]->id,
               {{"rate", rate_of(*rated[i])->text},
                {"gpus", gpus_text(*rated[i])},
                {"usual", (before + after) / 2 * *rated[i]->gpus}});
  return true;
}

void judge_neighbours(const Series& rated, Findings& findings) {
  for (std::size_t i = 1; i < rated.size(); ++i) {
    const Row &row = *rated[i], &before = *rated[i - 1];
    const double share = per_gpu(row) / per_gpu(before);
    const reporting::Named rate{"rate", rate_of(row)->text}, gpus{"gpus", gpus_text(row)};
    if (judge_digit(rated, i, findings)) continue;
    if (*row.gpus >= kManyMore && std::fabs(share * *row.gpus - 1) < kOffNeighbours &&
        share < 0.5) {
      findings.add(kinds::total_or_per_gpu, kInfo, row.id, {rate, gpus});
      continue;
    }
    if (rate_of(row)->value < rate_of(before)->value * (1 - kSlower)) {
      findings.add(kinds::kink, kInfo, row.id,
                   {rate, gpus, {"before", rate_of(before)->text}, {"before_gpus", *before.gpus}});
      continue;
    }
    if (i + 1 >= rated.size()) continue;
    const double after = per_gpu(row) / per_gpu(*rated[i + 1]);
    const bool above = share > 1 + kOffNeighbours && after > 1 + kOffNeighbours;
    const bool below = share < 1 / (1 + kOffNeighbours) && after < 1 / (1 + kOffNeighbours);
    if (!above && !below) continue;
    findings.add(kinds::kink, kInfo, row.id,
                 {rate, gpus, {"off", std::fabs(share - 1)}, {"which", above ? "more" : "less"}});
  }
}

void judge_batches(const Series& series, Findings& findings) {
  std::map<double, std::vector<const Row*>> batches;
  for (const Row* row : series) {
    if (row->batch && row->batch_per_gpu) batches[*row->batch].push_back(row);
  }
  if (batches.size() != 2 || series.size() < kRowsOfAPattern) return;
  const auto& one =
      batches.begin()->second.size() == 1 ? batches.begin()->second : batches.rbegin()->second;
  const double usual =
      batches.begin()->second.size() == 1 ? batches.rbegin()->first : batches.begin()->first;
  if (one.size() != 1) return;
  findings.add(kinds::batch_off_pattern, kInfo, one.front()->id,
               {{"batch", *one.front()->batch}, {"usual", usual}});
}

int order_of(const std::string& precision) {
  const std::string text = lower_case(precision);
  if (text == "fp32") return 0;
  if (text == "tf32") return 1;
  return text.starts_with("amp") || text == "fp16" || text == "bf16" ? 2 : -1;
}

void judge_precisions(const Table& table, Findings& findings) {
  std::map<std::string, std::vector<const Row*>> beside;  // differing in precision only
  for (const Row& row : table.rows) {
    if (!rate_of(row) || !row.gpus || order_of(row.precision) < 0) continue;
    const std::string batch = row.batch ? significant(*row.batch, 9) : "";
    const std::string length = row.sequence_length ? std::to_string(*row.sequence_length) : "";
    beside[row.series + "|" + row.network + "|" + row.chip + "|" + row.phase + "|" + batch + "|" +
           length + "|" + significant(*row.gpus, 9)]
        .push_back(&row);
  }
  for (const auto& [key, rows] : beside) {
    for (const Row* row : rows) {
      for (const Row* other : rows) {
        if (order_of(row->precision) <= order_of(other->precision)) continue;
        if (rate_of(*row)->value > rate_of(*other)->value * (1 - kSlower)) continue;
        findings.add(kinds::precision_order, kInfo, row->id,
                     {{"rate", rate_of(*row)->text},
                      {"precision", row->precision},
                      {"higher_rate", rate_of(*other)->text},
                      {"higher_precision", other->precision}});
      }
    }
  }
}

bool lacks_baseline(const Series& series) {
  const auto has_one = [](const Row* row) {
    return row->speedup && std::fabs(row->speedup->value - 1) <= row->speedup->unit / 2;
  };
  const auto has_speedup = [](const Row* row) { return row->speedup.has_value(); };
  return std::ranges::any_of(series, has_speedup) && std::ranges::none_of(series, has_one) &&
         series.front()->speedup.has_value();
}

}  // namespace

void judge_plausibility(const Table& table, Findings& findings) {
  for (const Row& row : table.rows) {
    judge_mfu(row, findings);
    if (row.mfu && row.mfu->low() > 1) {
      findings.add(kinds::mfu_implausible, kError, row.id, {{"printed_mfu", row.mfu->value}});
    }
  }
  bool told = false;
  for (const Series& series : series_of(table)) {
    Series rated;
    std::ranges::copy_if(series, std::back_inserter(rated),
                         [](const Row* row) { return rate_of(*row).has_value(); });
    if (!judge_flat(rated, findings)) judge_neighbours(rated, findings);
    judge_batches(series, findings);
    if (told || !lacks_baseline(series)) continue;
    told = true;
    findings.add(kinds::table_without_baseline, kInfo, series.front()->id,
                 {{"gpus", *series.front()->gpus}});
  }
  judge_precisions(table, findings);
}

}  // namespace scalemark::lint
