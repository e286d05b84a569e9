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

using nlohmann::json;

constexpr std::size_t kMostNamed = 3;

// Returns the object that `text` begins with, up to the brace that ends it: another program's
// words, or the next record, may follow on its line.
std::string_view object_at(std::string_view text) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (in_string && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      in_string = !in_string;
    } else if (!in_string && text[i] == '{') {
      ++depth;
    } else if (!in_string && text[i] == '}' && --depth == 0) {
      return text.substr(0, i + 1);
    }
  }
  return text;
}

// Takes the records of lines that hold `mark`, which ends with the brace that begins each.
class MarkedReader : public RunReader {
 public:
  explicit MarkedReader(std::string_view mark) : mark_(mark) {}

  bool begins(std::string_view line) const override {
    const std::size_t at = line.find(mark_);
    if (at == std::string_view::npos) return false;
    const auto record = json_object(object_at(line.substr(at + mark_.size() - 1)));
    return record && begins_with(*record);
  }

  bool take(const Line& line) override {
    bool value = false;
    std::string_view rest = line.text;
    for (std::size_t at = rest.find(mark_); at != std::string_view::npos; at = rest.find(mark_)) {
      rest.remove_prefix(at + mark_.size() - 1);
      // A record that is cut ends where the next one begins.
      const std::string_view object = object_at(rest.substr(0, rest.find(mark_)));
      if (const auto record = json_object(object)) {
        any_ = true;
        value = take_record(*record) || value;
      } else {
        broken_.push_back(line.number);
      }
    }
    return value;
  }

  std::optional<Log> log() override {
    if (!any_) return std::nullopt;
    Log log = whole_log();
    if (broken_.empty()) return log;
    std::vector<std::string> lines;
    for (const std::size_t line : broken_) lines.push_back("line " + std::to_string(line));
    const std::size_t name = mark_.find_first_not_of(':');
    log.unread.push_back(
        counted(static_cast<std::int64_t>(lines.size()),
                std::string(mark_.substr(name, mark_.find(' ') - name)) + " line") +
        " cannot be read: " + listed(lines, kMostNamed));
    return log;
  }

 protected:
  virtual bool begins_with(const json& record) const = 0;
  // Returns true for a record with a value of the rate.
  virtual bool take_record(const json& record) = 0;
  virtual Log whole_log() const = 0;

 private:
  std::string_view mark_;
  bool any_ = false;
  std::vector<std::size_t> broken_;
};

// Reads NVIDIA's dllogger: lines "DLLL {json}" with type, step and data. A step is [epoch, step],
// [epoch] or [] for the whole run; the names of metrics are the programs' own. NVIDIA's
// DeepLearningExamples print rates of all GPUs.

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

class DlllReader : public MarkedReader {
 public:
  DlllReader() : MarkedReader(kMark) {}

 private:
  // Parameters again, or a step that is before the last one. The summary of a run has no step.
  bool begins_with(const json& record) const override {
    if (rates_.empty()) return false;
    const auto level = level_of(record);
    if (!level) return record.value("step", json()) == "PARAMETER";
    if (*level == 0 || !has_rate(record)) return false;
    return ended_ || courses_[*level].falls(place_of(record));
  }

  bool take_record(const json& record) override {
    const auto metric = record.find("metric"), about = record.find("metadata");
    if (metric != record.end() && metric->is_string() && about != record.end() &&
        about->is_object()) {
      const auto unit = about->find("unit");
      if (unit != about->end() && unit->is_string() && units_.size() < kMostMetrics)
        units_[metric->get<std::string>()] = unit->get<std::string>();
    }
    const auto data = record.find("data");
    if (data == record.end() || !data->is_object()) return false;
    const auto level = level_of(record);
    bool rate = false;
    for (const auto& [name, value] : data->items()) {
      if (level)
        rate = take_metric(name, number_of(value), *level) || rate;
      else
        take_parameter(lower_case(name), number_of(value));
    }
    ended_ = ended_ || level == 0U;
    if (rate && level) courses_[*level].add(place_of(record));
    return rate;
  }

  Log whole_log() const override {
    const auto best = std::ranges::max_element(
        rates_, {}, [](const auto& one) { return weight_of(lower_case(one.first)); });
    if (best == rates_.end())
      throw bad_data("its DLLL lines hold no rate of training",
                     "a metric with throughput, ips, per_second or /s in its name is expected");
    const auto& [level, values] = *best->second.rbegin();  // the finest level
    Log log;
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
    if (log.whole_run) log.steps = {values.back()};
    return log;
  }

  static bool has_rate(const json& record) {
    const json data = record.value("data", json());
    return data.is_object() && std::ranges::any_of(data.items(), [](const auto& one) {
             return is_rate_name(lower_case(one.key()));
           });
  }

  // Epochs and their steps as one number.
  static double place_of(const json& record) {
    const json& step = record.at("step");
    if (step.is_number()) return step.get<double>();
    const auto part = [&](std::size_t i) {
      return step.size() > i ? number_of(step[i]).value_or(0) : 0;
    };
    return part(0) * 1e9 + part(1);
  }

  bool take_metric(const std::string& name, const std::optional<double>& value, std::size_t level) {
    if (!value || !(*value > 0) || !is_rate_name(lower_case(name))) return false;
    if (rates_.size() < kMostMetrics || rates_.contains(name))
      rates_[name][level].push_back(*value);
    return true;
  }
  void take_parameter(const std::string& name, const std::optional<double>& value) {
    if (has_any(name, {"world_size", "num_gpus", "n_gpu"})) gpus_ = count_of(value);
  }

  std::map<std::string, std::map<std::size_t, std::vector<double>>> rates_;  // keys: name, level
  std::map<std::string, std::string> units_;
  std::optional<std::int64_t> gpus_;
  std::array<StepCourse, 3> courses_;  // by level
  bool ended_ = false;
};

}  // namespace

Runs read_dlll(const LogText& text) { return read_runs<DlllReader>(text, {kMark}); }

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
  return value.is_string() ? value.get<std::string>() : "";
}

// Begin of an event or an interval.
struct Begun {
  double time_ms = 0;
  std::optional<double> samples, epochs;
};

class MllogReader : public MarkedReader {
 public:
  MllogReader() : MarkedReader(kMllogMark) {}

 private:
  // Every run prints these once, before its first sample; programs add other events behind
  // run_stop.
  bool begins_with(const json& record) const override {
    if (!has_any_value()) return false;
    for (const char* name :
         {"submission_benchmark", "cache_clear", "init_start", "global_batch_size", "run_start"}) {
      if (record.value("key", json()) == name) return true;
    }
    return false;
  }

  bool take_record(const json& record) override {
    const auto key = record.find("key"), value = record.find("value");
    if (key == record.end() || !key->is_string()) return false;
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
    return name == "tracked_stats" || has_any(name, {"run_st", "block_st", "epoch_st"});
  }

  Log whole_log() const override {
    Log log;
    log.says = says_;
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

  bool has_any_value() const {
    return stopped_ || !tracked_.empty() || !block_rates_.empty() || !block_epochs_.empty() ||
           !epoch_seconds_.empty();
  }

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

Runs read_mllog(const LogText& text) { return read_runs<MllogReader>(text, {kMllogMark}); }

}  // namespace scalemark::importing
