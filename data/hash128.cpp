#include "data/hash128.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "core/base/digest.h"
#include "core/base/error.h"

namespace scalemark::data {

struct Hash128::State {
  XXH3_state_t* xxh = XXH3_createState();
  ~State() { XXH3_freeState(xxh); }
};

Hash128::Hash128() : state_(std::make_unique<State>()) {
  if (state_->xxh == nullptr) throw std::bad_alloc();
  XXH3_128bits_reset(state_->xxh);
}
Hash128::~Hash128() = default;

void Hash128::add(std::span<const std::byte> bytes) {
  XXH3_128bits_update(state_->xxh, bytes.data(), bytes.size());
}

Digest Hash128::digest() const {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state_->xxh));
  Digest digest;
  static_assert(sizeof canonical == sizeof digest);
  std::memcpy(digest.data(), &canonical, sizeof canonical);
  return digest;
}

Digest digest_of(std::span<const std::byte> bytes, const Progress& progress) {
  constexpr std::size_t kPiece = std::size_t{64} << 20;
  Hash128 hash;
  while (!bytes.empty()) {
    const auto piece = bytes.first(std::min(kPiece, bytes.size()));
    hash.add(piece);
    bytes = bytes.subspan(piece.size());
    still_alive(progress);
  }
  return hash.digest();
}

std::string to_hex(const Digest& digest) { return hexadecimal(digest); }

Digest from_hex(std::string_view hex) {
  Digest digest{};
  if (hex.size() != 2 * digest.size()) throw bug("a digest has 32 hex digits");
  for (std::size_t i = 0; i < digest.size(); ++i) {
    unsigned value = 0;
    const char* at = hex.data() + 2 * i;
    if (std::from_chars(at, at + 2, value, 16).ptr != at + 2) throw bug("not a hex digit");
    digest[i] = static_cast<std::byte>(value);
  }
  return digest;
}

}  // namespace scalemark::data
