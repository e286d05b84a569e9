#include "claims/rows/wide_tables.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "claims/rows/columns.h"
#include "claims/rows/gpu_counts.h"
#include "claims/rows/table_columns.h"
#include "core/base/characters.h"
#include "core/base/text.h"

namespace scalemark::tables {
namespace {

// Whether rows may also hold this, of the runs in the columns.
bool is_batch(ColumnKind kind) {
  return kind == ColumnKind::kBatch || kind == ColumnKind::kBatchPerGpu ||
         kind == ColumnKind::kGlobalBatch || kind == ColumnKind::kAccumulation;
}

// Whether a cell names a measure. A name like "S-32" is no time in seconds.
bool names_measure(const std::string& cell) {
  const ColumnMeaning meaning = meaning_of(cell);
  const bool told = !is_time_kind(meaning.kind) || meaning.factor != 1 ||
                    meaning_of_prose(cell).kind != ColumnKind::kOther;
  return is_measure(meaning.kind) && told;
}

// Returns a header of the long form with this meaning.
std::string label_of(const ColumnMeaning& meaning) {
  if (is_rate_kind(meaning.kind))
    return "Throughput in " + meaning.unit +
           (meaning.kind == ColumnKind::kRatePerGpu ? " per GPU" : "");
  if (meaning.kind == ColumnKind::kSpeedup) return "Speedup";
  if (!is_time_kind(meaning.kind)) return "";
  return meaning.factor < 1e-4   ? "Time (us)"
         : meaning.factor < 1    ? "Time (ms)"
         : meaning.factor < 60   ? "Time (s)"
         : meaning.factor < 3600 ? "Time (min)"
                                 : "Time (hours)";
}

// A column whose header names a count of GPUs.
struct Counted {
  std::size_t column = 0;
  double count = 0;
  bool nodes = false;
  std::string chip;
  std::string rest;  // the header without count and chip
  ColumnKind kind = ColumnKind::kOther;
};

std::optional<Counted> counted_header(const std::string& header, std::size_t column) {
  const auto machines = machines_in(header);
  if (!machines) return std::nullopt;
  Counted found{.column = column,
                .count = machines->gpus ? *machines->gpus : *machines->nodes,
                .nodes = !machines->gpus,
                .chip = machines->chip,
                .rest = machines->rest};
  const ColumnMeaning meaning = meaning_of(found.chip.empty() ? found.rest : found.chip);
  if (is_measure(meaning.kind) && !found.chip.empty()) {
    // Splits "A100 (img/s)".
    const std::size_t unit = std::min(found.chip.find('('), found.chip.size());
    found.rest = found.chip.substr(unit);
    found.chip.resize(unit);
    found.chip = trimmed(found.chip);
    if (!is_measure(meaning_of(found.rest).kind))
      found.rest = std::exchange(found.chip, "") + " " + found.rest;
  }
  found.kind = meaning.kind;
  return found;
}

// Returns a number that stands alone. It is a count where another place in the table says so.
std::optional<double> whole_number(const std::string& text) {
  const bool digits = !text.empty() && text.size() <= 6 &&
                      text.find_first_not_of("0123456789") == std::string::npos;
  const double value = digits ? std::stod(text) : 0;
  return value > 0 ? std::optional(value) : std::nullopt;
}

class Unfolding {
 public:
  explicit Unfolding(const TextTable& table) : table_(table) {}

  std::optional<TextTable> unfolded() {
    if (table_.header.size() > kMostColumns || !find_counts() || has_counts_below())
      return std::nullopt;
    if (table_.rows.size() * counts_.size() > kMostRows) return std::nullopt;
    find_others();
    if (!metric_) usual_ = usual_label();
    drop_lone_rests();
    begin_long();
    for (std::size_t r = 0; r < table_.rows.size();) r = add_group(r);
    if (labels_.empty() || long_.rows.empty()) return std::nullopt;
    for (Cells& cells : long_.rows) cells.resize(long_.header.size());
    return std::move(long_);
  }

