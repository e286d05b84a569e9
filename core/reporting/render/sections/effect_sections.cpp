#include <algorithm>

#include "core/base/number_words.h"
#include "core/reporting/record/point_facts.h"
#include "core/reporting/record/surety.h"
#include "core/reporting/render/sections/sweep_sections.h"
#include "core/reporting/render/text.h"
#include "core/reporting/words/words.h"

namespace scalemark::reporting {
namespace {

std::string faster_text(const EffectRecord& effect) {
  const auto signed_percent = [](double ratio) { return change_in_percent(ratio - 1); };
  const std::string text = signed_percent(effect.ratio);
  if (std::string unknown = unknown_text(effect); !unknown.empty()) return unknown;
  const Surety surety = surety_of(effect);
  if (surety == Surety::kNoInterval) return text;
  if (const std::string instead = effect_interval_instead(effect); !instead.empty()) {
    return text + "  (" + instead + ")";
  }
  return (is_rough(surety) ? "~" : "") + text + "  (" + signed_percent(*effect.ratio_ci95.low) +
         " to " + signed_percent(*effect.ratio_ci95.high) + ")";
}

// Where it was compared: the other axes in which effects of this option differ.
std::string place_text(const EffectRecord& effect, const std::vector<EffectRecord>& all) {
  return where_text(effect, all, [](const std::string& option, const std::string& value) {
    return option == "world_size" ? std::string() : option + " " + value;
  });
}

std::string memory_text(const EffectRecord& effect) {
  if (!effect.memory_delta_bytes) return kAbsent;
  return with_sign(static_cast<double>(*effect.memory_delta_bytes) / 0x1p20, 0);
}

// The ranks of the second value exchange so much in a step.
std::string payload_text(const EffectRecord& effect, const Report& report) {
  if (effect.groups.empty()) return kAbsent;
  const PointRecord* run = first_run(report.points, effect.groups.back());
  if (!run) return kAbsent;
  return significant(run->payload_bytes_per_step / 1e6, 3);
}

Section effects_section(const Report& report) {
  const std::vector<EffectRecord>& effects = report.effects;
  Section section{"What options give", {}, {}};
  section.columns = {
      column({"option"}, true, effects, &EffectRecord::axis),
      column({"value"}, true, effects, &EffectRecord::to),
      column({"against"}, true, effects, &EffectRecord::from),
      column({"at"}, true, effects, [&](const auto& e) { return place_text(e, effects); }),
      column({"ranks"}, false, effects,
             [](const auto& e) {
               const auto ranks = e.fixed.find("world_size");
               return ranks == e.fixed.end() ? kAbsent : ranks->second;
             }),
      column({"faster by %", "(95 %)"}, true, effects, faster_text),
      column({"verdict"}, true, effects, [](const auto& e) { return name_of(e.verdict); }),
      column({"pairs"}, false, effects, [](const auto& e) { return std::to_string(e.pairs); }),
      column({"memory", "MiB"}, false, effects, memory_text),
      column({"payload", "MB a step"}, false, effects,
             [&](const auto& e) { return payload_text(e, report); })};
  section.lines.push_back(
      "against the first value as typed, within repetitions; real: significant over the option's "
      "values (Holm) and 2 % or more; none: surely less");
  if (std::string looked = axes_looked_at(effects); !looked.empty()) {
    section.lines.push_back(std::move(looked));
  }
  return section;
}

template <class Record>
Section sentences(const char* title, const std::vector<Record>& records) {
  Section section{title, {}, {}};
  for (const Record& record : records) section.lines.push_back(record.in_words);
  return section;
}

}  // namespace

std::vector<Section> effect_sections(const Report& report) {
  std::vector<Section> sections;
  if (!report.tuning.empty()) sections.push_back(sentences("Tuning", report.tuning));
  if (!report.effects.empty()) sections.push_back(effects_section(report));
  if (!report.communication_limits.empty()) {
    sections.push_back(sentences("Communication against batch size", report.communication_limits));
  }
  return sections;
}

}  // namespace scalemark::reporting
