#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/zeros.h>

#include <functional>
#include <stdexcept>
#include <vector>

#include "checks.h"
#include "core/base/error.h"

namespace scalemark::mpi_checks {
namespace {

using Op = c10d::ReduceOp;
using Tensors = std::vector<at::Tensor>;

Tensors of_all(int size, std::int64_t n, at::ScalarType type) {
  Tensors all;
  for (int rank = 0; rank < size; ++rank) all.push_back(of_rank(rank, n, type));
  return all;
}

at::Tensor reduced(const Tensors& all, Op::RedOpType op) {
  at::Tensor result = all.front().clone();
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (op == Op::MIN) {
      result = at::minimum(result, all[i]);
    } else if (op == Op::MAX) {
      result = at::maximum(result, all[i]);
    } else {
      result.add_(all[i]);
    }
  }
  if (op == Op::AVG) result.div_(static_cast<double>(all.size()));
  return result;
}

void wait(const c10::intrusive_ptr<c10d::Work>& work) {
  work->wait();
  if (!work->isCompleted()) throw std::runtime_error("a work that was waited for is not completed");
}

class Checks {
 public:
  Checks(Member member, at::ScalarType type, std::int64_t n)
      : m_(member), type_(type), n_(n), all_(of_all(member.size, n, type)), own_(all_[index()]) {}

  int run() {
    std::vector<Op::RedOpType> ops{Op::SUM, Op::MIN, Op::MAX};
    if (c10::isFloatingType(type_)) ops.push_back(Op::AVG);
    for (const auto op : ops) {
      all_reduce(op);
      reduce_scatter(op);
      for (int root = 0; root < m_.size; ++root) reduce(op, root);
    }
    for (int root = 0; root < m_.size; ++root) rooted(root);
    all_gather();
    all_to_all();
    wait(m_.backend.barrier({}));
    return calls_ + 1;
  }

 private:
  std::size_t index() const { return static_cast<std::size_t>(m_.rank); }
  at::Tensor empty(std::int64_t n) const { return at::zeros({n}, type_); }
  void expect(const at::Tensor& seen, const at::Tensor& expected, const std::string& what) {
    ++calls_;
    expect_equal(seen, expected, what + " of " + c10::toString(type_));
  }

  void all_reduce(Op::RedOpType op) {
    Tensors tensors{own_.clone()};
    c10d::AllreduceOptions options;
    options.reduceOp = op;
    const auto work = m_.backend.allreduce(tensors, options);
    wait(work);
    expect(tensors[0], reduced(all_, op), "allreduce");
    const auto future = work->getFuture();
    if (!future->completed()) throw std::runtime_error("the future is not completed");
    expect(future->value().toTensorVector().at(0), tensors[0], "the future of allreduce");
  }

  void reduce(Op::RedOpType op, int root) {
    Tensors tensors{own_.clone()};
    c10d::ReduceOptions options;
    options.reduceOp = op;
    options.rootRank = root;
    wait(m_.backend.reduce(tensors, options));
    if (m_.rank == root) expect(tensors[0], reduced(all_, op), "reduce");
  }

  // Rank r begins with `size` parts; part k is the data of rank (r + k) % size.
  Tensors parts_of(int rank) const {
    Tensors parts;
    for (int k = 0; k < m_.size; ++k) parts.push_back(of_rank((rank + k) % m_.size, n_, type_));
    return parts;
  }

  void reduce_scatter(Op::RedOpType op) {
    Tensors own_parts_of_all;
    for (int rank = 0; rank < m_.size; ++rank) {
      own_parts_of_all.push_back(parts_of(rank)[index()]);
    }
    const at::Tensor expected = reduced(own_parts_of_all, op);
    at::Tensor whole = at::cat(parts_of(m_.rank)), part = empty(n_);
    c10d::ReduceScatterOptions options;
    options.reduceOp = op;
    wait(m_.backend._reduce_scatter_base(part, whole, options));
    expect(part, expected, "_reduce_scatter_base");
    at::Tensor inner = whole.narrow(0, n_ * m_.rank, n_);
    wait(m_.backend._reduce_scatter_base(inner, whole, options));
    expect(inner, expected, "_reduce_scatter_base in place");
  }

