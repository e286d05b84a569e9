// Reads summaries that programs write of their runs in JSON: a Hugging Face Trainer's and
// SuperBench's.

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "claims/import/log_text.h"
#include "claims/rows/text_tables.h"
#include "core/base/error.h"
#include "core/base/number_words.h"

namespace scalemark::importing {
namespace {

// A Hugging Face Trainer writes trainer_state.json, all_results.json and train_results.json, and
// prints the same numbers. train_samples_per_second is the rate of all devices: the samples of all
// epochs over the whole duration of train() (speed_metrics in trainer_utils.py).

using nlohmann::json;

constexpr const char* kRate = "train_samples_per_second";

// A run prints its rate several times, with fewer digits the second time.
class TrainerReader {
 public:
  void take_rate(const std::optional<double>& rate) {
    if (!rate || !(*rate > 0)) return;
    if (rate_ && std::fabs(*rate - *rate_) > 0.01 * *rate_)
      throw bad_data("it holds two runs, of " + significant(*rate_, 6) + " and " +
                         significant(*rate, 6) + " samples/s",
                     "the log of one run is expected");
    if (!rate_) rate_ = rate;
  }
  void take_steps_rate(const std::optional<double>& rate) {
    if (rate && *rate > 0 && !steps_rate_) steps_rate_ = rate;
  }

  void take_metrics(const json& object) {
    take_rate(number_of(object, kRate));
    take_steps_rate(number_of(object, "train_steps_per_second"));
  }

  // The batches are printed before the first step, the rate after the last one.
  void take_line(std::string_view line) {
    if (line.find("eval_") == std::string_view::npos) take_metrics_line(line);
    take_count(line, "Instantaneous batch size per device = ", device_batch_);
    take_count(line, "Total train batch size (w. parallel, distributed & accumulation) = ", total_);
    take_count(line, "Gradient Accumulation steps = ", accumulation_);
    if (line.find("Continuing training from global step") != std::string_view::npos)
      continued_ = true;
  }

  void take_state(const json& state) {
    batch_of_process_ = count_of(number_of(state, "train_batch_size"));
    const auto history = state.find("log_history");
    if (history == state.end() || !history->is_array()) return;
    for (const json& entry : *history) take_metrics(entry);
  }

  Log log() const {
    if (!rate_) throw bad_data("it holds no train_samples_per_second: did the run end?");
    Log log{.file = {}, .form = "Hugging Face Trainer", .says = {}};
    log.steps = {*rate_};
    log.whole_run = true;
    log.what = std::string(kRate) +
               ": mean of the whole run, with its first steps, evaluations and checkpoints";
    log.says.framework = "Hugging Face Trainer";
    log.says.unit = "samples/s";
    add_batches(log);
    if (continued_) {
      log.says.untestable = "meaningless";
      log.says.note = "went on from a checkpoint: all samples are counted, over a part of the time";
      log.remarks.push_back(*log.says.note);
    }
    return log;
  }

 private:
  // Reads "{'train_runtime': 19.02, 'train_samples_per_second': 1.735, ...}" and "train_... =
  // 1.735".
  void take_metrics_line(std::string_view line) {
    for (const std::string_view end : {"': ", " ", "\": ", ": "}) {
      const std::string key = std::string(kRate) + std::string(end);
      if (line.find(key) == std::string_view::npos) continue;
      take_rate(behind(line, key));
    }
    for (const std::string_view end : {"': ", " ", "\": ", ": "})
      take_steps_rate(behind(line, "train_steps_per_second" + std::string(end)));
  }
  // The value may stand behind "=" and blanks, and in quotes.
  static std::optional<double> behind(std::string_view line, const std::string& key) {
    const std::size_t at = line.find(key);
    if (at == std::string_view::npos) return std::nullopt;
    line.remove_prefix(at + key.size());
    const std::size_t first = line.find_first_not_of(" ='\"");
    return first == std::string_view::npos ? std::nullopt : number_at(line.substr(first));
  }

  static void take_count(std::string_view line, std::string_view key,
                         std::optional<std::int64_t>& value) {
    if (const auto number = count_of(number_after(line, key))) value = number;
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

  std::optional<double> rate_, steps_rate_;
  std::optional<std::int64_t> device_batch_, total_, accumulation_, batch_of_process_;
  bool continued_ = false;
};

}  // namespace

std::optional<Log> read_trainer_log(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  TrainerReader reader;
  const auto document =
      begin == std::string_view::npos ? std::nullopt : json_object(text.substr(begin));
  if (document) {
    const bool state = document->contains("log_history");
    if (!state && !document->contains(kRate) && !document->contains("train_runtime"))
      return std::nullopt;
    state ? reader.take_state(*document) : reader.take_metrics(*document);
    return reader.log();
  }
  const bool printed = text.find(kRate) != std::string_view::npos ||
                       text.find("***** train metrics *****") != std::string_view::npos;
  if (!printed) return std::nullopt;
  for_each_line(text, [&](std::string_view line, std::size_t) { reader.take_line(line); });
  return reader.log();
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
    for_each_line(text, [&](std::string_view line, std::size_t) {
      if (const auto object = json_object(line)) add_superbench_rows(*object, file, read.rows);
    });
  }
  return read.rows.empty() ? std::nullopt : std::optional(std::move(read));
}

}  // namespace scalemark::importing
