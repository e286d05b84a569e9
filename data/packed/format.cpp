#include "data/packed/format.h"

#include <cstddef>
#include <cstdio>

namespace scalemark::data::packed {

std::string shard_name(std::uint32_t split, std::uint64_t number) {
  char text[48];
  std::snprintf(text, sizeof text, "%s-%05llu.shard", split == kTrain ? "train" : "evaluate",
                static_cast<unsigned long long>(number));
  return text;
}

Digest digest_of_header(const IndexHeader& header) {
  return digest_of(bytes_of(header).first(offsetof(IndexHeader, header)));
}

}  // namespace scalemark::data::packed
