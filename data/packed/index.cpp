#include "data/packed/index.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/base/error.h"

namespace scalemark::data::packed {
namespace {

namespace fs = std::filesystem;

// Is thrown where an index is damaged. The constructor, which knows the index's name, catches it
// and throws an Error.
struct Damage {
  std::string what;
};

// A packing that is killed while it writes its plan leaves only the plan's part file.
bool is_begun(const fs::path& root) {
  std::error_code ignored;
  return fs::exists(root / kPlanName, ignored) || fs::exists(root / kPartName, ignored);
}

bool has_shards(const fs::path& root) {
  std::error_code ignored;
  return fs::exists(root / shard_name(kTrain, 0), ignored);
}

std::unique_ptr<MappedFile> map_index(const fs::path& root) {
  std::error_code ignored;
  const fs::path path = root / kIndexName;
  const bool there = fs::exists(path, ignored);
  if (!there && is_begun(root)) {
    throw bad_data(root.string() + " is packed data that is not finished: it has no " + kIndexName,
                   {}, "the same `scalemark data pack` goes on where it was interrupted");
  }
  if (!there && has_shards(root)) {
    throw bad_data(root.string() + " holds shards and no " + kIndexName, {},
                   "copy that file, too, or pack the tree again with `scalemark data pack`");
  }
  if (there && fs::is_directory(root / "train", ignored)) {
    throw bad_data(root.string() + " holds packed data and train/", "one of both",
                   "move one of them away");
  }
  return std::make_unique<MappedFile>(path, "index");
}

IndexHeader read_header(std::span<const std::byte> image) {
  IndexHeader header;
  const IndexHeader expected;
  if (image.size() < sizeof header) throw Damage{"it is shorter than its header"};
  std::memcpy(&header, image.data(), sizeof header);
  if (std::memcmp(header.magic, expected.magic, sizeof header.magic) != 0) {
    throw Damage{"it is no index of packed data"};
  }
  if (header.version != kVersion) {
    throw Damage{"it has format version " + std::to_string(header.version) + ", not the " +
                 std::to_string(kVersion) + " of this scalemark"};
  }
  if (header.header != digest_of_header(header)) {
    throw Damage{"its header does not match its checksum"};
  }
  const auto forms = words_of(Form{});
  if (std::none_of(forms.begin(), forms.end(),
                   [&](const auto& form) { return form.value == header.form; })) {
    throw Damage{"it has an unknown form"};
  }
  if (header.file_bytes != image.size()) {
    throw Damage{"it has " + std::to_string(image.size()) + " bytes of " +
                 std::to_string(header.file_bytes)};
  }
  return header;
}

std::uint64_t total_bytes(const IndexHeader& h) {
  return sizeof h + h.classes * sizeof(ClassEntry) + h.shards * sizeof(ShardEntry) +
         (h.train + h.evaluate) * sizeof(SampleEntry) + h.text_bytes;
}

template <class T>
std::span<const T> take(std::span<const std::byte>& rest, std::uint64_t count) {
  const std::span<const T> taken(reinterpret_cast<const T*>(rest.data()), count);
  rest = rest.subspan(taken.size_bytes());
  return taken;
}

// Forms that store files use these encodings.
constexpr Encoding kFileEncodings[] = {Encoding::kFile, Encoding::kIndexed};

bool is_one_of(std::uint32_t encoding, std::span<const Encoding> allowed) {
  return std::any_of(allowed.begin(), allowed.end(),
                     [&](Encoding one) { return static_cast<std::uint32_t>(one) == encoding; });
}

// Pixels are read in place, as far as their size indicates, so the size must fit.
bool is_whole_raw(const SampleEntry& s) {
  constexpr std::uint32_t kLong = 1u << 24;  // keeps the product from overflowing
  return s.encoding == static_cast<std::uint32_t>(Encoding::kRaw) && s.height > 0 &&
         s.height < kLong && s.width > 0 && s.width < kLong &&
         s.bytes == std::uint64_t{3} * s.width * s.height;
}

void append(std::vector<std::byte>& to, std::span<const std::byte> bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

}  // namespace

Index::Index(const std::string& root, const Progress& progress) try
    : root_(root), file_(map_index(root)) {
  while (root_.size() > 1 && root_.back() == '/') root_.pop_back();
  const auto image = file_->bytes();
  header_ = read_header(image);
  check_numbers();
  if (digest_of(image.subspan(sizeof header_), progress) != header_.payload) {
    throw Damage{"its contents do not match their checksum"};
  }
  auto rest = image.subspan(sizeof header_);
  classes_ = take<ClassEntry>(rest, header_.classes);
  shards_ = take<ShardEntry>(rest, header_.shards);
  samples_ = take<SampleEntry>(rest, header_.train + header_.evaluate);
  texts_ = {reinterpret_cast<const char*>(rest.data()), rest.size()};
  check_classes();
  check_shards();
  for (const SampleEntry& sample : samples_) check_sample(sample);
} catch (const Damage& damage) {
  throw bad_data("index " + (fs::path(root) / kIndexName).string() + ": " + damage.what, {},
                 "pack the tree again with `scalemark data pack`");
}

// Even a file with a correct checksum may come from a faulty writer.
void Index::check_numbers() const {
  constexpr std::uint64_t kMany = std::uint64_t{1} << 48;  // keeps the sum from overflowing
  const auto& h = header_;
  const bool few = std::max({h.classes, h.shards, h.train, h.evaluate, h.text_bytes}) < kMany;
  if (!few || total_bytes(h) != h.file_bytes) {
    throw Damage{"its counts do not match its size"};
  }
}

void Index::check_classes() const {
  for (const ClassEntry& entry : classes_) {
    if (entry.name > texts_.size() || entry.bytes > texts_.size() - entry.name) {
      throw Damage{"the name of a class lies outside its texts"};
    }
  }
}

void Index::check_shards() const {
  std::uint64_t sample = 0;
  for (const ShardEntry& shard : shards_) {
    if (shard.first != sample || shard.samples > samples_.size() - sample) {
      throw Damage{"its shards do not hold its samples"};
    }
    sample += shard.samples;
  }
  if (sample != samples_.size()) throw Damage{"its shards do not hold its samples"};
}

void Index::check_sample(const SampleEntry& s) const {
  if (s.shard >= shards_.size() || s.label >= classes_.size() || s.path > texts_.size() ||
      s.path_bytes > texts_.size() - s.path) {
    throw Damage{"a sample lies outside its lists"};
  }
  const ShardEntry& shard = shards_[s.shard];
  const auto place = static_cast<std::uint64_t>(&s - samples_.data());
  const bool right_split = (place < header_.train) == (shard.split == kTrain);
  const bool in_shard = place >= shard.first && place - shard.first < shard.samples &&
                        s.offset <= shard.bytes && s.bytes <= shard.bytes - s.offset;
  const bool right_encoding =
      header_.form == Form::kRaw256 ? is_whole_raw(s) : is_one_of(s.encoding, kFileEncodings);
  if (!right_split || !in_shard || !right_encoding) {
    throw Damage{"sample " + std::string(path_of(s)) + " does not fit its shard"};
  }
}

std::span<const SampleEntry> Index::split(std::uint32_t split) const {
  return split == kTrain ? samples_.first(header_.train) : samples_.subspan(header_.train);
}

std::string_view Index::path_of(const SampleEntry& sample) const {
  return texts_.substr(sample.path, sample.path_bytes);
}

std::vector<std::string> Index::class_names() const {
  std::vector<std::string> names;
  for (const ClassEntry& entry : classes_)
    names.emplace_back(texts_.substr(entry.name, entry.bytes));
  return names;
}

fs::path Index::shard_path(const ShardEntry& shard) const {
  return fs::path(root_) / shard_name(shard.split, shard.number);
}

std::string Index::name_of(const SampleEntry& sample) const {
  return std::string(path_of(sample)) + " in " + shard_path(shards_[sample.shard]).string();
}

bool is_packed(const fs::path& root) {
  std::error_code ignored;
  return fs::exists(root / kIndexName, ignored) || is_begun(root) || has_shards(root);
}

std::vector<std::byte> index_bytes(IndexParts parts) {
  IndexHeader& header = parts.header;
  header.classes = parts.classes.size();
  header.shards = parts.shards.size();
  header.text_bytes = parts.texts.size();
  header.file_bytes = total_bytes(header);
  std::vector<std::byte> image(sizeof header);
  image.reserve(header.file_bytes);
  append(image, std::as_bytes(std::span(parts.classes)));
  append(image, std::as_bytes(std::span(parts.shards)));
  append(image, std::as_bytes(std::span(parts.samples)));
  append(image, std::as_bytes(std::span(parts.texts)));
  header.payload = digest_of(std::span(image).subspan(sizeof header));
  header.header = digest_of_header(header);
  std::memcpy(image.data(), &header, sizeof header);
  return image;
}

}  // namespace scalemark::data::packed
