// Checks that the ranks of mpi-rank make, and how they say what is wrong.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <torch/csrc/distributed/c10d/Backend.hpp>

#include "engine/distributed/backend.h"

namespace scalemark::mpi_checks {

// A group as one of its members sees it.
struct Member {
  c10d::Backend& backend;
  int rank = 0, size = 1;
};

// Throws std::runtime_error naming `what` where the two differ in any element.
void expect_equal(const at::Tensor& seen, const at::Tensor& expected, const std::string& what);

// Returns the values that rank r begins with: element i is i % 7 + r + 1, exact in every type, and
// so are the sums of four ranks.
at::Tensor of_rank(int rank, std::int64_t elements, at::ScalarType type);

// Each throws where an element is wrong; they return how many calls they have checked.
int check_collectives(Member member, at::ScalarType type, std::int64_t elements);
int check_messages(Member member, at::ScalarType type);
int check_refusals(Member member);
int check_direct(Member member, distributed::DirectCommunicator& direct);

}  // namespace scalemark::mpi_checks
