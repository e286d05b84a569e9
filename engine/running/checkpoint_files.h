// The folder of a training's checkpoints: step-N/ holds one safetensors file per rank and, written
// last, checkpoint.json with their checksums. Knows only files: no agreement between ranks, no
// meaning of the tensors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/reporting/output/checkpoint_manifest.h"

namespace scalemark::running {

struct FoundCheckpoint {
  std::filesystem::path folder;
  reporting::CheckpointManifest manifest;
};

// The newest of `checkpoints` whose files are all there with their checksums; `note` gets a
// sentence about each newer one that is torn. Absent: there is none.
std::optional<FoundCheckpoint> newest_whole_checkpoint(
    const std::filesystem::path& checkpoints, const std::function<void(const std::string&)>& note);

// Throws cannot_create() (73) where a folder with the name of a checkpoint is somebody else's.
void refuse_foreign_checkpoints(const std::filesystem::path& checkpoints);

// An empty folder to write the checkpoint of `step` into. Throws cannot_create() (73).
std::filesystem::path begin_checkpoint(const std::filesystem::path& checkpoints, std::int64_t step);

// Gives the folder of begin_checkpoint() its name, with the manifest in it: whole or not there.
// Then removes all but the newest `keep`, and what torn writes left. Throws io_error() (74).
void finish_checkpoint(const std::filesystem::path& unfinished,
                       const reporting::CheckpointManifest& manifest, std::int64_t keep);

std::string file_of_rank(int rank);

// Name, size and checksum as they stand on the disk. Throws io_error() (74).
reporting::CheckpointFile describe_file(const std::filesystem::path& file);

}  // namespace scalemark::running
