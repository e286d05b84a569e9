// Published rows put together: as tables, which a person names by a slug or a short alias, and as
// scaling series, whose rows differ only in how many GPUs took part. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "claims/rows/row.h"

namespace scalemark::published {

// "dle/PyTorch/resnet50v1.5/train" -> "dle-pytorch-resnet50v1-5-train": lower case, and a dash for
// everything between letters and digits.
std::string slug_of(std::string_view group);

// The same without dashes: "ResNet-50" and "resnet50" are one word.
std::string letters_of(std::string_view text);

// A short name for all tables whose slug begins with `slug`.
struct Alias {
  std::string_view name, slug;
};
std::span<const Alias> aliases();

// The shortest name: an alias of this very table, else its slug.
std::string name_of_table(std::string_view group);

// A table, with its rows in the order of `rows`.
struct NamedTable {
  std::string name, slug, group;
  std::vector<const Row*> rows;
};

// Every table, in the order in which they begin.
std::vector<NamedTable> tables_of(std::span<const Row> rows);

// The tables that `word` names: a slug, an alias, or an id of a row (the table that holds it).
// Throws no_input() (66), with the nearest name, where there is none.
std::vector<NamedTable> find_tables(std::span<const Row> rows, const std::string& word);

struct SeriesPoint {
  std::string id;
  std::int64_t gpus = 0, nodes = 1;  // 1 node where the source does not say
  double throughput = 0;
};

struct Series {
  std::string repo, name;
  std::vector<SeriesPoint> points;  // by GPUs, each count once
};

// Rows with a throughput, equal in source, table, framework, system, workload, phase, sequence
// length, precision, batch per GPU, data, unit and scaling label. Left out: groups of fewer than
// `at_least` counts, and groups in which a count occurs twice (such rows differ in something that
// only their notes say). In the order of the first row of each.
std::vector<Series> scaling_series(std::span<const Row> rows, std::size_t at_least);

}  // namespace scalemark::published
