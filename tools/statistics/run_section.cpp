#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "tools/statistics/sections.h"

namespace scalemark::trials {

int run_section(std::span<const Section> sections, int argc, char** argv) {
  const auto section = std::ranges::find(sections, argc > 1 ? argv[1] : "", &Section::name);
  if (argc != 7 || section == sections.end() || std::atoi(argv[2]) < 1) {
    std::cerr << "usage: " << argv[0] << " SECTION TRIALS SEED every|few PART PARTS\nsections:";
    for (const Section& one : sections) std::cerr << ' ' << one.name;
    std::cerr << '\n';
    return 64;
  }
  section->run({.seed = std::strtoull(argv[3], nullptr, 10),
                .trials = std::atoi(argv[2]),
                .part = std::strtoull(argv[5], nullptr, 10),
                .parts = std::max(1ULL, std::strtoull(argv[6], nullptr, 10)),
                .every_scenario = std::string_view(argv[4]) == "every"});
  return 0;
}

}  // namespace scalemark::trials
