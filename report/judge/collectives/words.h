// Collectives, sizes and times in words, as every rendering writes them. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "report/record/collective_records.h"

namespace scalemark::reporting {

// A user typed these traits of a collective, as fields and values: "bytes" -> "4096", "in_place" ->
// "on".
using Traits = std::map<std::string, std::string>;
Traits traits_of(const CollectiveRecord& run);

// "all-reduce, fp32, 2 ranks": the collective and its ranks, and whatever else of `fixed` differs
// within `all`.
std::string series_text(const Traits& fixed, const std::vector<Traits>& all);

// A trait for people: "2 ranks", "4 KiB", "via direct", "in place".
std::string trait_text(const std::string& trait, const std::string& value);

// One finished run: "all-reduce 4 KiB fp32 gloo 2 ranks  112 us  0.0366 GB/s"; the last is the bus
// bandwidth, both are of the back-to-back loop.
std::string line_of(const CollectiveRecord& run);

}  // namespace scalemark::reporting
