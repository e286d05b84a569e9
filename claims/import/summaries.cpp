// Reads summaries that programs write of their runs in JSON: a Hugging Face Trainer's and
// SuperBench's.

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "claims/import/log_text.h"
#include "claims/rows/text_tables.h"
#include "core/base/error.h"
#include "core/base/text.h"

namespace scalemark::importing {
namespace {

// A Hugging Face Trainer writes trainer_state.json, all_results.json and train_results.json, and
// prints the same numbers. train_samples_per_second is the rate of all devices: the samples of all
// epochs over the whole duration of train() (speed_metrics in trainer_utils.py).

using nlohmann::json;

constexpr const char* kRate = "train_samples_per_second";
constexpr const char* kStepsRate = "train_steps_per_second";
constexpr std::string_view kStart = "***** Running training *****";

// Whether a rate and a duration, as printed, give this much work.
bool gives(double rate, double seconds, double work) {
  return std::fabs(rate * seconds - work) <= 0.02 * work + 0.002 * seconds;
}

class TrainerReader : public RunReader {
 public:
  bool begins(std::string_view line) const override {
    if (!rate_) return false;
    const auto rate = rate_in(line);
    return line.find(kStart) != line.npos || (rate && is_other(*rate));
  }

  // The batches are printed before the first step, the rate after the last one.
  bool take(const Line& from) override {
    const std::string_view line = from.text;
    if (line.find(kStart) != line.npos) is_training_ = true;
    if (line.find("***** Running Evaluation *****") != line.npos) is_training_ = false;
    if (is_training_) take_settings(line);
    if (line.find("Continuing training from global step") != line.npos) continued_ = true;
    if (line.find("eval_") != line.npos) return false;
    if (const auto seconds = seconds_in(line); seconds && !rate_) seconds_ = seconds;
    if (const auto epoch = behind(line, "epoch"); epoch && !rate_) epoch_ = epoch;
    if (const auto samples = behind(line, "train_samples")) samples_ = samples;
    if (const auto rate = behind(line, kStepsRate); rate && *rate > 0 && !steps_rate_)
      steps_rate_ = rate;
    const auto rate = rate_in(line);
    if (!rate) return false;
    // A run prints its rate several times, with fewer digits the second time.
    if (!rate_) {
      rate_ = rate;
      line_ = from.number;
    }
    return true;
  }

  void take_document(const json& document) {
    take_metrics(document);
    batch_of_process_ = count_of(number_of(document, "train_batch_size"));
    steps_ = number_of(document, "global_step");
    planned_ = number_of(document, "max_steps");
    const auto history = document.find("log_history");
    if (history == document.end() || !history->is_array()) return;
    for (const json& entry : *history) take_metrics(entry);
  }

  std::optional<Log> log() override {
    if (!rate_) throw bad_data("it holds no train_samples_per_second: did the run end?");
    Log log;
    log.steps = {*rate_};
    log.whole_run = true;
    log.what = std::string(kRate) +
               ": mean of the whole run, with its first steps, evaluations and checkpoints";
    add_batches(log);
    hold_against_work(log);
    if (continued_) {
      log.says.untestable = "meaningless";
      log.says.note = "went on from a checkpoint: all samples are counted, over a part of the time";
      log.remarks.push_back(*log.says.note);
    }
    return log;
  }

 private:
  static constexpr std::string_view kRuntime = "train_runtime";

  bool is_other(double rate) const { return std::fabs(rate - *rate_) > 0.01 * *rate_; }

  static std::optional<double> rate_in(std::string_view line) {
    const auto rate = line.find("eval_") == line.npos ? behind(line, kRate) : std::nullopt;
    return rate && *rate > 0 ? rate : std::nullopt;
  }

  // Reads "{'train_runtime': 19.02, 'train_samples_per_second': 1.735, ...}" and "train_... =
  // 1.735".
  static std::optional<double> behind(std::string_view line, std::string_view key) {
    const std::size_t at = line.find(key);
    if (at == line.npos) return std::nullopt;
    line.remove_prefix(at + key.size());
    const std::size_t first = line.find_first_not_of(" =:'\"");
    return first == 0 || first == line.npos ? std::nullopt : number_at(line.substr(first));
  }

