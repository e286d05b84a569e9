// The weights that a person names: a safetensors file, or the index of a checkpoint in several of
// them (Hugging Face's model.safetensors.index.json), without the prefix that wrappers put before
// every name. Knows nothing of networks.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/weights/safetensors.h"

namespace scalemark::workloads {

struct WeightsFile {
  std::filesystem::path path;                 // the user gave this path
  std::vector<std::filesystem::path> shards;  // the file itself, or those in the index
  std::string prefix;                         // precedes each name in the files: "module."
  // The tensors by name without the prefix; the stored name has it.
  struct Place {
    std::size_t shard = 0;
    StoredTensor tensor;
  };
  std::map<std::string, Place, std::less<>> tensors;
};

// Returns the prefix from wrappers that all names share: "module." (DistributedDataParallel),
// "_orig_mod." (torch.compile), "_fsdp_wrapped_module." (FSDP), "model.", "net." and "network."
// (Lightning's habits), in any order. Empty: none.
std::string wrappers_prefix(const std::vector<std::string>& names);

// Reads headers, no data. An index must be beside its shards and agree with them name by name.
// Throws as read_safetensors_header() does; bad_data (65) for a damaged index, for shards in other
// folders, missing shards or shards that are no safetensors files, and for a tensor that its shard
// lacks, that another shard has too or that is not in the index.
WeightsFile open_weights(const std::filesystem::path& path);

// Returns the tensors by name without the prefix, in the types of the files. Throws as
// read_safetensors() does; io_error (74) when a file has changed since it was opened.
NamedTensors read_weights(const WeightsFile& file);

}  // namespace scalemark::workloads
