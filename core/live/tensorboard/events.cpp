#include "core/live/tensorboard/events.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <utility>
#include <vector>

#include "core/base/characters.h"
#include "core/base/digest.h"

namespace scalemark::tensorboard {
namespace {

constexpr std::string_view kFilePrefix = "events.out.tfevents.", kFileSuffix = ".scalemark";

// Numbers of fields in tensorboard/compat/proto (event, summary, histogram) and
// tensorboard/plugins/hparams (plugin_data).
namespace event {
constexpr int kWallTime = 1, kStep = 2, kFileVersion = 3, kSummary = 5;
}
namespace summary {
constexpr int kValue = 1, kTag = 1, kSimpleValue = 2, kHistogram = 5, kMetadata = 9;
constexpr int kPluginData = 1, kPluginName = 1, kContent = 2, kDescription = 3, kDataClass = 4;
constexpr std::int64_t kScalar = 1, kTensor = 2;
}  // namespace summary
namespace buckets {
constexpr int kMin = 1, kMax = 2, kNumber = 3, kSum = 4, kSumSquares = 5, kLimits = 6, kCounts = 7;
}
namespace hparams {
constexpr int kStart = 3, kEnd = 4;
constexpr int kParameters = 1, kGroup = 4, kStarted = 5, kStatus = 1, kEnded = 2;
constexpr int kKey = 1, kValue = 2, kNumber = 2, kText = 3, kTruth = 4;
constexpr std::uint64_t kSuccess = 1, kFailure = 2;
}  // namespace hparams

enum class WireType { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

void put_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

void put_key(std::string& out, int field, WireType type) {
  put_varint(out, static_cast<std::uint64_t>(field) << 3 | static_cast<std::uint64_t>(type));
}

// The machine's byte order is little-endian, as the format's.
template <class T>
void put_fixed(std::string& out, T value) {
  static_assert(std::endian::native == std::endian::little);
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string repaired(std::string_view text) {
  std::string all;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    all += length > 0 ? text.substr(0, length) : std::string_view("\xEF\xBF\xBD");
    text.remove_prefix(length > 0 ? length : 1);
  }
  return all;
}

void put_bytes(std::string& out, int field, std::string_view bytes) {
  put_key(out, field, WireType::kBytes);
  put_varint(out, bytes.size());
  out += bytes;
}

void put_text(std::string& out, int field, std::string_view text) {
  put_bytes(out, field, repaired(text));
}

void put_double(std::string& out, int field, double value) {
  put_key(out, field, WireType::kFixed64);
  put_fixed(out, value);
}

// proto3 leaves out what has its default.
void put_unless_zero(std::string& out, int field, double value) {
  if (std::bit_cast<std::uint64_t>(value) != 0) put_double(out, field, value);
}

void put_unless_zero(std::string& out, int field, std::int64_t value) {
  if (value == 0) return;
  put_key(out, field, WireType::kVarint);
  put_varint(out, static_cast<std::uint64_t>(value));
}

void put_all(std::string& out, int field, const std::vector<double>& values) {
  if (values.empty()) return;
  put_key(out, field, WireType::kBytes);
  put_varint(out, values.size() * sizeof(double));
  for (const double value : values) put_fixed(out, value);
}

void put_record(std::string& out, std::string_view content) {
  std::string length;
  put_fixed(length, static_cast<std::uint64_t>(content.size()));
  out += length;
  put_fixed(out, masked_crc32c(length));
  out += content;
  put_fixed(out, masked_crc32c(content));
}

std::string event_at(double time, std::int64_t step) {
  std::string content;
  put_unless_zero(content, event::kWallTime, time);
  put_unless_zero(content, event::kStep, step);
  return content;
}

// An event with one value of a summary.
void put_value(std::string& out, std::string content, std::string_view value) {
  std::string all;
  put_bytes(all, summary::kValue, value);
  put_bytes(content, event::kSummary, all);
  put_record(out, content);
}

// A bucket has only its right edge in the file, so that a gap between two bins is an empty bucket,
// and so is what lies left of the first one.
void put_buckets(std::string& out, const Histogram& values) {
  std::vector<double> limits, counts;
  double end = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < values.bins.size(); ++i) {
    const BinEdges edges = edges_of(values.bins[i]);
    if (edges.low > end) {
      limits.push_back(edges.low);
      counts.push_back(0);
    }
    end = edges.high;
    limits.push_back(end);
    counts.push_back(static_cast<double>(values.counts[i]));
  }
  put_all(out, buckets::kLimits, limits);
  put_all(out, buckets::kCounts, counts);
}

std::string wire_of(const Histogram& values) {
  std::string all;
  put_unless_zero(all, buckets::kMin, values.min);
  put_unless_zero(all, buckets::kMax, values.max);
  put_unless_zero(all, buckets::kNumber, static_cast<double>(values.n));
  put_unless_zero(all, buckets::kSum, values.sum);
  put_unless_zero(all, buckets::kSumSquares, values.sum_squares);
  put_buckets(all, values);
  return all;
}

// Writes a google.protobuf.Value: members of a oneof are written whatever their value is.
struct ParameterWriter {
  std::string& out;
  void operator()(bool truth) const {
    put_key(out, hparams::kTruth, WireType::kVarint);
    put_varint(out, truth ? 1 : 0);
  }
  void operator()(double number) const { put_double(out, hparams::kNumber, number); }
  void operator()(const std::string& text) const { put_text(out, hparams::kText, text); }
};

std::string wire_of(const Session& session) {
  std::string all;
  for (const auto& [name, parameter] : session.parameters) {
    std::string value, entry;
    std::visit(ParameterWriter{value}, parameter);
    put_text(entry, hparams::kKey, name);
    put_bytes(entry, hparams::kValue, value);
    put_bytes(all, hparams::kParameters, entry);
  }
  if (!session.group.empty()) put_text(all, hparams::kGroup, session.group);
  put_unless_zero(all, hparams::kStarted, session.started);
  return all;
}

// The plugin reads the metadata of a value that holds nothing else.
void put_hparams(std::string& out, double time, std::string_view tag, int field,
                 std::string_view message) {
  std::string data, plugin, metadata, value;
  put_bytes(data, field, message);
  put_text(plugin, summary::kPluginName, "hparams");
  put_bytes(plugin, summary::kContent, data);
  put_bytes(metadata, summary::kPluginData, plugin);
  put_text(value, summary::kTag, tag);
  put_bytes(value, summary::kMetadata, metadata);
  put_value(out, event_at(time, 0), value);
}

// Whether a tag fits a name of the list, whose capitals, apart from a first letter, may be
// anything.
bool fits(std::string_view tag, std::string_view name) {
  constexpr std::string_view kCapitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  const std::size_t from = name.find_first_of(kCapitals, 1);
  if (from == std::string_view::npos) return tag == name;
  const std::string_view behind = name.substr(name.find_last_of(kCapitals) + 1);
  return tag.starts_with(name.substr(0, from)) && tag.ends_with(behind);
}

}  // namespace

std::span<const Tag> tags() {
  static constexpr Tag kTags[] = {
#define SCALEMARK_TAG(name, step, meaning) {name, step, meaning, false},
#define SCALEMARK_LIVE_TAG(name, step, meaning) {name, step, meaning, true},
#include "core/live/tensorboard/tag_list.inc"
  };
  return kTags;
}

// Adds metadata to a value. Without a data class TensorBoard's reader in Rust would ignore them.
std::string Events::described(std::string value, std::string_view tag, std::string_view plugin) {
  const auto found =
      std::ranges::find_if(tags(), [&](const Tag& one) { return fits(tag, one.name); });
  if (found == tags().end() || !described_.emplace(tag).second) return value;
  std::string name, metadata;
  put_text(name, summary::kPluginName, plugin);
  put_bytes(metadata, summary::kPluginData, name);
  put_text(metadata, summary::kDescription, found->meaning);
  put_unless_zero(metadata, summary::kDataClass,
                  plugin == "scalars" ? summary::kScalar : summary::kTensor);
  put_bytes(value, summary::kMetadata, metadata);
  return value;
}

void Events::begin(double time) {
  std::string content = event_at(time, 0);
  put_text(content, event::kFileVersion, "brain.Event:2");
  put_record(bytes_, content);
}

void Events::scalar(std::string_view tag, std::int64_t step, double time, double value) {
  std::string content;
  put_text(content, summary::kTag, tag);
  put_key(content, summary::kSimpleValue, WireType::kFixed32);
  put_fixed(content, static_cast<float>(value));
  put_value(bytes_, event_at(time, step), described(std::move(content), tag, "scalars"));
}

void Events::histogram(std::string_view tag, std::int64_t step, double time,
                       const Histogram& values) {
  std::string content;
  put_text(content, summary::kTag, tag);
  put_bytes(content, summary::kHistogram, wire_of(values));
  put_value(bytes_, event_at(time, step), described(std::move(content), tag, "histograms"));
}

void Events::begin_session(const Session& session) {
  put_hparams(bytes_, session.started, "_hparams_/session_start_info", hparams::kStart,
              wire_of(session));
}

void Events::end_session(bool succeeded, double time) {
  std::string message;
  put_key(message, hparams::kStatus, WireType::kVarint);
  put_varint(message, succeeded ? hparams::kSuccess : hparams::kFailure);
  put_unless_zero(message, hparams::kEnded, time);
  put_hparams(bytes_, time, "_hparams_/session_end_info", hparams::kEnd, message);
}

std::string Events::take() { return std::exchange(bytes_, {}); }

std::string event_file_name(double started) {
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%010lld", static_cast<long long>(started));
  return std::string(kFilePrefix) + seconds + std::string(kFileSuffix);
}

bool is_event_file(std::string_view name) {
  return name.starts_with(kFilePrefix) && name.ends_with(kFileSuffix);
}

}  // namespace scalemark::tensorboard
