#include "engine/sweep/dataset_cache.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/settings/value.h"

namespace scalemark::sweeping {
namespace {

std::string text_of_augmentation(const settings::LoadingSettings& loading) {
  std::string text(name_of(loading.augment));
  for (const double value : {loading.random_erasing, loading.mixup, loading.cutmix}) {
    text += "," + settings::to_text(value);
  }
  return text;
}

// Returns the settings that open_data() reads. A sweep has no epochs.
std::string key_of(const settings::Settings& settings) {
  const auto& what = settings.task;
  const auto& workload = running::workload_named(what.workload);
  const auto uses = [&](const char* option) {
    return std::ranges::find(workload.options, option) != workload.options.end();
  };
  std::string key = what.workload + "|" + what.data + "|" + what.vocab + "|" +
                    (what.cased ? "cased" : "uncased") + "|" + std::to_string(settings.recipe.seed);
  if (uses("image_size")) key += "|" + std::to_string(what.image_size);
  if (uses("sequence_length")) key += "|" + std::to_string(what.sequence_length);
  if (uses("image_decoding")) key.append("|").append(name_of(settings.loading.image_decoding));
  if (uses("augment")) key += "|" + text_of_augmentation(settings.loading);
  return key;
}

}  // namespace

DatasetCache::DatasetCache(const planning::Plan& plan, process::DataAccess& access) {
  for (const auto& point : plan.points) {
    const std::string key = key_of(point.settings);
    if (point.skipped || datasets_.contains(key)) continue;
    datasets_.emplace(
        key, running::open_data(point.settings,
                                running::workload_named(point.settings.task.workload), access));
  }
}

const running::WorkloadData& DatasetCache::of(const settings::Settings& settings) const {
  const auto found = datasets_.find(key_of(settings));
  if (found == datasets_.end()) throw bug("the data of a point was not opened");
  return found->second;
}

std::string DatasetCache::identity() const {
  std::string all;
  for (const auto& [key, data] : datasets_) all += (all.empty() ? "" : " ") + data.identity;
  return all;
}

std::set<std::string> DatasetCache::notes() const {
  std::set<std::string> all;
  for (const auto& [key, data] : datasets_) all.insert(data.notes.begin(), data.notes.end());
  return all;
}

}  // namespace scalemark::sweeping