 private:
  const std::string& cell(std::size_t r, std::size_t c) const { return cell_of(table_, r, c); }
  Cell number(std::size_t r, std::size_t c) const { return number_of(table_, r, c); }
  bool is_number(std::size_t r, std::size_t c) const { return !number(r, c).values.empty(); }

  bool find_counts() {
    for (std::size_t c = 0; c < table_.header.size(); ++c) {
      if (auto one = counted_header(table_.header[c], c)) counts_.push_back(std::move(*one));
    }
    if (counts_.empty()) find_bare_counts();
    std::set<std::pair<bool, double>> different;
    for (const Counted& one : counts_) different.insert({one.nodes, one.count});
    const bool alike = std::ranges::all_of(
        counts_, [&](const Counted& one) { return one.nodes == counts_.front().nodes; });
    return different.size() >= 2 && alike;
  }

  // Reads the counts of "| GPUs | 1 | 2 | 8 |".
  void find_bare_counts() {
    const std::string corner = lower_case(table_.header.empty() ? "" : table_.header.front());
    const bool nodes = corner.find("node") != std::string::npos;
    const bool gpus = corner.find("gpu") != std::string::npos ||
                      corner.find("devices") != std::string::npos ||
                      corner.find("world size") != std::string::npos;
    bare_ = nodes || gpus;
    if (!bare_) return;
    for (std::size_t c = 1; c < table_.header.size(); ++c) {
      if (const auto count = whole_number(table_.header[c]))
        counts_.push_back({.column = c, .count = *count, .nodes = !gpus, .chip = {}, .rest = {}});
    }
  }

  bool is_counted(std::size_t c) const {
    return std::ranges::any_of(counts_, [&](const Counted& one) { return one.column == c; });
  }

  bool has_numbers(std::size_t c) const {
    std::size_t numbers = 0, filled = 0;
    for (std::size_t r = 0; r < table_.rows.size(); ++r) {
      filled += cell(r, c).empty() ? 0 : 1;
      numbers += is_number(r, c) ? 1 : 0;
    }
    return filled > 0 && 2 * numbers > filled;
  }

  // Rows with counts of their own are already in the long form.
  bool has_counts_below() const {
    for (std::size_t c = 0; c < table_.header.size(); ++c) {
      if (is_counted(c)) continue;
      const ColumnKind kind = meaning_of(table_.header[c]).kind;
      const bool counts = kind == ColumnKind::kGpus || kind == ColumnKind::kNodes;
      if (counts && has_numbers(c)) return true;
      std::size_t machines = 0;
      for (std::size_t r = 0; r < table_.rows.size(); ++r)
        machines += machines_in(cell(r, c)) ? 1 : 0;
      if (2 * machines > table_.rows.size()) return true;
    }
    return false;
  }

  // Sorts the other columns: names, batches, what the rows measure, and speed-ups of the last
  // count.
  void find_others() {
    const bool told =
        std::ranges::any_of(counts_, [](const Counted& one) { return is_measure(one.kind); });
    for (std::size_t c = 0; c < table_.header.size(); ++c) {
      if (is_counted(c)) continue;
      const ColumnKind kind = meaning_of(table_.header[c]).kind;
      const bool numbers = has_numbers(c);
      if (!numbers && !told && !metric_ && names_measures(c)) {
        metric_ = c;
      } else if (is_ratio_kind(kind)) {
        ratios_.push_back(c);
      } else if (!numbers || !is_measure(kind)) {
        names_.push_back(c);
      }
    }
  }

  bool names_measures(std::size_t c) const {
    for (std::size_t r = 0; r < table_.rows.size(); ++r) {
      const auto counts = [&](const Counted& one) { return is_number(r, one.column); };
      if (names_measure(cell(r, c)) && std::ranges::any_of(counts_, counts)) return true;
    }
    return false;
  }

  // A word behind a count matters only where another column has the same word or the same count.
  void drop_lone_rests() {
    std::vector<bool> lone;
    for (const Counted& one : counts_) {
      const auto clashes = [&](const Counted& other) {
        return &other != &one && (other.rest == one.rest || other.count == one.count);
      };
      lone.push_back(one.kind == ColumnKind::kOther && std::ranges::none_of(counts_, clashes));
    }
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      if (lone[i]) counts_[i].rest.clear();
    }
  }

