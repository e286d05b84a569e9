// Reads lines that trainers of image networks print within their epochs: timm's train.py, PyTorch's
// ImageNet example, whose form very many have taken over, and the reference scripts of torchvision,
// whose form DETR and others have.
#include <cmath>
#include <vector>

#include "claims/import/log_text.h"
#include "core/base/text.h"
#include "core/statistics/summary.h"

namespace scalemark::importing {
namespace {

// Returns the place of a step in its run, where a line has its epoch behind one word and the step
// behind the next bracket: 2.1 of "Train: 2 [ 125/1251 ( 10%)]".
std::optional<double> place_in_epochs(std::string_view line, std::string_view before_epoch) {
  const auto epoch = number_after(line, before_epoch);
  const std::size_t at = line.find(before_epoch);
  if (!epoch || !(*epoch >= 0)) return std::nullopt;
  line.remove_prefix(at + before_epoch.size());
  const std::size_t bracket = line.find('[');
  if (bracket == line.npos) return std::nullopt;
  const auto step = number_at(line.substr(bracket + 1));
  const auto steps = count_of(number_after(line.substr(bracket), "/"));
  if (!step || !steps) return std::nullopt;
  return *epoch + *step / static_cast<double>(*steps);
}

// "Train: 0 [ 100/1251 (  8%)]  Loss: 6.9 (6.9)  Time: 0.330s,  775.42/s  (0.345s,  742.03/s)  LR:
// ...": the rate is of all GPUs, the brackets have the mean of the epoch.
class TimmReader : public StepReader {
 public:
  bool take(const Line& from) override {
    const std::string_view line = from.text;
    take_setting(line);
    const std::size_t time = line.find("Time: ");
    if (time == line.npos || !step_of(line)) return false;
    const auto seconds = number_at(line.substr(time + 6));
    const auto rate = number_after(line.substr(time), "s, ");
    if (!seconds || !(*seconds > 0) || !add(step_of(line), rate)) return false;
    samples_.push_back(*seconds * *rate);
    return true;
  }

 private:
  void finish() override {
    published::Row& row = log_.says;
    log_.what = "rate of all GPUs in an interval";
    log_.unit_of_log = "interval";
    log_.samples_of_step = statistics::summarise(samples_).p50;
    if (!row.global_batch_size) return;
    const auto batch = static_cast<double>(*row.global_batch_size);
    // timm prints seconds with three decimals, which are few for a fast step.
    const double rounding = 0.0005 * *statistics::summarise(log_.steps).p50;
    const double off = std::fabs(*log_.samples_of_step - batch);
    const bool agree = compare(log_, off <= 0.02 * batch + 1 + rounding, 0,
                               "a step has " + significant(*log_.samples_of_step, 4) +
                                   " images by its rate and time, and the batch is said to be " +
                                   std::to_string(*row.global_batch_size));
    if (agree && row.gpus && !row.gradient_accumulation_steps)
      row.batch_per_gpu = batch / static_cast<double>(*row.gpus);
  }

  bool is_head(std::string_view line) const override {
    return has_any(line, {"Training in distributed mode"}) ||
           has_any(line, {"Training with a single process"});
  }

  std::optional<double> step_of(std::string_view line) const override {
    return line.starts_with("Train: ") ? place_in_epochs(line, "Train: ") : std::nullopt;
  }

  void take_setting(std::string_view line) {
    published::Row& row = log_.says;
    if (has_any(line, {"Training in distributed mode"}))
      row.gpus = count_of(number_after(line, "total "));
    if (has_any(line, {"Training with a single process on 1 "})) row.gpus = 1;
    if (line.starts_with("Model ") && has_any(line, {" created, param count"}))
      row.workload = std::string(line.substr(6, line.find(' ', 6) - 6));
    if (const auto batch = count_of(number_after(line, "global batch size (")))
      row.global_batch_size = batch;
    if (has_any(line, {"Training in mixed precision"})) row.precision = "amp";
    if (has_any(line, {"AMP not enabled"})) row.precision = "fp32_or_tf32";
  }

  std::vector<double> samples_;
};

// "Epoch: [0][  10/5004]  Time  0.301 ( 0.589)  Data  0.000 ( 0.288)  Loss ...": the time of a
// step, with its wait for data; the brackets have the mean of the epoch. The batch is nowhere, and
// each process prints the same lines.
class ImageNetExampleReader : public StepReader {
 public:
  bool take(const Line& from) override {
    for (const char* before : {"=> creating model '", "=> using pre-trained model '"}) {
      const std::size_t at = from.text.find(before);
      if (at == from.text.npos) continue;
      const std::string_view name = from.text.substr(at + std::string_view(before).size());
      log_.says.workload = std::string(name.substr(0, name.find('\'')));
    }
    return add(step_of(from.text), number_after(from.text, kTime));
  }

