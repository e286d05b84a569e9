#include "data/packed/stored_sample.h"

#include "data/images/codecs.h"
#include "data/packed/record.h"

namespace scalemark::data::packed {

bool StoredSample::read() {
  if (mapped()) return false;
  memory_ = std::make_unique_for_overwrite<std::uint8_t[]>(sample_->bytes);
  const std::span target(memory_.get(), sample_->bytes);
  data_->shard_of(*sample_).read(sample_->offset, std::as_writable_bytes(target));
  return true;
}

bool StoredSample::check() const {
  if (mapped()) return false;
  if (digest_of(std::as_bytes(bytes())) == sample_->checksum) return true;
  throw bad_sample(name(), "its bytes do not match their checksum",
                   "`scalemark data verify` lists all of them: copy the shards anew, or leave them "
                   "out with --on-bad-sample skip");
}

std::unique_ptr<ImageDecoder> StoredSample::open(DecoderMemory& memory) const {
  const ImageSize size{static_cast<int>(sample_->width), static_cast<int>(sample_->height)};
  if (mapped()) {
    const auto pixels = data_->shard_of(*sample_).mapped_bytes(*sample_);
    return open_raw(reinterpret_cast<const std::uint8_t*>(pixels.data()), size);
  }
  return open_record(static_cast<Encoding>(sample_->encoding), bytes(), size, name(), &memory);
}

}  // namespace scalemark::data::packed
