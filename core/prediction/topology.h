// How ranks are connected: nodes, ranks in each, and what a message costs within a node and between
// nodes. Knows no network; the numbers come from a file or a fit.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace scalemark::prediction {

enum Level { kIntraNode = 0, kInterNode = 1 };
inline constexpr std::size_t kLevels = 2;

// The alpha-beta model (Hockney 1994): a message of n bytes takes alpha_s + n x s_per_byte.
struct Link {
  double alpha_s = 0;
  double s_per_byte = 0;
};

// Equal nodes. The last one may hold fewer ranks; formulas take it as full.
struct Layout {
  int nodes = 1;
  int ranks_per_node = 1;
};

// Fills nodes first. Throws bug() unless both are at least 1.
Layout layout_of(int world_size, int ranks_per_node);

// What is known of a link before a fit.
struct KnownLink {
  std::optional<double> alpha_s, s_per_byte;
};

struct Topology {
  std::optional<int> ranks_per_node;
  std::array<KnownLink, kLevels> links;  // by Level
};

// JSON, strict:
//   {"ranks_per_node": 8,
//    "links": {"intra_node": {"alpha_s": 5e-6, "bandwidth_GBps": 200},
//              "inter_node": {"alpha_s": 1.2e-5, "bandwidth_GBps": 25}}}
// Everything may be left out; "about" is free text. bandwidth_GBps (1e9 bytes/s, one direction): of
// one rank's link within a node, of the whole node between nodes. Throws configuration() (78)
// naming `origin` for what is not JSON, unknown or duplicate keys, and values that are not positive
// (alpha_s may be 0).
Topology parse_topology(std::string_view text, std::string_view origin);

}  // namespace scalemark::prediction