  // Metrics that stand in lines of their own have durations as "1 day, 0:01:40.25".
  static std::optional<double> seconds_in(std::string_view line) {
    const auto first = behind(line, kRuntime);
    if (!first) return std::nullopt;
    line.remove_prefix(line.find(kRuntime) + kRuntime.size());
    double days = 0;
    if (const std::size_t comma = line.find(", ");
        line.find(" day") < comma && comma != line.npos) {
      days = *first;
      line.remove_prefix(comma);
    }
    line.remove_prefix(std::min(line.size(), line.find_first_of("0123456789")));
    line = line.substr(0, line.find_first_not_of("0123456789:."));
    if (line.find(':') == line.npos) return first;
    double seconds = number_at(line).value_or(0);
    for (std::size_t colon = line.find(':'); colon != line.npos; colon = line.find(':')) {
      line.remove_prefix(colon + 1);
      seconds = 60 * seconds + number_at(line).value_or(0);
    }
    return 86'400 * days + seconds;
  }

  void take_settings(std::string_view line) {
    const auto take_count = [&](std::string_view key, std::optional<std::int64_t>& value) {
      if (const auto number = count_of(number_after(line, key))) value = number;
    };
    take_count("Num examples = ", examples_);
    take_count("Num Epochs = ", epochs_);
    take_count("Instantaneous batch size per device = ", device_batch_);
    take_count("Total train batch size (w. parallel, distributed & accumulation) = ", total_);
    take_count("Gradient Accumulation steps = ", accumulation_);
    if (const auto steps = number_after(line, "Total optimization steps = ")) steps_ = steps;
  }

  void take_metrics(const json& object) {
    if (const auto rate = number_of(object, kRate); rate && *rate > 0) {
      if (rate_ && is_other(*rate))
        throw bad_data("it holds two runs, of " + significant(*rate_, 6) + " and " +
                           significant(*rate, 6) + " samples/s",
                       "the log of one run is expected");
      if (!rate_) {
        seconds_ = number_of(object, kRuntime.data());
        samples_ = number_of(object, "train_samples");
        epoch_ = number_of(object, "epoch");
        rate_ = rate;
      }
    }
    if (const auto rate = number_of(object, kStepsRate); rate && *rate > 0 && !steps_rate_)
      steps_rate_ = rate;
  }

  void add_batches(Log& log) const {
    published::Row& row = log.says;
    if (device_batch_) row.batch_per_gpu = static_cast<double>(*device_batch_);
    row.gradient_accumulation_steps = accumulation_;
    row.global_batch_size = total_;
    // The total is the product of batch, accumulation and devices.
    if (device_batch_ && total_ && accumulation_)
      row.gpus = count_of(static_cast<double>(*total_) / (static_cast<double>(*device_batch_) *
                                                          static_cast<double>(*accumulation_)));
    if (!device_batch_) log.batch_of_process = batch_of_process_;
    // Both rates have three decimals. For a slow run that is too few to find the samples of a step.
    if (steps_rate_ && *steps_rate_ >= 0.1) log.samples_of_step = *rate_ / *steps_rate_;
  }

