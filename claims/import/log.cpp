#include "claims/import/log.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <utility>

#include "claims/import/log_text.h"
#include "claims/rows/names.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/statistics/summary.h"

namespace scalemark::importing {
namespace {

using published::Row;

// Leaves out the first tenth of the steps, in which a run warms up.
std::span<const double> after_warmup(const Log& log) {
  return std::span(log.steps).subspan(log.steps.size() / 10);
}

bool says_batch(const Row& row) { return row.batch_per_gpu || row.global_batch_size; }

// Returns the samples, or tokens, of one optimizer step, where the log or the person says enough.
std::optional<double> samples_per_step(const Log& log, const Row& row) {
  if (log.per_step) return log.per_step;
  const bool tokens = row.unit == "tokens/s";
  if (tokens && !row.sequence_length) return std::nullopt;
  const double length = tokens ? static_cast<double>(*row.sequence_length) : 1;
  if (row.global_batch_size) return static_cast<double>(*row.global_batch_size) * length;
  if (!row.batch_per_gpu || !row.gradient_accumulation_steps || !row.gpus) return std::nullopt;
  return *row.batch_per_gpu * static_cast<double>(*row.gradient_accumulation_steps) *
         static_cast<double>(*row.gpus) * length;
}

void add_missing(const Log& log, const Row& row, std::vector<std::string>& fields) {
  const auto need = [&](bool missing, const char* name) {
    if (missing && std::ranges::find(fields, name) == fields.end()) fields.emplace_back(name);
  };
  need(!row.gpus, "gpus");
  need(row.system.empty() && log.chip.empty(), "system");
  if (!log.claims.empty()) {
    need(!row.collective, "collective");
    return;
  }
  need(row.workload.empty(), "workload");
  need(row.precision.empty() || row.precision == "amp", "precision");
  need(row.unit.empty(), "unit");
  need(!says_batch(row), "batch_per_gpu");
  if (log.measure != Measure::kStepSeconds || log.steps.empty() || samples_per_step(log, row))
    return;
  need(row.unit == "tokens/s" && !row.sequence_length, "seq_len");
  need(!row.global_batch_size && !row.gradient_accumulation_steps, "accum");
}

// Throws configuration() (78) where the log prints the tokens of a step, and the batch that
// somebody gives has another number of tokens.
void refuse_other_step(const Log& log, const Row& row, const std::string& where) {
  if (!log.per_step) return;
  Log unsaid = log;
  unsaid.per_step.reset();
  unsaid.steps.clear();
  const auto product = samples_per_step(unsaid, row);
  if (!product || std::fabs(*product - *log.per_step) <= 1e-3 * *log.per_step) return;
  throw configuration(where + " says " + significant(*log.per_step, 9) +
                          " tokens for each step, and batches, GPUs and sequence length give " +
                          significant(*product, 9),
                      "values of one run are expected");
}

// A process is taken to have one GPU, unless somebody says that it has several.
void resolve_process_batch(const Log& log, Row& row, const std::string& where) {
  if (!log.batch_of_process) return;
  const auto whole = static_cast<double>(*log.batch_of_process);
  if (!row.batch_per_gpu) row.batch_per_gpu = whole;
  const double gpus = whole / *row.batch_per_gpu;
  if (gpus == std::floor(gpus) && gpus <= static_cast<double>(row.gpus.value_or(1))) return;
  throw configuration("--fields gives batch_per_gpu=" + significant(*row.batch_per_gpu, 6) +
                          ", and " + where + " says " + std::to_string(*log.batch_of_process) +
                          " samples of a process",
                      "leave batch_per_gpu out, or give what is there");
}

// By the log's rates a step may seem to have almost two batches, since trainers round the steps of
// an epoch down. Throws configuration() (78) where it has more.
void refuse_fewer_samples(const Log& log, const Row& row, const std::string& where) {
  const auto batch = samples_per_step(log, row);
  if (!log.samples_of_step || !batch || 2 * *batch >= *log.samples_of_step) return;
  throw configuration(where + " has " + significant(*log.samples_of_step, 4) +
                          " samples in a step, and batch, GPUs and accumulation give " +
                          significant(*batch, 6),
                      "values of one run are expected");
}

std::string in_words(const Log& log) {
  if (log.whole_run) return log.what;
  const auto used = statistics::summarise(after_warmup(log));
  std::string text = log.what + ": median of " + std::to_string(used.n) + " of " +
                     counted(log.steps.size(), "logged " + log.unit_of_log);
  if (used.n < static_cast<std::int64_t>(log.steps.size())) text += ", after the first tenth";
  if (used.stdev && used.mean > 0) {
    const double percents = 100 * *used.stdev / used.mean;
    text += ", relative standard deviation " +
            (percents < 0.01 ? "below 0.01" : significant(percents, 2)) + " %";
  }
  return text;
}

double throughput_of(const Log& log, const Row& row) {
  const double value = statistics::summarise(after_warmup(log)).p50.value();
  double rate = value;
  if (log.measure == Measure::kPerGpu) rate = value * static_cast<double>(*row.gpus);
  if (log.measure == Measure::kStepSeconds) rate = samples_per_step(log, row).value() / value;
  if (std::isfinite(rate) && rate > 0) return rate;
  throw bad_data("'" + log.file + "' gives a throughput of " + significant(rate, 3),
                 "a number above 0 is expected");
}

// Computes one of batch, accumulation, GPUs and global batch from the other three.
void complete_batch(Row& row) {
  if (!row.gpus || !row.gradient_accumulation_steps) return;
  const double micro_batches =
      static_cast<double>(*row.gpus) * static_cast<double>(*row.gradient_accumulation_steps);
  if (row.batch_per_gpu && !row.global_batch_size)
    row.global_batch_size = count_of(*row.batch_per_gpu * micro_batches);
  if (!row.batch_per_gpu && row.global_batch_size && !row.untestable)
    row.batch_per_gpu = static_cast<double>(*row.global_batch_size) / micro_batches;
}

std::string base_name(const Log& log) {
  return std::filesystem::path(log.file).filename().string();
}

// The rows of one series must have equal paths: all get the names of all files.
std::string names_of_files(std::span<const Log> logs) {
  std::vector<std::string> names;
  for (const Log& log : logs) names.push_back(base_name(log));
  return listed(names, 4);
}

// Logs print no more digits than these of a step's rate or duration.
double rounded(const Log& log, double value) { return rounded_to(value, log.whole_run ? 9 : 6); }

Row throughput_row(const Log& log, Row row) {
  if (!log.steps.empty()) {
    row.throughput = rounded(log, throughput_of(log, row));
    std::string counts = in_words(log);
    if (log.measure == Measure::kPerGpu) counts += "; x " + std::to_string(*row.gpus);
    row.counts = row.counts ? *row.counts + "; " + counts : counts;
  }
  return row;
}

std::string rows_in_words(const Log& log, const Row& row) {
  return counted(static_cast<std::int64_t>(log.claims.size()), "row") + " of " +
         row.collective.value_or("a collective") +
         (row.gpus ? " on " + counted(*row.gpus, "GPU") : "");
}

std::string target_in_words(double minutes) {
  return significant(minutes, 4) + " min to the target";
}

std::string rate_in_words(double rate) {
  return rate < 1000 ? significant(rate, 6) : grouped(rate);
}

std::string line_about(const Log& log, const Row& row) {
  std::string line = log.file + " (" + log.form + "): ";
  if (!log.claims.empty()) return line + rows_in_words(log, row);
  if (row.throughput)
    line += rate_in_words(*row.throughput) + " " + row.unit + " on " + counted(*row.gpus, "GPU") +
            "; " + in_words(log);
  if (row.time_to_train_min)
    line += (row.throughput ? "; " : "") + target_in_words(*row.time_to_train_min);
  return line;
}

// A claim takes what it lacks from the row of the whole log.
Row claim_row(Row claim, const Row& says) {
  claim.gpus = says.gpus;
  claim.nodes = says.nodes;
  claim.collective = says.collective;
  claim.framework = says.framework;
  claim.system = says.system;
  claim.backend = says.backend;
  claim.repo = says.repo;
  claim.path = says.path;
  if (says.note) claim.note = says.note;
  return claim;
}

std::string name_of_file(const Log& log) { return "'" + log.file + "'"; }

std::string name_with_form(const Log& log) { return name_of_file(log) + " (" + log.form + ")"; }

// Makes one row of what the log and --fields say. Throws configuration() (78) where they differ.
Row whole_row(const Log& log, const GivenFields& given, std::size_t file) {
  Row row = log.says;
  if (row.system.empty()) row.system = log.chip;
  given.fill(row, file, name_with_form(log));
  hold_against_exchanges(log, row, name_of_file(log));
  resolve_process_batch(log, row, name_of_file(log));
  return row;
}

std::vector<Row> claim_rows(const Log& log, const Row& says) {
  std::vector<Row> rows;
  for (const Row& claim : log.claims) rows.push_back(claim_row(claim, says));
  return rows;
}

}  // namespace

std::string row_id(const std::string& group, std::size_t number) {
  const std::string digits = std::to_string(number);
  return published::slug_of(group) + "-" +
         std::string(digits.size() < 4 ? 4 - digits.size() : 0, '0') + digits;
}

std::string in_brief(const Log& log) {
  if (!log.claims.empty()) return rows_in_words(log, log.says);
  std::vector<std::string> texts;
  if (!log.steps.empty()) {
    const double value = statistics::summarise(after_warmup(log)).p50.value();
    const auto samples = samples_per_step(log, log.says);
    if (log.measure != Measure::kStepSeconds)
      texts.push_back(rate_in_words(value) + " " + log.says.unit +
                      (log.measure == Measure::kPerGpu ? " per GPU" : ""));
    else if (samples)
      texts.push_back(rate_in_words(*samples / value) + " " + log.says.unit);
    else
      texts.push_back(significant(value, 4) + " s a step");
  }
  if (log.says.time_to_train_min) texts.push_back(target_in_words(*log.says.time_to_train_min));
  return joined(texts, "; ");
}

std::vector<Row> rows_said(const Log& log, const GivenFields& given) {
  Row row = whole_row(log, given, 0);
  complete_batch(row);
  if (!log.claims.empty()) return claim_rows(log, row);
  if (log.measure == Measure::kPerGpu && !row.gpus && !log.steps.empty()) {
    row.throughput = statistics::summarise(after_warmup(log)).p50;
    row.unit += " a GPU";
  } else if (log.measure != Measure::kStepSeconds || samples_per_step(log, row)) {
    row = throughput_row(log, row);
  } else if (!log.steps.empty()) {
    row.metric = "step_s";
    row.value = statistics::summarise(after_warmup(log)).p50;
  }
  return {row};
}

Imported import_logs(std::span<const Log> logs, const GivenFields& given,
                     const std::string& group) {
  std::vector<Row> says;
  std::vector<std::string> missing;
  std::string where;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    Row row = whole_row(logs[i], given, i);
    const std::string name = name_of_file(logs[i]);
    refuse_fewer_samples(logs[i], row, name);
    refuse_other_batch(row, name);
    refuse_other_step(logs[i], row, name);
    const std::size_t before = missing.size();
    add_missing(logs[i], row, missing);
    if (missing.size() > before || where.empty()) where = name_with_form(logs[i]);
    says.push_back(std::move(row));
  }
  refuse_missing(missing, logs.size() == 1 ? where : "the logs", logs.size());
  Imported imported;
  const std::string path = names_of_files(logs);
  for (std::size_t i = 0; i < logs.size(); ++i) {
    Row& row = says[i];
    row.group = group;
    row.repo = "import";
    row.path = path;
    if (logs.size() > 1)
      row.note = (row.note ? *row.note + "; " : "") + "from " + base_name(logs[i]);
    complete_batch(row);
    std::vector<Row> rows = claim_rows(logs[i], row);
    if (rows.empty()) rows.push_back(row = throughput_row(logs[i], row));
    for (Row& one : rows) {
      one.group = group;
      one.id = row_id(group, imported.rows.size() + 1);
      imported.rows.push_back(std::move(one));
    }
    imported.lines.push_back(line_about(logs[i], row));
    for (const auto& [remarks, begin] :
         {std::pair(&logs[i].remarks, "  "), std::pair(&logs[i].unread, "  left out: "),
          std::pair(&logs[i].contradictions, "  contradiction: ")}) {
      for (const std::string& remark : *remarks) imported.lines.push_back(begin + remark);
    }
  }
  return imported;
}

}  // namespace scalemark::importing
