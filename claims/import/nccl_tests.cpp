// Reads the output of nccl-tests: "# Rank ..." lines that list the devices, then a table whose
// header names its columns. busbw is the rate on each rank's link, algbw is bytes over time
// (PERFORMANCE.md there).
#include <algorithm>
#include <array>
#include <set>
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

// Removes the label that srun --label ("0: text") or mpirun --tag-output ("[1,0]<stdout>: text")
// writes before a line.
std::string_view without_label(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon > 20) return line;
  const std::string_view label = line.substr(0, colon);
  const bool number = label.find_first_not_of("0123456789 ") == std::string_view::npos;
  const bool tag = label.starts_with('[') && label.ends_with("<stdout>");
  if (!number && !tag) return line;
  line.remove_prefix(colon + 1);
  while (line.starts_with(' ')) line.remove_prefix(1);
  return line;
}

// Reads one output. A log may hold several of them, one after the other.
class NcclReader {
 public:
  void take(std::string_view line, std::size_t number) {
    if (line.starts_with('#')) {
      take_comment(line.substr(1));
    } else if (!columns_.empty()) {
      take_result(line, static_cast<std::int64_t>(number));
    }
    if (const std::string name = program_in(line); !name.empty()) {
      collective_ = std::string(ours_of(kCollectives, name));
      names_.insert(*collective_);
    }
  }

  std::optional<Log> log() {
    if (!has_table_) return std::nullopt;
    if (claims_.empty()) throw bad_data("it holds a table of nccl-tests without a usable line");
    Log log{.file = {}, .form = "nccl-tests text", .says = {}};
    log.says.framework = "nccl-tests";
    log.says.backend = "nccl";
    // The program's name may come only after the table.
    for (Row& claim : claims_) {
      if (!claim.collective && names_.size() == 1) claim.collective = *names_.begin();
    }
    log.claims = std::move(claims_);
    say_what_all_share(log);
    if (!chip_.empty() && !mixed_) log.chip = chip_;
    if (gap_) log.remarks.emplace_back("its list of ranks has gaps: it says no count of GPUs");
    if (wrong_ > 0)
      log.remarks.push_back(counted(wrong_, "result") + " with wrong elements left out");
    return log;
  }

