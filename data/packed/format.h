// The format of packed data on the disk: shards that hold the samples of an image tree, and one
// index of them. docs/DATA.md describes both, byte by byte. Knows nothing of writing or loading.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/base/words.h"
#include "data/hash128.h"

namespace scalemark::data::packed {

static_assert(std::endian::native == std::endian::little, "packed data is little-endian");

enum class Form : std::uint32_t {
  kJpeg = 1,     // each file unchanged, JPEG with places at which decoding can begin
  kJpeg256 = 2,  // larger images re-encoded to kShorterSide
  kRaw256 = 3,   // pixels, larger images reduced to kShorterSide
};
constexpr auto words_of(Form) {
  return std::to_array<Word<Form>>(
      {{Form::kJpeg, "jpeg"}, {Form::kJpeg256, "jpeg-256"}, {Form::kRaw256, "raw-256"}});
}

// How the bytes of one sample are encoded.
enum class Encoding : std::uint32_t {
  kFile = 0,     // an unchanged image file
  kIndexed = 1,  // a table of access points, and the JPEG file to which they belong
  kRaw = 2,      // height x width x 3 bytes, RGB
};

inline constexpr std::uint32_t kVersion = 2;
inline constexpr int kShorterSide = 256;
inline constexpr int kQuality = 90;  // quality of the JPEG files in Form::kJpeg256
inline constexpr std::uint64_t kAlignment = 64;

// names in the folder
inline constexpr const char* kIndexName = "packed.index";
inline constexpr const char* kPlanName = "packing.plan";
inline constexpr const char* kPartName = "shard.part";  // the shard that is being written
std::string shard_name(std::uint32_t split, std::uint64_t number);  // "train-00000.shard"

inline constexpr std::uint32_t kTrain = 0;
inline constexpr std::uint32_t kEvaluate = 1;

struct SampleEntry {
  std::uint64_t offset = 0;  // relative to its shard's beginning
  std::uint64_t bytes = 0;
  Digest checksum{};       // XXH3-128 of these bytes
  std::uint64_t path = 0;  // offset of its path in the index's texts
  std::uint32_t path_bytes = 0;
  std::uint32_t label = 0;
  std::uint32_t shard = 0;  // index into the index's list of shards
  std::uint32_t encoding = 0;
  std::uint32_t width = 0;  // 0 x 0: the stored image's header is unreadable
  std::uint32_t height = 0;
};
static_assert(sizeof(SampleEntry) == 64);

// A shard consists of this header, then samples, each at a multiple of kAlignment with zeros in
// between, then its entries, then the end.
struct ShardHeader {
  char magic[8] = {'S', 'M', 'S', 'H', 'A', 'R', 'D', '\n'};
  std::uint32_t version = kVersion;
  std::uint32_t split = kTrain;
  std::uint64_t number = 0;  // number within its split
  Digest plan{};             // Plan::digest() of the packing
  std::uint64_t zeros[3] = {};
};
static_assert(sizeof(ShardHeader) == 64);

struct ShardEnd {
  std::uint64_t samples = 0;
  std::uint64_t next = 0;  // position of the first following sample in the split's tree order
  Digest entries{};        // XXH3-128 of header, entries, samples and next
  char magic[8] = {'S', 'M', 'S', 'H', 'E', 'N', 'D', '\n'};
};
static_assert(sizeof(ShardEnd) == 40);

struct ShardEntry {
  std::uint32_t split = kTrain;
  std::uint32_t zero = 0;
  std::uint64_t number = 0;
  std::uint64_t bytes = 0;
  std::uint64_t first = 0;  // index of its first sample
  std::uint64_t samples = 0;
  Digest checksum{};  // XXH3-128 of the whole file
};
static_assert(sizeof(ShardEntry) == 56);

struct ClassEntry {
  std::uint64_t name = 0;  // offset in the texts
  std::uint64_t bytes = 0;
};
static_assert(sizeof(ClassEntry) == 16);

// The index consists of this header, then classes, shards, samples (train, then evaluate) and
// texts.
struct IndexHeader {
  char magic[8] = {'S', 'M', 'P', 'A', 'C', 'K', 'E', 'D'};
  std::uint32_t version = kVersion;
  Form form = Form::kJpeg;
  std::uint32_t side = 0;     // kShorterSide; 0 for kJpeg
  std::uint32_t quality = 0;  // kQuality for kJpeg256; else 0
  std::uint32_t held_out = 0;
  std::uint32_t zero = 0;
  std::uint64_t classes = 0;
  std::uint64_t shards = 0;
  std::uint64_t train = 0;
  std::uint64_t evaluate = 0;
  std::uint64_t text_bytes = 0;
  std::uint64_t file_bytes = 0;
  Digest plan{};
  Digest payload{};  // XXH3-128 of all that follows the header
  Digest header{};   // XXH3-128 of this header up to here; in hex, the data set's identity
};
static_assert(sizeof(IndexHeader) == 128);

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

Digest digest_of_header(const IndexHeader& header);

}  // namespace scalemark::data::packed
