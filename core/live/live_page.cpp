#include "core/live/live_page.h"

#include "core/base/record_json.h"
#include "core/live/rates.h"
#include "core/page/whole_page.h"

namespace scalemark::live {
namespace {

using monitoring::MachineNumber;

// The scripts know this of each number that has a column.
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

}  // namespace

std::string live_page() {
  const FieldJson numbers = {{"gpus", shown(kGpuNumbers, &MachineNumber::about)},
                             {"nodes", shown(kNodeNumbers, &MachineNumber::about)},
                             {"rates", shown(kNodeRates, &MachineNumber::rate)}};
  return page::whole_page(kLivePageFrame,
                          "const numbers = " + numbers.dump() + ";\n" + kLivePageScript);
}

}  // namespace scalemark::live
