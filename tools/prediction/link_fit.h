// alpha and beta of a link from message times: whole, or per protocol segment. Pure.
#pragma once

#include <span>
#include <vector>

#include "core/prediction/topology.h"

namespace scalemark::prediction {

struct MessageTime {
  double bytes = 0;
  double seconds = 0;
};

// Messages of at least from_bytes (and below the next segment's) cost this.
struct Segment {
  double from_bytes = 0;
  Link link;
  double worst_relative_error = 0;
};

// Least squares on relative errors, neither number negative. Throws bug() for fewer than 2 messages
// or a time that is not positive.
Segment fit_link(std::span<const MessageTime> messages);

// Libraries change protocol with the size (eager, rendezvous, pipelined): the sizes are cut where
// two fits together err least, and only when that halves the squared error of one. A segment has at
// least 3 sizes. Ascending by from_bytes; `messages` in any order.
std::vector<Segment> fit_segments(std::span<const MessageTime> messages);

// The segment that holds messages of `bytes`; the first for smaller ones.
const Segment& segment_of(const std::vector<Segment>& segments, double bytes);

}  // namespace scalemark::prediction
