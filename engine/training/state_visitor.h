// Visitors walk the state of a training run: one walk serves every use (copying, putting back,
// writing to files, comparing). Knows nothing of who owns the state or where it goes.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

namespace scalemark::training {

class StateVisitor {
 public:
  virtual ~StateVisitor() = default;

  // `name` is unique within a run and the same in every run of equal settings. The visitor reads
  // the value or writes it in place; shape, type and device of a tensor stay.
  virtual void visit(const std::string& name, at::Tensor& tensor) = 0;
  virtual void visit(const std::string& name, std::int64_t& number) = 0;
};

}  // namespace scalemark::training
