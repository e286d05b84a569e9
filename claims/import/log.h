// Reads somebody's training log and makes rows of it: its content shows which program wrote it, and
// nothing is guessed that it does not say. Reads texts, no files.
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
#include "core/base/error.h"

namespace scalemark::importing {

// Each step of a log has a number of one of these kinds.
enum class Measure {
  kTotal,        // samples per second of all GPUs
  kPerGpu,       // samples per second of one GPU
  kStepSeconds,  // the duration of an optimizer step
};

// A collective, and the counts of ranks on which it has the ratio of busbw and algbw that a log of
// nccl-tests prints.
struct Exchange {
  std::string collective;
  std::int64_t least = 1, most = 1;
};

struct Log {
  std::string file, form;  // form: "torchtitan"
  published::Row says;     // the run's row, with the fields that the log prints
  std::string chip;        // a GPU's name; it is the row's system when nobody gives another
  Measure measure = Measure::kTotal;
  std::vector<double> steps;         // ordered as in the log
  std::string what;                  // the log's words for the steps: "tps of one GPU"
  std::string unit_of_log = "step";  // one value per "step", "epoch" or "block"
  bool whole_run = false;            // true: `steps` holds one mean of the run
  std::optional<double> per_step;    // samples or tokens of an optimizer step
  // The samples of a step as the log's rates give them: about a batch.
  std::optional<double> samples_of_step;
  // The batch of one process, which may have several GPUs.
  std::optional<std::int64_t> batch_of_process;
  std::vector<published::Row> claims;         // whole rows of nccl-tests; they lack what `says` has
  std::vector<Exchange> exchanges;            // they allow these; empty: nothing is known
  std::size_t first_line = 0, last_line = 0;  // the rate comes from these
  std::vector<std::string> remarks;           // shown to the person who imports
  std::vector<std::string> unread;            // lines that could not be read
  std::size_t compared = 0;                   // its numbers that others of it could contradict
  std::vector<std::string> contradictions;    // numbers of the log that cannot both be true
};

// Returns nothing for a text that is no known log, and throws as read_log() does.
std::optional<Log> find_log(std::string_view text, const std::string& file,
                            std::optional<int> run = {});

// Returns the error bad_data() (65) of a text that a command does not read: with the commands that
// do where it is a log or a table, else with the known forms and what a person can do. Throws what
// the reader of a form says of a text of its own that it cannot use.
Error unread_file(std::string_view text, const std::string& file);

// Reads run number `run` of the log, from 1; without it the only one. Throws bad_data() (65) for a
// text that is no known log, a log without a number, and one of several runs, which the message
// names; configuration() (78) for a run that is not there.
Log read_log(std::string_view text, const std::string& file, std::optional<int> run = {});

// "111,709 tokens/s", "13.4 min to the target", "12 rows of all-reduce on 8 GPUs".
std::string in_brief(const Log& log);

struct Imported {
  std::vector<published::Row> rows;
  std::vector<std::string> lines;  // one per log
};

// Makes rows of one group, with ids from its slug. Their value is the median of the steps after the
// first tenth. Throws configuration() (78) for contradictions, and for what is missing, in one line
// for all logs.
Imported import_logs(std::span<const Log> logs, const GivenFields& given, const std::string& group);

// Makes the rows of one log as far as it and --fields say what they need: whether members are unset
// is for the reader to see. The unit of one GPU's rate says so where nobody says how many there
// are.
std::vector<published::Row> rows_said(const Log& log, const GivenFields& given);

// Numbers the rows of a group: "x-0001", "x-0002", ...
std::string row_id(const std::string& group, std::size_t number);

}  // namespace scalemark::importing
