#include "report/record/health_figures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "core/base/text.h"
#include "report/record/finding_kinds.h"

namespace scalemark::reporting {
namespace {

enum class Made {
  kSum,      // adds up the growth of its counters
  kLargest,  // takes the largest growth, since its counters count the same
  kState,    // takes the last value of its only counter
  kShortOf   // takes by how much the first counter is below the second
};

struct FigureKind {
  std::string_view name;
  Made made;
  bool is_fault;  // a healthy part has none, so a nonzero value is a finding
  std::array<std::string_view, 4> counters;
  std::string_view noun;  // singular
};

constexpr std::string_view kXid = "xid", kHeldBack = "held_back";

constexpr auto kFigures = [] {
  using enum Made;
#define SCALEMARK_GPU_FIGURE(id, name, kind, made, is_fault, noun, about, ...) \
  {name, made, is_fault, {__VA_ARGS__}, noun},
#define SCALEMARK_NODE_FIGURE SCALEMARK_GPU_FIGURE
  return std::to_array<FigureKind>({
#include "core/machine/machine_numbers.inc"
  });
}();

// A counter that fell was reset. What it had counted is lost, and is no error.
std::optional<double> growth(const HealthRecord& row) {
  if (!row.before || !row.after) return std::nullopt;
  return std::max(0.0, *row.after - *row.before);
}

// The rows of one device in one session, by counter.
using Rows = std::multimap<std::string_view, const HealthRecord*>;

// A counter has several rows where runs share a session.
std::optional<double> growth_of(const Rows& rows, std::string_view counter) {
  std::optional<double> sum;
  const auto [begin, end] = rows.equal_range(counter);
  for (auto it = begin; it != end; ++it) {
    if (const auto grew = growth(*it->second)) sum = sum.value_or(0) + *grew;
  }
  return sum;
}

std::optional<double> last_of(const Rows& rows, std::string_view counter) {
  std::optional<double> last;
  const auto [begin, end] = rows.equal_range(counter);
  for (auto it = begin; it != end; ++it) {
    const HealthRecord& row = *it->second;
    if (row.before || row.after) last = row.after ? row.after : row.before;
  }
  return last;
}

std::optional<double> value_of(const FigureKind& kind, const Rows& rows) {
  if (kind.made == Made::kState) return last_of(rows, kind.counters[0]);
  if (kind.made == Made::kShortOf) {
    const auto now = last_of(rows, kind.counters[0]), most = last_of(rows, kind.counters[1]);
    return now && most ? std::optional(std::max(0.0, *most - *now)) : std::nullopt;
  }
  std::optional<double> value;
  for (const std::string_view counter : kind.counters) {
    const auto grew = counter.empty() ? std::nullopt : growth_of(rows, counter);
    if (!grew) continue;
    value =
        kind.made == Made::kSum ? value.value_or(0) + *grew : std::max(value.value_or(0), *grew);
  }
  return value;
}

// Takes the longest time of any counter, since not every device has each counter of the kind.
double seconds_of(const FigureKind& kind, const Rows& rows) {
  double most = 0;
  for (const std::string_view counter : kind.counters) {
    double seconds = 0;
    const auto [begin, end] = rows.equal_range(counter);
    for (auto it = begin; it != end; ++it) seconds += it->second->seconds.value_or(0);
    most = std::max(most, seconds);
  }
  return most;
}

std::string text_of(const FigureKind& kind, const Rows& rows, double value, double seconds) {
  if (!(value > 0)) return "";
  const std::string count = counted(std::llround(value), kind.noun);
  if (kind.name == kHeldBack) {
    return "held back for " + significant(value, 2) + " of " + significant(seconds, 3) + " s";
  }
  if (kind.made == Made::kShortOf) return count + " less than its most";
  if (kind.name != kXid) return count;
  const auto last = last_of(rows, "xid_last");
  return "Xid" + (last ? " " + std::to_string(std::llround(*last)) : "") + " (" + count + ")";
}

bool has_counters(const FigureKind& kind, const Rows& rows) {
  return std::ranges::any_of(
      kind.counters, [&](std::string_view name) { return !name.empty() && rows.contains(name); });
}

struct OfDevice {
  const HealthRecord* first = nullptr;
  Rows rows;
};

std::vector<OfDevice> by_device(std::span<const HealthRecord> all) {
  using Place = std::tuple<std::string_view, std::string_view, std::string_view, int>;
  std::map<Place, std::size_t> places;
  std::vector<OfDevice> devices;
  for (const HealthRecord& row : all) {
    const auto [found, is_new] =
        places.try_emplace({row.host, row.device, row.uuid, row.session}, devices.size());
    if (is_new) devices.push_back({.first = &row});
    devices[found->second].rows.emplace(row.counter, &row);
  }
  return devices;
}

HealthFigure figure_of(const FigureKind& kind, const OfDevice& device) {
  HealthFigure figure{.host = device.first->host,
                      .device = device.first->device,
                      .uuid = device.first->uuid,
                      .session = device.first->session,
                      .value = value_of(kind, device.rows),
                      .seconds = seconds_of(kind, device.rows)};
  figure.text = text_of(kind, device.rows, figure.value.value_or(0), figure.seconds);
  return figure;
}

}  // namespace

void add_snapshots(std::vector<HealthRecord>& rows, std::span<const HealthSnapshot> snapshots,
                   std::optional<double> seconds) {
  // Ranks that see only one GPU each call it cuda:0; the UUID distinguishes these.
  using Place = std::tuple<std::string, std::string, std::string, std::string>;
  std::map<Place, std::size_t> places;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    places.try_emplace({rows[i].host, rows[i].device, rows[i].uuid, rows[i].counter}, i);
  }
  for (const HealthSnapshot& snapshot : snapshots) {
    for (const auto& [device, uuid, counter, value] : snapshot.counters) {
      const auto [found, is_new] =
          places.try_emplace({snapshot.host, device, uuid, counter}, rows.size());
      if (is_new) {
        rows.push_back({.host = snapshot.host, .device = device, .uuid = uuid, .counter = counter});
      }
      HealthRecord& row = rows[found->second];
      (seconds ? row.after : row.before) = value;
      row.seconds = seconds;
    }
  }
}

std::vector<HealthFigure> health_figures(std::string_view name,
                                         std::span<const HealthRecord> rows) {
  std::vector<HealthFigure> figures;
  const auto kind = std::ranges::find(kFigures, name, &FigureKind::name);
  if (kind == kFigures.end()) return figures;
  for (const OfDevice& device : by_device(rows)) {
    if (has_counters(*kind, device.rows)) figures.push_back(figure_of(*kind, device));
  }
  return figures;
}

std::vector<Finding> health_findings(std::span<const HealthRecord> rows) {
  std::vector<Finding> findings;
  for (const OfDevice& device : by_device(rows)) {
    std::vector<std::string> texts;
    for (const FigureKind& kind : kFigures) {
      if (!kind.is_fault || !has_counters(kind, device.rows)) continue;
      if (auto text = figure_of(kind, device).text; !text.empty()) texts.push_back(std::move(text));
    }
    if (texts.empty()) continue;
    const auto& [host, name] = std::tie(device.first->host, device.first->device);
    FindingPlace place;
    place.host = host;
    place.device = name;
    findings.push_back(
        make_finding(finding_kinds::health, "", {{"counters", joined(texts, ", ")}}, place));
  }
  return findings;
}

}  // namespace scalemark::reporting
