// One sample of packed data on its way from its shard to a decoder. Knows nothing of crops.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "data/images/decode.h"
#include "data/packed/packed_data.h"

namespace scalemark::data::packed {

class StoredSample {
 public:
  // `data` and `sample` must outlive it.
  StoredSample(const PackedData& data, const SampleEntry& sample)
      : data_(&data), sample_(&sample) {}

  // Into memory of its own; false, and nothing is done, where the shard is mapped. Throws what
  // ShardFile::read() throws.
  bool read();

  // Throws bad_sample() (65) when what was read does not match its checksum; false, and nothing is
  // compared, where the shard is mapped.
  bool check() const;

  // Over what was read, or over the map; `memory` as of open_record(), whose errors it throws.
  std::unique_ptr<ImageDecoder> open(DecoderMemory& memory) const;

 private:
  bool mapped() const { return data_->shard_of(*sample_).mapped(); }
  std::string name() const { return data_->index().name_of(*sample_); }
  std::span<const std::uint8_t> bytes() const { return {memory_.get(), sample_->bytes}; }

  const PackedData* data_;
  const SampleEntry* sample_;
  std::unique_ptr<std::uint8_t[]> memory_;
};

}  // namespace scalemark::data::packed
