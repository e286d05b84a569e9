// A table of throughputs as somebody printed it, which `scalemark lint` judges. Rows of the
// published library, tables of a Markdown or CSV file and our own reports all become one. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "claims/rows/cell.h"

namespace scalemark::tables {

// A ratio between two columns, which is printed beside two throughputs on as many GPUs: amp against
// fp32, A100 against V100.
struct PrecisionRatio {
  Printed value;
  std::string from, to;  // each is a Row::column
};

struct Row {
  std::string id;      // "pub-0001", "line 12"
  std::string series;  // equal in rows that may differ in their GPUs only
  std::string column;  // the precision or the word that tells the column of the rate apart
  std::string chip, network, precision, phase, unit;
  std::optional<double> gpus, nodes, gpus_per_node;
  bool counts_nodes = false;  // `gpus` counts nodes of a size that is not printed
  std::optional<double> batch, accumulation, global_batch;
  bool batch_per_gpu = true;  // false: the table prints a batch and does not say which
  std::optional<std::int64_t> sequence_length;
  std::optional<Printed> rate, rate_per_gpu;  // samples per second
  std::optional<Printed> speedup, efficiency, mfu;
  std::optional<Printed> step_s, time_s, samples;
  std::vector<Printed> other_times;  // times in further columns: loading, a part
  std::optional<Printed> same_time;  // time_s again, in another unit
  std::optional<Printed> sample_s, epochs, steps, gpu_s, flops, accuracy;  // gpu_s: GPUs x seconds
  bool gain = false;                                        // the speed-up was printed as "+95 %"
  bool time_is_of_an_epoch = false, time_is_whole = false;  // whole: its header says no more
  std::vector<PrecisionRatio> ratios;
  bool strong = false;  // true: the table says so, or its batch per GPU falls
};

// Cells of columns that are judged which hold digits and are not understood.
struct Unread {
  std::size_t cells = 0, of = 0;
  std::string place, text;  // the first of them: "line 7", "1/2/4"
  bool ambiguous = false;   // its sign may be a decimal one or group thousands
};

struct Table {
  std::string name;
  std::vector<Row> rows;
  Unread unread = {};
};

// Rows of one table that differ in their GPUs only, in the order of the table, with a rising count
// of GPUs.
using Series = std::vector<const Row*>;
std::vector<Series> series_of(const Table& table);

// Returns the samples per second over all GPUs, as printed or computed from the rate per GPU.
std::optional<Printed> rate_of(const Row& row);

}  // namespace scalemark::tables
