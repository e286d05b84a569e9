#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <tuple>

#include "core/base/text.h"
#include "core/reporting/compare/parts.h"
#include "core/reporting/record/finding_kinds.h"
#include "core/reporting/table/table.h"
#include "core/statistics/compare.h"

namespace scalemark::reporting {
namespace {

// Two records must be equal in these members for their values to be comparable; hosts may differ.
using Key = std::tuple<MachineRate, std::string, std::string, int, std::string, std::string>;

// One measurement on one side: every host of every report of it.
struct MeasuredRate {
  FingerprintRecord example;
  std::vector<double> logarithms;
  double low = 0, high = 0;  // over all intervals

  double rate() const {
    double sum = 0;
    for (const double logarithm : logarithms) sum += logarithm;
    return std::exp(sum / static_cast<double>(logarithms.size()));
  }
};
using Fingerprint = std::map<Key, MeasuredRate>;

// A machine that throttles by itself is compared: that is what it does.
bool was_shared(const FingerprintRecord& record) {
  return record.value &&
         std::ranges::count(record.disturbed_by, std::string(finding_kinds::shared.code)) > 0;
}

void add(Fingerprint& fingerprint, const FingerprintRecord& record) {
  if (was_shared(record)) return;
  if (!record.value || !(*record.value > 0) || !record.ci95) return;
  const Key key{record.what,    record.device, record.precision,
                record.threads, record.method, record.unit};
  const auto [found, is_new] =
      fingerprint.try_emplace(key, MeasuredRate{record, {}, *record.ci95.low, *record.ci95.high});
  MeasuredRate& measured = found->second;
  measured.logarithms.push_back(std::log(*record.value));
  measured.low = std::min(measured.low, *record.ci95.low);
  measured.high = std::max(measured.high, *record.ci95.high);
}

Fingerprint fingerprint_of(const ComparedSide& side) {
  Fingerprint fingerprint;
  for (const NamedReport& named : side) {
    for (const FingerprintRecord& record : named.report.fingerprint) add(fingerprint, record);
  }
  return fingerprint;
}

std::string rate_with_interval(const MeasuredRate& measured) {
  FingerprintRecord shown = measured.example;
  shown.value = measured.rate();
  shown.ci95 = {measured.low, measured.high};
  return rate_text(*shown.value, shown.unit) + " (" + rate_interval_text(shown) + ")";
}

bool differs(const MeasuredRate& before, const MeasuredRate& after, double threshold) {
  const bool disjoint = before.high < after.low || after.high < before.low;
  return disjoint && statistics::change_counts(std::log(after.rate() / before.rate()), threshold);
}

std::string sentence(const MeasuredRate& before, const MeasuredRate& after,
                     const std::string& machine) {
  const double change = after.rate() / before.rate() - 1;
  return name_in_words(after.example) + " on the " + machine + " machine is " +
         percent(std::abs(change)) + (change < 0 ? " slower: " : " faster: ") +
         rate_with_interval(after) + " against " + rate_with_interval(before);
}

std::string agreement(int common, double threshold) {
  return "what was measured of the machines by themselves agrees (" +
         counted(common, "measurement") + "): within its intervals or " + percent(threshold);
}

std::string left_out(std::span<const ComparedSide> sides) {
  std::size_t count = 0;
  for (const ComparedSide& side : sides) {
    for (const NamedReport& named : side) {
      count +=
          static_cast<std::size_t>(std::ranges::count_if(named.report.fingerprint, was_shared));
    }
  }
  if (count == 0) return "";
  return counted(count, "measurement") +
         " of the machines by themselves left out: something else used the machine meanwhile; "
         "measure again";
}

}  // namespace

std::vector<std::string> compare_fingerprints(std::span<const ComparedSide> sides,
                                              double threshold) {
  std::vector<std::string> found;
  int common = 0;
  const Fingerprint first = fingerprint_of(sides.front());
  for (std::size_t side = 1; side < sides.size(); ++side) {
    const std::string machine = sides.size() == 2 ? "new" : "side " + std::to_string(side + 1);
    for (const auto& [key, after] : fingerprint_of(sides[side])) {
      const auto before = first.find(key);
      if (before == first.end()) continue;
      ++common;
      if (!differs(before->second, after, threshold)) continue;
      found.push_back(sentence(before->second, after, machine));
    }
  }
  if (common > 0 && found.empty()) found.push_back(agreement(common, threshold));
  if (std::string text = left_out(sides); !text.empty()) found.push_back(std::move(text));
  return found;
}

bool are_fingerprints_alone(std::span<const ComparedSide> sides) {
  return std::ranges::all_of(sides, [](const ComparedSide& side) {
    return std::ranges::all_of(side, [](const NamedReport& named) {
      return named.report.points.empty() && !named.report.fingerprint.empty();
    });
  });
}

}  // namespace scalemark::reporting
