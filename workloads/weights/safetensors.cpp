#include "workloads/weights/safetensors.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cstring>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <vector>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "workloads/weights/foreign_files.h"

namespace scalemark::workloads {
namespace {

using nlohmann::json;
static_assert(std::endian::native == std::endian::little, "safetensors files are little-endian");

// The Rust implementation has the same limit.
constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;
constexpr std::size_t kAlignment = 8;
constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max();

struct TypeName {
  at::ScalarType type;
  std::string_view name;
};

constexpr std::array<TypeName, 8> kTypes{{{at::kDouble, "F64"},
                                          {at::kFloat, "F32"},
                                          {at::kHalf, "F16"},
                                          {at::kBFloat16, "BF16"},
                                          {at::kLong, "I64"},
                                          {at::kInt, "I32"},
                                          {at::kByte, "U8"},
                                          {at::kBool, "BOOL"}}};

// The format's types that are not supported here.
constexpr std::array<std::string_view, 14> kUnread{
    "I8",      "U16", "I16",     "U32",     "U64", "F8_E4M3",     "F8_E5M2",
    "F8_E8M0", "F4",  "F6_E2M3", "F6_E3M2", "C64", "F8_E4M3FNUZ", "F8_E5M2FNUZ"};

using Entry = StoredTensor;

Error damaged(const std::filesystem::path& path, const std::string& why) {
  return bad_data(path.string() + " is not a valid safetensors file: " + why);
}

// Shortens long values for an error line.
std::string in_words(const json& value) {
  constexpr std::size_t kLongest = 40;
  const bool is_short = value.is_string() && value.get_ref<const std::string&>().size() <= kLongest;
  return value.is_number() || is_short ? value.dump(-1, ' ', false, json::error_handler_t::replace)
                                       : "type " + std::string(value.type_name());
}

std::uint64_t read_count(const json& value, const std::string& name,
                         const std::filesystem::path& path) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > kLargest) {
    throw damaged(path, in_quotes(name) + " has a size or offset of " + in_words(value));
  }
  return value.get<std::uint64_t>();
}

// Checks empty tensors as well, since torch multiplies the sizes to strides.
std::uint64_t bytes_of(const Entry& entry, const std::filesystem::path& path) {
  std::uint64_t bytes = c10::elementSize(entry.type), strides = bytes;
  for (const std::int64_t n : entry.shape) {
    const auto size = static_cast<std::uint64_t>(n);
    if (__builtin_mul_overflow(bytes, size, &bytes) ||
        __builtin_mul_overflow(strides, std::max<std::uint64_t>(1, size), &strides) ||
        strides > kLargest) {
      throw damaged(path, "the size of " + in_quotes(entry.name) + " overflows");
    }
  }
  return bytes;
}

at::ScalarType read_type(const json& value, const std::string& name,
                         const std::filesystem::path& path) {
  const auto found = std::ranges::find_if(
      kTypes, [&](const TypeName& t) { return value.is_string() && value == t.name; });
  if (found != kTypes.end()) return found->type;
  if (value.is_string() && std::ranges::count(kUnread, value.get<std::string>()) > 0) {
    throw bad_data(path.string() + ": " + in_quotes(name) + " is " + value.get<std::string>() +
                       ", a type that is not read here",
                   "F32, BF16, F16 or F64",
                   "write it again in one of them, with its scales multiplied in");
  }
  throw damaged(path, in_quotes(name) + " has the unknown dtype " + in_words(value));
}

