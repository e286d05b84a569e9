// Reads the benchmarks of convolutional networks on made-up images that most clusters are shown
// with: Horovod's (pytorch_synthetic_benchmark.py and those of TensorFlow) and tf_cnn_benchmarks.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "claims/import/log_text.h"
#include "claims/rows/text_tables.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/statistics/summary.h"

namespace scalemark::importing {
namespace {

// Returns what stands behind a word at the begin of the line: "resnet50" of "Model:    resnet50".
std::optional<std::string> setting(std::string_view line, std::string_view name) {
  if (!line.starts_with(name)) return std::nullopt;
  return tables::trimmed(line.substr(name.size()));
}

// Lines of Horovod's benchmarks: a value for each iteration, of one GPU ("Iter #0: 310.1 img/sec
// per GPU"), their mean ("Img/sec per GPU: 308.2 +-2.1"), and that mean times the number of GPUs
// ("Total img/sec on 8 GPU(s): 2465.6 +-16.8").
class HorovodReader : public StepReader {
 public:
  bool begins(std::string_view line) const override {
    if (StepReader::begins(line)) return true;
    return total_ && (is_head(line) || step_of(line) ||
                      (line.starts_with(kTotal) && value_in(line) != total_));
  }

  bool take(const Line& from) override {
    const std::string_view line = from.text;
    if (const auto model = setting(line, "Model:")) log_.says.workload = *model;
    if (const auto batch = count_of(number_after(line, "Batch size:"));
        batch && line.starts_with("Batch size:"))
      log_.says.batch_per_gpu = static_cast<double>(*batch);
    if (line.starts_with("Number of ")) devices_ = count_of(number_after(line, "s:"));
    on_cpus_ = on_cpus_ || has_any(line, {"Number of CPUs:", "/sec per CPU", " CPU(s):"});
    if (line.starts_with("Iter #")) return add(step_of(line), number_before(line, "img/sec per "));
    return take_summary(from);
  }

  std::optional<Log> log() override {
    if (log_.steps.empty() && !total_) return std::nullopt;
    log_.says.data = "synthetic";
    hold_against_iterations();
    if (on_cpus_) {
      log_.remarks.emplace_back("it is a run on CPUs: it says no count of GPUs");
      log_.says.system = "CPU";
      log_.says.batch_per_gpu.reset();
    } else {
      log_.says.gpus = devices_;
    }
    log_.measure = on_cpus_ ? Measure::kTotal : Measure::kPerGpu;
    log_.what = on_cpus_ ? "img/sec of one CPU" : "img/sec of one GPU";
    if (!total_) return std::move(log_);
    log_.measure = Measure::kTotal;
    log_.what = "total img/sec: mean of the timed iterations";
    log_.whole_run = true;
    log_.steps = {*total_};
    return std::move(log_);
  }

 private:
  bool is_head(std::string_view line) const override { return line.starts_with("Model:"); }

  std::optional<double> step_of(std::string_view line) const override {
    return number_after(line, "Iter #");
  }

  static constexpr std::string_view kTotal = "Total img/sec on ", kMean = "Img/sec per ";

  static std::optional<double> value_in(std::string_view line) {
    return number_at(line.substr(std::min(line.size(), line.rfind(':') + 1)));
  }

  bool take_summary(const Line& from) {
    const bool total = from.text.starts_with(kTotal);
    if (!total && !from.text.starts_with(kMean)) return false;
    const auto value = value_in(from.text);
    if (!value || !(*value > 0)) return false;
    summary_line_ = from.number;
    (total ? total_ : mean_) = value;
    const auto devices = total ? count_of(number_after(from.text, kTotal)) : std::nullopt;
    if (devices && devices_ && *devices_ != *devices)
      contradict(log_, summary_line_,
                 counted(*devices, "GPU") + ", and " + std::to_string(*devices_) + " above it");
    if (devices) devices_ = devices;
    return true;
  }

  // All of them have one decimal.
  void hold_against_iterations() {
    const double gpus = static_cast<double>(devices_.value_or(1));
    if (total_ && mean_)
      compare(log_, std::fabs(gpus * *mean_ - *total_) <= 0.06 * (gpus + 1), summary_line_,
              "a total of " + significant(*total_, 6) + " img/s is not " +
                  counted(devices_.value_or(1), "GPU") + " x " + significant(*mean_, 6));
    if (!mean_ || log_.steps.empty()) return;
    const auto is_mean = [&](std::span<const double> values) {
      return !values.empty() && std::fabs(statistics::mean(values) - *mean_) <= 0.11;
    };
    const std::span<const double> all = log_.steps;
    // The benchmark of Keras prints its first iteration, and leaves it out of the mean.
    compare(log_, is_mean(all) || is_mean(all.subspan(1)), summary_line_,
            "a mean of " + significant(*mean_, 6) +
                " img/s is said, and that of its iterations is " +
                significant(statistics::mean(all), 6));
  }

