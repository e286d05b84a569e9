// Reads what trainers of large language models print: Megatron-LM, with those that come from it,
// and DeepSpeed. Both list their settings with dots between name and value.
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "claims/import/log_text.h"
#include "core/base/text.h"

namespace scalemark::importing {
namespace {

// Returns the value of "seq_length ............... 4096". DeepSpeed fills names up to 29 columns: a
// long one has no dots.
std::optional<std::string> dotted(std::string_view line, std::string_view name) {
  const std::size_t at = line.find(name);
  if (at == line.npos || (at > 0 && line[at - 1] != ' ')) return std::nullopt;
  line.remove_prefix(at + name.size());
  const std::size_t value = line.find_first_not_of(" .");
  const bool has_dots = line.substr(0, value).find("..") != line.npos;
  if (value == line.npos || value < 2 || !(has_dots || name.size() >= 28)) return std::nullopt;
  line.remove_prefix(value);
  return std::string(line.substr(0, line.find(' ')));
}

std::optional<std::int64_t> dotted_count(std::string_view line, std::string_view name) {
  const auto value = dotted(line, name);
  return value ? count_of(number_at(*value)) : std::nullopt;
}

template <class Value>
void keep(std::optional<Value>& value, const std::optional<std::int64_t>& read) {
  if (read) value = static_cast<Value>(*read);
}

// A line for each iteration, or for the mean of some: "iteration 40/ 100 | consumed samples: 5120 |
// elapsed time per iteration (ms): 5444.9 | ... | global batch size: 128 |". GPT-NeoX, which comes
// from it, prints "samples/sec:" instead of the batch.
class MegatronReader : public StepReader {
 public:
  bool take(const Line& from) override {
    const std::string_view line = from.text;
    if (!has_iteration(line)) return take_setting(line), false;
    const auto milliseconds = number_after(line, kElapsed);
    const auto batch = number_after(line, "global batch size:");
    auto rate = number_after(line, "samples/sec:");
    if (milliseconds && *milliseconds > 0 && batch) {
      log_.says.global_batch_size = count_of(batch);
      rate = *batch / *milliseconds * 1000;
      hold_against_samples(from, {step_of(line), number_after(line, "consumed samples:"), batch});
    }
    return add(step_of(line), rate);
  }

 private:
  void finish() override {
    published::Row& row = log_.says;
    log_.what = "sequences of an iteration over its ms";
    log_.unit_of_log = "iteration";
    std::int64_t split = 1;
    for (const auto& [name, size] : sizes_) split *= size;
    if (split > 1) {
      row.untestable = "parallelism";
      row.note = "the model is split over " + counted(split, "GPU");
    } else if (micro_batch_) {
      row.batch_per_gpu = static_cast<double>(*micro_batch_);
    }
    if (row.gpus && micro_batch_ && row.global_batch_size)
      row.gradient_accumulation_steps =
          count_of(static_cast<double>(*row.global_batch_size) * static_cast<double>(split) /
                   (static_cast<double>(*micro_batch_) * static_cast<double>(*row.gpus)));
  }

  static constexpr std::string_view kElapsed = "elapsed time per iteration (ms):";

  static bool has_iteration(std::string_view line) { return line.find(kElapsed) != line.npos; }

  bool is_head(std::string_view line) const override {
    return line.starts_with("using world size:") || dotted(line, "world_size");
  }

  std::optional<double> step_of(std::string_view line) const override {
    return has_iteration(line) ? number_after(line, "iteration ") : std::nullopt;
  }

  struct Place {
    std::optional<double> iteration, samples, batch;
  };

  // Between two lines of one batch size each iteration consumes a batch.
  void hold_against_samples(const Line& line, const Place& here) {
    const Place before = std::exchange(last_, here);
    if (!here.iteration || !before.iteration || !here.samples || !before.samples ||
        here.batch != before.batch || !(*here.iteration > *before.iteration))
      return;
    const double consumed = *here.samples - *before.samples;
    const double expected = (*here.iteration - *before.iteration) * *here.batch;
    compare(log_, consumed == expected, line.number,
            grouped(consumed) + " samples were consumed since the line above, and " +
                significant(*here.iteration - *before.iteration, 9) + " iterations of " +
                significant(*here.batch, 9) + " are " + grouped(expected));
  }

