#include "core/reporting/table/device_table.h"

#include <algorithm>
#include <functional>

#include "core/base/text.h"

namespace scalemark::reporting {
namespace {

constexpr const char* kNoDeviceValue = "-";
constexpr std::size_t kUuidShown =
    12;  // "GPU-5a1e9c1e": enough to tell the GPUs of a machine apart

using DeviceText = std::function<std::string(const DeviceRecord&)>;

Column column(std::vector<std::string> head, bool left, const std::vector<DeviceRecord>& devices,
              const DeviceText& text) {
  Column result{std::move(head), left, {}};
  for (const DeviceRecord& device : devices) result.cells.push_back(text(device));
  return result;
}

std::string rate(double value) { return significant(value, 4); }
std::string signed_percent(double share) {
  const std::string text = printed("%+.1f", 100 * share);
  return text == "-0.0" || text == "+0.0" ? "0.0" : text;
}

std::string interval(const std::optional<double>& low, const std::optional<double>& high,
                     std::string (*text)(double)) {
  return low && high ? text(*low) + " .. " + text(*high) : kNoDeviceValue;
}

// nvidia-smi's form without the domain where that is 0: "10:00.0".
std::string short_pci(const std::string& pci) {
  const std::size_t colon = pci.find(':');
  const bool zero = colon != std::string::npos && pci.find(':', colon + 1) != std::string::npos &&
                    pci.find_first_not_of('0') >= colon;
  return zero ? pci.substr(colon + 1) : pci;
}

std::string or_absent(const std::string& text) { return text.empty() ? kNoDeviceValue : text; }

bool any(const std::vector<DeviceRecord>& devices,
         const std::function<bool(const DeviceRecord&)>& test) {
  return std::ranges::any_of(devices, test);
}

}  // namespace

std::vector<Column> device_columns(const std::vector<DeviceRecord>& devices) {
  using Device = DeviceRecord;
  std::vector<Column> columns;
  const auto add = [&](std::vector<std::string> head, bool left, const DeviceText& text) {
    columns.push_back(column(std::move(head), left, devices, text));
  };
  if (any(devices, [&](const Device& d) { return d.group != devices.front().group; })) {
    add({"point"}, true, [](const Device& d) { return d.group; });
  }
  add({"rank"}, false, [](const Device& d) { return std::to_string(d.rank); });
  add({"host"}, true, [](const Device& d) { return d.host; });
  add({"device"}, true, [](const Device& d) { return d.device; });
  add({"samples", "per s"}, false, [](const Device& d) { return rate(d.samples_per_sec); });
  add({"95 %", "interval"}, true,
      [](const Device& d) { return interval(d.ci95_low, d.ci95_high, rate); });
  add({"against", "others %"}, false, [](const Device& d) {
    return d.deviation ? signed_percent(*d.deviation) : std::string(kNoDeviceValue);
  });
  add({"95 %", "interval"}, true, [](const Device& d) {
    return interval(d.deviation_ci95_low, d.deviation_ci95_high, signed_percent);
  });
  if (any(devices, [](const Device& d) { return d.max_sm_clock_MHz.has_value(); })) {
    add({"clock,", "most MHz"}, false, [](const Device& d) {
      return d.max_sm_clock_MHz ? std::to_string(*d.max_sm_clock_MHz) : std::string(kNoDeviceValue);
    });
  }
  if (any(devices, [](const Device& d) { return !d.uuid.empty(); })) {
    add({"uuid", "begins"}, true,
        [](const Device& d) { return or_absent(d.uuid.substr(0, kUuidShown)); });
  }
  if (any(devices, [](const Device& d) { return !d.pci.empty(); })) {
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
