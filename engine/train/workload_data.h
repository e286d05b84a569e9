// The data of a run are opened from settings, with their properties that shape the network, and
// become the batches that one process of a point trains on.
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
  std::string identity;         // "synthetic", or a hash by which ranks recognise the same data
  std::optional<std::int64_t> replaced_bytes = {};    // bytes of a text that are no UTF-8
  std::map<std::string, std::int64_t> left_out = {};  // files: what they are -> how many
  std::unique_ptr<data::Dataset> train;               // null: synthetic
  std::unique_ptr<data::Dataset> held_out;            // null: synthetic, or images without epochs
  std::vector<std::string> notes = {};  // for people: what of data and weights is not read as it is
};

// Throws configuration() (78) for an unknown name.
const catalogue::Workload& workload_named(const std::string& name);

// Looks through --init-from as well, so that what is no file of weights is refused before anything
// is measured. Throws 66 / 65 as data/load and workloads::notes_on_weights() do;
// configuration() when the workload cannot take this data.
WorkloadData open_data(const settings::Settings& settings, const catalogue::Workload& workload,
                       process::DataAccess& access);

// A few batches to cycle through, different on every rank.
std::vector<data::HostBatch> synthetic_batches(const settings::Settings& settings,
                                               const catalogue::Workload& workload,
                                               const catalogue::ModelShape& shape, int rank,
                                               const data::HostAllocator& allocate);

SamplingOptions sampling_of(device::Device& device, const settings::Settings& settings,
                            const TrainingRanks& ranks);

// Without an end: of the data set where there is one, else synthetic. The batches of several
// training ranks are joined. A dedicated server has none, and fetches none.
std::unique_ptr<BatchSource> open_source(device::Device& device, const settings::Settings& settings,
                                         const catalogue::Workload& workload,
                                         const WorkloadData& data, const TrainingRanks& ranks);

}  // namespace scalemark::running