 private:
  void finish() override {
    log_.measure = Measure::kStepSeconds;
    log_.what = "images of a step over its time";
    log_.says.gradient_accumulation_steps = 1;
  }

  static constexpr std::string_view kTime = "Time ";

  bool is_head(std::string_view line) const override {
    return has_any(line, {"=> creating model"});
  }

  std::optional<double> step_of(std::string_view line) const override {
    return line.starts_with("Epoch: [") && has_any(line, {"]["}) && has_any(line, {kTime})
               ? place_in_epochs(line, "Epoch: [")
               : std::nullopt;
  }
};

// "Epoch: [0]  [ 10/100]  eta: 0:01:00  lr: 0.1  img/s: 310.5  loss: ...  time: 0.41  data: 0.01":
// time is of a step, with its wait for data; img/s is of one process, without it. A line
// "Namespace(...)" or "Not using distributed mode" stands before them.
class TorchvisionReader : public StepReader {
 public:
  bool take(const Line& from) override {
    const std::string_view line = from.text;
    take_setting(line);
    if (!step_of(line)) return false;
    const auto rate = number_after(line, "img/s: ");
    const bool added = add(step_of(line), number_after(line, " time: "));
    if (added && rate && *rate > 0) {
      rates_.push_back(*rate);
      waits_.push_back(number_after(line, " data: ").value_or(0));
    }
    return added;
  }

 private:
  void finish() override {
    log_.measure = Measure::kStepSeconds;
    log_.what = "images of a step over its time";
    if (log_.says.batch_per_gpu) {
      log_.says.gradient_accumulation_steps = 1;
      hold_against_rates();
    } else if (!rates_.empty()) {
      log_.measure = Measure::kPerGpu;
      log_.what = "img/s of one GPU, without its waits for data";
      log_.steps = rates_;
    }
  }

  bool is_head(std::string_view line) const override {
    return line.starts_with("Namespace(") || line.starts_with("Not using distributed mode") ||
           line.starts_with("| distributed init (rank");
  }

  std::optional<double> step_of(std::string_view line) const override {
    return has_any(line, {"eta: "}) && line.starts_with("Epoch: [")
               ? place_in_epochs(line, "Epoch: [")
               : std::nullopt;
  }

  // img/s lasts from the end of the wait for data to that of the step.
  void hold_against_rates() {
    if (rates_.empty()) return;
    constexpr double kOff = 1.25;
    const auto median = [](const std::vector<double>& all) {
      return *statistics::summarise(all).p50;
    };
    const double rate = median(rates_), seconds = median(log_.steps),
                 batch = *log_.says.batch_per_gpu;
    const double least = rate * (seconds - median(waits_));
    compare(log_, rate * seconds * kOff >= batch && least <= batch * kOff, 0,
            "a step has " + significant(least, 4) +
                " images by its img/s and time, and the batch is said to be " +
                significant(batch, 9));
  }

  void take_setting(std::string_view line) {
    published::Row& row = log_.says;
    if (line.starts_with("Not using distributed mode")) row.gpus = 1;
    if (!line.starts_with("Namespace(")) return;
    for (const char* before : {" batch_size=", "(batch_size="}) {
      if (const auto batch = count_of(number_after(line, before)))
        row.batch_per_gpu = static_cast<double>(*batch);
    }
    if (const auto gpus = count_of(number_after(line, " world_size="))) row.gpus = gpus;
    if (has_any(line, {" amp=True"})) row.precision = "amp";
    const std::size_t model = line.find(" model='");
    if (model != line.npos)
      row.workload = std::string(line.substr(model + 8, line.find('\'', model + 8) - model - 8));
  }

  std::vector<double> rates_, waits_;  // waits_: for data, in seconds
};

}  // namespace

Runs read_timm(const LogText& text) { return read_runs<TimmReader>(text, {"Train: "}); }

Runs read_imagenet_example(const LogText& text) {
  return read_runs<ImageNetExampleReader>(text, {"Epoch: ["});
}

Runs read_torchvision(const LogText& text) {
  return read_runs<TorchvisionReader>(text, {"Epoch: ["});
}

}  // namespace scalemark::importing
