// Logs in which a mark stands before each record of JSON: NVIDIA's dllogger and MLPerf's mllog.

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "claims/import/log_text.h"
#include "core/base/characters.h"
#include "core/base/error.h"
#include "core/base/text.h"

namespace scalemark::importing {
namespace {

// A reader takes the objects of the lines that hold `mark`, which ends with the brace that begins
// the object. Returns nothing where no line has one.
template <class Reader>
std::optional<Log> read_with(std::string_view text, std::string_view mark) {
  if (text.find(mark) == std::string_view::npos) return std::nullopt;
  Reader reader;
  bool any = false;
  for_each_line(text, [&](std::string_view line, std::size_t) {
    const std::size_t at = line.find(mark);
    if (at == std::string_view::npos) return;
    const auto record = json_object(line.substr(at + mark.size() - 1));
    if (!record) return;
    any = true;
    reader.take(*record);
  });
  if (!any) return std::nullopt;
  return reader.log();
}

// Reads NVIDIA's dllogger: lines "DLLL {json}" with type, step and data. A step is [epoch, step],
// [epoch] or [] for the whole run; the names of metrics are the programs' own. NVIDIA's
// DeepLearningExamples print rates of all GPUs.

using nlohmann::json;

constexpr std::string_view kMark = "DLLL {";
constexpr std::size_t kMostMetrics = 1000;

// Whether the name is that of a rate of training: "train.total_ips",
// "training_sequences_per_second".
bool is_rate_name(std::string_view name) {
  if (has_any(name, {"val", "eval", "test", "infer", "latency", "flops"})) return false;
  return name.ends_with("ips") || has_any(name, {"throughput", "per_sec", "/s"});
}

// The metric with the largest weight is read: a rate of training, of all GPUs, over the whole step.
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

// Lines with parameters have a word as their step, and no level.
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
    const auto& [level, values] = *best->second.rbegin();  // the finest level
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

  std::map<std::string, std::map<std::size_t, std::vector<double>>> rates_;  // keys: name, level
  std::map<std::string, std::string> units_;
  std::optional<std::int64_t> gpus_;
};

}  // namespace

std::optional<Log> read_dlll(std::string_view text) { return read_with<DlllReader>(text, kMark); }

namespace {

// Reads MLPerf's mllog: lines ":::MLLOG {json}" with time_ms, key, value and metadata. Throughputs
// come from tracked_stats where a log has them, else from the samples of its blocks or epochs over
// their time, in which some programs evaluate, too.

constexpr std::string_view kMllogMark = ":::MLLOG {";

struct BenchmarkUnit {
  std::string_view benchmark, unit;
};
// GPT-3's log counts tokens as its samples.
constexpr auto kUnits = std::to_array<BenchmarkUnit>({{"resnet", "img/s"},
                                                      {"ssd", "img/s"},
                                                      {"retinanet", "img/s"},
                                                      {"maskrcnn", "img/s"},
                                                      {"bert", "seq/s"},
                                                      {"gpt3", "tokens/s"}});

std::string text_of_value(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  return "";
}

// Begin of an event or an interval.
struct Begun {
  double time_ms = 0;
  std::optional<double> samples, epochs;
};

class MllogReader {
 public:
  void take(const json& record) {
    const auto key = record.find("key"), value = record.find("value");
    if (key == record.end() || !key->is_string()) return;
    const std::string name = key->get<std::string>();
    const json none;
    const json& said = value == record.end() ? none : *value;
    const auto about = record.find("metadata");
    const json& metadata = about == record.end() ? none : *about;
    if (const auto time = number_of(record, "time_ms")) take_time(name, *time, metadata);
    if (name == "tracked_stats" && said.is_object()) {
      if (const auto rate = number_of(said, "throughput"); rate && *rate > 0)
        tracked_.push_back(*rate);
    }
    take_value(name, said);
  }

