#include "tools/prediction/simulator.h"

#include <cmath>

#include "core/base/error.h"
#include "tools/prediction/event_queue.h"
#include "tools/prediction/simulated_programs.h"

namespace scalemark::prediction {
namespace {

constexpr std::uint32_t kReady = ~0u;

void refuse_nonsense(const SimulatedNetwork& network, double payload_bytes,
                     const std::vector<double>& ready_s, const std::vector<double>& slowdown) {
  if (network.layout.nodes < 1 || network.layout.ranks_per_node < 1)
    throw bug("a network of no ranks");
  const auto ranks = static_cast<std::size_t>(network.layout.nodes) *
                     static_cast<std::size_t>(network.layout.ranks_per_node);
  const auto is_time = [](double value) { return std::isfinite(value) && value >= 0; };
  if (!is_time(payload_bytes)) throw bug("a payload that is negative or not finite");
  if (ready_s.size() != ranks) throw bug("a simulation needs one ready time per rank");
  if (!slowdown.empty() && slowdown.size() != ranks) {
    throw bug("a simulation needs one slowdown per rank");
  }
  for (const double value : ready_s) {
    if (!is_time(value)) throw bug("a ready time that is negative or not finite");
  }
  for (const double value : slowdown) {
    if (!is_time(value)) throw bug("a slowdown that is negative or not finite");
  }
}

// The links that programs send on: each has a queue, represented by the time when it is free.
class Links {
 public:
  Links(std::size_t count, EventQueue& queue) : free_s_(count, 0.0), queue_(queue) {}

  void send(double now_s, const Message& message) {
    const double begins_s = std::max(now_s, free_s_[message.link]);
    const double ends_s = begins_s + message.takes_s;
    free_s_[message.link] = ends_s;
    queue_.push({ends_s, message.to, message.what});
    ++messages_;
  }

  std::uint64_t messages() const { return messages_; }

 private:
  std::vector<double> free_s_;
  EventQueue& queue_;
  std::uint64_t messages_ = 0;
};

template <class Program>
SimulatedRun run(Program program, const std::vector<double>& ready_s) {
  EventQueue queue;
  Links links(program.links(), queue);
  SimulatedRun result{.rank_done_s = std::vector<double>(ready_s.size(), 0.0)};
  for (std::uint32_t rank = 0; rank < ready_s.size(); ++rank)
    queue.push({ready_s[rank], rank, kReady});
  while (!queue.empty()) {
    const Event event = queue.pop();
    const auto send = [&](const Message& message) { links.send(event.time_s, message); };
    const bool done = event.what == kReady ? program.ready(event.rank, send)
                                           : program.arrived(event.rank, event.what, send);
    if (done) result.rank_done_s[event.rank] = event.time_s;
  }
  if (!program.finished()) throw bug("a simulated all-reduce came to a standstill");
  for (const double done_s : result.rank_done_s)
    result.finished_s = std::max(result.finished_s, done_s);
  result.messages = links.messages();
  return result;
}

}  // namespace

SimulatedRun simulate_ring(const SimulatedNetwork& network, double payload_bytes,
                           const std::vector<double>& ready_s,
                           const std::vector<double>& slowdown) {
  refuse_nonsense(network, payload_bytes, ready_s, slowdown);
  return run(RingProgram(network, payload_bytes, slowdown), ready_s);
}

SimulatedRun simulate_tree(const SimulatedNetwork& network, double payload_bytes, int chunks,
                           const std::vector<double>& ready_s,
                           const std::vector<double>& slowdown) {
  refuse_nonsense(network, payload_bytes, ready_s, slowdown);
  if (chunks < 1) throw bug("a tree needs at least one chunk");
  return run(TreeProgram(network, payload_bytes, chunks, slowdown), ready_s);
}

}  // namespace scalemark::prediction
