#include "workloads/weights/weights_file.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "workloads/weights/foreign_files.h"

namespace scalemark::workloads {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// A line of an index has about 100 bytes; the largest published models have some thousand tensors.
constexpr std::uintmax_t kMostIndexBytes = 16'000'000;
constexpr std::array<std::string_view, 6> kWrappers{
    "module.", "_orig_mod.", "_fsdp_wrapped_module.", "model.", "net.", "network."};

// The shard of each name.
using Index = std::map<std::string, std::string>;

std::string first_bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes(kSignatureBytes, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

// An index begins with a brace, where a safetensors file has a length; the first eight letters as a
// length would be more than any file holds.
bool is_index(const fs::path& path) {
  const std::string bytes = first_bytes_of(path);
  return looks_like_json(bytes) && !(bytes.size() > 8 && bytes[8] == '{' && bytes[7] == '\0');
}

Error bad_index(const fs::path& path, const std::string& why) {
  return bad_data(path.string() + " is not a valid index of weights: " + why);
}

// Shards must be plain names of files beside the index, so that an index of unknown origin cannot
// refer to other folders.
bool is_plain_name(std::string_view name) {
  const bool printable =
      std::ranges::all_of(name, [](unsigned char c) { return c >= ' ' && c != 0x7f; });
  return printable && !name.empty() && name != "." && name != ".." &&
         name.find_first_of("/\\") == std::string_view::npos;
}

std::string read_text(const fs::path& path) {
  std::error_code error;
  const auto bytes = fs::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  if (error || !file) throw no_input(path.string() + " cannot be read", "a safetensors file");
  if (bytes > kMostIndexBytes)
    throw bad_index(path, "it has " + std::to_string(bytes) + " bytes, more than " +
                              std::to_string(kMostIndexBytes));
  std::string text(bytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(bytes));
  if (!file) throw io_error(path.string() + " ended or failed while it was read");
  return text;
}

Index read_index(const fs::path& path) {
  const json document = parse_object(read_text(path), path.string() + " begins as JSON, and");
  const auto map = document.find("weight_map");
  if (map == document.end()) {
    throw bad_data(path.string() + " is JSON without a weight_map",
                   "a safetensors file, or the index of one in shards",
                   "model.safetensors, or model.safetensors.index.json beside its shards");
  }
  if (!map->is_object() || map->empty()) throw bad_index(path, "its weight_map names no tensor");
  Index index;
  for (const auto& [name, shard] : map->items()) {
    if (!shard.is_string() || !is_plain_name(shard.get_ref<const std::string&>())) {
      throw bad_index(
          path, in_quotes(name) + " is in " +
                    (shard.is_string() ? in_quotes(shard.get_ref<const std::string&>())
                                       : "a shard of type " + std::string(shard.type_name())) +
                    ", which is no file of the index's own folder");
    }
    index[name] = shard.get<std::string>();
  }
  return index;
}

using Places = std::map<std::string, WeightsFile::Place, std::less<>>;

// `index` is the index that lists the file as a shard, or the file itself.
void add_shard(const fs::path& path, std::size_t number, const fs::path& index, Places& places) {
  for (StoredTensor& tensor : read_safetensors_header(path)) {
    const std::string name = tensor.name;
    if (!places.try_emplace(name, WeightsFile::Place{number, std::move(tensor)}).second)
      throw bad_index(index, "two of its shards hold " + in_quotes(name));
  }
}

// Checks that every tensor is in its shard of the index, and that no shard has any other tensor.
void check_index(const Index& index, const std::vector<std::string>& shards, const fs::path& path,
                 const Places& places) {
  for (const auto& [name, shard] : index) {
    const auto place = places.find(name);
    if (place == places.end() || shards[place->second.shard] != shard) {
      throw bad_index(path, in_quotes(shard) + " does not hold " + in_quotes(name));
    }
  }
  for (const auto& [name, place] : places) {
    if (index.contains(name)) continue;
    throw bad_index(path, in_quotes(shards[place.shard]) + " holds " + in_quotes(name) +
                              ", which the index does not name");
  }
}

std::vector<fs::path> open_shards(const fs::path& path, Places& places) {
  const Index index = read_index(path);
  std::vector<std::string> names;
  for (const auto& [name, shard] : index) names.push_back(shard);
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  std::vector<std::string> missing;
  std::vector<fs::path> shards;
  for (const std::string& name : names) {
    shards.push_back(path.parent_path() / name);
    std::error_code error;
    if (!fs::is_regular_file(shards.back(), error)) missing.push_back(in_quotes(name));
  }
  if (!missing.empty()) {
    throw bad_data(path.string() + " names shards that are not beside it: " + listed(missing), {},
                   "download them into the same folder");
  }
  for (std::size_t i = 0; i < shards.size(); ++i) add_shard(shards[i], i, path, places);
  check_index(index, names, path, places);
  return shards;
}

// The prefix is removed from every name, so two names cannot become equal.
Places without_prefix(Places places, std::size_t length) {
  Places all;
  for (auto& [name, place] : places) all.emplace(name.substr(length), std::move(place));
  return all;
}

}  // namespace

std::string wrappers_prefix(const std::vector<std::string>& names) {
  if (names.empty()) return {};
  std::string prefix;
  const auto wraps = [&](std::string_view wrapper) {
    return std::ranges::all_of(names, [&](std::string_view name) {
      name.remove_prefix(prefix.size());
      return name.size() > wrapper.size() && name.starts_with(wrapper);
    });
  };
  for (;;) {
    const auto wrapper = std::ranges::find_if(kWrappers, wraps);
    if (wrapper == kWrappers.end()) return prefix;
    prefix += *wrapper;
  }
}

WeightsFile open_weights(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    throw no_input(path.string() + " is a folder", "a safetensors file",
                   "name the file in it: model.safetensors, or model.safetensors.index.json");
  }
  WeightsFile file{.path = path, .shards = {}, .prefix = {}, .tensors = {}};
  if (is_index(path)) {
    file.shards = open_shards(path, file.tensors);
  } else {
    file.shards = {path};
    add_shard(path, 0, path, file.tensors);
  }
  std::vector<std::string> names;
  for (const auto& [name, place] : file.tensors) names.push_back(name);
  file.prefix = wrappers_prefix(names);
  file.tensors = without_prefix(std::move(file.tensors), file.prefix.size());
  return file;
}

NamedTensors read_weights(const WeightsFile& file) {
  NamedTensors tensors;
  for (std::size_t i = 0; i < file.shards.size(); ++i) {
    NamedTensors shard = read_safetensors(file.shards[i]);
    for (const auto& [name, place] : file.tensors) {
      if (place.shard != i) continue;
      const auto found = shard.find(place.tensor.name);
      if (found == shard.end() || found->second.scalar_type() != place.tensor.type ||
          found->second.sizes() != at::IntArrayRef(place.tensor.shape)) {
        throw io_error(file.shards[i].string() + " was changed while it was read");
      }
      tensors.emplace(name, std::move(found->second));
    }
  }
  return tensors;
}

}  // namespace scalemark::workloads