  // Whether each row has 1, or nearly 1 by its digits, at the fewest GPUs.
  bool begins_with_one() const {
    const auto fewest = std::ranges::min_element(counts_, {}, &Counted::count);
    bool any = false;
    for (std::size_t r = 0; r < table_.rows.size(); ++r) {
      const auto value = number(r, fewest->column).number(Unit::kTimes);
      if (value && std::fabs(value->value - 1) > value->unit / 2) return false;
      any = any || value;
    }
    return any;
  }

  std::string usual_label() const {
    for (std::size_t c = 0; c < table_.header.size(); ++c) {
      if (is_counted(c) || has_numbers(c)) continue;
      const ColumnMeaning meaning = meaning_of(table_.header[c]);
      if (is_rate_kind(meaning.kind) || is_time_kind(meaning.kind)) return table_.header[c];
      if (meaning.kind == ColumnKind::kSpeedup && begins_with_one()) return table_.header[c];
    }
    if (const auto label = label_by_units()) return *label;
    for (const std::string& words : {table_.caption, table_.name}) {
      const ColumnMeaning meaning = meaning_of_prose(words);
      if (meaning.kind == ColumnKind::kSpeedup && !begins_with_one()) return "";
      if (meaning.kind != ColumnKind::kOther) return label_of(meaning);
    }
    return "";
  }

  // Gives no label where most cells have no unit.
  std::optional<std::string> label_by_units() const {
    std::size_t rates = 0, times = 0, ratios = 0, others = 0, all = 0;
    std::string rate;
    for (std::size_t r = 0; r < table_.rows.size(); ++r) {
      for (const Counted& one : counts_) {
        const Cell read = number(r, one.column);
        if (is_measure(one.kind) || read.values.empty()) continue;
        const Unit unit = read.values[0].unit;
        all++;
        rates += unit == Unit::kRate;
        times += unit == Unit::kTime;
        ratios += unit == Unit::kTimes;
        others += unit == Unit::kOther || unit == Unit::kPercent;
        if (unit == Unit::kRate && rate.empty()) rate = read.values[0].words;
      }
    }
    if (2 * rates > all) return label_of(meaning_of(rate));
    if (2 * times > all) return "Time (s)";
    if (2 * ratios > all) return begins_with_one() ? "Speedup" : "";
    if (others > 0) return "";
    return std::nullopt;
  }

  void begin_long() {
    has_chips_ = std::ranges::any_of(counts_, [](const Counted& one) { return !one.chip.empty(); });
    long_.name = table_.name;
    long_.caption = table_.caption;
    long_.decimal = table_.decimal;
    long_.header = {counts_.front().nodes ? "Nodes" : "GPUs", "Row"};
    if (has_chips_) long_.header.emplace_back("GPU type");
    for (const std::size_t c : names_) {
      const bool names = !has_numbers(c) && is_measure(meaning_of(table_.header[c]).kind);
      const bool counts = bare_ && c == 0;
      long_.header.push_back(names || counts ? "Name" : table_.header[c]);
    }
    first_label_ = long_.header.size();
  }

  // Makes one group of rows that have one name and different quantities.
  std::size_t add_group(std::size_t first) {
    std::size_t end = first + 1;
    while (metric_ && end < table_.rows.size() && continues_group(first, end)) ++end;
    for (const Counted& one : counts_) {
      const bool begun = std::any_of(counts_.begin(), counts_.begin() + (&one - counts_.data()),
                                     [&](const Counted& before) {
                                       return before.count == one.count && before.chip == one.chip;
                                     });
      if (!begun) add_row(first, end, one);
    }
    return end;
  }

  bool continues_group(std::size_t first, std::size_t r) const {
    if (metric_of(r) == metric_of(first)) return false;
    return std::ranges::all_of(names_, [&](std::size_t c) {
      return cell(r, c).empty() || cell(r, c) == cell(first, c) || is_number(r, c);
    });
  }

