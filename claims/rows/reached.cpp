// Shows the throughputs that others reached on a chip, by network and precision.
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "claims/rows/mapping.h"
#include "claims/rows/show.h"
#include "core/base/number_words.h"
#include "core/base/text.h"
#include "report/say/table/text_table.h"

namespace scalemark::published {
namespace {

// Others reached this with one GPU, training a network that is trained here.
struct Reached {
  std::set<std::int64_t> gpus;
  double low = 0, high = 0;
  std::string unit;
  std::set<std::string> by;  // owners of repositories
};
// By chip, network and precision.
using AllReached = std::map<std::string, std::map<std::pair<std::string, std::string>, Reached>>;

AllReached reached_in(const std::vector<NamedTable>& tables, const Here& here) {
  AllReached all;
  for (const NamedTable& table : tables) {
    for (const Row* row : table.rows) {
      const Mapping mapping = map_row(*row);
      if (!mapping.point || !row->throughput || mapping.point->chip.empty()) continue;
      if (here.impossible.contains(row->id)) continue;
      const MappedPoint& point = *mapping.point;
      Reached& one = all[point.chip][{point.workload, precision_text(point.precisions)}];
      const double rate = *row->throughput / static_cast<double>(*row->gpus);
      one.low = one.gpus.empty() ? rate : std::min(one.low, rate);
      one.high = std::max(one.high, rate);
      one.gpus.insert(*row->gpus);
      one.unit = row->unit;
      one.by.insert(row->repo.substr(0, row->repo.find('/')));
    }
  }
  return all;
}

std::string from_to(const std::string& low, const std::string& high) {
  return low == high ? low : low + " to " + high;
}

}  // namespace

std::string reached_text(const std::vector<NamedTable>& tables, const Here& here,
                         const Terminal& terminal) {
  using Line = std::pair<const std::pair<std::string, std::string>, Reached>;
  std::string text;
  for (const auto& [chip, lines] : reached_in(tables, here)) {
    const std::vector<reporting::Column> columns = {
        reporting::column({"network"}, true, lines, [](const Line& l) { return l.first.first; }),
        reporting::column({"precision"}, true, lines, [](const Line& l) { return l.first.second; }),
        reporting::column({"GPUs"}, true, lines,
                          [](const Line& l) {
                            return from_to(std::to_string(*l.second.gpus.begin()),
                                           std::to_string(*l.second.gpus.rbegin()));
                          }),
        reporting::column({"of one GPU"}, true, lines,
                          [](const Line& l) {
                            return from_to(significant(l.second.low, 3),
                                           significant(l.second.high, 3)) +
                                   " " + l.second.unit;
                          }),
        reporting::column({"by"}, true, lines,
                          [](const Line& l) { return listed(l.second.by, 1); })};
    text += reporting::section_text({chip, columns, {}}, terminal) + "\n";
  }
  return text;
}

}  // namespace scalemark::published