  Log log() const {
    Log log{.file = {}, .form = "MLPerf mllog", .says = says_};
    log.says.framework = "MLPerf";
    add_rates(log);
    const auto unit = std::ranges::find(kUnits, says_.workload, &BenchmarkUnit::benchmark);
    log.says.unit = unit == kUnits.end() ? "samples/s" : std::string(unit->unit);
    if (started_ && stopped_ && *stopped_ > *started_ && successful_)
      log.says.time_to_train_min = (*stopped_ - *started_) / 60'000;
    if (stopped_ && !successful_) log.remarks.push_back("the run did not reach its target");
    if (log.steps.empty() && !log.says.time_to_train_min)
      throw bad_data("its MLLOG lines hold no throughput and no run that reached its target",
                     "tracked_stats, blocks with samples_count, epochs with train_samples, or "
                     "run_start and run_stop are expected");
    return log;
  }

 private:
  void take_time(const std::string& name, double time_ms, const json& metadata) {
    if (name == "run_start" && !started_) started_ = time_ms;
    if (name == "run_stop") {
      stopped_ = time_ms;
      const auto status = metadata.is_object() ? metadata.find("status") : metadata.end();
      successful_ =
          metadata.is_object() && status != metadata.end() && text_of_value(*status) == "success";
    }
    const Begun now{time_ms, number_of(metadata, "samples_count"),
                    number_of(metadata, "epoch_count")};
    if (name == "block_start") block_ = now;
    if (name == "epoch_start") epoch_ = now;
    if (name == "block_stop" && block_) take_block(*block_, now), block_.reset();
    if (name == "epoch_stop" && epoch_) {
      if (time_ms > epoch_->time_ms) epoch_seconds_.push_back((time_ms - epoch_->time_ms) / 1000);
      epoch_.reset();
    }
  }

  void take_block(const Begun& begin, const Begun& end) {
    const double seconds = (end.time_ms - begin.time_ms) / 1000;
    if (!(seconds > 0)) return;
    if (begin.samples && end.samples && *end.samples > *begin.samples)
      block_rates_.push_back((*end.samples - *begin.samples) / seconds);
    else if (begin.epochs && *begin.epochs > 0)
      block_epochs_.push_back(*begin.epochs / seconds);
  }

  void take_value(const std::string& name, const json& value) {
    const auto number = number_of(value);
    if (name == "global_batch_size") says_.global_batch_size = count_of(number);
    if (name == "gradient_accumulation_steps") says_.gradient_accumulation_steps = count_of(number);
    if (name == "max_sequence_length") says_.sequence_length = count_of(number);
    if (name == "train_samples") train_samples_ = number;
    if (name == "submission_benchmark") says_.workload = text_of_value(value);
    if (name == "submission_platform") says_.system = text_of_value(value);
    for (const char* known :
         {"num_gpus", "num_accelerators", "number_of_accelerators", "world_size", "num_devices"}) {
      if (name == known) says_.gpus = count_of(number);
    }
  }

  void add_rates(Log& log) const {
    const auto use = [&](std::vector<double> values, const char* what, const char* unit) {
      log.steps = std::move(values);
      log.what = what;
      log.unit_of_log = unit;
    };
    if (!tracked_.empty()) return use(tracked_, "throughput of tracked_stats", "value");
    if (!block_rates_.empty())
      return use(block_rates_, "samples of a block over its time", "block");
    if (!train_samples_ || !(*train_samples_ > 0)) return;
    std::vector<double> values;
    for (const double rate : block_epochs_) values.push_back(rate * *train_samples_);
    if (!values.empty()) return use(values, "samples of a block's epochs over its time", "block");
    for (const double seconds : epoch_seconds_) values.push_back(*train_samples_ / seconds);
    if (!values.empty()) use(values, "samples of an epoch over its time", "epoch");
  }

  published::Row says_;
  std::optional<double> started_, stopped_, train_samples_;
  bool successful_ = false;
  std::optional<Begun> block_, epoch_;
  std::vector<double> tracked_, block_rates_, block_epochs_, epoch_seconds_;
};

}  // namespace

std::optional<Log> read_mllog(std::string_view text) {
  return read_with<MllogReader>(text, kMllogMark);
}

}  // namespace scalemark::importing
