// Opens the data of a run from its settings, with the properties that shape the network, and makes
// the batches on which one process of a point trains.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/catalogue/workload.h"
#include "core/settings/settings.h"
#include "data/load/dataset.h"
#include "engine/device/device.h"
#include "engine/process/data_phase.h"
#include "engine/train/batch_source.h"

namespace scalemark::running {

struct WorkloadData {
  catalogue::ModelShape shape;  // resolved: classes of the tree, size of the vocabulary
  std::string identity;         // "synthetic", or a hash that is equal on ranks with the same data
  std::optional<std::int64_t> replaced_bytes = {};    // invalid UTF-8 in a text
  std::map<std::string, std::int64_t> left_out = {};  // number of files by kind
  std::unique_ptr<data::Dataset> train;               // null: synthetic
  std::unique_ptr<data::Dataset> held_out;  // null: synthetic data, or images without epochs
  // Notes for people: parts of data and weights that are not used as they are.
  std::vector<std::string> notes = {};
};

// Throws configuration() (78) for an unknown name.
const catalogue::Workload& workload_named(const std::string& name);

// Checks --init-from as well, so that a file without weights is refused before anything is
// measured. Throws 66 / 65 like data/load and workloads::notes_on_weights(); configuration()
// when the workload cannot take this data.
WorkloadData open_data(const settings::Settings& settings, const catalogue::Workload& workload,
                       process::DataAccess& access);

// Makes a few batches to cycle through, different on every rank.
std::vector<data::HostBatch> synthetic_batches(const settings::Settings& settings,
                                               const catalogue::Workload& workload,
                                               const catalogue::ModelShape& shape, int rank,
                                               const data::HostAllocator& allocate);

SamplingOptions sampling_of(device::Device& device, const settings::Settings& settings,
                            const TrainingRanks& ranks);

// Returns an endless source: of the data set where there is one, else synthetic. The batches of
// several training ranks are joined. A dedicated server has no source, and fetches nothing.
std::unique_ptr<BatchSource> open_source(device::Device& device, const settings::Settings& settings,
                                         const catalogue::Workload& workload,
                                         const WorkloadData& data, const TrainingRanks& ranks);

}  // namespace scalemark::running
