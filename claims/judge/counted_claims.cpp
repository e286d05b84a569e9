// Claims that counting decides: the bytes that a strategy puts on the busiest link.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "claims/judge/band.h"
#include "core/base/number_words.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/catalogue/strategy.h"

namespace scalemark::claims {
namespace {

using published::Row;
using reporting::ClaimRecord;

constexpr int kUsualRanks[] = {2, 4, 8};
constexpr int kMostRanks = 64;  // up to here it is looked for where a claim holds

// Options by which no byte more or less is exchanged: gradients are fp32 in each precision.
constexpr std::string_view kWithoutEffect[] = {"precision", "bucket_cap_mb", "overlap"};

// Bytes of the busiest link for each byte of parameters under a value of the row's option; 0: none
// are sent, or they are not known.
double link_bytes(const Row& row, const std::string& value, int ranks) {
  std::map<std::string, std::string> options = row.conditions;
  options.try_emplace("strategy", "ddp");
  options[*row.relative_to->option] = value;
  const auto* strategy = catalogue::find_strategy(options["strategy"]);
  const std::string compression = value_at(options, "gradient_compression");
  const bool halves = !compression.empty() && compression != "none";
  if (!strategy || (halves && !catalogue::sums_everything(strategy->name))) return 0;
  const auto wire = strategy->wire_bytes({.parameters = 1, .world_size = ranks});
  return std::max(wire.busiest_sent, wire.busiest_received) * (halves ? 0.5 : 1);
}

std::optional<double> ratio_of(const Row& row, int ranks) {
  const published::Relative& to = *row.relative_to;
  if (std::ranges::count(kWithoutEffect, *to.option) > 0) return 1;
  if (to.option != "strategy" && to.option != "gradient_compression") return std::nullopt;
  const double below = link_bytes(row, *to.from, ranks), above = link_bytes(row, *to.to, ranks);
  return below > 0 && above > 0 ? std::optional(above / below) : std::nullopt;
}

bool is_within(double value, const ClaimRecord& claim) {
  return (!claim.claimed_low || value >= *claim.claimed_low * (1 - *claim.tolerance)) &&
         (!claim.claimed_high || value <= *claim.claimed_high * (1 + *claim.tolerance));
}

// Writes "saves 0 % on 2, 50 % on 4, 75 % on 8 ranks; as claimed on 4 to 6".
std::string for_each_count(const Row& row, const ClaimRecord& claim) {
  std::vector<std::string> parts;
  for (const int ranks : kUsualRanks) {
    const double saved = 1 - ratio_of(row, ranks).value_or(1);
    parts.push_back(given_percent(saved) + " on " + std::to_string(ranks));
  }
  std::vector<int> held;
  for (int ranks = 2; ranks <= kMostRanks; ++ranks) {
    if (is_within(ratio_of(row, ranks).value_or(0), claim)) held.push_back(ranks);
  }
  std::string where = held.empty() ? "none" : std::to_string(held.front());
  if (held.size() > 1) where += " to " + std::to_string(held.back());
  return "saves " + joined(parts, ", ") + " ranks; as claimed on " + where;
}

}  // namespace

bool judge_by_count(const Row& row, ClaimRecord& claim) {
  const bool open = row.metric == "communication_cost_s" && row.counts;
  if (!row.relative_to || !row.relative_to->option || (row.metric != "payload_bytes" && !open))
    return false;
  std::vector<double> ratios;
  for (const int ranks : kUsualRanks) {
    const auto named = static_cast<int>(std::min<std::int64_t>(row.gpus.value_or(ranks), 1 << 20));
    const auto ratio = ratio_of(row, named);
    if (!ratio) return false;
    ratios.push_back(*ratio);
  }
  const Tolerance tolerance = tolerance_of(row, /*is_rate=*/false);
  claim.tolerance = tolerance.share;
  claim.tolerance_source = tolerance.source;
  claim.basis = name_of(reporting::ClaimBasis::kSameHardware);
  const bool holds =
      std::ranges::all_of(ratios, [&](double ratio) { return is_within(ratio, claim); });
  claim.verdict = holds ? reporting::ClaimVerdict::kConfirmed : reporting::ClaimVerdict::kRefuted;
  claim.reason = "counted, which holds anywhere: ";
  if (ratios.front() == ratios.back()) {
    const double ratio = ratios.front();
    claim.measured = claim.measured_ci95_low = claim.measured_ci95_high = ratio;
    claim.ratio = ratio / nearest_end({claim.claimed_low, claim.claimed_high}, ratio);
    claim.reason += *row.relative_to->option == "precision"
                        ? "gradients are exchanged in fp32 in each precision, and "
                          "--gradient-compression fp16 halves them"
                        : "the bytes of the busiest link";
  } else {
    claim.reason += "the busiest link " + for_each_count(row, claim);
  }
  return true;
}

}  // namespace scalemark::claims