  // The log also prints the work and the time. Until May 2021 the rate counted optimizer steps (a
  // Trainer prints train_steps_per_second since then), except for steps of one sample.
  void hold_against_work(Log& log) const {
    if (!seconds_ || !(*seconds_ > 0)) return;
    if (const double done = share_done(); done < 0.9 && !continued_) {
      contradict(log, line_,
                 "it stopped after " + percent(done, 0) +
                     " of its steps, and its samples/s counts all of them: " +
                     significant(*rate_ * done, 4) + " were trained");
      return;
    }
    std::optional<double> samples;
    if (examples_ && epochs_)
      samples = static_cast<double>(*examples_) * static_cast<double>(*epochs_);
    else if (!examples_ && samples_ && epoch_)
      samples = *samples_ * *epoch_;
    const bool by_steps = steps_ && total_;
    log.compared += samples || by_steps;
    if (samples && gives(*rate_, *seconds_, *samples)) return;
    if (by_steps && gives(*rate_, *seconds_, *steps_ * static_cast<double>(*total_))) return;
    const bool fewer = !examples_ && !steps_ && samples && *rate_ * *seconds_ < 0.98 * *samples;
    if (!steps_rate_ && (fewer || (steps_ && gives(*rate_, *seconds_, *steps_)))) {
      log.remarks.push_back(std::string(kRate) +
                            " counts optimizer steps, as Trainers before May "
                            "2021 do: " +
                            significant(*rate_, 6) + " a second");
      if (by_steps && (!samples || *samples > *steps_ * static_cast<double>(*total_)))
        samples = *steps_ * static_cast<double>(*total_);
      if (samples) {
        log.steps = {*samples / *seconds_};
        log.what = "examples x epochs over train_runtime, of the whole run";
      } else {
        log.measure = Measure::kStepSeconds;
        log.steps = {1 / *rate_};
        log.what = "samples of a step x steps a second, of the whole run";
      }
    } else if (samples && examples_ && !continued_) {
      contradict(log, line_,
                 "train_runtime x samples/s is " + grouped(*rate_ * *seconds_) + ", and " +
                     grouped(static_cast<double>(*examples_)) + " examples x " +
                     counted(*epochs_, "epoch") + " are " + grouped(*samples));
    }
  }

  // A Trainer that is stopped counts the samples and steps that it had planned (speed_metrics).
  double share_done() const {
    constexpr std::int64_t kFewestSteps = 20;  // an epoch's last batch may be smaller
    if (planned_ && steps_ && steps_rate_ && gives(*steps_rate_, *seconds_, *planned_))
      return *steps_ / *planned_;
    if (!examples_ || !epochs_ || !epoch_ || !total_ || *examples_ < kFewestSteps * *total_)
      return 1;
    const auto examples = static_cast<double>(*examples_), total = static_cast<double>(*total_);
    const double epochs =
        std::min(static_cast<double>(*epochs_), steps_.value_or(1e15) * total / examples);
    return gives(*rate_, *seconds_, epochs * examples) ? *epoch_ / epochs : 1;
  }

