// Reads the output of nccl-tests, and of rccl-tests: "# Rank ..." lines that list the devices, then
// a table whose header names its columns. busbw is the rate on each rank's link, algbw is bytes
// over time (PERFORMANCE.md there).
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "claims/import/log_text.h"
#include "core/base/error.h"
#include "core/base/text.h"

namespace scalemark::importing {
namespace {

using published::Row;

// The rows are like those of results/published: time for small sizes, bandwidth for large ones.
constexpr double kTimesUpTo = 64 * 1024, kBandwidthsFrom = 16 * 1024;
constexpr std::size_t kMostClaims = 100'000;

struct Named {
  std::string_view theirs, ours;
};
constexpr auto kCollectives = std::to_array<Named>({{"all_reduce", "all-reduce"},
                                                    {"all_gather", "all-gather"},
                                                    {"reduce_scatter", "reduce-scatter"},
                                                    {"broadcast", "broadcast"},
                                                    {"reduce", "reduce"},
                                                    {"gather", "gather"},
                                                    {"scatter", "scatter"},
                                                    {"alltoall", "all-to-all"},
                                                    {"sendrecv", "send-recv"},
                                                    {"hypercube", "hypercube"}});
constexpr auto kTypes = std::to_array<Named>(
    {{"float", "fp32"}, {"half", "fp16"}, {"bfloat16", "bf16"}, {"double", "fp64"}});

std::string_view ours_of(const auto& list, std::string_view word) {
  const auto found = std::ranges::find(list, word, &Named::theirs);
  return found == list.end() ? word : found->ours;
}

// Finds the name of the program: "/opt/nccl-tests/build/all_reduce_perf" -> "all_reduce". Empty for
// a line without a program.
std::string program_in(std::string_view line) {
  const std::size_t end = line.find("_perf");
  if (end == std::string_view::npos) return {};
  std::size_t begin = end;
  while (begin > 0 &&
         ((line[begin - 1] >= 'a' && line[begin - 1] <= 'z') || line[begin - 1] == '_'))
    --begin;
  const std::string_view name = line.substr(begin, end - begin);
  const bool known = std::ranges::find(kCollectives, name, &Named::theirs) != kCollectives.end();
  return known ? std::string(name) : "";
}

std::vector<std::string_view> words_in(std::string_view line) {
  std::vector<std::string_view> words;
  while (words.size() < 64) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos) break;
    line.remove_prefix(begin);
    words.push_back(line.substr(0, line.find_first_of(" \t")));
    line.remove_prefix(words.back().size());
  }
  return words;
}

