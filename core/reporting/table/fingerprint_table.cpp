#include <algorithm>
#include <string_view>

#include "core/base/number_words.h"
#include "core/reporting/table/table.h"

namespace scalemark::reporting {
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
  std::vector<std::string> told;
  for (const FingerprintRecord& record : records) {
    if (record.disturbed.empty() || std::ranges::count(told, record.disturbed) > 0) continue;
    told.push_back(record.disturbed);
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
