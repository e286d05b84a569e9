#include "core/live/pages.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "core/base/number_words.h"
#include "core/base/page/whole_page.h"
#include "core/base/record_json.h"
#include "core/base/text.h"
#include "core/live/rates.h"

namespace scalemark::live {
namespace {

std::string full_name(const Metric& row) { return std::string("scalemark_") + row.name; }

std::string without_end(std::string name, std::string_view end) {
  if (name.ends_with(end)) name.resize(name.size() - end.size());
  return name;
}

// OpenMetrics names the unit, which is the last word of a family's name.
std::string unit_line(const std::string& family) {
  constexpr auto kUnits =
      std::to_array<std::string_view>({"seconds", "bytes", "ratio", "hertz", "celsius", "watts"});
  const auto unit = std::ranges::find_if(
      kUnits, [&](std::string_view word) { return family.ends_with("_" + std::string(word)); });
  if (unit == kUnits.end()) return {};
  return "# UNIT " + family + " " + std::string(*unit) + "\n";
}

std::string head(const Metric& row, MetricsForm form) {
  if (form == MetricsForm::kText) {
    return "# HELP " + full_name(row) + " " + row.help + "\n# TYPE " + full_name(row) +
           (row.kind == MetricKind::kCounter ? " counter\n" : " gauge\n");
  }
  const std::string family = row.kind == MetricKind::kCounter
                                 ? without_end(full_name(row), "_total")
                             : row.kind == MetricKind::kInfo ? without_end(full_name(row), "_info")
                                                             : full_name(row);
  return "# HELP " + family + " " + row.help + "\n# TYPE " + family + " " +
         std::string(name_of(row.kind)) + "\n" + unit_line(family);
}

std::string sample_line(const Metric& row, const std::vector<std::string_view>& names,
                        const MetricSample& sample) {
  std::string labels;
  for (std::size_t i = 0; i < names.size(); ++i) {
    labels += (i > 0 ? "," : "") + prometheus_label(names[i], sample.labels[i]);
  }
  if (!labels.empty()) labels = "{" + labels + "}";
  return full_name(row) + labels + " " + exact(sample.value) + "\n";
}

constexpr std::string_view kOpenMetricsType = "application/openmetrics-text";

struct Preference {
  std::size_t place = 0;  // in the header, from 1
  double weight = 0;
};

// How the header speaks of a media type; absent: it does not name the type, or refuses it.
std::optional<Preference> preference_for(std::string_view accept, std::string_view type) {
  std::optional<Preference> best;
  std::size_t place = 0;
  for (std::string_view text : split(accept, ",")) {
    ++place;
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    if (!text.starts_with(type)) continue;
    Preference preference{place, 1};
    if (const auto at = text.find(";q="); at != std::string_view::npos)
      std::from_chars(text.data() + at + 3, text.data() + text.size(), preference.weight);
    if (preference.weight > 0 && (!best || preference.weight > best->weight)) best = preference;
  }
  return best;
}

}  // namespace

MetricsForm form_for(std::string_view accept) {
  const auto open = preference_for(accept, kOpenMetricsType),
             plain = preference_for(accept, "text/plain");
  if (!open) return MetricsForm::kText;
  if (!plain || open->weight > plain->weight) return MetricsForm::kOpenMetrics;
  const bool first = open->weight == plain->weight && open->place < plain->place;
  return first ? MetricsForm::kOpenMetrics : MetricsForm::kText;
}

const char* type_of(MetricsForm form) {
  return form == MetricsForm::kText ? "text/plain; version=0.0.4; charset=utf-8"
                                    : "application/openmetrics-text; version=1.0.0; charset=utf-8";
}

std::string metrics_page(const Status& status, double now_s, std::string_view done_points,
                         MetricsForm form) {
  std::string page;
  for (const Metric& row : metrics()) {
    const auto samples = row.read({status, now_s});
    if (samples.empty()) continue;
    page += head(row, form);
    const std::string_view labels = row.labels;
    const auto names = labels.empty() ? std::vector<std::string_view>() : split(labels, ",");
    for (const MetricSample& sample : samples) page += sample_line(row, names, sample);
  }
  page += done_points;
  if (form == MetricsForm::kOpenMetrics) page += "# EOF\n";
  return page;
}

namespace {

using monitoring::MachineNumber;

// The scripts get this for each number that has a column.
FieldJson shown(const auto& numbers, About MachineNumber::*about) {
  FieldJson list = FieldJson::array();
  for (const auto& one : numbers) {
    const auto& [above, below, place, weight, form] = one.is.column;
    if (!*below) continue;
    list.push_back({{"key", one.name},
                    {"above", above},
                    {"below", below},
                    {"place", place},
                    {"form", static_cast<int>(form)},
                    {"about", (one.is.*about).meaning},
                    {"counts", one.is.kind == monitoring::SourceKind::kCounter}});
  }
  return list;
}

// Each rank has one of these at each time, if it is known. The name is that of /now, where the page
// finds what comes after the past.
struct Measure {
  std::string name;
  std::function<std::optional<double>(const RankStatus&, const RankNow&)> of;
};

const std::vector<Measure>& measures() {
  static const std::vector<Measure> kAll = [] {
    const auto of_now = [](std::optional<double> RankNow::*member) {
      return [member](const RankStatus&, const RankNow& now) { return now.*member; };
    };
    std::vector<Measure> all{{"samples_per_s", of_now(&RankNow::samples_per_s)},
                             {"peer_wait_share", of_now(&RankNow::peer_wait_share)},
                             {"data_wait_share", of_now(&RankNow::data_wait_share)},
                             {"network_wait_share", of_now(&RankNow::network_wait_share)},
                             {"queued_share", of_now(&RankNow::queued_share)},
                             {"resident_bytes", [](const RankStatus& rank, const RankNow&) {
                                return std::optional(static_cast<double>(rank.resident_bytes));
                              }}};
    for (const auto& one : kGpuNumbers) {
      if (!*one.is.column.below || one.is.kind == monitoring::SourceKind::kCounter) continue;
      all.push_back({one.name, [value = one.value](const RankStatus& rank, const RankNow&) {
                       return rank.gpu ? (*rank.gpu).*value : std::nullopt;
                     }});
    }
    return all;
  }();
  return kAll;
}

// No pixel shows more digits.
FieldJson four_digits(double value) {
  return FieldJson::parse(significant(value, 4), nullptr, /*allow_exceptions=*/false);
}

// Adds the measure's mean to `frame` and, of few ranks, the value of each.
void add_measure(FieldJson& frame, const Measure& measure, const Status& status,
                 const RunNow& now) {
  constexpr std::size_t kMostRanks = 64;
  FieldJson values = FieldJson::array();
  double sum = 0;
  int known = 0;
  for (std::size_t i = 0; i < std::min(status.ranks.size(), now.ranks.size()); ++i) {
    const auto value = measure.of(status.ranks[i], now.ranks[i]);
    const auto place = static_cast<std::size_t>(std::max(0, status.ranks[i].rank));
    if (!value || !std::isfinite(*value)) continue;
    sum += *value;
    ++known;
    if (place < kMostRanks) values[place] = four_digits(*value);  // fills gaps with null
  }
  if (known == 0) return;
  frame["means"][measure.name] = four_digits(sum / known);
  if (status.ranks.size() <= kMostRanks) frame["values"][measure.name] = std::move(values);
}

}  // namespace

void Past::add(const Status& status, const RunNow& now, double at_s) {
  constexpr double kKept_s = 600;
  constexpr std::size_t kMostFrames = 300;
  FieldJson frame = {{"at", std::floor(1000 * at_s) / 1000},  // never after a page's now
                     {"phase", status.state == kRunning ? status.phase : status.state},
                     {"point", status.point},
                     {"means", FieldJson::object()},
                     {"values", FieldJson::object()}};
  if (now.samples_per_s && std::isfinite(*now.samples_per_s))
    frame["rate"] = four_digits(*now.samples_per_s);
  if (status.loss && std::isfinite(*status.loss)) frame["loss"] = *status.loss;
  for (const Measure& measure : measures()) add_measure(frame, measure, status, now);
  frames_.push_back({at_s, dumped(frame)});
  while (frames_.size() > kMostFrames || frames_.front().at_s < at_s - kKept_s) frames_.pop_front();
}

std::string Past::json(double now_s) const {
  std::string text = "{\"now\": " + exact(now_s) + ", \"frames\": [";
  for (const Frame& frame : frames_) text += (text.ends_with('[') ? "" : ",\n") + frame.json;
  return text + "]}\n";
}

std::string live_page() {
  FieldJson names = FieldJson::array();
  for (const Measure& measure : measures()) names.push_back(measure.name);
  const FieldJson numbers = {{"gpus", shown(kGpuNumbers, &MachineNumber::about)},
                             {"nodes", shown(kNodeNumbers, &MachineNumber::about)},
                             {"rates", shown(kNodeRates, &MachineNumber::rate)},
                             {"measures", names}};
  return page::whole_page(kLivePageFrame,
                          "const numbers = " + numbers.dump() + ";\n" + kLivePageScript);
}

}  // namespace scalemark::live
