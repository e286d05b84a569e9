// Splits a log into its runs, which somebody has appended to each other, and chooses the rank that
// is read where several print into one file.
#include <algorithm>
#include <set>
#include <utility>

#include "claims/import/log_text.h"
#include "core/base/error.h"
#include "core/base/text.h"

namespace scalemark::importing {
namespace {

using Source = std::pair<std::int64_t, std::string>;  // rank and label: ordered by rank

Source source_of(const Line& line) { return {line.rank, std::string(line.source)}; }

// Which lines hold values, and who printed them.
struct Values {
  std::vector<bool> in_line;  // by the place of the line among those that are not empty
  std::set<Source> sources;
  Source lowest;  // whoever prints anything
};

Values find_values(const LogText& text, RunReader& reader) {
  Values values;
  text.for_each_line([&](const Line& line) {
    values.in_line.push_back(reader.take(line));
    const Source source = source_of(line);
    if (values.in_line.back()) values.sources.insert(source);
    const bool first = values.lowest.second.empty() || source < values.lowest;
    if (first && !line.source.empty()) values.lowest = source;
  });
  return values;
}

class Splitter {
 public:
  Splitter(const std::function<std::unique_ptr<RunReader>()>& make, Values values)
      : make_(make), values_(std::move(values)), reader_(make()) {}

  void take(const Line& line) {
    const std::size_t place = place_++;
    const Source source = source_of(line);
    const bool other = !values_.sources.empty() && source != *values_.sources.begin();
    if (other && values_.in_line[place]) return;
    // The lowest rank may print the settings, and another one the values.
    const bool tells = !other || line.source.empty() || source == values_.lowest;
    if (tells && reader_->begins(line.text)) {
      end_run();
      reader_ = make_();
      run_ = {.first_line = line.number, .log = {}};
    }
    run_.last_line = line.number;
    if (!reader_->take(line)) return;
    if (first_value_ == 0) first_value_ = line.number;
    last_value_ = line.number;
  }

  Runs runs() {
    end_run();
    if (runs_.empty() && error_) throw Error(*error_);
    return std::move(runs_);
  }

 private:
  void end_run() {
    try {
      if (auto log = reader_->log()) {
        log->first_line = first_value_;
        log->last_line = last_value_;
        if (values_.sources.size() > 1)
          log->remarks.push_back("values of " + std::to_string(values_.sources.size()) +
                                 " ranks or hosts stand in it: those of " +
                                 values_.sources.begin()->second + " are read");
        run_.log = *std::move(log);
        runs_.push_back(std::move(run_));
      }
    } catch (const Error& error) {
      if (!error_) error_ = error.record();
    }
    first_value_ = last_value_ = 0;
  }

  const std::function<std::unique_ptr<RunReader>()>& make_;
  Values values_;
  std::unique_ptr<RunReader> reader_;
  Run run_{.first_line = 1, .log = {}};
  std::size_t place_ = 0, first_value_ = 0, last_value_ = 0;
  std::optional<ErrorRecord> error_;
  Runs runs_;
};

}  // namespace

bool StepCourse::falls(double step) const {
  if (steps_ == 0 || step >= last_) return false;
  const double intervals = std::max<double>(1, static_cast<double>(steps_) - 1);
  return step <= first_ || last_ - step > 2 * (last_ - first_) / intervals;
}

void StepCourse::add(double step) {
  if (steps_++ == 0) first_ = step;
  last_ = step;
}

bool StepReader::begins(std::string_view line) const {
  if (log_.steps.empty()) return false;
  const auto step = step_of(line);
  return is_head(line) || (step && course_.falls(*step));
}

std::optional<Log> StepReader::log() {
  if (log_.steps.empty()) return std::nullopt;
  finish();
  return std::move(log_);
}

bool StepReader::add(std::optional<double> step, std::optional<double> value) {
  if (!step || !value || !(*value > 0)) return false;
  course_.add(*step);
  log_.steps.push_back(*value);
  return true;
}

bool compare(Log& log, bool agree, std::size_t line, const std::string& text) {
  ++log.compared;
  if (!agree) contradict(log, line, text);
  return agree;
}

void contradict(Log& log, std::size_t line, const std::string& text) {
  constexpr std::size_t kMostTold = 3;
  if (log.contradictions.size() >= kMostTold) return;
  log.contradictions.push_back((line > 0 ? "line " + std::to_string(line) + ": " : "") + text);
}

Runs read_runs(const LogText& text, const std::function<std::unique_ptr<RunReader>()>& make) {
  Splitter splitter(make, text.has_sources() ? find_values(text, *make()) : Values{});
  text.for_each_line([&](const Line& line) { splitter.take(line); });
  return splitter.runs();
}

}  // namespace scalemark::importing