  std::string metric_of(std::size_t r) const { return metric_ ? cell(r, *metric_) : ""; }

  void add_row(std::size_t first, std::size_t end, const Counted& count) {
    const std::string lines = end == first + 1 ? table_.places[first]
                                               : "lines" + table_.places[first].substr(4) + " to" +
                                                     table_.places[end - 1].substr(4);
    Cells row{significant(count.count, 9), lines};
    if (has_chips_) row.push_back(count.chip);
    for (const std::size_t c : names_) row.push_back(cell(first, c));
    const std::size_t speed = speed_row(first, end);
    bool any = false;
    for (std::size_t r = first; r < end; ++r) {
      for (const Counted& one : counts_) {
        if (one.count == count.count && one.chip == count.chip)
          any = put(label(r, one), cell(r, one.column), row) || any;
      }
      for (const std::size_t c : ratios_) {
        if (r == speed && &count == count_of_ratio(r, c)) put(table_.header[c], cell(r, c), row);
      }
    }
    if (!any) return;
    long_.rows.push_back(std::move(row));
    const auto number = static_cast<std::int64_t>(count.count);
    long_.places.push_back(lines + ", " +
                           (!count.chip.empty() ? std::to_string(number) + "x " + count.chip
                                                : counted(number, count.nodes ? "node" : "GPU")));
  }

  // A speed-up beside rows that measure several things belongs to their rates.
  std::size_t speed_row(std::size_t first, std::size_t end) const {
    for (std::size_t r = first; metric_ && r < end; ++r) {
      if (is_rate_kind(meaning_of(cell(r, *metric_)).kind)) return r;
    }
    return first;
  }

  std::string label(std::size_t r, const Counted& one) const {
    if (is_measure(one.kind)) return one.rest;
    const std::string& usual = metric_ ? cell(r, *metric_) : usual_;
    const ColumnKind kind = meaning_of(usual).kind;
    const Cell read = number(r, one.column);
    const bool bare = !read.values.empty() && read.values[0].unit == Unit::kNone;
    if (usual.empty() || (metric_ && !(is_measure(kind) || (is_batch(kind) && bare)))) return "";
    return one.rest.empty() ? usual : one.rest + " " + usual;
  }

  // A speed-up in a column of its own belongs to the last count on its left, relative to the first.
  const Counted* count_of_ratio(std::size_t r, std::size_t c) const {
    const Counted* last = nullptr;
    const auto fewest = std::ranges::min_element(counts_, {}, &Counted::count);
    for (const Counted& one : counts_) {
      if (one.column < c && is_number(r, one.column)) last = &one;
    }
    const bool told = counts_.size() == 2 || fewest->count == 1;
    return told && last && last->count > fewest->count ? last : nullptr;
  }

  // Adds a cell with digits and a label, and returns whether it has both.
  bool put(const std::string& label, const std::string& text, Cells& row) {
    const Cell read = read_cell(text, table_.decimal);
    if (label.empty() || (read.values.empty() && !read.unread)) return false;
    std::size_t at = 0;
    while (at < labels_.size() && labels_[at] != label) ++at;
    if (at == labels_.size()) {
      if (labels_.size() >= kMostColumns - 1) return false;
      labels_.push_back(label);
      long_.header.push_back(label);
    }
    row.resize(std::max(row.size(), first_label_ + at + 1));
    if (row[first_label_ + at].empty()) row[first_label_ + at] = text;
    return true;
  }

  const TextTable& table_;
  TextTable long_;
  std::vector<Counted> counts_;
  std::vector<std::size_t> names_, ratios_;
  std::optional<std::size_t> metric_;
  std::string usual_;
  std::vector<std::string> labels_;
  std::size_t first_label_ = 0;
  bool has_chips_ = false, bare_ = false;  // bare_: the headers are counts without a word
};

}  // namespace

std::optional<TextTable> long_form(const TextTable& table) { return Unfolding(table).unfolded(); }

}  // namespace scalemark::tables
