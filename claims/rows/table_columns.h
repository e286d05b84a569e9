// Finds the meaning of a table's columns from their headers and their cells, with the units in
// them, and its rows by these. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "claims/rows/columns.h"
#include "claims/rows/table.h"
#include "claims/rows/text_tables.h"

namespace scalemark::tables {

// Returns one meaning per header. A column "Setup", or one with an unknown header, is a column of
// chips where all its cells name counts of GPUs ("8x A100", "2 nodes x 8 GPUs").
std::vector<ColumnMeaning> columns_of(const TextTable& table);

// Tells the column apart from others of its kind: "tf32", "V100"; empty: nothing does.
std::string column_label(const ColumnMeaning& column);

// Finds the decimal sign that the numbers of a table show: in "1.571,2" and "812,5" it is a comma,
// and a speed-up or a count of GPUs with one sign before three digits shows it, too. The sign is
// not sure where both occur, and where rates are all like "1.571".
void find_decimal(TextTable& table);

// Whether digits begin anywhere but within a word: "TF32" has none.
bool has_number(const std::string& text);
// Whether a row takes what the cell of such a column holds: a count of GPUs that is whole and above
// 0, a rate above 0.
bool fits(const ColumnMeaning& column, const std::string& text, const Cell& read);
// Whether so many GPUs or nodes can be: whole, from 1 to 10 millions.
bool is_count_of_machines(double number);

// Puts a cell into a row: a word, a count, a time.
void put_cell(const ColumnMeaning& column, const std::string& text, Decimal decimal, Row& row);
void put_time(const ColumnMeaning& column, const Cell& read, Row& row);
// Puts the ratios of a cell into a row. A factor is a speed-up and a per cent an efficiency,
// whatever the column; a bare number is what the column is.
void put_ratios(const ColumnMeaning& column, const Cell& read, Row& row);
Printed ratio_of(const Value& value, const ColumnMeaning& column);
// Makes steps per second, which stand as the rate, the time of a step, and a rate of samples where
// the batch of a step is known.
void put_steps(Row& row);

// Reads the rows of a table by the meanings of its columns. Nothing where it has no counts or no
// measures, or is too large; no rows where none of its cells can be read.
std::optional<Table> read_rows(const TextTable& table);

}  // namespace scalemark::tables
