// The library's own collectives, without c10d: of sums, in place and not.
#include <ATen/ops/cat.h>
#include <ATen/ops/zeros.h>

#include <utility>
#include <vector>

#include "checks.h"

namespace scalemark::mpi_checks {
namespace {

using collectives::Collective;
using collectives::DataType;

constexpr std::int64_t kPart = 12;

at::ScalarType torch_type(DataType type) {
  switch (type) {
    case DataType::kFp32:
      return at::kFloat;
    case DataType::kFp16:
      return at::kHalf;
    case DataType::kBf16:
      return at::kBFloat16;
    case DataType::kInt32:
      return at::kInt;
  }
  return at::kFloat;
}

// All ranks take part in the collective, each with the same number of elements.
struct Case {
  Collective collective;
  at::Tensor in, expected;  // `expected` undefined: this rank receives nothing
};

class Cases {
 public:
  Cases(Member member, DataType of) : m_(member), type_(torch_type(of)) {}

  std::vector<Case> all(int root) const {
    const at::Tensor whole = data(m_.rank, kPart * m_.size);
    const bool is_root = m_.rank == root;
    const int previous = (m_.rank + m_.size - 1) % m_.size;
    return {{Collective::kAllReduce, whole, sum()},
            {Collective::kAllGather, data(m_.rank, kPart), gathered()},
            {Collective::kReduceScatter, whole, sum().narrow(0, kPart * m_.rank, kPart)},
            {Collective::kBroadcast, whole, data(root, kPart * m_.size)},
            {Collective::kReduce, whole, is_root ? sum() : at::Tensor()},
            {Collective::kGather, data(m_.rank, kPart), is_root ? gathered() : at::Tensor()},
            {Collective::kAllToAll, whole, exchanged()},
            {Collective::kSendRecv, whole, data(previous, kPart * m_.size)}};
  }

 private:
  at::Tensor data(int rank, std::int64_t n) const { return of_rank(rank, n, type_); }
  at::Tensor sum() const {
    at::Tensor total = data(0, kPart * m_.size);
    for (int rank = 1; rank < m_.size; ++rank) total.add_(data(rank, kPart * m_.size));
    return total;
  }
  at::Tensor gathered() const {
    std::vector<at::Tensor> parts;
    for (int rank = 0; rank < m_.size; ++rank) parts.push_back(data(rank, kPart));
    return at::cat(parts);
  }
  at::Tensor exchanged() const {
    std::vector<at::Tensor> parts;
    for (int rank = 0; rank < m_.size; ++rank) {
      parts.push_back(data(rank, kPart * m_.size).narrow(0, kPart * m_.rank, kPart));
    }
    return at::cat(parts);
  }

  Member m_;
  at::ScalarType type_;
};

// The buffers of nccl-tests in place: both are one, or one is a part of the other.
std::pair<void*, void*> in_place(const Member& m, const Case& c, at::Tensor& memory) {
  char* const begin = static_cast<char*>(memory.mutable_data_ptr());
  char* const own = begin + static_cast<std::size_t>(m.rank * kPart) * memory.element_size();
  const std::int64_t at_own =
      c.collective == Collective::kAllGather || c.collective == Collective::kGather ? kPart * m.rank
                                                                                    : 0;
  memory.narrow(0, at_own, c.in.numel()).copy_(c.in);
  void* in = at_own > 0 || c.in.numel() == kPart ? own : begin;
  void* out = c.collective == Collective::kReduceScatter ? own : begin;
  return {in, out};
}

}  // namespace

int check_direct(Member m, distributed::DirectCommunicator& direct) {
  int checked = 0;
  for (const DataType type :
       {DataType::kFp32, DataType::kFp16, DataType::kBf16, DataType::kInt32}) {
    for (int root = 0; root < m.size; ++root) {
      for (const Case& c : Cases(m, type).all(root)) {
        const std::string what(name_of(c.collective));
        if (!direct.supports(c.collective, type))
          throw std::runtime_error(what + ": not supported");
        at::Tensor out = at::zeros({kPart * m.size}, c.in.scalar_type());
        const at::Tensor in = c.in.clone();
        direct.run(c.collective, in.const_data_ptr(), out.mutable_data_ptr(), kPart * m.size, type,
                   root);
        direct.finish();
        if (c.expected.defined()) {
          expect_equal(out.narrow(0, 0, c.expected.numel()), c.expected, "direct " + what);
        }
        ++checked;
        if (c.collective == Collective::kSendRecv) continue;  // a message has two buffers
        at::Tensor memory = at::zeros({kPart * m.size}, c.in.scalar_type());
        const auto [from, into] = in_place(m, c, memory);
        direct.run(c.collective, from, into, kPart * m.size, type, root);
        direct.finish();
        if (!c.expected.defined()) continue;
        const std::int64_t begin = c.collective == Collective::kReduceScatter ? kPart * m.rank : 0;
        expect_equal(memory.narrow(0, begin, c.expected.numel()), c.expected,
                     "direct " + what + " in place");
      }
    }
  }
  direct.run(Collective::kBarrier, nullptr, nullptr, 0, DataType::kFp32, 0);
  return checked + 1;
}

}  // namespace scalemark::mpi_checks
