#include "core/reporting/record/effect_fields.h"
#include "core/reporting/render/csv_columns.h"
#include "core/reporting/render/render.h"

namespace scalemark::reporting {
namespace {

std::string fixed_text(const EffectRecord& effect) {
  std::string text;
  for (const auto& [option, value] : effect.fixed) {
    text += (text.empty() ? "" : " ") + option + "=" + value;
  }
  return text;
}

// CsvRow leaves lists and maps out.
std::vector<CsvCell> row_of(const std::string& run_id, const EffectRecord& effect) {
  const bool is_head = effect.groups.size() != 2;
  std::vector<CsvCell> cells{{"run_id", run_id},
                             {"fixed", fixed_text(effect)},
                             {"group_from", is_head ? "" : effect.groups[0]},
                             {"group_to", is_head ? "" : effect.groups[1]}};
  CsvRow row(cells);
  fields(row, effect);
  return cells;
}

}  // namespace

std::string render_effects(std::span<const Report> reports) {
  std::string text = csv_line(row_of("", EffectRecord{}), &CsvCell::column);
  for (const Report& report : reports) {
    for (const EffectRecord& effect : report.effects) {
      text += csv_line(row_of(report.run_id, effect), &CsvCell::text);
    }
  }
  return text;
}

}  // namespace scalemark::reporting
