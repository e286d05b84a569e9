#include "data/packed/packed_data.h"

namespace scalemark::data {

PackedData::PackedData(const std::string& root, const Progress& progress) : index_(root, progress) {
  const bool mapped = index_.header().form == packed::Form::kRaw256;
  for (const packed::ShardEntry& shard : index_.shards()) {
    shards_.push_back(std::make_unique<packed::ShardFile>(index_, shard, mapped));
    still_alive(progress);
  }
}

std::shared_ptr<const PackedData> open_packed_data(const std::string& root,
                                                   const Progress& progress) {
  return std::make_shared<PackedData>(root, progress);
}

}  // namespace scalemark::data
