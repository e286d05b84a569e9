#include <algorithm>

#include "core/base/number_words.h"
#include "core/reporting/table/table.h"

namespace scalemark::reporting {
namespace {

constexpr std::size_t kUuidShown =
    12;  // "GPU-5a1e9c1e": enough to tell the GPUs of a machine apart

// nvidia-smi's form without the domain where that is 0: "10:00.0".
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

}  // namespace scalemark::reporting
