// Writes the file of --raw-steps: what every rank of a point measured, value by value, so that
// others can compute the report's numbers again. A line of JSON describes what follows, then come
// the numbers. Format: REPORT.md, "Raw steps". Knows nothing of how the values come to rank 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/atomic_file.h"
#include "report/record/records.h"

namespace scalemark::reporting {

// The interval between two barriers: the window, or with --epochs a stretch of an epoch.
struct RawWindow {
  double wall_s = 0;  // t1 - t0 of this rank (METRICS.md, "The window")
  std::int64_t steps = 0;
  // Rows in the table `steps`: one per step, or fewer where only every n-th step is marked.
  std::int64_t entries = 0;
  std::int64_t epoch = 0;  // counted from 1; 0 without --epochs
};

// The measurements of one rank.
struct RawSteps {
  std::int64_t steps_per_mark = 1;
  std::vector<RawWindow> windows;
  std::vector<double> step_s;          // all windows, one after the other
  std::vector<Phases> phases_s;        // one per step_s; empty where steps run as a whole
  std::vector<CostBlock> cost_blocks;  // filled by --communication-cost
};

struct RawColumn {
  std::string name, unit;
};
template <class A>
constexpr void fields(A& a, typename A::template Field<RawColumn>& c) {
  a.values(c.name, c.unit);
}
struct RawTable {
  std::string name;
  std::int64_t rows = 0;
  std::vector<RawColumn> columns;
};
template <class A>
constexpr void fields(A& a, typename A::template Field<RawTable>& t) {
  a.values(t.name, t.rows, t.columns);
}

// The measurements of one rank as they stand in the file: table after table, column after column,
// every value a float64 in this machine's byte order.
struct RawPart {
  std::int64_t steps_per_mark = 1;
  std::vector<RawTable> tables;  // the same on every rank of a point
  std::string values;
};
template <class A>
constexpr void fields(A& a, typename A::template Field<RawPart>& p) {
  a.values(p.steps_per_mark, p.tables, p.values);
}
RawPart raw_part(const RawSteps& steps);

struct RawRank {
  int rank = 0;              // its number in the launch
  std::int64_t samples = 0;  // executed by the rank, padding excluded
};

// The first line, filled up with spaces so that the numbers begin at a multiple of 64 bytes.
std::string raw_steps_header(const std::string& point, const RawPart& part,
                             std::span<const RawRank> ranks);

// Returns "raw/GROUP/r0.steps" for the point "GROUP/r0". The path is below the output folder.
std::string raw_steps_name(const std::string& point);

// Removes the files of an earlier run below `output`, and folders that become empty. Touches no
// other files. Throws cannot_create() (73).
void remove_raw_steps(const std::filesystem::path& output);

// The file while it is written. finish() gives it its name, so that it appears whole or not at all.
class RawStepsFile {
 public:
  // Makes the folders. Throws cannot_create() (73), io_error() (74).
  RawStepsFile(const std::filesystem::path& output, const std::string& point,
               std::string_view header, std::size_t ranks, std::size_t bytes_per_rank);

  // Writes values of the rank that is at `place` in the header, from byte `at` of its values on, in
  // any order. Throws io_error() (74).
  void write(std::size_t place, std::size_t at, std::string_view bytes);

  // Throws io_error() (74), and bug() unless every byte was written.
  void finish();

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::size_t header_bytes_, bytes_per_rank_, missing_;
  AtomicFile file_;
};

}  // namespace scalemark::reporting
