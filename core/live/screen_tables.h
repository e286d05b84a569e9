// The tables of `top`: a row per rank and per machine, as wide as the terminal. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/base/terminal.h"
#include "core/live/rates.h"

namespace scalemark::live {

// How many lines stand above the rows of a table.
inline constexpr int kTableHead = 2;

// The lines of the ranks at `rows`, places in status.ranks, below the table's head. A terminal that
// is too narrow gets fewer columns: those that hold nothing go first, the reason of a mark never.
// Marked ranks begin with "!" and are red.
std::vector<std::string> rank_table(const Status& status, const RunNow& now,
                                    const std::vector<std::size_t>& rows, const Terminal& terminal);

// The same of the machines at `rows`, places in status.nodes.
std::vector<std::string> node_table(const Status& status, const RunNow& now,
                                    const std::vector<std::size_t>& rows, const Terminal& terminal);

}  // namespace scalemark::live