bool all_digits(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

// Returns the columns that the line names; empty for another line. Somebody may have lost the mark
// before them, or have put the units into the same line: "time(us)".
std::vector<std::string> columns_in(const std::vector<std::string_view>& words) {
  std::vector<std::string> columns;
  if (words.empty() || !has_any(words.front().substr(0, 5), {"size", "bytes"})) return columns;
  for (const std::string_view word : words) columns.emplace_back(word.substr(0, word.find('(')));
  for (const char* name : {"time", "algbw", "busbw"}) {
    if (std::ranges::find(columns, name) == columns.end()) return {};
  }
  return columns;
}

// Programs before 2022 print no count of wrong elements, but the largest difference to the sum that
// they expect. Their own bounds (DeltaMaxValue() in common.cu) are for few ranks: these are wider.
double most_rounding(std::string_view type) {
  if (type == "half" || type == "bfloat16") return 0.1;
  return type == "float" ? 1e-3 : type == "double" ? 1e-9 : 0;
}

// A line that begins as a row of the table does, with the words that are there.
struct TableRow {
  std::int64_t line = 0;
  std::vector<std::string> words;
};

class NcclReader : public RunReader {
 public:
  bool begins(std::string_view line) const override {
    if (rows_.empty()) return false;
    if (!columns_in(words_in(line.substr(line.starts_with('#') ? 1 : 0))).empty()) return true;
    if (!program_in(line).empty()) return line.find("concluded") == std::string_view::npos;
    return line.starts_with('#') && has_any(line, {" nThread ", "nccl-tests version", " Rank "});
  }

  bool take(const Line& line) override {
    const std::string_view text = line.text;
    if (const std::string name = program_in(text); !name.empty())
      collective_ = std::string(ours_of(kCollectives, name));
    if (text.starts_with("rccl-tests")) program_ = "rccl-tests";
    const bool comment = text.starts_with('#');
    if (columns_.empty() && !ranks_.empty() && has_any(text, {"...", "\u2026"})) cut_ = true;
    auto words = words_in(text.substr(comment ? 1 : 0));
    // Here a label of srun stands before some lines only.
    if (words.size() > 5 && all_digits(words[1]) && all_digits(words[2]) &&
        all_digits(words[0].substr(0, words[0].size() - 1)) && words[0].ends_with(':'))
      words.erase(words.begin());
    if (words.empty()) return false;
    take_header(words);
    if (comment) take_comment(text.substr(1), words);
    return !comment && !columns_.empty() && take_row(words, static_cast<std::int64_t>(line.number));
  }

  std::optional<Log> log() override {
    if (columns_.empty()) return std::nullopt;
    Log log;
    log.says.framework = program_;
    log.says.backend = "nccl";
    log.says.collective = collective_;
    take_claims(log);
    if (log.claims.empty()) throw bad_data("it holds a table of nccl-tests without a usable line");
    log.says.gpus = gpus();
    if (log.says.gpus && !hosts_.empty()) log.says.nodes = static_cast<std::int64_t>(hosts_.size());
    if (!chip_.empty() && !mixed_) log.chip = chip_;
    find_exchanges(printed_, log);
    if (!log.says.gpus && !ranks_.empty())
      log.remarks.emplace_back("its list of ranks is shortened: it says no count of GPUs");
    if (wrong_ > 0)
      log.remarks.push_back(counted(wrong_, "result") + " with wrong elements left out");
    return log;
  }

 private:
  void take_header(const std::vector<std::string_view>& words) {
    auto columns = columns_in(words);
    if (columns.empty()) return;
    if (std::ranges::find(columns, "cputime") != columns.end())
      throw bad_data("its times are those of CPUs (-C 1)", "times of the GPUs are expected");
    columns_ = std::move(columns);
  }

  void take_comment(std::string_view line, const std::vector<std::string_view>& words) {
    if (words.front() == "Rank") take_rank(line, words);
    if (words.front() == "nThread") take_parameters(line);
  }

  void take_rank(std::string_view line, const std::vector<std::string_view>& words) {
    const auto rank = number_at(words.size() > 1 ? words[1] : "");
    if (!rank || ranks_.size() > 1'000'000) return;
    if (!ranks_.insert(*rank).second)
      throw bad_data("rank " + std::string(words[1]) + " stands twice in it",
                     "the output of one run is expected",
                     "nccl-tests without MPI starts each process as a run of its own");
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
      if (words[i] == "on") hosts_.emplace(words[i + 1]);
    }
    if (const std::size_t bracket = line.find(']'); bracket != std::string_view::npos) {
      const auto name = words_in(line.substr(bracket + 1));
      const std::string chip = joined(name, " ");
      if (chip_.empty()) chip_ = chip;
      mixed_ = mixed_ || chip != chip_;
    }
  }

  void take_parameters(std::string_view line) {
    ranks_.clear();
    hosts_.clear();
    cut_ = false;
    const auto threads = number_after(line, "nThread "), gpus = number_after(line, " nGpus ");
    gpus_of_process_ = threads && gpus ? *threads * *gpus : 1;
    warmup_ = count_of(number_after(line, "warmup iters: "));
    const std::size_t at = line.find("warmup iters: ");
    calls_ = count_of(number_after(
        at == std::string_view::npos ? std::string_view() : line.substr(at + 14), " iters: "));
  }

  // Gives no count where somebody has shortened the list of ranks. One that ends early looks whole,
  // so where only more ranks have the ratio of the rows, it counts if it has all GPUs of processes.
  std::optional<std::int64_t> gpus() const {
    const auto named = static_cast<double>(ranks_.size());
    if (ranks_.empty() || cut_ || *ranks_.rbegin() != named - 1) return std::nullopt;
    const auto listed = count_of(named);
    if (gpus_of_process_ > 1 && std::fmod(named, gpus_of_process_) == 0) return listed;
    Log bare;
    bare.says.collective = collective_;
    find_exchanges(printed_, bare);
    bool more = false;
    for (const Exchange& one : bare.exchanges) {
      if (collective_ && *collective_ != one.collective) continue;
      if (one.least <= *listed && *listed <= one.most) return listed;
      more = more || one.least > *listed;
    }
    return more ? std::nullopt : listed;
  }

  // Returns whether the line is a row: size and count, and a type where the line is not cut.
  bool take_row(const std::vector<std::string_view>& words, std::int64_t line) {
    if (!all_digits(words[0]) || rows_.size() > kMostClaims) return false;
    if (words.size() > 1 && !all_digits(words[1])) return false;
    if (words.size() > 2 && (words[2][0] < 'a' || words[2][0] > 'z')) return false;
    const auto bytes = count_of(number_at(words[0]));
    if (!bytes || (words.size() == 1 && *bytes <= last_bytes_)) return false;
    last_bytes_ = *bytes;
    rows_.push_back({line, {words.begin(), words.end()}});
    return true;
  }

  // Returns how many words most rows have: programs leave columns blank, but in every row.
  std::size_t usual_words() const {
    std::map<std::size_t, std::size_t> counts;
    for (const TableRow& row : rows_) ++counts[row.words.size()];
    const auto usual = std::ranges::max_element(
        counts, {}, [](const auto& one) { return std::pair(one.second, one.first); });
    return usual == counts.end() ? 0 : usual->first;
  }

  void take_claims(Log& log) {
    const std::size_t usual = usual_words();
    for (const TableRow& row : rows_) {
      const std::size_t n = row.words.size();
      // A date may follow the columns.
      if (n >= 5 && n + 2 >= columns_.size() && n <= columns_.size() + 2 && n >= usual &&
          take_result(row, log))
        continue;
      const std::string line = "line " + std::to_string(row.line);
      log.unread.push_back(
          n < usual ? line + " is cut: " + counted(static_cast<std::int64_t>(n), "word") +
                          " where other rows have " + std::to_string(usual)
                    : line + " does not fit to the " + std::to_string(columns_.size()) +
                          " columns of the table");
    }
  }

  // Columns between type and time may be blank, so numbers are counted from the right. Returns
  // false for a row that is none then.
  bool take_result(const TableRow& row, Log& log) {
    const std::size_t shift = columns_.size() - std::min(columns_.size(), row.words.size());
    const auto before = static_cast<std::ptrdiff_t>(log.claims.size());
    bool in_place = false;
    for (std::size_t c = 3; c < columns_.size(); ++c) {
      if (columns_[c] != "time") continue;
      const std::size_t end = std::min<std::size_t>(columns_.size(), c + distance_to_next_time(c));
      if (c - shift + 2 >= row.words.size()) return false;
      const Block block{c - shift, end - shift, in_place};
      const PrintedRow printed{row.line, *count_of(number_at(row.words[0])), row.words[block.begin],
                               row.words[block.begin + 1], row.words[block.begin + 2]};
      if (shift > 0 && number_at(printed.time_us) && !fits(printed)) {
        log.claims.erase(log.claims.begin() + before, log.claims.end());
        return false;
      }
      if (number_at(printed.time_us) && number_at(printed.algbw) && number_at(printed.busbw))
        printed_.push_back(printed);
      add_claims(row, block, printed, log);
      in_place = true;
    }
    return in_place;
  }

  std::size_t distance_to_next_time(std::size_t c) const {
    std::size_t n = 1;
    while (c + n < columns_.size() && columns_[c + n] != "time") ++n;
    return n;
  }

  // A block has four words: time, algbw, busbw, and the number of errors.
  struct Block {
    std::size_t begin, end;
    bool in_place = false;
  };
  void add_claims(const TableRow& from, Block block, const PrintedRow& printed, Log& log) {
    const auto time = number_at(printed.time_us), bandwidth = number_at(printed.busbw);
    if (block.begin + 3 < block.end) {
      const auto wrong = number_at(from.words[block.begin + 3]);
      const double allowed = columns_.back() == "error" ? most_rounding(from.words[2]) : 0;
      const bool is_none = has_any(from.words[block.begin + 3], {"nan", "inf"});
      if (is_none || (wrong && *wrong > allowed)) return static_cast<void>(++wrong_);
    }
    Row row;
    row.line = from.line;
    row.bytes = printed.bytes;
    row.conditions = {{"dtypes", std::string(ours_of(kTypes, from.words[2]))},
                      {"via", "direct"},
                      {"in_place", block.in_place ? "on" : "off"}};
    const double size = static_cast<double>(printed.bytes);
    if (size <= kTimesUpTo && time && *time > 0) {
      Row one = row;
      one.metric = "latency_s";
      one.value = rounded_to(*time * 1e-6, 9);
      one.printed["value"] = printed.time_us + " us";
      one.counts = calls_text("mean time of a call") + ": no isolated call";
      log.claims.push_back(std::move(one));
    }
    if (size >= kBandwidthsFrom && bandwidth && *bandwidth > 0) {
      row.metric = "busbw_GBps";
      row.value = *bandwidth;
      row.printed["value"] = printed.busbw;
      row.counts = calls_text("from the mean time of a call");
      log.claims.push_back(std::move(row));
    }
  }

  std::string calls_text(std::string text) const {
    if (calls_) text += ", of " + std::to_string(*calls_) + " one after the other";
    if (calls_ && warmup_) text += " and " + std::to_string(*warmup_) + " before them";
    return text;
  }

  std::vector<std::string> columns_;
  std::string program_ = "nccl-tests", chip_;
  bool mixed_ = false, cut_ = false;
  double gpus_of_process_ = 1;  // that the header states
  std::optional<std::string> collective_;
  std::set<double> ranks_;
  std::set<std::string> hosts_;
  std::optional<std::int64_t> calls_, warmup_;
  std::int64_t wrong_ = 0, last_bytes_ = 0;
  std::vector<TableRow> rows_;
  std::vector<PrintedRow> printed_;
};

}  // namespace

Runs read_nccl_tests(const LogText& text) { return read_runs<NcclReader>(text, {"algbw"}); }

}  // namespace scalemark::importing
