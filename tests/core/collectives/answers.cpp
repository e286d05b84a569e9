// Prints what the exact data of collectives is, for oracle_test.py. A line of stdin is
// "COLLECTIVE RANKS ELEMENTS ROUND": two lines of numbers for each rank, what it sends and what it
// must receive. "bits" prints fp16 and bf16 bits of 0 to kMostExact.
#include <iostream>
#include <sstream>
#include <string>

#include "core/collectives/check.h"
#include "tools/programs/commands.h"

namespace {

using namespace scalemark;
using collectives::Exchange;

void print_bits() {
  for (int value = 0; value <= collectives::kMostExact; ++value) {
    std::cout << collectives::fp16_bits(value) << ' ' << collectives::bf16_bits(value) << '\n';
  }
}

void print_exchange(const Exchange& exchange) {
  for (int rank = 0; rank < exchange.world_size; ++rank) {
    for (std::int64_t i = 0; i < input_elements(exchange); ++i) {
      std::cout << input_value(exchange, rank, i) << ' ';
    }
    std::cout << '\n';
    for (std::int64_t i = 0; i < output_elements(exchange, rank); ++i) {
      std::cout << expected_value(exchange, rank, i) << ' ';
    }
    std::cout << '\n';
  }
}

}  // namespace

int scalemark::commands::collectives_answers(int, char**) {
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string name;
    Exchange exchange;
    words >> name >> exchange.world_size >> exchange.elements >> exchange.round;
    const auto collective = find_word<collectives::Collective>(name);
    if (collective) {
      exchange.collective = *collective;
      print_exchange(exchange);
    } else {
      print_bits();
    }
  }
  return 0;
}
