// The gain of options is put into words here: an effect, the search of --tune, and from which
// batch size on communication stays small. Pure.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/reporting/record/effect_records.h"

namespace scalemark::reporting {

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

// How many options were looked at, each with a test of its own, and what that costs: "3 options
// were looked at, each tested by itself at 5 %: ...". Empty for one.
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

}  // namespace scalemark::reporting
