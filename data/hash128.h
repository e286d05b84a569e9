// XXH3-128 of a stream of bytes, by which ranks and reports recognise the same data. It is fast
// enough (10 GB/s) to check a token file at every opening. It detects accidents, not an adversary.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "data/long_work.h"

namespace scalemark::data {

using Digest = std::array<std::byte, 16>;

class Hash128 {
 public:
  Hash128();
  ~Hash128();
  void add(std::span<const std::byte> bytes);
  void add(std::string_view bytes) { add(std::as_bytes(std::span(bytes))); }
  Digest digest() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Returns the digest of bytes in memory; `progress` is called after each 64 MiB.
Digest digest_of(std::span<const std::byte> bytes, const Progress& progress = {});

std::string to_hex(const Digest& digest);
Digest from_hex(std::string_view hex);  // takes the 32 digits that to_hex() writes

}  // namespace scalemark::data
