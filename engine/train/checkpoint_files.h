// The files of a training's checkpoints: which there are, what one holds, and how it is written
// whole. Knows neither agreement between ranks nor the meaning of the tensors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "report/keep/checkpoint_manifest.h"
#include "workloads/weights/safetensors.h"

namespace scalemark::running {

// The folder step-N/ holds one safetensors file per rank and, written last, checkpoint.json with
// their checksums. Rank 0's file holds all of its state, another rank's only what differs from rank
// 0's.
struct FoundCheckpoint {
  std::filesystem::path folder;
  reporting::CheckpointManifest manifest;
};

// Says that a checkpoint was passed over.
std::string skipped_as_damaged(const std::filesystem::path& folder, const std::string& why);

// Returns the newest of `checkpoints` before step `before` whose checkpoint.json can be read;
// `note` gets a sentence about each newer one. Absent: there is none.
std::optional<FoundCheckpoint> newest_checkpoint(
    const std::filesystem::path& checkpoints, std::int64_t before,
    const std::function<void(const std::string&)>& note);

// Whether each file that the manifest lists is there with its size; its content may be damaged.
bool has_its_files(const FoundCheckpoint& found);

// Returns what a rank wrote. Throws bad_data() (65) or io_error() (74) where the file is not what
// the manifest says.
workloads::NamedTensors read_file(const FoundCheckpoint& from, int rank);

// Returns the state of a rank, from its file and rank 0's. Throws as read_file().
workloads::NamedTensors read_state(const FoundCheckpoint& from, int rank);

// Throws bad_data() (65) where there are checkpoints. Call it when none of them could be read.
void refuse_unreadable(const std::filesystem::path& checkpoints);

// Throws cannot_create() (73) where a folder with the name of a checkpoint is somebody else's.
void refuse_foreign_checkpoints(const std::filesystem::path& checkpoints);

// Makes an empty folder for the checkpoint of `step`. Throws cannot_create() (73).
std::filesystem::path begin_checkpoint(const std::filesystem::path& checkpoints, std::int64_t step);

// Renames the folder of begin_checkpoint(), with the manifest in it, so that the checkpoint is
// either whole or missing. Then removes all but the newest `keep`, and the remains of torn writes.
// Throws io_error() (74).
void finish_checkpoint(const std::filesystem::path& unfinished,
                       const reporting::CheckpointManifest& manifest, std::int64_t keep);

std::string file_of_rank(int rank);

// Returns name, size and checksum as they are on the disk. Throws io_error() (74).
reporting::CheckpointFile describe_file(const std::filesystem::path& file);

}  // namespace scalemark::running