  std::optional<double> mean_, total_;
  std::optional<std::int64_t> devices_;
  bool on_cpus_ = false;
  std::size_t summary_line_ = 0;
};

// tf_cnn_benchmarks prints the rate of one process for each step, and at the end, once for each
// process, that of all. Batches are those of all GPUs and of one.
class TfCnnReader : public RunReader {
 public:
  bool begins(std::string_view line) const override {
    if (totals_.empty()) return false;
    return line.starts_with("TensorFlow:") || line.starts_with("Model:") || is_head_of_steps(line);
  }

  bool take(const Line& from) override {
    const std::string_view line = from.text;
    if (const auto model = setting(line, "Model:")) says_.workload = *model;
    if (const auto data = setting(line, "Dataset:"))
      says_.data = data->find("(synthetic)") == std::string::npos ? "real" : "synthetic";
    if (const auto mode = setting(line, "Mode:")) mode_ = *mode;
    if (const auto batch = count_of(number_before(line, " global"));
        batch && line.starts_with("Batch size:"))
      says_.global_batch_size = batch;
    if (const auto batch = number_before(line, " per device");
        batch && *batch > 0 && line.ends_with(" per device"))
      says_.batch_per_gpu = batch;
    stepped_ = stepped_ || is_head_of_steps(line);
    const auto total = number_after(line, "total images/sec: ");
    const auto rate = number_after(line, "images/sec: ");
    if (!total && rate && *rate > 0) own_ = rate;
    if (!total || !(*total > 0)) return false;
    totals_.push_back(*total);
    return true;
  }

  std::optional<Log> log() override {
    if (totals_.empty() && stepped_)
      throw bad_data("it holds no total images/sec: did the run of tf_cnn_benchmarks end?");
    if (totals_.empty()) return std::nullopt;
    if (!mode_.empty() && mode_ != "training")
      throw bad_data("it is a run of tf_cnn_benchmarks in the mode " + mode_,
                     "training is expected");
    Log log;
    log.says = says_;
    if (says_.batch_per_gpu && says_.global_batch_size)
      log.says.gpus =
          count_of(static_cast<double>(*says_.global_batch_size) / *says_.batch_per_gpu);
    const auto totals = statistics::summarise(totals_);
    log.steps = {*totals.p50};
    log.whole_run = true;
    log.what = "total images/sec: mean of the timed steps";
    if (*totals.max > 1.05 * *totals.min)
      log.remarks.push_back("its processes print totals from " + significant(*totals.min, 5) +
                            " to " + significant(*totals.max, 5) + ": the median counts");
    hold_against_steps(log);
    return log;
  }

 private:
  // Its steps are those of one process, which may have each number of GPUs that divides all.
  void hold_against_steps(Log& log) const {
    if (!own_ || !log.says.gpus) return;
    constexpr double kLess = 0.75, kMore = 1.1;  // saving and evaluating are in the total
    const std::int64_t gpus = std::min<std::int64_t>(*log.says.gpus, 1 << 16);
    bool agree = false;
    for (std::int64_t processes = 1; processes <= gpus && !agree; ++processes) {
      const double share = log.steps.front() / (*own_ * static_cast<double>(processes));
      agree = gpus % processes == 0 && share > kLess && share < kMore;
    }
    compare(log, agree, 0,
            "a total of " + significant(log.steps.front(), 5) +
                " img/s is no number of processes with " + significant(*own_, 5) + " each, on " +
                counted(gpus, "GPU"));
  }

  static bool is_head_of_steps(std::string_view line) {
    return line.starts_with("Step") && line.find("Img/sec") != line.npos;
  }

  published::Row says_;
  std::string mode_;
  bool stepped_ = false;
  std::optional<double> own_;  // images/sec of the last step
  std::vector<double> totals_;
};

}  // namespace

Runs read_horovod(const LogText& text) { return read_runs<HorovodReader>(text, {"img/sec"}); }

Runs read_tf_cnn(const LogText& text) { return read_runs<TfCnnReader>(text, {"images/sec: "}); }

}  // namespace scalemark::importing
