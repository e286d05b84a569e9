// Puts each conclusion into words: what a row reached, which option helps, what was found in all,
// what a comparison can say. So answer, tables, sentences and explain give the same number with the
// same digits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "report/record/comparison.h"
#include "report/record/report.h"
#include "report/say/table/text_table.h"

namespace scalemark::reporting {

// --- Rows of scaling tables.

// Writes "1.41" or "12.1".
std::string speed_up_digits(double factor);
std::string efficiency_digits(double share);  // "70", in %
// Writes the speed-up of a row: "1.41"; "~1.4" where two digits are known (surety.h); "withheld";
// kAbsent where the row has none.
std::string speed_up_text(const ScalingRow& row);

// Writes the efficiency in %, with `unit` behind it: "70", or "70.3" where the 95 % interval is
// narrower than two points.
std::string efficiency_text(const ScalingRow& row, const std::string& unit = "");

// Writes "64 to 77" in as many digits, or what replaces it: "one run", "not known (2 runs)".
std::string efficiency_interval(const ScalingRow& row);

// Writes "2 ranks give 1.41x of the 2.00x that would be ideal: efficiency 70 % (95 %: 64 to 77)".
// The row must have a speed-up.
std::string scaling_in_words(const ScalingRow& row);

// Adds to it whether the ranks are faster than `one_rank`, which names the baseline: "..., so they
// are faster than one rank", "..., so they are slower than ...", "...: whether they are faster than
// ... is open". They are where the interval of the speed-up, or for one run that of its steps, is
// above 1.
std::string payment_in_words(const ScalingRow& row, const std::string& one_rank = "one rank");

// Writes "7,377", "~53" with two digits (surety.h), "withheld"; kAbsent where the group has none.
std::string group_rate(const GroupRecord& group);

// Writes both ends, "81.2 to 82.9", since an interval of a ratio is not symmetric.
inline std::string share_interval(const Bounds& bounds) {
  return interval_text(bounds, percent_text);
}

// Writes "weak, batch size 64, workload mlp": the kind, the size, and the values in which this
// slice differs from the others of its report.
std::string slice_text(const ScalingTable& table, const std::vector<ScalingTable>& all);

// Writes "bucket cap mb". The name of a variable ("env.NAME") stays as it is, so that it can be
// recognised.
std::string option_in_words(std::string option);

// --- Options: an effect, the search of --tune, and from which batch size on communication stays
// small.

// Returns "withheld" where something disturbed the effect; empty where it is shown.
std::string unknown_text(const EffectRecord& effect);

// Returns what replaces its interval (surety.h): "one run", "not known (2 pairs)". Empty where the
// interval is to be shown.
std::string effect_interval_instead(const EffectRecord& effect);

// Writes "2.8 % faster (1.4 to 4.2)" or "2.8 % slower (1.4 to 4.2)". From twice as fast (or slow)
// on it writes "60 x faster (55 to 66)"; where both directions are possible "1.0 % slower (3.0 %
// slower to 1.0 % faster)".
std::string speed_text(const EffectRecord& effect);

// Returns "real", ...; for an unsure effect whose own interval would be clear it adds why it is
// unsure.
std::string verdict_text(const EffectRecord& effect);

// Writes how many options have a test, and what testing several costs, since Holm corrects within
// one option and not over all: "3 options were looked at, each tested by itself at 5 %: ...". Empty
// for one option.
std::string axes_looked_at(const std::vector<EffectRecord>& effects);

// Writes "2 ranks" or "batch_size 64".
std::string option_text(const std::string& option, const std::string& value);

// Writes "bucket_cap_mb 100 against 25: 2.8 % faster (1.4 to 4.2), +210 MiB: real". `all` are the
// effects beside it: a fixed value is named if others of its axis differ in it.
std::string effect_in_words(const EffectRecord& effect, const std::vector<EffectRecord>& all);

// Writes "fastest: batch_size 64 (all others are slower)". `all` as above.
std::string tuning_in_words(const TuningRecord& record, const std::vector<TuningRecord>& all);

// Writes "communication stays below 30 % of a step from batch 64 on (2 ranks)". `all` as above.
std::string limit_in_words(const CommunicationLimit& limit,
                           const std::vector<CommunicationLimit>& all);

// Names the option that surely changes the most, and how many others have an effect. Empty without
// effects.
std::string effects_found(const std::vector<EffectRecord>& effects);

// Names the fixed values in which another one of `all` (records with `axis` and `fixed`) of the
// same axis differs: "2 ranks, batch_size 64". Where `text_of(option, value)` is empty, the value
// is left out.
template <class Record, class TextOf = decltype(&option_text)>
std::string where_text(const Record& record, const std::vector<Record>& all,
                       TextOf text_of = option_text) {
  std::string text;
  for (const auto& [option, value] : record.fixed) {
    const auto differs = [&](const Record& other) {
      const auto found = other.fixed.find(option);
      return other.axis == record.axis && (found == other.fixed.end() || found->second != value);
    };
    const std::string part = text_of(option, value);
    if (part.empty() || std::ranges::none_of(all, differs)) continue;
    text += (text.empty() ? "" : ", ") + part;
  }
  return text;
}

// --- A report as a whole.

// Names the fastest point, what each slice reached and lost, what failed, and how far the numbers
// may be trusted; for collectives the winning backends.
std::vector<std::string> summary_in_words(const Report& report);

// Writes from which batch size on communication stays small at the ranks of a row, what compared
// strategies and compressions send, and what the ranks cost, each where it is known.
std::vector<std::string> found_at(const Report& report, const ScalingRow& row);

// --- Old against new.

// Writes "a difference is certain, one of more than 2 % is not". Empty where no change was found.
std::string what_is_certain(const statistics::PointChange& change, const Comparison& comparison);

// Writes a clause that may follow "because". It contains no number of the row, so that rows can
// share it. Empty where the row is decided. `tested` is how many points had enough units for a
// test.
std::string why_undecided(const SideOfPoint& before, const PointAgainst& against,
                          const Comparison& comparison, std::size_t tested);

// Writes one paragraph: the verdicts, and the unit.
std::string what_it_can_say(const Comparison& comparison);

// Advises more sessions where too little is known. Empty where nothing is open.
std::string what_makes_it_surer(const Comparison& comparison);

}  // namespace scalemark::reporting
