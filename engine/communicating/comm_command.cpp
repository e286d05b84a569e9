#include "engine/communicating/comm_command.h"

#include "engine/distributed/wire.h"

namespace scalemark::communicating {

std::string encode(const CommCommand& command) {
  const BatchId batch = command.batch.value_or(BatchId{});
  return distributed::encode_numbers({command.batch ? 1.0 : 0.0, static_cast<double>(batch.block),
                                      static_cast<double>(batch.number)});
}

CommCommand decode_comm_command(const std::string& bytes) {
  const auto numbers = distributed::decode_numbers(bytes, 3);
  if (numbers[0] == 0) return {};
  return {.batch = BatchId{.block = static_cast<int>(numbers[1]),
                           .number = static_cast<std::size_t>(numbers[2])}};
}

}  // namespace scalemark::communicating
