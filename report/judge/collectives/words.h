// Writes collectives, sizes and times in words, for every rendering. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "report/record/collective_records.h"

namespace scalemark::reporting {

// The traits of a collective as a user typed them, from field to value: "bytes" -> "4096",
// "in_place" -> "on".
using Traits = std::map<std::string, std::string>;
Traits traits_of(const CollectiveRecord& run);

// Writes "all-reduce, fp32, 2 ranks": the collective, its ranks, and whatever else in `fixed`
// differs within `all`.
std::string series_text(const Traits& fixed, const std::vector<Traits>& all);

// Writes a trait for people: "2 ranks", "4 KiB", "via direct", "in place".
std::string trait_text(const std::string& trait, const std::string& value);

// Describes one finished run: "all-reduce 4 KiB fp32 gloo 2 ranks  112 us  0.0366 GB/s". The last
// number is the bus bandwidth; both numbers are from the back-to-back loop.
std::string line_of(const CollectiveRecord& run);

}  // namespace scalemark::reporting
