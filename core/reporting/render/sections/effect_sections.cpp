#include "core/reporting/render/sections/effect_sections.h"

#include <algorithm>
#include <functional>

#include "core/reporting/render/sections/section_columns.h"
#include "core/reporting/render/text.h"

namespace scalemark::reporting {
namespace {

// The sentences do not say where the time went: these columns do.
Column phases_column(const char* name, const std::vector<EffectRecord>& effects,
                     const std::function<double(const Phases&)>& seconds) {
  Column column{{std::string("+ ") + name, "ms"}, false, {}};
  for (const EffectRecord& effect : effects) {
    column.cells.push_back(effect.phases_delta_s ? readable(1e3 * seconds(*effect.phases_delta_s))
                                                 : kAbsent);
  }
  return column;
}

Column text_column(std::vector<std::string> head, bool left,
                   const std::vector<EffectRecord>& effects,
                   const std::function<std::string(const EffectRecord&)>& text) {
  Column column{std::move(head), left, {}};
  for (const EffectRecord& effect : effects) column.cells.push_back(text(effect));
  return column;
}

std::string optional_text(const std::optional<double>& value) {
  return value ? readable(*value) : kAbsent;
}

Section effects_section(const std::vector<EffectRecord>& effects) {
  Section section{"What options give", {}, {}};
  section.columns = {
      text_column({"option"}, true, effects, [](const auto& e) { return e.axis + " " + e.to; }),
      text_column({"against"}, true, effects, [](const auto& e) { return e.from; }),
      text_column({"ranks"}, false, effects,
                  [](const auto& e) {
                    const auto ranks = e.fixed.find("world_size");
                    return ranks == e.fixed.end() ? std::string(kAbsent) : ranks->second;
                  }),
      text_column({"pairs"}, false, effects, [](const auto& e) { return std::to_string(e.pairs); }),
      text_column({"p"}, false, effects, [](const auto& e) { return optional_text(e.p_holm); }),
      phases_column("compute", effects,
                    [](const Phases& p) { return p.forward + p.backward + p.optimizer; }),
      phases_column("comm", effects, [](const Phases& p) { return p.exposed_communication; }),
      phases_column("data", effects,
                    [](const Phases& p) { return p.data_wait + p.host_to_device; }),
      phases_column("other", effects, [](const Phases& p) { return p.other; }),
      text_column({"loss"}, false, effects,
                  [](const auto& e) { return optional_text(e.loss_delta); })};
  for (const EffectRecord& effect : effects) section.lines.push_back(effect.in_words);
  section.lines.push_back(
      "paired within blocks against the first value as typed; p by Holm over the option; real: "
      "significant and 2 % or more, none: surely less; ms and loss: mean differences");
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
  if (!report.effects.empty()) sections.push_back(effects_section(report.effects));
  if (!report.communication_limits.empty()) {
    sections.push_back(sentences("Communication against batch size", report.communication_limits));
  }
  return sections;
}

}  // namespace scalemark::reporting
