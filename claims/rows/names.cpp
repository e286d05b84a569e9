#include "claims/rows/names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <tuple>

#include "claims/rows/mapping.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/settings/problem.h"

namespace scalemark::published {
namespace {

constexpr auto kAliases = std::to_array<Alias>({
#define SCALEMARK_ALIAS(name, slug) {name, slug},
#include "claims/rows/alias_list.inc"
#undef SCALEMARK_ALIAS
});

bool is_or_begins(std::string_view slug, std::string_view begin) {
  return slug.starts_with(begin) && (slug.size() == begin.size() || slug[begin.size()] == '-');
}

}  // namespace

std::string slug_of(std::string_view group) {
  std::string slug;
  for (const char c : group) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) && byte < 128) {
      slug += static_cast<char>(std::tolower(byte));
    } else if (!slug.empty() && slug.back() != '-') {
      slug += '-';
    }
  }
  if (slug.ends_with('-')) slug.pop_back();
  return slug;
}

std::string letters_of(std::string_view text) {
  std::string letters = slug_of(text);
  std::erase(letters, '-');
  return letters;
}

std::span<const Alias> aliases() { return kAliases; }

std::string name_of_table(std::string_view group) {
  std::string slug = slug_of(group);
  const auto alias = std::ranges::find(kAliases, slug, &Alias::slug);
  return alias == kAliases.end() ? slug : std::string(alias->name);
}

const Row* find_row(const NamedTable& table, std::string_view id) {
  const auto found =
      std::ranges::find_if(table.rows, [&](const Row* row) { return row->id == id; });
  return found == table.rows.end() ? nullptr : *found;
}

std::vector<NamedTable> tables_of(std::span<const Row> rows) {
  std::vector<NamedTable> tables;
  std::map<std::string_view, std::size_t> places;
  for (const Row& row : rows) {
    const auto [place, fresh] = places.try_emplace(row.group, tables.size());
    if (fresh) tables.push_back({name_of_table(row.group), slug_of(row.group), row.group, {}});
    tables[place->second].rows.push_back(&row);
  }
  return tables;
}

std::vector<NamedTable> find_tables(std::span<const Row> rows, const std::string& word) {
  std::vector<NamedTable> tables = tables_of(rows);
  const std::string slug = slug_of(word);
  const auto alias = std::ranges::find(kAliases, slug, &Alias::name);
  const std::string begin = alias == kAliases.end() ? slug : std::string(alias->slug);
  std::vector<NamedTable> found;
  for (const NamedTable& table : tables) {
    if (find_row(table, word) || is_or_begins(table.slug, begin)) found.push_back(table);
  }
  // A word that is a table's whole slug means that table alone, even if other slugs begin with it.
  const auto same = std::ranges::find(found, begin, &NamedTable::slug);
  if (same != found.end() && alias == kAliases.end()) return {*same};
  if (!found.empty()) return found;
  std::vector<std::string_view> names;
  for (const NamedTable& table : tables) names.push_back(table.name);
  for (const Alias& one : kAliases) {
    const bool is_there = std::ranges::any_of(
        tables, [&](const NamedTable& table) { return is_or_begins(table.slug, one.slug); });
    if (is_there) names.push_back(one.name);
  }
  std::string hint = settings::did_you_mean(slug, names);
  if (hint.empty()) hint = "`scalemark published list` lists them; a WORD narrows it";
  throw no_input("'" + word + "' is no published table", "", std::move(hint));
}

namespace {

bool are_digits(char a, char b) {
  return std::isdigit(static_cast<unsigned char>(a)) && std::isdigit(static_cast<unsigned char>(b));
}

// Whether `letters` stand in the slug, whose dashes do not count, and no number goes on beyond
// their ends.
bool stand_in(std::string_view slug, std::string_view letters) {
  for (std::size_t begin = 0; begin < slug.size(); ++begin) {
    if (begin > 0 && are_digits(slug[begin - 1], letters.front())) continue;
    std::size_t at = begin, matched = 0;
    for (; at < slug.size() && matched < letters.size(); ++at) {
      if (slug[at] == '-' && matched > 0) continue;
      if (slug[at] != letters[matched]) break;
      ++matched;
    }
    const bool goes_on = at < slug.size() && are_digits(slug[at], letters.back());
    if (matched == letters.size() && !goes_on) return true;
  }
  return false;
}

std::string searched_text(const NamedTable& table, const Row& row) {
  const auto chip = chip_in(row.system);
  const auto precisions =
      row.precision.empty() ? std::vector<std::string>() : trained_as(row).precisions;
  std::string text;
  for (const std::string& part :
       {table.name, table.group, row.repo, row.workload, row.system,
        std::string(chip ? chip->name : ""), precision_text({row.precision}),
        precision_text(precisions), row.gpus ? std::to_string(*row.gpus) : ""})
    text += slug_of(part) + "/";
  return text;
}

}  // namespace

std::vector<NamedTable> narrowed(std::vector<NamedTable> tables,
                                 const std::vector<std::string>& words) {
  for (NamedTable& table : tables) {
    std::erase_if(table.rows, [&](const Row* row) {
      const std::string text = searched_text(table, *row);
      return !std::ranges::all_of(words, [&](const std::string& word) {
        const std::string letters = letters_of(word);
        return !letters.empty() && stand_in(text, letters);
      });
    });
  }
  std::erase_if(tables, [](const NamedTable& table) { return table.rows.empty(); });
  if (tables.empty())
    throw no_input("no published row has '" + joined(words, "' and '") +
                       "' in its name, source, network, machine, precision or number of GPUs",
                   "", "`scalemark published list` shows what there is");
  return tables;
}

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

std::map<std::string, const Row*> bases_of(const NamedTable& table) {
  std::vector<Row> rows;
  for (const Row* row : table.rows) {
    if (!row->metric.empty() && !is_worth_a_speedup(*row)) continue;
    Row& one = rows.emplace_back(*row);
    if (row->metric.empty()) continue;
    one.throughput = row->published_speedup;
    one.batch_per_gpu.reset();  // it falls where the work of all GPUs is the same
  }
  std::map<std::string, const Row*> bases;
  for (const Series& series : scaling_series(rows, 2)) {
    const Row* base = find_row(table, series.points.front().id);
    for (std::size_t i = 1; i < series.points.size(); ++i) bases[series.points[i].id] = base;
  }
  return bases;
}

}  // namespace scalemark::published
