// What each rank of a simulated all-reduce does when it gets ready and when a message arrives.
// Knows no time: the simulator calls it and gets the messages to send. Private to the simulator.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "tools/prediction/simulator.h"

namespace scalemark::prediction {

struct Message {
  std::size_t link = 0;
  double takes_s = 0;
  std::uint32_t to = 0, what = 0;
};

inline double slowed(const std::vector<double>& slowdown, std::uint32_t rank, double seconds) {
  return slowdown.empty() ? seconds : seconds * slowdown[rank];
}

// Three stages: reduce-scatter on the ring of a node, ring of the nodes, all-gather on the ring of
// the node. A rank sends its k-th message when it has received its (k - 1)-th.
class RingProgram {
 public:
  RingProgram(const SimulatedNetwork& network, double payload_bytes,
              const std::vector<double>& slowdown)
      : ranks_(static_cast<std::uint32_t>(network.layout.ranks_per_node)),
        nodes_(static_cast<std::uint32_t>(network.layout.nodes)),
        steps_{ranks_ - 1, 2 * (nodes_ - 1), ranks_ - 1},
        slowdown_(slowdown),
        states_(std::size_t{ranks_} * nodes_) {
    const double shard = payload_bytes / ranks_;
    const double shard_of_shard = shard / nodes_;
    within_s_ = network.intra_node.alpha_s + shard * network.intra_node.s_per_byte;
    // A rank has 1 / ranks of its node's connection.
    between_s_ =
        network.inter_node.alpha_s + shard_of_shard * ranks_ * network.inter_node.s_per_byte;
  }

  std::size_t links() const { return 2 * states_.size(); }
  bool finished() const { return done_ == states_.size(); }

  template <class Send>
  bool ready(std::uint32_t rank, Send send) {
    states_[rank].ready = true;
    return go_on(rank, send);
  }

  template <class Send>
  bool arrived(std::uint32_t rank, std::uint32_t stage, Send send) {
    ++states_[rank].received[stage];
    return go_on(rank, send);
  }

 private:
  static constexpr std::uint32_t kStages = 3;

  struct State {
    std::array<std::uint32_t, kStages> received{};  // per stage: a node that is ahead sends early
    std::uint32_t stage = 0, sent = 0;              // `sent` within the stage
    bool ready = false;
  };

  // Sends what may be sent. True when the rank has its result.
  template <class Send>
  bool go_on(std::uint32_t rank, Send send) {
    State& state = states_[rank];
    if (!state.ready) return false;
    while (state.stage < kStages) {
      if (state.sent == steps_[state.stage]) {
        if (state.received[state.stage] < steps_[state.stage]) return false;
        ++state.stage;
        state.sent = 0;
        continue;
      }
      if (state.received[state.stage] < state.sent) return false;
      send(next_message(rank, state.stage));
      ++state.sent;
    }
    ++done_;
    return true;
  }

  Message next_message(std::uint32_t rank, std::uint32_t stage) const {
    const std::uint32_t node = rank / ranks_, local = rank % ranks_;
    if (stage == 1) {
      const std::uint32_t to = (node + 1) % nodes_ * ranks_ + local;
      return {2 * std::size_t{rank} + 1, slowed(slowdown_, rank, between_s_), to, stage};
    }
    const std::uint32_t to = node * ranks_ + (local + 1) % ranks_;
    return {2 * std::size_t{rank}, slowed(slowdown_, rank, within_s_), to, stage};
  }

  std::uint32_t ranks_, nodes_;
  std::array<std::uint32_t, kStages> steps_;
  const std::vector<double>& slowdown_;
  std::vector<State> states_;
  double within_s_ = 0, between_s_ = 0;
  std::size_t done_ = 0;
};

// Pieces go up as soon as every child has delivered them; when the root has all, they go down.
// Links up and down are separate, and each child has its own.
class TreeProgram {
 public:
  TreeProgram(const SimulatedNetwork& network, double payload_bytes, int chunks,
              const std::vector<double>& slowdown)
      : chunks_(static_cast<std::uint32_t>(chunks)), slowdown_(slowdown) {
    const auto ranks = static_cast<std::uint32_t>(network.layout.ranks_per_node);
    const auto nodes = static_cast<std::uint32_t>(network.layout.nodes);
    const double piece = payload_bytes / chunks;
    states_.resize(std::size_t{ranks} * nodes);
    for (std::uint32_t rank = 0; rank < states_.size(); ++rank) {
      const std::uint32_t node = rank / ranks, local = rank % ranks;
      if (rank == 0) continue;
      const bool leader = local == 0;
      const Link& link = leader ? network.inter_node : network.intra_node;
      State& state = states_[rank];
      state.parent = leader ? (node - 1) / 2 * ranks : node * ranks + (local - 1) / 2;
      state.takes_s = link.alpha_s + piece * link.s_per_byte;
      states_[state.parent].children.push_back(rank);
    }
  }

  std::size_t links() const { return 2 * states_.size(); }
  bool finished() const { return done_ == states_.size(); }

  template <class Send>
  bool ready(std::uint32_t rank, Send send) {
    states_[rank].ready = true;
    return go_on(rank, send);
  }

  // `what`: the child that delivers, or the rank's own number for a piece from its parent.
  template <class Send>
  bool arrived(std::uint32_t rank, std::uint32_t what, Send send) {
    if (what == rank) {
      ++states_[rank].from_parent;
    } else {
      ++states_[what].delivered;
    }
    return go_on(rank, send);
  }

 private:
  struct State {
    std::uint32_t parent = 0;
    double takes_s = 0;  // a piece between this rank and its parent, either way
    std::vector<std::uint32_t> children;
    std::uint32_t delivered = 0;  // pieces that have arrived at the parent
    std::uint32_t from_parent = 0, sent_up = 0, sent_down = 0;
    bool ready = false;
  };

  std::uint32_t reduced_pieces(const State& state) const {
    if (!state.ready) return 0;
    std::uint32_t pieces = chunks_;
    for (const std::uint32_t child : state.children) {
      pieces = std::min(pieces, states_[child].delivered);
    }
    return pieces;
  }

  template <class Send>
  bool go_on(std::uint32_t rank, Send send) {
    State& state = states_[rank];
    const std::uint32_t reduced = reduced_pieces(state);
    for (; rank != 0 && state.sent_up < reduced; ++state.sent_up) {
      send({2 * std::size_t{rank}, slowed(slowdown_, rank, state.takes_s), state.parent, rank});
    }
    const std::uint32_t at_root = reduced == chunks_ ? chunks_ : 0;
    const std::uint32_t whole = rank == 0 ? at_root : state.from_parent;
    const bool was_done = state.sent_down == chunks_;
    for (; state.sent_down < whole; ++state.sent_down) {
      for (const std::uint32_t child : state.children) {
        const double takes_s = slowed(slowdown_, rank, states_[child].takes_s);
        send({2 * std::size_t{child} + 1, takes_s, child, child});
      }
    }
    const bool done = !was_done && state.sent_down == chunks_;
    done_ += done;
    return done;
  }

  std::uint32_t chunks_;
  const std::vector<double>& slowdown_;
  std::vector<State> states_;
  std::size_t done_ = 0;
};

}  // namespace scalemark::prediction