Entry read_entry(const std::string& name, const json& value, const std::filesystem::path& path) {
  if (!value.is_object() || value.size() != 3 || !value.contains("dtype") ||
      !value.contains("shape") || !value.contains("data_offsets") || !value["shape"].is_array() ||
      !value["data_offsets"].is_array() || value["data_offsets"].size() != 2) {
    throw damaged(path, in_quotes(name) + " is not {dtype, shape, data_offsets}");
  }
  Entry entry{.name = name, .type = read_type(value["dtype"], name, path)};
  for (const json& n : value["shape"]) {
    entry.shape.push_back(static_cast<std::int64_t>(read_count(n, name, path)));
  }
  entry.begin = read_count(value["data_offsets"][0], name, path);
  entry.end = read_count(value["data_offsets"][1], name, path);
  if (entry.end < entry.begin || entry.end - entry.begin != bytes_of(entry, path)) {
    throw damaged(path, "the offsets of " + in_quotes(name) + " do not fit its dtype and shape");
  }
  return entry;
}

// Returns the entries in the order of their bytes, which they cover exactly.
std::vector<Entry> read_entries(const json& header, std::uint64_t data_bytes,
                                const std::filesystem::path& path) {
  std::vector<Entry> entries;
  for (const auto& [name, value] : header.items()) {
    if (name != "__metadata__") entries.push_back(read_entry(name, value, path));
  }
  std::ranges::sort(entries, {}, [](const Entry& e) { return std::pair(e.begin, e.end); });
  std::uint64_t covered = 0;
  for (const Entry& entry : entries) {
    if (entry.begin != covered)
      throw damaged(path, in_quotes(entry.name) + " overlaps or leaves a gap");
    covered = entry.end;
  }
  if (covered != data_bytes) {
    throw damaged(path, "the header describes " + std::to_string(covered) + " bytes of data, " +
                            std::to_string(data_bytes) + " are there");
  }
  return entries;
}

// An opened file, read up to its data.
struct Opened {
  std::ifstream file;
  std::vector<Entry> entries;
};

// Other formats begin with bytes that would be an enormous length. Where the length is possible, a
// header that is no object shows another format, too.
void refuse_foreign(std::string_view first_bytes, const std::filesystem::path& path) {
  if (const auto foreign = foreign_file(first_bytes)) {
    throw bad_data(path.string() + " is " + foreign->what, "a safetensors file", foreign->hint);
  }
  if (looks_like_json(first_bytes)) {
    throw bad_data(path.string() + " is JSON and no weights", "a safetensors file");
  }
}

// Returns the beginning of a text for an error line; empty where the bytes are no text.
std::string text_in(std::string_view first_bytes) {
  constexpr std::size_t kShown = 40;
  std::string text(first_bytes.substr(0, kShown));
  const auto is_text = [](unsigned char c) { return (c >= ' ' && c < 0x7f) || std::isspace(c); };
  if (!std::ranges::all_of(text, is_text)) return {};
  std::ranges::replace_if(
      text, [](unsigned char c) { return std::isspace(c); }, ' ');
  return text.substr(std::min(text.find_first_not_of(' '), text.size()));
}

// Returns hexadecimal bytes, such as "04 22 4d 18", which show more of a file's beginning than a
// number of 19 digits.
std::string in_hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) {
    if (!text.empty()) text += ' ';
    text += {kDigits[byte / 16U], kDigits[byte % 16U]};
  }
  return text;
}

std::uint64_t read_header_bytes(std::ifstream& file, std::uint64_t file_bytes,
                                const std::filesystem::path& path) {
  std::string first(std::min<std::uint64_t>(kSignatureBytes, file_bytes), '\0');
  file.read(first.data(), static_cast<std::streamsize>(first.size()));
  std::uint64_t bytes = 0;
  const bool has_length = first.size() >= sizeof bytes;
  if (has_length) std::memcpy(&bytes, first.data(), sizeof bytes);
  const bool fits = has_length && bytes <= kMaxHeaderBytes && bytes <= file_bytes - sizeof bytes;
  if (!fits || (bytes > 0 && first[sizeof bytes] != '{')) refuse_foreign(first, path);
  if (!has_length) throw damaged(path, "it is shorter than 8 bytes");
  if (const std::string text = fits ? "" : text_in(first); !text.empty())
    throw damaged(path, "it is a text, '" + text + "'");
  if (bytes > kMaxHeaderBytes) {
    throw damaged(path, "its first bytes, " + in_hex(first.substr(0, sizeof bytes)) +
                            ", are no length of a header");
  }
  if (!fits) {
    throw damaged(path, "its header of " + std::to_string(bytes) + " bytes does not fit into its " +
                            std::to_string(file_bytes) + " bytes");
  }
  file.seekg(sizeof bytes);
  return bytes;
}

