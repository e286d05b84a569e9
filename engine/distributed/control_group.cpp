#include "engine/distributed/control_group.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <ranges>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <utility>

#include "engine/distributed/providers.h"

namespace scalemark::distributed {
namespace {

using std::chrono::milliseconds;

template <class Call>
auto translated(ErrorStore& error_store, milliseconds cause_limit, Call call) {
  try {
    return call();
  } catch (...) {
    throw translate_collective_error(std::current_exception(), error_store, cause_limit);
  }
}

constexpr auto largest = [](double a, double b) { return std::max(a, b); };

using Works = std::vector<c10::intrusive_ptr<c10d::Work>>;

// Control traffic goes along a tree from rank 0: a rank's parent has its number without the lowest
// bit that is set, so the ranks below a rank follow it without a gap and texts come in rank order.
// A rank has two connections on average and at most log2(N), to ranks of its machine where these
// have neighbouring numbers.
class Tree {
 public:
  Tree(c10d::Backend& backend, CollectiveCount& count, milliseconds timeout)
      : backend_(backend), count_(count), timeout_(timeout), rank_(backend.getRank()) {
    for (int bit = 1; bit < backend.getSize() && (rank_ & bit) == 0; bit <<= 1) {
      if (rank_ + bit < backend.getSize()) children_.push_back(rank_ + bit);
    }
  }

  // Rank 0 returns every rank's bytes, in rank order; the others return nothing.
  std::vector<std::string> gather(const std::string& mine) {
    std::string all = to_wire(mine);
    for (const int child : children_) all += receive_text(child);
    std::vector<std::string> texts;
    if (rank_ != 0) {
      Works sent;
      send_text(parent(), all, sent);
      await(sent);
    } else {
      for (WireReader reader(all); !reader.at_end();) reader.value(texts.emplace_back());
    }
    return texts;
  }

  std::string broadcast(const std::string& from_rank_0) {
    const std::string text = rank_ == 0 ? from_rank_0 : receive_text(parent());
    Works sent;
    for (const int child : children_ | std::views::reverse) send_text(child, text, sent);
    await(sent);
    return text;
  }

  // Each value becomes what `join` makes of those of all ranks, in one order on every run.
  template <class Join>
  void reduce(std::vector<double>& values, Join join) {
    const auto shape = static_cast<std::int64_t>(values.size());
    at::Tensor all = at::from_blob(values.data(), {shape}, at::kDouble);
    std::vector<double> theirs(values.size());
    at::Tensor received = at::from_blob(theirs.data(), {shape}, at::kDouble);
    for (const int child : children_) {
      receive(child, received);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = join(values[i], theirs[i]);
    }
    Works sent;
    if (rank_ != 0) {
      send(parent(), all, sent);
      await(sent);
      receive(parent(), all);
    }
    for (const int child : children_ | std::views::reverse) send(child, all, sent);
    await(sent);
  }

  void barrier() {
    std::vector<double> nothing{0};
    reduce(nothing, largest);
  }

 private:
  // Messages of the payload's own (comm's pairs) have tag 0.
  static constexpr int kTag = 0x5ca1e;

  int parent() const { return rank_ & (rank_ - 1); }

  void send(int peer, const at::Tensor& tensor, Works& sent) {
    std::vector<at::Tensor> one{tensor};
    sent.push_back(backend_.send(one, peer, kTag));
    count_.leave_out_message(backend_);
  }

  void receive(int peer, const at::Tensor& tensor) {
    std::vector<at::Tensor> one{tensor};
    const auto work = backend_.recv(one, peer, kTag);
    count_.leave_out_message(backend_);
    work->wait(timeout_);
  }

  // `text` must live until await().
  void send_text(int peer, const std::string& text, Works& sent) {
    send(peer, at::full({1}, static_cast<std::int64_t>(text.size()), at::kLong), sent);
    if (!text.empty()) send(peer, bytes_of(const_cast<std::string&>(text)), sent);
  }

  std::string receive_text(int peer) {
    const at::Tensor length = at::zeros({1}, at::kLong);
    receive(peer, length);
    std::string text(static_cast<std::size_t>(*length.const_data_ptr<std::int64_t>()), '\0');
    if (!text.empty()) receive(peer, bytes_of(text));
    return text;
  }

  static at::Tensor bytes_of(std::string& text) {
    return at::from_blob(text.data(), {static_cast<std::int64_t>(text.size())}, at::kByte);
  }

  void await(Works& sent) {
    for (const auto& work : sent) work->wait(timeout_);
    sent.clear();
  }

  c10d::Backend& backend_;
  CollectiveCount& count_;
  milliseconds timeout_;
  int rank_;
  std::vector<int> children_;
};

}  // namespace

c10::intrusive_ptr<c10d::Backend> connect_control(GroupSpec spec, CollectiveCount& count) {
  spec.lazy = true;
  auto backend = gloo().make(spec);
  Tree(*backend, count, spec.timeout).barrier();
  return backend;
}

std::vector<int> all_ranks(int world_size) {
  std::vector<int> ranks(static_cast<std::size_t>(world_size));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

ControlGroup::ControlGroup(const c10::intrusive_ptr<c10d::Store>& store, int rank, int world_size,
                           milliseconds timeout, const std::string& interface,
                           ErrorStore& error_store)
    : rank_(rank),
      world_size_(world_size),
      timeout_(timeout),
      error_store_(error_store),
      count_(std::make_shared<CollectiveCount>("all ranks")) {
  if (world_size == 1) return;
  backend_ = translated(error_store_, cause_limit_, [&] {
    return connect_control({.store = c10::make_intrusive<c10d::PrefixStore>("control", store),
                            .name = "control",
                            .members = all_ranks(world_size),
                            .rank = rank,
                            .timeout = timeout,
                            .interface = interface},
                           *count_);
  });
}

ControlGroup::ControlGroup(const c10::intrusive_ptr<c10d::Backend>& backend,
                           std::shared_ptr<CollectiveCount> count, milliseconds timeout,
                           ErrorStore& error_store, milliseconds cause_limit)
    : rank_(backend ? backend->getRank() : 0),
      world_size_(backend ? backend->getSize() : 1),
      timeout_(timeout),
      error_store_(error_store),
      cause_limit_(cause_limit),
      count_(std::move(count)) {
  if (world_size_ > 1) backend_ = backend;
}

template <class Call>
auto ControlGroup::collective(Call call) {
  count_->begin_control();
  return translated(error_store_, cause_limit_, [&] {
    Tree tree(*backend_, *count_, timeout_);
    return call(tree);
  });
}

std::vector<std::string> ControlGroup::gather(const std::string& mine) {
  if (!backend_) return {mine};
  return collective([&](Tree& tree) { return tree.gather(mine); });
}

std::string ControlGroup::broadcast(const std::string& from_rank_0) {
  if (!backend_) return from_rank_0;
  return collective([&](Tree& tree) { return tree.broadcast(from_rank_0); });
}

void ControlGroup::max_over_ranks(std::vector<double>& values) {
  if (!backend_ || values.empty()) return;
  collective([&](Tree& tree) { tree.reduce(values, largest); });
}

void ControlGroup::sum_over_ranks(std::vector<double>& values) {
  if (!backend_ || values.empty()) return;
  collective([&](Tree& tree) { tree.reduce(values, std::plus<>()); });
}

void ControlGroup::barrier() {
  if (!backend_) return;
  collective([](Tree& tree) { tree.barrier(); });
}

}  // namespace scalemark::distributed
