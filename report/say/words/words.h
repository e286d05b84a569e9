// One place words each conclusion: what a row reached, which option helps, what was found in all,
// what a comparison can say. Answer, tables, sentences and explain say the same number in the same
// digits.
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

// "1.41", "12.1"
std::string speed_up_digits(double factor);
std::string efficiency_digits(double share);  // "70", in %
// Says it of a row: "1.41"; "~1.4" where two digits are known (surety.h); "withheld". kAbsent where
// the row has none.
std::string speed_up_text(const ScalingRow& row);

// In %, with `unit` behind it: "70", "70.3" where the 95 % interval is narrower than two points.
std::string efficiency_text(const ScalingRow& row, const std::string& unit = "");

// "64 to 77" in as many digits, or what stands in its place: "one run", "not known (2 runs)".
std::string efficiency_interval(const ScalingRow& row);

// "2 ranks give 1.41x of the 2.00x that would be ideal: efficiency 70 % (95 %: 64 to 77)". For a
// row with a speed-up.
std::string scaling_in_words(const ScalingRow& row);

// "7,377", "~53" of two digits (surety.h), "withheld"; kAbsent where the group has none.
std::string group_rate(const GroupRecord& group);

// "81.2 to 82.9": both ends, since an interval of a ratio is not symmetric.
inline std::string share_interval(const Bounds& bounds) {
  return interval_text(bounds, percent_text);
}

// "weak, batch size 64, workload mlp": the kind, the size, and the values in which this slice
// differs from the others of its report.
std::string slice_text(const ScalingTable& table, const std::vector<ScalingTable>& all);

// "bucket cap mb"; the name of a variable ("env.NAME") is to be recognised, and stays.
std::string option_in_words(std::string option);

// --- Options: an effect, the search of --tune, and from which batch size on communication stays
// small.

// "withheld": others disturbed it. Empty where it is shown.
std::string unknown_text(const EffectRecord& effect);

// It stands in the place of its interval (surety.h): "one run", "not known (2 pairs)". Empty
// where the interval is to be shown.
std::string effect_interval_instead(const EffectRecord& effect);

// "2.8 % faster (1.4 to 4.2)", slower ones counted downwards; from twice as fast (or slow) on
// "60 x faster (55 to 66)"; where both sides are possible "1.0 % slower (3.0 % slower to 1.0 %
// faster)".
std::string speed_text(const EffectRecord& effect);

// "real"; of an unsure one whose interval by itself would be clear also why it is not.
std::string verdict_text(const EffectRecord& effect);

// How many options have a test, and what several cost: Holm corrects within one option, not over
// all of them. "3 options were looked at, each tested by itself at 5 %: ...". Empty for one.
std::string axes_looked_at(const std::vector<EffectRecord>& effects);

// "2 ranks", "batch_size 64"
std::string option_text(const std::string& option, const std::string& value);

// "bucket_cap_mb 100 against 25: 2.8 % faster (1.4 to 4.2), +210 MiB: real". `all`: the effects
// that it stands among; what it is fixed at is named where others of its axis differ in that.
std::string effect_in_words(const EffectRecord& effect, const std::vector<EffectRecord>& all);

// "fastest: batch_size 64 (all others are slower)". `all` as above.
std::string tuning_in_words(const TuningRecord& record, const std::vector<TuningRecord>& all);

// "communication stays below 30 % of a step from batch 64 on (2 ranks)". `all` as above.
std::string limit_in_words(const CommunicationLimit& limit,
                           const std::vector<CommunicationLimit>& all);

// The option that surely changes the most, and how many others do something; empty without effects.
std::string effects_found(const std::vector<EffectRecord>& effects);

// Names the fixed values in which another of `all` (records with `axis` and `fixed`) of the same
// axis differs: "2 ranks, batch_size 64". `text_of(option, value)`: empty leaves it out.
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

// The fastest point, what each slice reached and lost, what failed, and how far the numbers may be
// trusted; of collectives the winning backends.
std::vector<std::string> summary_in_words(const Report& report);

// From which batch size on communication stays small at the ranks of a row, what compared
// strategies and compressions send, and what the ranks cost; each where it is known.
std::vector<std::string> found_at(const Report& report, const ScalingRow& row);

// --- Old against new.

// "a difference is certain, one of more than 2 % is not". Empty where no change was found.
std::string what_is_certain(const statistics::PointChange& change, const Comparison& comparison);

// A clause that may follow "because"; it names no number of the row, so that rows can share it.
// Empty where the row is decided. `tested`: how many points had enough units for a test.
std::string why_undecided(const SideOfPoint& before, const PointAgainst& against,
                          const Comparison& comparison, std::size_t tested);

// One paragraph: the verdicts, and the unit.
std::string what_it_can_say(const Comparison& comparison);

// Advises sessions where too little is known; empty where nothing is open.
std::string what_makes_it_surer(const Comparison& comparison);

}  // namespace scalemark::reporting
