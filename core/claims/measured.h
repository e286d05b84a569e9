// A number that was measured here, with its interval. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace scalemark::claims {

struct Measured {
  double value = 0;
  std::optional<double> low, high;  // 95 %; absent of one run
  int runs = 0;
  std::vector<std::string> groups;
  std::string device_name;
  std::int64_t world_size = 1, nodes = 1;
  bool scaled_down = false;
  // The finding where too few runs are left that nothing disturbed: no interval, nothing decided.
  std::string disturbed_by;
};

// Half of a 95 % interval of ln of a positive number; absent of one run.
std::optional<double> half_width(const std::optional<double>& low,
                                 const std::optional<double>& high);

// The same of a ratio of two independent numbers.
std::optional<double> together(const std::optional<double>& a, const std::optional<double>& b);

// Sets low and high around the value, where there is a half width.
void set_interval(Measured& measured, const std::optional<double>& half);

}  // namespace scalemark::claims
