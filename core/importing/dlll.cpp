// NVIDIA's dllogger: lines "DLLL {json}" with type, step and data. A step is [epoch, step], [epoch]
// or [] for the whole run; names of metrics are the programs' own. Rates of NVIDIA's
// DeepLearningExamples are those of all GPUs.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/base/characters.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/importing/log_text.h"
#include "core/importing/readers.h"

namespace scalemark::importing {
namespace {

using nlohmann::json;

constexpr std::string_view kMark = "DLLL {";
constexpr std::size_t kMostMetrics = 1000;

bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(
      words, [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

// A rate of training by its name: "train.total_ips", "training_sequences_per_second".
bool is_rate_name(std::string_view name) {
  if (has_any(name, {"val", "eval", "test", "infer", "latency", "flops"})) return false;
  return name.ends_with("ips") || has_any(name, {"throughput", "per_sec", "/s"});
}

// The most telling of several: of training, of all GPUs, with all that a step takes.
int weight_of(std::string_view name) {
  return 4 * has_any(name, {"train"}) + 2 * has_any(name, {"total", "avg", "average"}) -
         3 * has_any(name, {"compute", "data"}) - has_any(name, {"best", "max", "min", "med"});
}

std::string unit_in(std::string_view words) {
  if (has_any(words, {"ips", "image", "img"})) return "img/s";
  if (has_any(words, {"sequence", "seq"})) return "seq/s";
  if (has_any(words, {"token", "tok"})) return "tokens/s";
  return has_any(words, {"sample"}) ? "samples/s" : "";
}

// Absent for the lines of parameters, whose step is a word.
std::optional<std::size_t> level_of(const json& record) {
  const auto step = record.find("step");
  if (step == record.end()) return std::nullopt;
  if (step->is_number()) return 1;
  if (step->is_array()) return std::min<std::size_t>(step->size(), 2);
  return std::nullopt;
}

class DlllReader {
 public:
  void take(const json& record) {
    const auto metric = record.find("metric"), about = record.find("metadata");
    if (metric != record.end() && metric->is_string() && about != record.end() &&
        about->is_object()) {
      const auto unit = about->find("unit");
      if (unit != about->end() && unit->is_string() && units_.size() < kMostMetrics)
        units_[metric->get<std::string>()] = unit->get<std::string>();
    }
    const auto data = record.find("data");
    if (data == record.end() || !data->is_object()) return;
    const auto level = level_of(record);
    for (const auto& [name, value] : data->items()) {
      if (level)
        take_metric(name, number_of(value), *level);
      else
        take_parameter(lower_case(name), number_of(value));
    }
  }

  Log log() const {
    const auto best = std::ranges::max_element(
        rates_, {}, [](const auto& one) { return weight_of(lower_case(one.first)); });
    if (best == rates_.end())
      throw bad_data("its DLLL lines hold no rate of training",
                     "a metric with throughput, ips, per_second or /s in its name is expected");
    const auto& [level, values] = *best->second.rbegin();  // the finest
    Log log{.file = {}, .form = "DLLL", .says = {}};
    const std::string name = lower_case(best->first);
    const bool per_gpu = has_any(name, {"per_gpu", "per_device", "/gpu"});
    if (per_gpu) log.measure = Measure::kPerGpu;
    log.steps = values;
    log.unit_of_log = level == 2 ? "step" : "epoch or step";
    log.whole_run = level == 0;
    log.what = best->first + (per_gpu ? ", of one GPU" : ", taken as that of all GPUs");
    if (log.whole_run) log.what += ", of the whole run";
    const auto unit = units_.find(best->first);
    if (unit != units_.end()) log.says.unit = unit_in(lower_case(unit->second));
    if (log.says.unit.empty()) log.says.unit = unit_in(name);
    log.says.gpus = gpus_;
    log.says.framework = "DLLL log";
    if (log.whole_run) log.steps = {values.back()};
    return log;
  }

 private:
  void take_metric(const std::string& name, const std::optional<double>& value, std::size_t level) {
    if (!value || !(*value > 0) || !is_rate_name(lower_case(name))) return;
    if (rates_.size() < kMostMetrics || rates_.contains(name))
      rates_[name][level].push_back(*value);
  }
  void take_parameter(const std::string& name, const std::optional<double>& value) {
    if (has_any(name, {"world_size", "num_gpus", "n_gpu"})) gpus_ = count_of(value);
  }

  std::map<std::string, std::map<std::size_t, std::vector<double>>> rates_;  // by name and level
  std::map<std::string, std::string> units_;
  std::optional<std::int64_t> gpus_;
};

}  // namespace

std::optional<Log> read_dlll(std::string_view text) {
  DlllReader reader;
  const bool any =
      for_each_record(text, kMark, [&](const nlohmann::json& record) { reader.take(record); });
  if (!any) return std::nullopt;
  return reader.log();
}

}  // namespace scalemark::importing