 private:
  void take_comment(std::string_view line) {
    const auto words = words_in(line);
    if (words.empty()) return;
    if (words.front() == "Rank") return take_rank(line, words);
    if (words.front() == "nThread") return take_parameters(line);
    const auto has = [&](std::string_view word) {
      return std::ranges::find(words, word) != words.end();
    };
    if (words.front() == "size" && has("algbw") && has("busbw")) {
      if (has("cputime"))
        throw bad_data("its times are those of CPUs (-C 1)", "times of the GPUs are expected");
      columns_.assign(words.begin(), words.end());
      has_table_ = true;
    }
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

  // A second run in the same file begins with a new line of parameters.
  void take_parameters(std::string_view line) {
    ranks_.clear();
    hosts_.clear();
    columns_.clear();
    warmup_ = count_of(number_after(line, "warmup iters: "));
    const std::size_t at = line.find("warmup iters: ");
    calls_ = count_of(number_after(
        at == std::string_view::npos ? std::string_view() : line.substr(at + 14), " iters: "));
  }

  // Gives no count where somebody has shortened the list of ranks.
  std::optional<std::int64_t> gpus() const {
    if (ranks_.empty()) return std::nullopt;
    const auto named = static_cast<double>(ranks_.size());
    return *ranks_.rbegin() == named - 1 ? count_of(named) : std::nullopt;
  }

  // Columns between type and time may be blank, so numbers are counted from the right. A date may
  // follow them.
  void take_result(std::string_view line, std::int64_t number) {
    const auto words = words_in(line);
    const auto times = std::ranges::count(columns_, "time");
    if (words.size() < 5 || words.size() > columns_.size() + 2 || times < 1) return;
    const auto bytes = count_of(number_at(words[0]));
    if (!bytes || !number_at(words[1]) || words.size() + 2 < columns_.size()) return;
    const std::size_t shift = columns_.size() - std::min(columns_.size(), words.size());
    bool in_place = false;
    for (std::size_t c = 3; c < columns_.size(); ++c) {
      if (columns_[c] != "time") continue;
      const std::size_t end = std::min<std::size_t>(columns_.size(), c + distance_to_next_time(c));
      add_claims(*bytes, std::string(words[2]), in_place, words, {c - shift, end - shift}, number);
      in_place = true;
    }
  }

  std::size_t distance_to_next_time(std::size_t c) const {
    std::size_t n = 1;
    while (c + n < columns_.size() && columns_[c + n] != "time") ++n;
    return n;
  }

  struct Block {
    std::size_t begin, end;
  };
  // A block has four words: time, algbw, busbw, and the number of errors.
  void add_claims(std::int64_t bytes, const std::string& type, bool in_place,
                  const std::vector<std::string_view>& words, Block block, std::int64_t line) {
    if (block.begin + 2 >= words.size() || claims_.size() > kMostClaims) return;
    const auto time = number_at(words[block.begin]), bandwidth = number_at(words[block.begin + 2]);
    if (block.begin + 3 < block.end) {
      const auto wrong = number_at(words[block.begin + 3]);
      if (wrong && *wrong != 0) return static_cast<void>(++wrong_);
    }
    Row row;
    row.line = line;
    row.bytes = bytes;
    row.collective = collective_;
    row.gpus = gpus();
    if (row.gpus && !hosts_.empty()) row.nodes = static_cast<std::int64_t>(hosts_.size());
    gap_ = gap_ || (!row.gpus && !ranks_.empty());
    row.conditions = {{"dtypes", std::string(ours_of(kTypes, type))},
                      {"via", "direct"},
                      {"in_place", in_place ? "on" : "off"}};
    const double size = static_cast<double>(bytes);
    if (size <= kTimesUpTo && time && *time > 0) {
      Row one = row;
      one.metric = "latency_s";
      one.value = rounded_to(*time * 1e-6, 9);
      one.printed["value"] = std::string(words[block.begin]) + " us";
      one.counts = calls_text("mean time of a call") + ": no isolated call";
      claims_.push_back(std::move(one));
    }
    if (size >= kBandwidthsFrom && bandwidth && *bandwidth > 0) {
      row.metric = "busbw_GBps";
      row.value = *bandwidth;
      row.printed["value"] = std::string(words[block.begin + 2]);
      row.counts = calls_text("from the mean time of a call");
      claims_.push_back(std::move(row));
    }
  }

  std::string calls_text(std::string text) const {
    if (calls_) text += ", of " + std::to_string(*calls_) + " one after the other";
    if (calls_ && warmup_) text += " and " + std::to_string(*warmup_) + " before them";
    return text;
  }

  static void say_what_all_share(Log& log) {
    Row& says = log.says;
    const Row& first = log.claims.front();
    const auto all = [&](auto member) {
      return std::ranges::all_of(log.claims,
                                 [&](const Row& one) { return one.*member == first.*member; });
    };
    if (all(&Row::collective)) says.collective = first.collective;
    if (all(&Row::gpus)) says.gpus = first.gpus;
    if (all(&Row::nodes)) says.nodes = first.nodes;
  }

  std::vector<std::string> columns_;
  bool has_table_ = false, mixed_ = false, gap_ = false;
  std::optional<std::string> collective_;
  std::set<double> ranks_;
  std::set<std::string> hosts_, names_;
  std::string chip_;
  std::optional<std::int64_t> calls_, warmup_;
  std::int64_t wrong_ = 0;
  std::vector<Row> claims_;
};

}  // namespace

std::optional<Log> read_nccl_tests(std::string_view text) {
  if (text.find("algbw") == std::string_view::npos) return std::nullopt;
  NcclReader reader;
  for_each_line(text, [&](std::string_view line, std::size_t number) {
    reader.take(without_label(line), number);
  });
  return reader.log();
}

}  // namespace scalemark::importing