  void take_setting(std::string_view line) {
    published::Row& row = log_.says;
    keep(row.gpus, dotted_count(line, "world_size"));
    const bool is_first = line.starts_with("using world size:");
    if (is_first) keep(row.gpus, count_of(number_after(line, "using world size:")));
    keep(row.sequence_length, dotted_count(line, "seq_length"));
    keep(micro_batch_, dotted_count(line, "micro_batch_size"));
    for (const char* kind : {"tensor-model", "pipeline-model", "context"}) {
      std::string name = std::string(kind) + "_parallel_size";
      std::ranges::replace(name, '-', '_');
      const auto size =
          is_first ? count_of(number_after(line, " " + std::string(kind) + "-parallel size:"))
                   : dotted_count(line, name);
      if (size && *size <= 100'000) sizes_[name] = *size;
    }
    for (const char* name : {"bf16", "fp16"}) {
      if (dotted(line, name) == "True") row.precision = name;
    }
  }

  std::optional<std::int64_t> micro_batch_;
  std::map<std::string, std::int64_t> sizes_;  // GPUs that share one model
  Place last_;
};

// The throughput timer prints the rate of all GPUs: "epoch=0/micro_step=40/global_step=10,
// RunningAvgSamplesPerSec=83.5, CurrSamplesPerSec=84.1". Older ones print the running average
// alone, and the pipeline engine "steps: 40 loss: 2.1 iter time (s): 0.5 samples/sec: 64.2".
class DeepSpeedReader : public StepReader {
 public:
  bool take(const Line& from) override {
    const std::string_view line = from.text;
    take_setting(line);
    auto rate = number_after(line, "CurrSamplesPerSec=");
    if (!rate && line.find("iter time (s):") != line.npos)
      rate = number_after(line, "samples/sec:");
    if (!rate && (rate = number_after(line, "SamplesPerSec="))) is_average_ = true;
    if (const auto average = number_after(line, "RunningAvgSamplesPerSec=")) average_ = average;
    return add(step_of(line), rate);
  }

 private:
  void finish() override {
    log_.what = is_average_ ? "SamplesPerSec, an average of the whole run" : "CurrSamplesPerSec";
    log_.unit_of_log = "interval";
    log_.whole_run = is_average_;
    hold_against_average();
    if (is_average_) log_.steps = {log_.steps.back()};
  }

  bool is_head(std::string_view line) const override {
    return dotted(line, "train_batch_size").has_value();
  }

  // Intervals are equally many steps, so the average is their harmonic mean. A log may begin late.
  void hold_against_average() {
    constexpr std::size_t kFewest = 5;
    constexpr double kOff = 1.5;
    if (is_average_ || !average_ || log_.steps.size() < kFewest) return;
    double seconds = 0;
    for (const double rate : log_.steps) seconds += 1 / rate;
    const double mean = static_cast<double>(log_.steps.size()) / seconds;
    compare(log_, std::fabs(std::log(*average_ / mean)) <= std::log(kOff), 0,
            "its last RunningAvgSamplesPerSec is " + significant(*average_, 4) +
                ", and its CurrSamplesPerSec have a mean of " + significant(mean, 4));
  }

  std::optional<double> step_of(std::string_view line) const override {
    if (const auto step = number_after(line, "global_step=")) return step;
    if (line.find("iter time (s):") != line.npos) return number_after(line, "steps: ");
    if (line.find("SamplesPerSec=") == line.npos) return std::nullopt;
    const std::size_t slash = line.substr(0, line.find(", SamplesPerSec=")).rfind('/');
    return slash == line.npos ? std::nullopt : number_at(line.substr(slash + 1));
  }

  void take_setting(std::string_view line) {
    published::Row& row = log_.says;
    keep(row.global_batch_size, dotted_count(line, "train_batch_size"));
    keep(row.batch_per_gpu, dotted_count(line, "train_micro_batch_size_per_gpu"));
    keep(row.gradient_accumulation_steps, dotted_count(line, "gradient_accumulation_steps"));
    keep(row.gpus, dotted_count(line, "world_size"));
    if (dotted(line, "bfloat16_enabled") == "True") row.precision = "bf16";
    if (dotted(line, "fp16_enabled") == "True") row.precision = "fp16";
    if (dotted(line, "zero_optimization_stage") == "3") {
      row.untestable = "parallelism";
      row.note = "ZeRO 3: the parameters are split";
    }
  }

  bool is_average_ = false;
  std::optional<double> average_;
};

}  // namespace

Runs read_megatron(const LogText& text) {
  return read_runs<MegatronReader>(text, {"elapsed time per iteration"});
}

Runs read_deepspeed(const LogText& text) {
  return read_runs<DeepSpeedReader>(text, {"SamplesPerSec=", "iter time (s):"});
}

}  // namespace scalemark::importing
