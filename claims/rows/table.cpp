#include "claims/rows/table.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/base/number_words.h"

namespace scalemark::tables {
namespace {

// Whether the rows are distinct by their keys, extended by `more`, and their counts of GPUs.
template <class More>
bool distinguishes(const std::vector<const Row*>& rows, More more) {
  std::set<std::pair<std::string, double>> seen;
  return std::ranges::all_of(rows, [&](const Row* row) {
    return seen.insert({more(*row), *row->gpus}).second;
  });
}

std::string text_of(const std::optional<double>& number) {
  return number ? significant(*number, 12) : "";
}

// Splits rows where their counts of GPUs do not rise: a second table begins below the first.
void add_rising(std::vector<const Row*> rows, std::vector<Series>& all) {
  const auto falls = [](const Row* a, const Row* b) { return *a->gpus <= *b->gpus; };
  if (std::ranges::adjacent_find(rows, falls) == rows.end()) std::ranges::reverse(rows);
  Series series;
  for (const Row* row : rows) {
    if (!series.empty() && *row->gpus <= *series.back()->gpus) {
      all.push_back(std::move(series));
      series.clear();
    }
    series.push_back(row);
  }
  if (!series.empty()) all.push_back(std::move(series));
}

template <class Key>
std::vector<std::vector<const Row*>> grouped_by(const std::vector<const Row*>& rows, Key key) {
  std::vector<std::vector<const Row*>> groups;
  std::map<std::string, std::size_t> places;
  for (const Row* row : rows) {
    const auto [place, fresh] = places.try_emplace(key(*row), groups.size());
    if (fresh) groups.emplace_back();
    groups[place->second].push_back(row);
  }
  return groups;
}

}  // namespace

std::vector<Series> series_of(const Table& table) {
  std::vector<const Row*> counted;
  for (const Row& row : table.rows) {
    if (row.gpus) counted.push_back(&row);
  }
  std::vector<Series> all;
  for (const auto& group : grouped_by(counted, [](const Row& row) {
         return row.series + "|" + row.precision + "|" + row.network + "|" + row.chip + "|" +
                row.phase + "|" + row.unit;
       })) {
    using Key = std::string (*)(const Row&);
    const Key none = [](const Row&) { return std::string(); };
    const Key batch = [](const Row& row) { return text_of(row.batch); };
    const Key global = [](const Row& row) { return text_of(row.global_batch); };
    const Key keys[] = {none, batch, global};
    const auto key = std::ranges::find_if(keys, [&](Key one) { return distinguishes(group, one); });
    for (const auto& part : grouped_by(group, key == std::end(keys) ? none : *key))
      add_rising(part, all);
  }
  return all;
}

std::optional<Printed> rate_of(const Row& row) {
  if (row.rate) return row.rate;
  if (!row.rate_per_gpu || !row.gpus) return std::nullopt;
  return scaled(*row.rate_per_gpu, *row.gpus);
}

}  // namespace scalemark::tables
