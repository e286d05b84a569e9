#include "apps/scalemark/settings_table.h"

#include <vector>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/setting_text.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/catalogue/workload.h"
#include "core/planning/estimates.h"
#include "core/settings/option.h"
#include "core/settings/settings_json.h"

namespace scalemark::cli {
namespace {

std::string headline(const settings::Settings& settings, int world_size) {
  const catalogue::Workload* workload = catalogue::find_workload(settings.task.workload);
  if (!workload) return {};
  const catalogue::ModelShape shape = planning::shape_of(*workload, settings);
  return workload->title + ": " + grouped(workload->parameters(shape)) + " parameters, " +
         significant(workload->flops_per_sample(shape) / 1e9, 4) + " GFLOP" +
         " per sample forward and backward; " + counted(world_size, "rank") + " on " +
         std::string(name_of(settings.parallel.device)) + "\n";
}

}  // namespace

std::string settings_table(const settings::Settings& settings, int world_size) {
  auto values = settings::flat_settings(settings);

  std::vector<SettingRow> rows;
  for (const settings::Option& option : settings::all_options()) {
    for (const std::string& name : setting_names(option, settings.origins)) {
      const std::string origin = value_at(settings.origins, name);
      if (!takes(settings::kTrain, option) || origin.empty()) continue;
      if (name.starts_with("metrics_")) continue;  // where its pages are served is no setting
      rows.push_back({&option, name, shown_value(values, option, name), origin});
    }
  }
  for (const char* name : {"lr_warmup_share", "decay_norms_and_biases"}) {
    if (!value_at(settings.origins, name).empty())
      rows.push_back({nullptr, name, plain(values[name]), value_at(settings.origins, name)});
  }
  return headline(settings, world_size) + setting_lines(rows);
}

std::string settings_document(const settings::Settings& settings) {
  return "{\"settings\": " + settings::to_json(settings) +
         ",\n\"origins\": " + settings::texts_to_json(settings.origins) + "}\n";
}

}  // namespace scalemark::cli
