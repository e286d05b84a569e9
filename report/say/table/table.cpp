#include "report/say/table/table.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/characters.h"
#include "core/base/number_words.h"
#include "core/base/terminal.h"
#include "report/say/table/parts.h"
#include "report/say/table/text_table.h"

namespace scalemark::reporting {
namespace {

std::string evaluations(const std::vector<Row>& rows,
                        const std::function<std::string(const std::vector<Column>&)>& set) {
  std::string text;
  for (const auto& row : rows) {
    if (row.point->evaluation.empty()) continue;
    text += "\nevaluation of row " + row.number + "\n\n" + set(evaluation_columns(*row.point));
  }
  return text;
}

std::string devices(std::span<const Report> reports,
                    const std::function<std::string(const std::vector<Column>&)>& set) {
  std::string text;
  for (const Report& report : reports) {
    if (report.devices.empty()) continue;
    text += "\n" + std::string(kDevicesTitle) + "\n\n" + set(device_columns(report.devices));
  }
  return text;
}

std::string fingerprints(std::span<const Report> reports,
                         const std::function<std::string(const std::vector<Column>&)>& set,
                         const std::function<std::string(const std::string&)>& item) {
  std::string text;
  for (const Report& report : reports) {
    if (report.fingerprint.empty()) continue;
    text += "\n" + std::string(kFingerprintTitle) + "\n\n";
    text += set(fingerprint_columns(report.fingerprint)) + "\n";
    for (const auto& note : fingerprint_notes(report.fingerprint)) text += item(note);
  }
  return text;
}

}  // namespace

std::vector<Row> rows_of(std::span<const Report> reports) {
  std::vector<Row> rows;
  for (const auto& report : reports) {
    for (const auto& point : report.points) {
      rows.push_back({&report, &point, std::to_string(rows.size() + 1)});
    }
  }
  return rows;
}

std::vector<PlacedPoint> points_of(const std::vector<Row>& rows) {
  std::vector<PlacedPoint> points;
  for (const auto& row : rows) points.push_back(placed(*row.report, *row.point));
  return points;
}

std::string render_table(std::span<const Report> reports, TableFormat format,
                         const Terminal& terminal) {
  const auto rows = rows_of(reports);
  const bool is_text = format == TableFormat::kText;
  const auto set = [&](const std::vector<Column>& columns) {
    return is_text ? section_text({"", columns, {}}, terminal) : set_markdown(columns);
  };
  const auto plain = [&](const std::string& line) { return is_text ? line : markdown_text(line); };
  const auto item = [&](const std::string& note) {
    return list_item(plain(note), text_width(terminal));
  };
  std::string text;
  const std::string by_itself = fingerprints(reports, set, item);
  if (rows.empty()) {
    text = by_itself.empty() ? "no points were measured\n" : "";
  } else {
    text = plain(with_blanks(common_traits(rows))) + "\n\n" + set(throughput_columns(rows)) + "\n" +
           set(step_columns(rows)) + evaluations(rows, set) + devices(reports, set);
  }
  text += by_itself;
  std::vector<std::string> notes;
  if (!rows.empty()) notes = baseline_notes(rows);
  for (auto& note : finding_notes(reports, rows)) notes.push_back(std::move(note));
  for (auto& note : status_notes(reports, rows)) notes.push_back(std::move(note));
  if (auto cost = telemetry_cost(reports); !cost.empty()) notes.push_back(std::move(cost));
  if (!notes.empty()) text += "\n";
  for (const auto& note : notes) text += item(note);
  return text;
}

std::string telemetry_cost(std::span<const Report> reports) {
  std::optional<double> most;
  for (const Report& report : reports) {
    for (const TelemetryRecord& record : report.telemetry) {
      const std::string& source = record.values.source;
      // Older reports have only the second of these sources.
      if (source != "watching_cpu_share" && source != "sampler_cpu_share") continue;
      most = std::max(most.value_or(0), record.values.mean);
    }
  }
  if (!most) return {};
  return "watching the run took " + percent(*most, 3) + " of one core at most";
}

namespace {

// "GPU-5a1e9c1e" is enough to distinguish the GPUs of a machine.
constexpr std::size_t kUuidShown = 12;

// Returns nvidia-smi's form, without the domain if that is 0: "10:00.0".
std::string short_pci(const std::string& pci) {
  const std::size_t colon = pci.find(':');
  const bool zero = colon != std::string::npos && pci.find(':', colon + 1) != std::string::npos &&
                    pci.find_first_not_of('0') >= colon;
  return zero ? pci.substr(colon + 1) : pci;
}

std::string or_absent(const std::string& text) { return text.empty() ? kAbsent : text; }

}  // namespace

std::vector<Column> device_columns(const std::vector<DeviceRecord>& devices) {
  using Device = DeviceRecord;
  std::vector<Column> columns;
  const auto add = [&](std::vector<std::string> head, bool left, const auto& text) {
    columns.push_back(column(std::move(head), left, devices, text));
  };
  const auto any = [&](const auto& test) { return std::ranges::any_of(devices, test); };
  if (any([&](const Device& d) { return d.group != devices.front().group; })) {
    add({"point"}, true, &Device::group);
  }
  add({"rank"}, false, [](const Device& d) { return std::to_string(d.rank); });
  add({"host"}, true, &Device::host);
  add({"device"}, true, &Device::device);
  columns.push_back(numbers({"samples", "per s"}, devices, &Device::samples_per_sec, readable));
  add({"95 %", "interval"}, true, [](const Device& d) { return interval_text(d.ci95, readable); });
  columns.push_back(
      numbers({"against", "others %"}, devices, &Device::deviation, change_in_percent));
  add({"95 %", "interval"}, true,
      [](const Device& d) { return interval_text(d.deviation_ci95, change_in_percent); });
  if (any([](const Device& d) { return d.max_sm_clock_MHz.has_value(); })) {
    add({"clock,", "most MHz"}, false, [](const Device& d) {
      return d.max_sm_clock_MHz ? std::to_string(*d.max_sm_clock_MHz) : kAbsent;
    });
  }
  if (any([](const Device& d) { return !d.uuid.empty(); })) {
    add({"uuid", "begins"}, true,
        [](const Device& d) { return or_absent(d.uuid.substr(0, kUuidShown)); });
  }
  if (any([](const Device& d) { return !d.pci.empty(); })) {
    add({"pci"}, true, [](const Device& d) { return or_absent(short_pci(d.pci)); });
  }
  return columns;
}

std::string devices_note() {
  return "each device trains alone beside the others; against others: its rate against the median "
         "of "
         "the other devices in the same runs";
}

namespace {

std::string_view words(MachineRate what) {
  switch (what) {
    case MachineRate::kMatrixProduct:
      return "matrix product";
    case MachineRate::kMemoryCopy:
      return "memory copy";
    case MachineRate::kHostToDevice:
      return "copy to the device";
    case MachineRate::kAllReduce:
      return "all-reduce";
    case MachineRate::kImageLoader:
      return "image loader";
    case MachineRate::kDiskRead:
      return "disk read";
    case MachineRate::kSustainedProduct:
      return "product, held";
    case MachineRate::kDeviceToHost:
      return "copy to the host";
    case MachineRate::kNodeAllReduce:
      return "all-reduce in the node";
    case MachineRate::kNodeAllToAll:
      return "all-to-all in the node";
    case MachineRate::kPeerExchange:
      return "exchange with peers";
  }
  return "";
}

bool differ(const std::vector<FingerprintRecord>& records, std::string FingerprintRecord::*member) {
  return std::ranges::any_of(
      records, [&](const auto& record) { return record.*member != records.front().*member; });
}

}  // namespace

std::string name_in_words(const FingerprintRecord& record) {
  const std::string name(words(record.what));
  return record.precision.empty() ? name : name + " " + record.precision;
}

std::string rate_interval_text(const FingerprintRecord& record) {
  if (!record.value || !record.ci95) return kAbsent;
  return rate_range(*record.ci95.low, *record.ci95.high, *record.value, record.unit);
}

std::vector<Column> fingerprint_columns(const std::vector<FingerprintRecord>& records) {
  std::vector<Column> columns;
  const auto add = [&](std::vector<std::string> head, bool left, const auto& text) {
    columns.push_back(column(std::move(head), left, records, text));
  };
  using Rate = FingerprintRecord;
  if (differ(records, &Rate::host)) add({"host"}, true, &Rate::host);
  add({"what"}, true, name_in_words);
  if (differ(records, &Rate::device)) add({"device"}, true, &Rate::device);
  add({"threads"}, false, [](const Rate& r) { return std::to_string(r.threads); });
  add({"rate"}, false, [](const Rate& r) {
    if (!r.value) return std::string("not measured");
    return (r.disturbed.empty() ? "" : "! ") + rate_text(*r.value, r.unit);
  });
  add({"95 %", "interval"}, true, rate_interval_text);
  add({"calls"}, false, [](const Rate& r) { return r.n > 0 ? std::to_string(r.n) : kAbsent; });
  add({"how"}, true, [](const Rate& r) { return r.method.empty() ? kAbsent : r.method; });
  return columns;
}

std::vector<std::string> fingerprint_notes(const std::vector<FingerprintRecord>& records) {
  std::vector<std::string> notes{
      "each measured alone: nothing else of this program ran on the machine; intervals are of "
      "these seconds, another day may differ by more; a memory copy counts bytes read and written"};
  std::vector<std::string> seen;
  for (const FingerprintRecord& record : records) {
    if (record.disturbed.empty() || std::ranges::count(seen, record.disturbed) > 0) continue;
    seen.push_back(record.disturbed);
    notes.push_back(
        "! measured while something else used the machine, so nothing is judged by it: " +
        record.disturbed);
  }
  for (const FingerprintRecord& record : records) {
    if (!record.reason.empty()) notes.push_back(name_in_words(record) + ": " + record.reason);
  }
  return notes;
}

}  // namespace scalemark::reporting
