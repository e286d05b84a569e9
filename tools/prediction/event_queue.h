// The clock of a simulation: events come out in the order of their time. Private to the simulator.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace scalemark::prediction {

struct Event {
  double time_s;
  std::uint32_t rank;  // whom it happens to
  std::uint32_t what;  // for the program to read
};

// A heap with four children per node: half as deep as a binary one, and four events of 16 bytes
// share a cache line. Ranks times steps events pass through it, up to some hundred million.
class EventQueue {
 public:
  bool empty() const { return heap_.empty(); }

  void push(const Event& event) {
    std::size_t hole = heap_.size();
    heap_.push_back(event);
    while (hole > 0) {
      const std::size_t parent = (hole - 1) / kChildren;
      if (heap_[parent].time_s <= event.time_s) break;
      heap_[hole] = heap_[parent];
      hole = parent;
    }
    heap_[hole] = event;
  }

  Event pop() {
    const Event first = heap_.front();
    const Event last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sink(last);
    return first;
  }

 private:
  static constexpr std::size_t kChildren = 4;

  void sink(const Event& event) {
    std::size_t hole = 0;
    for (std::size_t child = 1; child < heap_.size(); child = kChildren * hole + 1) {
      const std::size_t end = std::min(child + kChildren, heap_.size());
      std::size_t least = child;
      for (std::size_t other = child + 1; other < end; ++other) {
        if (heap_[other].time_s < heap_[least].time_s) least = other;
      }
      if (event.time_s <= heap_[least].time_s) break;
      heap_[hole] = heap_[least];
      hole = least;
    }
    heap_[hole] = event;
  }

  std::vector<Event> heap_;
};

}  // namespace scalemark::prediction