  std::optional<double> rate_, steps_rate_, seconds_, steps_, planned_, samples_, epoch_;
  std::optional<std::int64_t> examples_, epochs_, device_batch_, total_, accumulation_,
      batch_of_process_;
  std::size_t line_ = 0;
  bool continued_ = false, is_training_ = true;
};

}  // namespace

Runs read_trainer_log(const LogText& text) {
  const std::string_view whole = text.whole();
  const std::size_t begin = whole.find_first_not_of(" \t\r\n");
  const auto document = begin == whole.npos ? std::nullopt : json_object(whole.substr(begin));
  if (document) {
    if (!document->contains("log_history") && !document->contains(kRate) &&
        !document->contains("train_runtime"))
      return {};
    TrainerReader reader;
    reader.take_document(*document);
    return {{1, static_cast<std::size_t>(std::ranges::count(whole, '\n')) + 1, *reader.log()}};
  }
  const bool printed = text.holds(kRate) || text.holds("***** train metrics *****");
  // DeepSpeed prints rates of a run that has no end yet.
  const bool begun = text.holds(kStart) && !text.holds("SamplesPerSec=");
  if (!printed && !begun) return {};
  return read_runs(text, [] { return std::make_unique<TrainerReader>(); });
}

namespace {

// SuperBench writes results-summary.jsonl and baseline.json with names like
// "model-benchmarks:resnet/pytorch-resnet50/fp16_train_throughput", followed by ":3" where ranks
// are listed. The rate is that of one GPU (its documents on model benchmarks).

using published::Row;

constexpr std::size_t kMostSuperbenchRows = 100'000;

struct SuperbenchMetric {
  std::string network, precision;
  bool of_rank = false;
};

// fp16 and bf16 models are cast as a whole; whether fp32 takes TF32 depends on an option that the
// file lacks.
std::string superbench_precision(std::string_view metric) {
  for (const std::string_view begin : {"throughput-train-", "throughput_train_"}) {
    if (metric.starts_with(begin)) metric.remove_prefix(begin.size());
  }
  constexpr std::string_view kEnd = "_train_throughput";
  if (metric.ends_with(kEnd)) metric.remove_suffix(kEnd.size());
  if (metric == "fp32" || metric == "float32") return "fp32_or_tf32";
  if (metric == "fp16" || metric == "float16" || metric == "half") return "fp16_cast";
  if (metric == "bf16" || metric == "bfloat16") return "bf16_cast";
  if (metric == "tf32") return "tf32";
  return metric.starts_with("fp8") ? "fp8" : "";
}

std::optional<SuperbenchMetric> superbench_metric(std::string_view key) {
  SuperbenchMetric found;
  const std::size_t last = key.rfind('/');
  if (last == std::string_view::npos || last == 0) return std::nullopt;
  std::string_view metric = key.substr(last + 1);
  if (metric.find("throughput") == std::string_view::npos ||
      metric.find("train") == std::string_view::npos)
    return std::nullopt;
  if (const std::size_t colon = metric.rfind(':'); colon != std::string_view::npos) {
    found.of_rank = count_of(number_at(metric.substr(colon + 1))) || metric.substr(colon) == ":0";
    metric = metric.substr(0, colon);
  }
  found.precision = superbench_precision(metric);
  const std::string_view path = key.substr(0, last);
  std::string_view network = path.substr(path.rfind('/') + 1);
  if (const std::size_t dash = network.find('-');
      network.starts_with("pytorch-") || network.starts_with("megatron-"))
    network.remove_prefix(dash + 1);
  found.network = network;
  if (found.precision.empty() || found.network.empty()) return std::nullopt;
  return found;
}

// Where a node lists its ranks, each rank has a value; otherwise there is one value.
struct SuperbenchRate {
  double sum = 0;
  std::int64_t values = 0;
  bool of_ranks = false;
};

void add_superbench_rows(const json& object, const std::string& file, std::vector<Row>& rows) {
  std::map<std::pair<std::string, std::string>, SuperbenchRate> rates;
  for (const auto& [key, value] : object.items()) {
    const auto metric = superbench_metric(key);
    const auto number = number_of(value);
    if (!metric || !number || !(*number > 0)) continue;
    SuperbenchRate& rate = rates[{metric->network, metric->precision}];
    if (rate.values > 0 && rate.of_ranks != metric->of_rank) continue;
    rate.of_ranks = metric->of_rank;
    rate.sum += *number;
    rate.values++;
  }
  const auto node = object.find("node");
  for (const auto& [what, rate] : rates) {
    Row row;
    row.repo = "import";
    row.path = file;
    row.framework = "PyTorch DDP (SuperBench)";
    row.workload = what.first;
    row.precision = what.second;
    row.unit = "samples/s";
    row.data = "synthetic random";
    row.throughput = rate.sum / static_cast<double>(rate.values);
    if (rate.of_ranks) row.gpus = rate.values;
    if (node != object.end() && node->is_string()) row.note = "node " + node->get<std::string>();
    if (rows.size() < kMostSuperbenchRows) rows.push_back(std::move(row));
  }
}

}  // namespace

std::optional<TableFile> read_superbench(std::string_view text, const std::string& file) {
  TableFile read;
  if (const auto whole = json_object(tables::trimmed(text))) {
    read.form = whole->contains("node") ? "SuperBench summary" : "SuperBench baseline";
    add_superbench_rows(*whole, file, read.rows);
  } else {
    read.form = "SuperBench summary";
    LogText(text).for_each_line([&](const Line& line) {
      if (const auto object = json_object(line.text)) add_superbench_rows(*object, file, read.rows);
    });
  }
  return read.rows.empty() ? std::nullopt : std::optional(std::move(read));
}

}  // namespace scalemark::importing
