// Groups published rows: into tables, which a person names by a slug or a short alias, and into
// scaling series, whose rows differ only in how many GPUs took part. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "claims/rows/row.h"

namespace scalemark::published {

// "dle/PyTorch/resnet50v1.5/train" -> "dle-pytorch-resnet50v1-5-train": lower case, with a dash for
// everything between letters and digits.
std::string slug_of(std::string_view group);

// Like slug_of(), without dashes, so that "ResNet-50" and "resnet50" are one word.
std::string letters_of(std::string_view text);

// A short name for all tables whose slug begins with `slug`.
struct Alias {
  std::string_view name, slug;
};
std::span<const Alias> aliases();

// Returns the shortest name: an alias that stands for this table alone, else its slug.
std::string name_of_table(std::string_view group);

// A table, with its rows in the order of the library.
struct NamedTable {
  std::string name, slug, group;
  std::vector<const Row*> rows;
};

// Returns the row with this id, or null.
const Row* find_row(const NamedTable& table, std::string_view id);

// Lists every table, by the place of its first row.
std::vector<NamedTable> tables_of(std::span<const Row> rows);

// Returns the tables that `word` names: a slug, an alias, or the id of a row of the table. Throws
// no_input() (66), naming the nearest name, where there is none.
std::vector<NamedTable> find_tables(std::span<const Row> rows, const std::string& word);

// Returns the tables with the rows that all words fit, by name, source, network, machine, chip,
// precision or number of GPUs. A number in a word fits a whole number only: "A100 8" is of 8 GPUs,
// not of 80 GB, and "a10" is no A100. Throws no_input() (66) where no row is left.
std::vector<NamedTable> narrowed(std::vector<NamedTable> tables,
                                 const std::vector<std::string>& words);

struct SeriesPoint {
  std::string id;
  std::int64_t gpus = 0, nodes = 1;  // nodes: 1 where the source does not say
  double throughput = 0;
};

struct Series {
  std::string repo, name;
  std::vector<SeriesPoint> points;  // ascending; each count of GPUs once
};

// Groups rows with a throughput that are equal in source, table, framework, system, workload,
// phase, sequence length, precision, batch per GPU, data, unit and scaling label. Leaves out groups
// with fewer than `at_least` counts, and groups in which a count occurs twice, whose rows differ in
// something that only their notes say. The series come in the order of their first rows.
std::vector<Series> scaling_series(std::span<const Row> rows, std::size_t at_least);

// Maps the id of each row with a speed-up to the row of its series with the fewest GPUs. Of rows
// without a throughput the speed-ups that the table gives are a series.
std::map<std::string, const Row*> bases_of(const NamedTable& table);

}  // namespace scalemark::published
