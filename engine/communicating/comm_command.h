// The tasks of comm's loop: a batch, or all links. Every rank holds the plan, so only numbers
// travel.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace scalemark::communicating {

// The `number`-th of planning::batches_of_block(plan, block).
struct BatchId {
  int block = 0;
  std::size_t number = 0;
};

struct CommCommand {
  std::optional<BatchId> batch;  // absent: all links, links/pairs_run.h
};

std::string encode(const CommCommand& command);
CommCommand decode_comm_command(const std::string& bytes);  // bug() for what encode() did not write

}  // namespace scalemark::communicating
