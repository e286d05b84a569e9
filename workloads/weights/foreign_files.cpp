#include "workloads/weights/foreign_files.h"

#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "core/base/error.h"
#include "core/base/strict_json.h"

namespace scalemark::workloads {
namespace {

using namespace std::string_view_literals;

constexpr const char* kFromTorch =
    "convert it in Python: safetensors.torch.save_file(torch.load(OLD, map_location='cpu', "
    "weights_only=True), NEW)";
constexpr const char* kFromScript =
    "convert it in Python: safetensors.torch.save_file(torch.jit.load(OLD).state_dict(), NEW)";
constexpr const char* kFromElsewhere =
    "load it in Python where it was made, and write it with safetensors.torch.save_file()";
constexpr const char* kUnpack = "unpack it first";

struct Magic {
  std::string_view bytes, what;
  const char* hint;
};

// Sources: the formats' own documents, and the magic numbers of `file`.
constexpr std::array kMagics{
    Magic{"GGUF"sv, "a GGUF file (llama.cpp)", kFromElsewhere},
    Magic{"lmgg"sv, "a GGML file (llama.cpp)", kFromElsewhere},
    Magic{"fmgg"sv, "a GGML file (llama.cpp)", kFromElsewhere},
    Magic{"tjgg"sv, "a GGML file (llama.cpp)", kFromElsewhere},
    Magic{"\x89HDF\r\n\x1a\n"sv, "an HDF5 file (Keras)", kFromElsewhere},
    Magic{"\x93NUMPY"sv, "a NumPy array", kFromElsewhere},
    Magic{"version https://git-lfs"sv, "a pointer of Git LFS, not the file itself",
          "git lfs pull fetches what it points to"},
    Magic{"<!DOCTYPE"sv, "a page of HTML, not the file itself", "download the file itself"},
    Magic{"<!doctype"sv, "a page of HTML, not the file itself", "download the file itself"},
    Magic{"<html"sv, "a page of HTML, not the file itself", "download the file itself"},
    Magic{"\x1f\x8b"sv, "compressed (gzip)", kUnpack},
    Magic{"BZh"sv, "compressed (bzip2)", kUnpack},
    Magic{"\xfd"
          "7zXZ"sv,
          "compressed (xz)", kUnpack},
    Magic{"(\xb5/\xfd"sv, "compressed (zstd)", kUnpack},
    Magic{"7z\xbc\xaf\x27\x1c"sv, "an archive (7z)", kUnpack},
};

constexpr std::size_t kPlaceOfTar = 257;

// Returns the name of the first entry of a zip archive, from its local header.
std::string_view first_entry(std::string_view bytes) {
  constexpr std::size_t kLength = 26, kName = 30;
  if (bytes.size() < kName) return {};
  const auto low = static_cast<unsigned char>(bytes[kLength]);
  const auto high = static_cast<unsigned char>(bytes[kLength + 1]);
  return bytes.substr(kName, low + 256U * high);
}

// torch.save's archives begin with NAME/data.pkl, torch.jit.save's with NAME/data/0 or
// NAME/code/..., numpy.savez's with NAME.npy.
ForeignFile of_zip(std::string_view entry) {
  if (entry.ends_with("/data.pkl")) {
    return {"a checkpoint of torch.save (a zip archive around a pickle)", kFromTorch};
  }
  if (entry.find("/data/") != std::string_view::npos ||
      entry.find("/code/") != std::string_view::npos) {
    return {"a TorchScript archive", kFromScript};
  }
  if (entry.ends_with(".npy")) return {"a NumPy archive", kFromElsewhere};
  return {"a zip archive", "unpack it, or convert what wrote it to safetensors"};
}

// Protocols 2 to 5 begin with their number.
bool is_pickle(std::string_view bytes) {
  return bytes.size() > 1 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5;
}

}  // namespace

std::optional<ForeignFile> foreign_file(std::string_view first_bytes) {
  if (first_bytes.empty()) return ForeignFile{"empty", "download or write it again"};
  if (first_bytes.starts_with("PK\x03\x04"sv)) return of_zip(first_entry(first_bytes));
  if (is_pickle(first_bytes)) return ForeignFile{"a pickle, as torch.save writes", kFromTorch};
  for (const Magic& magic : kMagics) {
    if (first_bytes.starts_with(magic.bytes)) {
      return ForeignFile{std::string(magic.what), magic.hint};
    }
  }
  if (first_bytes.size() > kPlaceOfTar && first_bytes.substr(kPlaceOfTar).starts_with("ustar")) {
    return ForeignFile{"an archive (tar)", kUnpack};
  }
  return std::nullopt;
}

bool looks_like_json(std::string_view first_bytes) {
  if (first_bytes.starts_with("\xef\xbb\xbf")) first_bytes.remove_prefix(3);
  const auto first = first_bytes.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && first_bytes[first] == '{';
}

using nlohmann::json;

std::string in_quotes(std::string_view name) {
  constexpr std::size_t kMost = 100;
  if (name.size() <= kMost) return "'" + std::string(name) + "'";
  std::size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;
  return "'" + std::string(name.substr(0, end)) + "...'";
}

// Refuses equal names, of which nlohmann would take the last one.
json parse_object(const std::string& text, const std::string& what) {
  std::vector<std::set<std::string>> keys;
  const auto watch = [&](int, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::object_start) keys.emplace_back();
    if (event == json::parse_event_t::object_end) keys.pop_back();
    if (event == json::parse_event_t::key) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!keys.back().insert(key).second)
        throw bad_data(what + " has the name " + in_quotes(key) + " twice");
    }
    return true;
  };
  if (nests_too_deep(text)) throw bad_data(what + " is nested too deeply");
  try {
    json parsed = json::parse(text, watch);
    if (!parsed.is_object()) throw bad_data(what + " is not a JSON object");
    return parsed;
  } catch (const json::exception& error) {
    const std::string why = without_library_name(error.what());
    throw bad_data(what + " is not valid JSON: " + why.substr(0, why.find("; last read")));
  }
}

}  // namespace scalemark::workloads
