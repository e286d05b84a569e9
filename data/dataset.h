// What a data set is to the loader: a number of samples, the layout of one, and a way to write
// sample i into a given place. Knows nothing of ranks, batches in flight, threads or torch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/host_batch.h"

namespace scalemark::data {

// Where one sample's random choices (crop, flip, masking) come from: the same (seed, epoch, index)
// gives the same sample whatever thread, rank or worker count draws it.
struct SampleKey {
  std::uint64_t seed = 0;
  std::int64_t epoch = 0;
  std::int64_t index = 0;  // into the data set
};

class Dataset {
 public:
  virtual ~Dataset() = default;

  virtual std::int64_t size() const = 0;

  // The fields of one sample, in the order in which load() finds them in its slot.
  virtual std::vector<FieldSpec> fields() const = 0;

  // Writes sample `key.index` completely: every byte of every field in `slot`. Called from several
  // threads at once. Throws Error (65, naming the file and the reason) when it cannot be decoded.
  virtual void load(const SampleKey& key, SampleSlot slot) const = 0;

  // Sample `index` is one of the next to be loaded: what can be fetched without waiting for it may
  // be fetched now. From several threads at once; says nothing of what is wrong with a sample.
  virtual void expect(std::int64_t /*index*/) const noexcept {}

  // Turns the slots of a batch into what the network takes (BERT: padded slots of masked positions
  // become one flat list). The default returns the batch unchanged.
  virtual HostBatch collate(HostBatch batch) const { return batch; }

  // A readable name of sample `index`: a path, or a document and sentence number.
  virtual std::string name_of(std::int64_t index) const = 0;

  // Hash of what the data is (sorted relative paths and sizes; file contents for token files), by
  // which ranks and reports recognise the same data.
  virtual std::string identity() const = 0;
};

}  // namespace scalemark::data
