#include "workloads/safetensors.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <array>
#include <bit>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/json_depth.h"

namespace scalemark::workloads {
namespace {

using nlohmann::json;
static_assert(std::endian::native == std::endian::little, "safetensors files are little-endian");

constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;  // as the Rust implementation
constexpr std::size_t kAlignment = 8;

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

struct Entry {
  std::string name;
  at::ScalarType type;
  std::vector<std::int64_t> shape;
  std::uint64_t begin, end;
};

Error damaged(const std::filesystem::path& path, const std::string& why) {
  return bad_data(path.string() + " is not a valid safetensors file: " + why);
}

// For an error line: shortens long values.
std::string in_words(const json& value) {
  constexpr std::size_t kLongest = 40;
  const bool is_short = value.is_string() && value.get_ref<const std::string&>().size() <= kLongest;
  return value.is_number() || is_short ? value.dump(-1, ' ', false, json::error_handler_t::replace)
                                       : "type " + std::string(value.type_name());
}

// nlohmann lets the last of two equal keys win; here two equal names are an error.
json parse_header(const std::string& text, const std::filesystem::path& path) {
  std::vector<std::set<std::string>> keys;
  const auto watch = [&](int, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::object_start) keys.emplace_back();
    if (event == json::parse_event_t::object_end) keys.pop_back();
    if (event == json::parse_event_t::key) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!keys.back().insert(key).second) throw damaged(path, "the name '" + key + "' twice");
    }
    return true;
  };
  if (nests_too_deep(text)) throw damaged(path, "the header is nested too deeply");
  try {
    json header = json::parse(text, watch);
    if (!header.is_object()) throw damaged(path, "the header is not a JSON object");
    return header;
  } catch (const json::exception& error) {
    throw damaged(path, std::string("the header is not valid JSON: ") + error.what());
  }
}

std::uint64_t read_count(const json& value, const std::string& name,
                         const std::filesystem::path& path) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > kMost) {
    throw damaged(path, "'" + name + "' has a size or offset of " + in_words(value));
  }
  return value.get<std::uint64_t>();
}

std::uint64_t bytes_of(const Entry& entry, const std::filesystem::path& path) {
  std::uint64_t bytes = c10::elementSize(entry.type);
  for (const std::int64_t n : entry.shape) {
    if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(n), &bytes)) {
      throw damaged(path, "the size of '" + entry.name + "' overflows");
    }
  }
  return bytes;
}

at::ScalarType read_type(const json& value, const std::string& name,
                         const std::filesystem::path& path) {
  const auto found = std::ranges::find_if(
      kTypes, [&](const TypeName& t) { return value.is_string() && value == t.name; });
  if (found == kTypes.end()) {
    throw damaged(path, "'" + name + "' has the unknown dtype " + in_words(value));
  }
  return found->type;
}

Entry read_entry(const std::string& name, const json& value, const std::filesystem::path& path) {
  if (!value.is_object() || value.size() != 3 || !value.contains("dtype") ||
      !value.contains("shape") || !value.contains("data_offsets") || !value["shape"].is_array() ||
      !value["data_offsets"].is_array() || value["data_offsets"].size() != 2) {
    throw damaged(path, "'" + name + "' is not {dtype, shape, data_offsets}");
  }
  Entry entry{.name = name, .type = read_type(value["dtype"], name, path)};
  for (const json& n : value["shape"]) {
    entry.shape.push_back(static_cast<std::int64_t>(read_count(n, name, path)));
  }
  entry.begin = read_count(value["data_offsets"][0], name, path);
  entry.end = read_count(value["data_offsets"][1], name, path);
  if (entry.end < entry.begin || entry.end - entry.begin != bytes_of(entry, path)) {
    throw damaged(path, "the offsets of '" + name + "' do not fit its dtype and shape");
  }
  return entry;
}

// In the order of their bytes, which they cover exactly.
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
      throw damaged(path, "'" + entry.name + "' overlaps or leaves a gap");
    covered = entry.end;
  }
  if (covered != data_bytes) {
    throw damaged(path, "the header describes " + std::to_string(covered) + " bytes of data, " +
                            std::to_string(data_bytes) + " are there");
  }
  return entries;
}

std::uint64_t read_header_bytes(std::ifstream& file, std::uint64_t file_bytes,
                                const std::filesystem::path& path) {
  std::uint64_t bytes = 0;
  if (file_bytes < sizeof bytes) throw damaged(path, "it is shorter than 8 bytes");
  file.read(reinterpret_cast<char*>(&bytes), sizeof bytes);
  if (bytes > kMaxHeaderBytes || bytes > file_bytes - sizeof bytes) {
    throw damaged(path, "its header of " + std::to_string(bytes) + " bytes does not fit into its " +
                            std::to_string(file_bytes) + " bytes");
  }
  return bytes;
}

json describe(const at::Tensor& tensor, const std::string& name, std::uint64_t begin) {
  const auto found = std::ranges::find(kTypes, tensor.scalar_type(), &TypeName::type);
  if (found == kTypes.end()) throw bug("safetensors: no name for the dtype of '" + name + "'");
  return {{"dtype", found->name},
          {"shape", tensor.sizes().vec()},
          {"data_offsets", {begin, begin + tensor.nbytes()}}};
}

// The order of the data: wide types first, so that every tensor is aligned to its element.
std::vector<std::string> data_order(const NamedTensors& tensors) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : tensors) names.push_back(name);
  std::ranges::stable_sort(names, std::greater<>(), [&](const std::string& name) {
    return tensors.find(name)->second.element_size();
  });
  return names;
}

std::string header_text(const NamedTensors& tensors) {
  json header{{"__metadata__", {{"format", "pt"}}}};  // without it transformers refuses the file
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

NamedTensors read_safetensors(const std::filesystem::path& path) {
  std::error_code error;
  const std::uint64_t file_bytes = std::filesystem::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  if (error || !file) throw no_input(path.string() + " cannot be read", "a safetensors file");

  const std::uint64_t header_bytes = read_header_bytes(file, file_bytes, path);
  std::string text(header_bytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(header_bytes));
  const auto entries = read_entries(parse_header(text, path),
                                    file_bytes - header_bytes - sizeof(std::uint64_t), path);
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