Opened open_file(const std::filesystem::path& path) {
  std::error_code error;
  const std::uint64_t file_bytes = std::filesystem::file_size(path, error);
  Opened opened{.file = std::ifstream(path, std::ios::binary), .entries = {}};
  if (error || !opened.file)
    throw no_input(path.string() + " cannot be read", "a safetensors file");
  const std::uint64_t header_bytes = read_header_bytes(opened.file, file_bytes, path);
  std::string text(header_bytes, '\0');
  opened.file.read(text.data(), static_cast<std::streamsize>(header_bytes));
  if (!opened.file) throw io_error(path.string() + " ended or failed while it was read");
  const json header =
      parse_object(text, path.string() + " is not a valid safetensors file: the header");
  opened.entries = read_entries(header, file_bytes - header_bytes - sizeof(std::uint64_t), path);
  return opened;
}

json describe(const at::Tensor& tensor, const std::string& name, std::uint64_t begin) {
  const std::string_view type = name_in_file(tensor.scalar_type());
  if (type.empty()) throw bug("safetensors: no name for the dtype of " + in_quotes(name));
  return {{"dtype", type},
          {"shape", tensor.sizes().vec()},
          {"data_offsets", {begin, begin + tensor.nbytes()}}};
}

// Returns the order of the data: wide types first, so that every tensor is aligned to its element.
std::vector<std::string> data_order(const NamedTensors& tensors) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : tensors) names.push_back(name);
  std::ranges::stable_sort(names, std::greater<>(), [&](const std::string& name) {
    return tensors.find(name)->second.element_size();
  });
  return names;
}

std::string header_text(const NamedTensors& tensors) {
  json header{{"__metadata__", {{"format", "pt"}}}};  // transformers refuses a file without it
  std::uint64_t offset = 0;
  for (const std::string& name : data_order(tensors)) {
    const at::Tensor& tensor = tensors.find(name)->second;
    header[name] = describe(tensor, name, offset);
    offset += tensor.nbytes();
  }
  std::string text = header.dump();
  text.append((kAlignment - text.size() % kAlignment) % kAlignment, ' ');
  return text;
}

}  // namespace

std::string_view name_in_file(at::ScalarType type) {
  const auto found = std::ranges::find(kTypes, type, &TypeName::type);
  return found == kTypes.end() ? std::string_view() : found->name;
}

std::vector<StoredTensor> read_safetensors_header(const std::filesystem::path& path) {
  return open_file(path).entries;
}

NamedTensors read_safetensors(const std::filesystem::path& path) {
  auto [file, entries] = open_file(path);
  NamedTensors tensors;
  for (const Entry& entry : entries) {
    const auto tensor = at::empty(entry.shape, at::TensorOptions().dtype(entry.type));
    file.read(static_cast<char*>(tensor.mutable_data_ptr()),
              static_cast<std::streamsize>(tensor.nbytes()));
    tensors.emplace(entry.name, tensor);
  }
  if (!file) throw io_error(path.string() + " ended or failed while it was read");
  return tensors;
}

void write_safetensors(const std::filesystem::path& path, const NamedTensors& tensors) {
  const std::string header = header_text(tensors);
  const std::uint64_t header_bytes = header.size();
  AtomicFile file(path);
  file.append(std::as_bytes(std::span(&header_bytes, 1)));
  file.append(header);
  for (const std::string& name : data_order(tensors)) {
    const auto host = tensors.find(name)->second.detach().to(at::kCPU).contiguous();
    file.append({static_cast<const std::byte*>(host.const_data_ptr()), host.nbytes()});
  }
  file.commit();
}

}  // namespace scalemark::workloads
