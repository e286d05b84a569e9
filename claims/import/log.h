// Somebody's training log and the rows that it makes: the form is found by the content, and nothing
// is guessed that the log does not say. Reads texts, no files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "claims/import/given_fields.h"
#include "claims/rows/row.h"

namespace scalemark::importing {

// A number of a step is one of these.
enum class Measure {
  kTotal,        // samples per second of all GPUs
  kPerGpu,       // samples per second of one GPU
  kStepSeconds,  // the duration of an optimizer step
};

struct Log {
  std::string file, form;  // form: "torchtitan"
  published::Row says;     // the run's row, with the fields that the log prints
  std::string chip;        // a GPU's name; the row's system when nobody gives another
  Measure measure = Measure::kTotal;
  std::vector<double> steps;         // in the order of the log
  std::string what;                  // the log's words for the steps: "tps of one GPU"
  std::string unit_of_log = "step";  // each value covers one: "step", "epoch", "block"
  bool whole_run = false;            // one mean of the run instead of steps
  std::optional<double> per_step;    // samples or tokens of an optimizer step
  // Samples of a step, as the log's rates give them: more or less those of a batch.
  std::optional<double> samples_of_step;
  std::optional<std::int64_t> batch_of_process;  // which may have several GPUs
  std::vector<published::Row> claims;  // whole rows, of nccl-tests; they lack what `says` has
  std::vector<std::string> remarks;    // for the person who imports
};

// Throws bad_data() (65), with what was looked for, for a text that is no known log, or one without
// a number.
Log read_log(std::string_view text, const std::string& file);

struct Imported {
  std::vector<published::Row> rows;
  std::vector<std::string> lines;  // one about each log
};

// Rows of one group, with ids from its slug. The median of the steps after the first tenth counts.
// Throws configuration() (78) for what is missing, in one line for all logs, and for
// contradictions.
Imported import_logs(std::span<const Log> logs, const GivenFields& given, const std::string& group);

// "x-0001" and on.
std::string row_id(const std::string& group, std::size_t number);

}  // namespace scalemark::importing
