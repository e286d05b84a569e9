// Compares one shard with the index, byte by byte. Looks for all faults, not for the first.
#pragma once

#include <string>
#include <vector>

#include "data/packed/index.h"

namespace scalemark::data::packed {

// What is wrong, in the order in which it stands in the shard; each line names the shard, and the
// sample where it is one's. A shard that is missing is a fault; throws io_error (74) when reading
// fails.
std::vector<std::string> faults_of(const Index& index, const ShardEntry& shard);

}  // namespace scalemark::data::packed
