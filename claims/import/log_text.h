// Finds lines, numbers and JSON values in the text of a log, for the readers of single forms of
// log, which are declared here. Private to this folder. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "claims/import/log.h"
#include "claims/import/tables.h"
#include "core/base/text.h"

namespace scalemark::importing {

// One line, without what launchers, containers and terminals write around it.
struct Line {
  std::string_view text;    // without colours, the prefix, and blanks at both ends
  std::size_t number = 0;   // among the lines of the file, from 1
  std::string_view source;  // who printed it, where the prefix says so: "1,3", "node7"
  std::int64_t rank = -1;   // the last number in `source`; -1: it has none
};

// A text, and the prefixes that its lines share: time stamps, levels of loggers, tags of mpirun,
// srun, torchrun and kubectl, names of hosts and containers. They are looked for once, in time
// linear in the text (prefixes.cpp).
class LogText {
 public:
  // The text must outlive this. A byte order mark is left out.
  explicit LogText(std::string_view text);

  std::string_view whole() const { return text_; }
  bool holds(std::string_view words) const { return text_.find(words) != std::string_view::npos; }
  // Whether prefixes say who printed a line.
  bool has_sources() const { return has_sources_; }

  // Calls `take` with each line that is not empty. Each state of a progress bar, which begins a
  // line again with a carriage return, is a line of its own. The views end with the call.
  void for_each_line(const std::function<void(const Line&)>& take) const;

 private:
  void strip(Line& line) const;

  std::string_view text_;
  std::array<bool, 9> shared_{};  // by kind of prefix: the lines share it
  bool has_sources_ = false;
};

// Returns the number at the begin of `text`, after blanks: "1,234.5 img/s", "-1e-3". Returns
// nothing for another text, infinities, and a number that no double holds.
std::optional<double> number_at(std::string_view text);

// Returns the number right behind, or before, the first `key`: behind "tps: ", before " ms".
std::optional<double> number_after(std::string_view line, std::string_view key);
std::optional<double> number_before(std::string_view line, std::string_view key);

// Returns a count from 1 to 10^15 as an integer, and nothing for any other number.
std::optional<std::int64_t> count_of(const std::optional<double>& number);

// Returns a value of JSON that is a finite number, or a text that is nothing but one.
std::optional<double> number_of(const nlohmann::json& value);
std::optional<double> number_of(const nlohmann::json& object, const char* key);

// Returns an object of JSON. NaN and Infinity, which Python writes and JSON does not know, become
// null. Returns nothing for anything else, and for what nests deeper than any log.
std::optional<nlohmann::json> json_object(std::string_view text);

// Returns the nearest number with so many digits.
double rounded_to(double value, int digits);

// Tells numbers that cannot both be true, up to three of them. `line` 0: they stand in many.
void contradict(Log& log, std::size_t line, const std::string& text);

// Counts a number that was held against another, and tells `text` unless the two agree. Returns
// whether they do.
bool compare(Log& log, bool agree, std::size_t line, const std::string& text);

// Reads the lines of one run.
class RunReader {
 public:
  virtual ~RunReader() = default;
  // Whether the line begins another run: values were read, and settings, a header or the first
  // steps stand there again.
  virtual bool begins(std::string_view line) const = 0;
  // Returns true for a line with a value of the rate. Other lines, with settings, may be of any
  // rank.
  virtual bool take(const Line& line) = 0;
  // Returns nothing where no line was of this form. Throws bad_data() (65) where they say no rate.
  virtual std::optional<Log> log() = 0;
};

// Notices that a log counts its steps again. Ranks that print into one file may be a step or two
// behind each other.
class StepCourse {
 public:
  bool falls(double step) const;
  void add(double step);

 private:
  double first_ = 0, last_ = 0;
  std::size_t steps_ = 0;
};

// A reader of lines that each have a value and the number of a step.
class StepReader : public RunReader {
 public:
  bool begins(std::string_view line) const override;
  std::optional<Log> log() override;

 protected:
  // Whether the line is one of the head, which a run prints before its first step.
  virtual bool is_head(std::string_view line) const = 0;
  virtual std::optional<double> step_of(std::string_view line) const = 0;
  // Adds what the steps mean, and what the head says of them.
  virtual void finish() {}
  // Returns whether both are there, and the value is above 0.
  bool add(std::optional<double> step, std::optional<double> value);

  Log log_;

 private:
  StepCourse course_;
};

struct Run {
  std::size_t first_line = 0, last_line = 0;
  Log log;
};
using Runs = std::vector<Run>;

// Splits a log into runs. Where several ranks print values, those of the lowest one that does are
// read. Runs without a rate are left out; throws what the first of them threw where all are so.
Runs read_runs(const LogText& text, const std::function<std::unique_ptr<RunReader>()>& make);
// Returns nothing for a text without any of the marks of a form.
template <class Reader>
Runs read_runs(const LogText& text, std::initializer_list<std::string_view> marks) {
  if (!has_any(text.whole(), marks)) return {};
  return read_runs(text, [] { return std::make_unique<Reader>(); });
}

// Numbers that a row of nccl-tests prints, as texts.
struct PrintedRow {
  std::int64_t line = 0, bytes = 0;
  std::string time_us, algbw, busbw;
};

// Whether bytes, time and algbw fit to each other, within 5 % and the digits that are printed.
bool fits(const PrintedRow& row);

// Finds out which collectives on how many ranks have the ratio of busbw and algbw that all rows
// print, and tells rows whose numbers cannot be true. Source of the ratios: bus_factor().
void find_exchanges(const std::vector<PrintedRow>& rows, Log& log);

// Takes collective and ranks where the ratio leaves only one. Throws configuration() (78) where
// `row` has others than it allows.
void hold_against_exchanges(const Log& log, published::Row& row, const std::string& where);

// Each reader returns nothing for a text of another form. It throws bad_data() (65) for a text of
// its own form that it cannot use.

Runs read_nccl_tests(const LogText& text);        // nccl_tests.cpp
Runs read_trainer_log(const LogText& text);       // summaries.cpp
Runs read_dlll(const LogText& text);              // marked_lines.cpp
Runs read_mllog(const LogText& text);             // marked_lines.cpp
Runs read_torchtitan(const LogText& text);        // step_lines.cpp
Runs read_llm_c(const LogText& text);             // step_lines.cpp
Runs read_nanogpt(const LogText& text);           // step_lines.cpp
Runs read_horovod(const LogText& text);           // synthetic_benchmarks.cpp
Runs read_tf_cnn(const LogText& text);            // synthetic_benchmarks.cpp
Runs read_megatron(const LogText& text);          // large_models.cpp
Runs read_deepspeed(const LogText& text);         // large_models.cpp
Runs read_timm(const LogText& text);              // epoch_lines.cpp
Runs read_torchvision(const LogText& text);       // epoch_lines.cpp
Runs read_imagenet_example(const LogText& text);  // epoch_lines.cpp

// The rates are of one GPU: nobody has multiplied them yet.
std::optional<TableFile> read_superbench(std::string_view text,
                                         const std::string& file);  // summaries.cpp

}  // namespace scalemark::importing
