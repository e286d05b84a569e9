// Says behind which leaf switches the nodes of a fleet stand, by a text that Slurm or ibnetdiscover
// wrote. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "report/accept/series.h"

namespace scalemark::acceptance {

struct Topology {
  // The leaf switches of each node, by the name that the text gives it: one, or of a node with
  // several network adapters one for each, in the order of their names.
  std::map<std::string, std::vector<std::string>> leaves;

  // Returns those of `node` by its host name, with or without its domain, or the scheduler's name;
  // null: the text does not have it.
  const std::vector<std::string>* leaves_of(const Part& node) const;
};

// Reads Slurm's topology.conf and the text of `scontrol show topology` (topology/tree), and the
// text of `ibnetdiscover`, by what stands in them. Of Slurm's switches those without Switches= are
// leaves; of ibnetdiscover's those on which a node hangs, which is the first word of an adapter's
// description ("node001 mlx5_0"). Throws bad_data() (65) with `name` and the line for another or a
// damaged text, for characters that act on the display, and for one that is too large.
Topology parse_topology(std::string_view text, const std::string& name);

}  // namespace scalemark::acceptance
