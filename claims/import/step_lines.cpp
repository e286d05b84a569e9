// Reads lines that trainers print for each step: torchtitan (tps is the rate of one device), llm.c
// (tok/s is a moving average of all GPUs; the milliseconds are the step's own) and nanoGPT (the
// duration of a step; some steps include an evaluation, and the median leaves these out).
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "claims/import/log_text.h"
#include "claims/rows/text_tables.h"
#include "core/base/characters.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/statistics/summary.h"

namespace scalemark::importing {
namespace {

// Returns the text between `begin` and the next `end`, empty without them.
std::string between(std::string_view line, std::string_view begin, std::string_view end) {
  const std::size_t at = line.find(begin);
  if (at == std::string_view::npos) return {};
  line.remove_prefix(at + begin.size());
  const std::size_t last = line.find(end);
  return last == std::string_view::npos ? "" : tables::trimmed(line.substr(0, last));
}

struct MeshSize {
  std::string name;
  std::int64_t size = 1;
};

// Reads names and their sizes: "['dp_shard', 'tp'], [4, 2]".
std::vector<MeshSize> sizes_in_lists(std::string_view line) {
  std::vector<MeshSize> sizes;
  std::string names = between(line, "device mesh with [", "]");
  const std::size_t numbers = line.find("], [");
  if (numbers == std::string_view::npos) return sizes;
  std::string_view rest = line.substr(numbers + 4);
  for (std::size_t at = names.find('\''); at != std::string::npos && sizes.size() < 16;
       at = names.find('\'')) {
    names.erase(0, at + 1);
    const std::string name = names.substr(0, names.find('\''));
    names.erase(0, std::min(names.size(), name.size() + 1));
    const auto size = count_of(number_at(rest));
    if (!size) return {};
    sizes.push_back({name, *size});
    const std::size_t comma = rest.find(',');
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
  return sizes;
}

// Reads "pp=1, dp_replicate=1, dp_shard=8, cp=1, tp=1". Experts are spread over the same ranks, and
// are left out.
std::vector<MeshSize> sizes_in_words(std::string_view line) {
  std::vector<MeshSize> sizes;
  for (const char* name : {"pp", "dp_replicate", "dp_shard", "cp", "tp"}) {
    if (const auto size = count_of(number_after(line, " " + std::string(name) + "=")))
      sizes.push_back({name, *size});
  }
  return sizes;
}

// With tensor or pipeline parallelism several GPUs share the batch of one device, so it is left
// out.
void drop_shared_batch(Log& log) {
  published::Row& row = log.says;
  if (!row.gpus || !row.batch_per_gpu || !row.global_batch_size) return;
  const double product = static_cast<double>(*row.gpus) * *row.batch_per_gpu *
                         static_cast<double>(row.gradient_accumulation_steps.value_or(1));
  if (product > static_cast<double>(*row.global_batch_size)) row.batch_per_gpu.reset();
}

class TorchtitanReader : public StepReader {
 public:
  bool take(const Line& from) override {
    const std::string_view line = from.text;
    take_settings(line);
    return add(step_of(line), number_after(line, has_any(line, {" tps: "}) ? " tps: " : " wps: "));
  }

 private:
  void finish() override {
    drop_shared_batch(log_);
    log_.measure = Measure::kPerGpu;
    log_.what = "tps of one GPU";
  }

  void take_settings(std::string_view line) {
    published::Row& row = log_.says;
    if (has_any(line, {" capacity: "})) log_.chip = between(line, " capacity: ", " with ");
    if (has_any(line, {"device mesh with"})) take_mesh(line);
    if (!has_any(line, {"local batch size "})) return;
    if (const auto n = count_of(number_after(line, "local batch size ")))
      row.batch_per_gpu = static_cast<double>(*n);
    row.global_batch_size = count_of(number_after(line, "global batch size "));
    row.sequence_length = count_of(number_after(line, "sequence length "));
    row.gradient_accumulation_steps = count_of(number_after(line, "gradient accumulation steps "));
  }

  void take_mesh(std::string_view line) {
    const auto sizes =
        has_any(line, {"with parallelism:"}) ? sizes_in_words(line) : sizes_in_lists(line);
    if (sizes.empty() && !has_any(line, {"[], []"})) return;
    double gpus = 1;
    std::string split;
    for (const MeshSize& one : sizes) {
      gpus *= static_cast<double>(one.size);
      if (one.size > 1 && one.name != "dp_replicate" && one.name != "dp")
        split += (split.empty() ? "" : ", ") + one.name + " " + std::to_string(one.size);
    }
    log_.says.gpus = count_of(gpus);
    if (split.empty()) return;
    log_.says.untestable = "parallelism";
    log_.says.note = "the model is split: " + split;
  }

  bool is_head(std::string_view line) const override { return has_any(line, {"device mesh with"}); }

  std::optional<double> step_of(std::string_view line) const override {
    const bool trains = has_any(line, {"loss:"}) && !has_any(line, {"validate step:"});
    return trains ? number_after(line, "step:") : std::nullopt;
  }
};

class LlmCReader : public RunReader {
 public:
  bool begins(std::string_view line) const override {
    if (rates_.empty()) return false;
    if (line.starts_with('|')) return true;
    const auto step = number_after(line, "step ");
    return line.starts_with("step ") && has_any(line, {"tok/s"}) && step && course_.falls(*step);
  }

  bool take(const Line& from) override {
    const std::string_view line = from.text;
    if (line.starts_with('|')) take_setting(line);
    if (line.starts_with("=> setting grad_accum_steps="))
      log_.says.gradient_accumulation_steps = count_of(number_after(line, "grad_accum_steps="));
    if (!line.starts_with("step ") || !has_any(line, {"tok/s"})) return false;
    const auto milliseconds = number_before(line, " ms"), rate = number_before(line, "tok/s");
    if (!milliseconds || !rate || !(*milliseconds > 0) || !(*rate > 0)) return false;
    course_.add(number_after(line, "step ").value_or(0));
    seconds_.push_back(*milliseconds / 1000);
    rates_.push_back(*rate);
    return true;
  }

  std::optional<Log> log() override {
    if (rates_.empty()) return std::nullopt;
    if (log_.per_step) {
      log_.measure = Measure::kStepSeconds;
      log_.steps = seconds_;
      log_.what = "tokens of a step over its ms";
    } else {
      log_.steps = rates_;
      log_.what = "tok/s, a moving average of all GPUs";
    }
    add_batch();
    hold_against_average();
    return std::move(log_);
  }

 private:
  // Reads a line of a table: "| micro batch size B    | 64      |".
  void take_setting(std::string_view line) {
    line.remove_prefix(1);
    const std::size_t bar = line.find('|');
    if (bar == std::string_view::npos) return;
    const std::string name = tables::trimmed(line.substr(0, bar));
    std::string_view rest = line.substr(bar + 1);
    const std::string value = tables::trimmed(rest.substr(0, rest.find('|')));
    const auto count = count_of(number_at(value));
    published::Row& row = log_.says;
    if ((name == "micro batch size B" || name == "batch size B") && count)
      row.batch_per_gpu = static_cast<double>(*count);
    if (name == "sequence length T") row.sequence_length = count;
    if (name == "total batch size" && count) log_.per_step = static_cast<double>(*count);
    if (name == "num_processes") row.gpus = count;
    if (name == "device") log_.chip = value;
    if (name == "use_master_weights") masters_ = value == "enabled";
    if (name == "precision") row.precision = lower_case(value);
  }

  void add_batch() {
    published::Row& row = log_.says;
    const bool half = row.precision == "bf16" || row.precision == "fp16";
    if (half && masters_ == false) row.precision += "_cast";
    if (!log_.per_step || !row.sequence_length) return;
    const double samples = *log_.per_step / static_cast<double>(*row.sequence_length);
    row.global_batch_size = count_of(samples);
  }

  // The average follows its steps slowly, so only medians of some steps are compared.
  void hold_against_average() {
    constexpr std::size_t kFewest = 8;
    if (!log_.per_step || rates_.size() < kFewest) return;
    const double average = *statistics::summarise(rates_).p50;
    const double own = *log_.per_step / *statistics::summarise(seconds_).p50;
    compare(log_, std::fabs(average - own) <= 0.2 * std::max(average, own), 0,
            "its tok/s are " + grouped(average) + ", and the " + grouped(*log_.per_step) +
                " tokens of a step over its ms are " + grouped(own));
  }

  Log log_;
  std::optional<bool> masters_;
  std::vector<double> seconds_, rates_;
  StepCourse course_;
};

class NanoGptReader : public StepReader {
 public:
  bool take(const Line& from) override {
    if (const auto tokens = number_after(from.text, kTokens)) log_.per_step = tokens;
    auto seconds = number_after(from.text, ", time ");
    if (seconds) *seconds /= 1000;
    return add(step_of(from.text), seconds);
  }

 private:
  void finish() override {
    log_.measure = Measure::kStepSeconds;
    log_.what = "tokens of a step over its ms";
    if (log_.per_step && !(*log_.per_step >= 1)) log_.per_step.reset();
  }

  static constexpr std::string_view kTokens = "tokens per iteration will be: ";

  bool is_head(std::string_view line) const override { return has_any(line, {kTokens}); }

  std::optional<double> step_of(std::string_view line) const override {
    return has_any(line, {": loss "}) ? number_after(line, "iter ") : std::nullopt;
  }
};

}  // namespace

Runs read_torchtitan(const LogText& text) {
  return read_runs<TorchtitanReader>(text, {"tps:", "wps:"});
}

Runs read_llm_c(const LogText& text) { return read_runs<LlmCReader>(text, {"tok/s"}); }

Runs read_nanogpt(const LogText& text) { return read_runs<NanoGptReader>(text, {": loss "}); }

}  // namespace scalemark::importing
