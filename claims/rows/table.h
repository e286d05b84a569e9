// A table of throughputs as somebody printed it, which `scalemark lint` judges. Rows of the
// published library, tables of a Markdown or CSV file and our own reports all become one. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace scalemark::tables {

// A number as it was printed. It may have been rounded or truncated: the true value lies within one
// unit of the last digit.
struct Printed {
  double value = 0;
  double unit = 0;
  std::string text;  // the number without what surrounds it

  double low() const { return value - unit; }
  double high() const { return value + unit; }
};

// "3,100 img/s" -> 3100 +- 1; "12.4x"; "~ 98.5 %" -> 98.5 +- 0.1. Returns nothing where the text
// does not begin with a number, apart from signs like ~ and markup.
std::optional<Printed> read_printed(std::string_view text);

// Reads a time in seconds: a number in units of `factor` seconds, or with units of its own ("2.5
// h", "12h 30m", "650 ms"), or a clock's ("1:20:00", "41:14"). Returns nothing where the text does
// not begin with a number.
std::optional<Printed> read_duration(std::string_view text, double factor);

// Prints a number with the fewest digits that read back as the same number.
Printed as_printed(double value);

// Returns `printed` in other units: a per cent of 98.5 times 0.01.
Printed scaled(Printed printed, double factor);

// A ratio between two precisions, which is printed beside two throughputs on as many GPUs: amp
// against fp32.
struct PrecisionRatio {
  Printed value;
  std::string from, to;  // precisions as the table names them
};

struct Row {
  std::string id;      // "pub-0001", "line 12"
  std::string series;  // equal in rows that may differ in their GPUs only
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
  bool time_is_of_an_epoch = false;
  std::vector<PrecisionRatio> ratios;
  bool strong = false;  // true: the table says so, or its batch per GPU falls
};

struct Table {
  std::string name;
  std::vector<Row> rows;
};

// Rows of one table that differ in their GPUs only, in the order of the table, with a rising count
// of GPUs.
using Series = std::vector<const Row*>;
std::vector<Series> series_of(const Table& table);

// Returns the samples per second over all GPUs, as printed or computed from the rate per GPU.
std::optional<Printed> rate_of(const Row& row);

}  // namespace scalemark::tables