  void rooted(int root) {
    Tensors tensors{own_.clone()};
    c10d::BroadcastOptions broadcast;
    broadcast.rootRank = root;
    wait(m_.backend.broadcast(tensors, broadcast));
    expect(tensors[0], all_[static_cast<std::size_t>(root)], "broadcast");

    const bool is_root = m_.rank == root;
    c10d::GatherOptions gather;
    gather.rootRank = root;
    std::vector<Tensors> slots;
    if (is_root) slots.push_back(of_all(m_.size, n_, type_));
    if (is_root)
      for (at::Tensor& slot : slots[0]) slot.zero_();
    Tensors inputs{own_.clone()};
    wait(m_.backend.gather(slots, inputs, gather));
    if (is_root) expect(at::cat(slots[0]), at::cat(all_), "gather");

    c10d::ScatterOptions scatter;
    scatter.rootRank = root;
    Tensors outputs{empty(n_)};
    std::vector<Tensors> sent;
    if (is_root) sent.push_back(all_);
    wait(m_.backend.scatter(outputs, sent, scatter));
    expect(outputs[0], own_, "scatter");
  }

  void all_gather() {
    at::Tensor whole = empty(n_ * m_.size), input = own_.clone();
    wait(m_.backend._allgather_base(whole, input, {}));
    expect(whole, at::cat(all_), "_allgather_base");
    whole.zero_();
    at::Tensor inner = whole.narrow(0, n_ * m_.rank, n_);
    inner.copy_(own_);
    wait(m_.backend._allgather_base(whole, inner, {}));
    expect(whole, at::cat(all_), "_allgather_base in place");
    std::vector<Tensors> slots(1);
    for (int rank = 0; rank < m_.size; ++rank) slots[0].push_back(empty(n_));
    Tensors inputs{own_.clone()};
    wait(m_.backend.allgather(slots, inputs, {}));
    expect(at::cat(slots[0]), at::cat(all_), "allgather");
  }

  void all_to_all() {
    Tensors expected;
    for (int rank = 0; rank < m_.size; ++rank) expected.push_back(parts_of(rank)[index()]);
    at::Tensor in = at::cat(parts_of(m_.rank)), out = empty(n_ * m_.size);
    std::vector<std::int64_t> none;
    wait(m_.backend.alltoall_base(out, in, none, none, {}));
    expect(out, at::cat(expected), "alltoall_base");
  }

  Member m_;
  at::ScalarType type_;
  std::int64_t n_;
  Tensors all_;
  at::Tensor own_;
  int calls_ = 0;
};

void expect_refused(const char* what, const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    if (error.record().exit_code == ExitCode::kConfiguration) return;
  }
  throw std::runtime_error(std::string(what) + " is not refused with 78");
}

}  // namespace

at::Tensor of_rank(int rank, std::int64_t elements, at::ScalarType type) {
  return at::arange(elements, at::kLong).remainder(7).add_(rank + 1).to(type);
}

void expect_equal(const at::Tensor& seen, const at::Tensor& expected, const std::string& what) {
  if (seen.scalar_type() == expected.scalar_type() && seen.equal(expected)) return;
  throw std::runtime_error(what + " is wrong");
}

int check_collectives(Member member, at::ScalarType type, std::int64_t elements) {
  return Checks(member, type, elements).run();
}

// A ring in which every rank sends before it receives; large enough not to fit into a buffer.
int check_messages(Member member, at::ScalarType type) {
  constexpr std::int64_t kElements = 1 << 18;
  const int next = (member.rank + 1) % member.size;
  const int previous = (member.rank + member.size - 1) % member.size;
  Tensors out{of_rank(member.rank, kElements, type)}, in{at::zeros({kElements}, type)};
  const auto sent = member.backend.send(out, next, 3);
  const auto received = member.backend.recv(in, previous, 3);
  wait(received);
  wait(sent);
  expect_equal(in[0], of_rank(previous, kElements, type), "a message");
  return 2;
}

int check_refusals(Member member) {
  Tensors complex{at::zeros({4}, at::kComplexFloat)}, two{at::zeros({4}), at::zeros({4})};
  Tensors gaps{at::zeros({4, 4}).narrow(1, 0, 2)}, whole{at::zeros({4}, at::kLong)};
  c10d::AllreduceOptions product, mean;
  product.reduceOp = Op::PRODUCT;
  mean.reduceOp = Op::AVG;
  expect_refused("a complex tensor", [&] { member.backend.allreduce(complex, {}); });
  expect_refused("a pair of tensors", [&] { member.backend.allreduce(two, {}); });
  expect_refused("a tensor with gaps", [&] { member.backend.allreduce(gaps, {}); });
  Tensors floats{at::zeros({4})};
  expect_refused("a product", [&] { member.backend.allreduce(floats, product); });
  expect_refused("an average of integers", [&] { member.backend.allreduce(whole, mean); });
  return 5;
}

}  // namespace scalemark::mpi_checks
