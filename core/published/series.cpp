#include "core/published/series.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace scalemark::published {
namespace {

auto key_of(const Row& row) {
  return std::tuple(row.repo, row.path, row.group, row.framework, row.system, row.workload,
                    row.phase, row.sequence_length, row.precision, row.batch_per_gpu, row.data,
                    row.unit, row.scaling_label);
}

std::string series_name(const Row& row) {
  std::string name = row.framework + ", " + row.system + ", " + row.workload;
  if (row.phase) name += ' ' + *row.phase;
  if (row.sequence_length) name += " at " + std::to_string(*row.sequence_length);
  return name + ", " + row.precision;
}

bool has_a_count_twice(const Series& series) {
  return std::adjacent_find(series.points.begin(), series.points.end(), [](auto& a, auto& b) {
           return a.gpus == b.gpus;
         }) != series.points.end();
}

}  // namespace

std::vector<Series> scaling_series(std::span<const Row> rows, std::size_t at_least) {
  std::vector<Series> groups;
  std::map<decltype(key_of(rows[0])), std::size_t> found;
  for (const Row& row : rows) {
    if (!row.throughput || !row.gpus) continue;
    const auto [place, fresh] = found.try_emplace(key_of(row), groups.size());
    if (fresh) groups.push_back({.repo = row.repo, .name = series_name(row)});
    groups[place->second].points.push_back(
        {row.id, *row.gpus, row.nodes.value_or(1), *row.throughput});
  }
  for (Series& series : groups) {
    std::stable_sort(series.points.begin(), series.points.end(),
                     [](auto& a, auto& b) { return a.gpus < b.gpus; });
  }
  std::erase_if(groups, [&](const Series& series) {
    return series.points.size() < at_least || has_a_count_twice(series);
  });
  return groups;
}

}  // namespace scalemark::published
