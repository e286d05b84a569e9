#include "data/text/corpus_reader.h"

#include <algorithm>
#include <fstream>

#include "core/base/error.h"

namespace scalemark::data {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBlank = " \t\r\n\v\f";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

// How many bytes of closing quotes and brackets `rest` starts with.
std::size_t closing(std::string_view rest) {
  constexpr std::string_view kClosers[] = {"\"", "'", ")", "]", "\u201D", "\u2019", "\u00BB"};
  std::size_t length = 0;
  for (bool found = true; found;) {
    found = false;
    for (const auto closer : kClosers) {
      if (!rest.substr(length).starts_with(closer)) continue;
      length += closer.size();
      found = true;
    }
  }
  return length;
}

// Puts lines together to documents.
class DocumentAssembler {
 public:
  explicit DocumentAssembler(const std::function<void(TextDocument)>& take) : take_(take) {}

  void add(std::string_view line) {
    line = trimmed(line);
    if (!in_doc_ && line.starts_with("<doc ") && line.ends_with(">")) {
      end_document();
      in_doc_ = true;
    } else if (in_doc_ && line == "</doc>") {
      end_document();
      in_doc_ = false;
    } else if (in_doc_) {
      for (const auto sentence : cut_sentences(line)) document_.sentences.emplace_back(sentence);
    } else if (line.empty()) {
      end_document();
    } else {
      document_.sentences.emplace_back(line);
    }
  }

  void end_document() {
    if (document_.sentences.empty()) return;
    take_(std::move(document_));
    document_ = {};
  }

  bool in_doc() const { return in_doc_; }

 private:
  const std::function<void(TextDocument)>& take_;
  TextDocument document_;
  bool in_doc_ = false;
};

struct Magic {
  std::string_view bytes;
  const char* name;
};
using namespace std::string_view_literals;
constexpr Magic kNoText[] = {{"\xff\xd8\xff"sv, "a JPEG image"},
                             {"\x89PNG\r\n"sv, "a PNG image"},
                             {"\x1f\x8b\x08"sv, "compressed (gzip)"},
                             {"\xfd"
                              "7zXZ\0"sv,
                              "compressed (xz)"},
                             {"\x28\xb5\x2f\xfd"sv, "compressed (zstd)"},
                             {"BZh91AY&SY"sv, "compressed (bzip2)"},
                             {"PK\x03\x04"sv, "a zip archive"}};

// Broken UTF-8 is read as U+FFFD, so a photo or an archive would count as "text" made of it.
void refuse_no_text(std::ifstream& in, const fs::path& file) {
  if (in.tellg() == std::ifstream::pos_type(-1)) return;  // a pipe cannot be read twice
  char first[16] = {};
  in.read(first, sizeof first);
  const std::string_view seen(first, static_cast<std::size_t>(in.gcount()));
  for (const Magic& magic : kNoText) {
    if (!seen.starts_with(magic.bytes)) continue;
    throw bad_data("corpus file " + file.string() + " is " + magic.name,
                   "plain text, or WikiExtractor's files, is expected",
                   "unpack it, or give --data the text alone");
  }
  in.clear();
  in.seekg(0);
}

bool is_hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

bool is_among(const fs::path& path, const std::vector<fs::path>& files) {
  return std::any_of(files.begin(), files.end(), [&path](const fs::path& file) {
    std::error_code ignored;
    return !file.empty() && fs::equivalent(path, file, ignored);
  });
}

}  // namespace

std::vector<std::string_view> cut_sentences(std::string_view paragraph) {
  std::vector<std::string_view> sentences;
  const auto keep = [&](std::string_view text) {
    if (const auto sentence = trimmed(text); !sentence.empty()) sentences.push_back(sentence);
  };
  std::size_t start = 0;
  for (std::size_t at = 0; at < paragraph.size();) {
    const std::size_t mark = paragraph.find_first_of(".!?", at);
    if (mark == std::string_view::npos) break;
    const std::size_t behind = mark + 1 + closing(paragraph.substr(mark + 1));
    at = mark + 1;
    if (behind < paragraph.size() && kBlank.find(paragraph[behind]) == std::string_view::npos) {
      continue;
    }
    keep(paragraph.substr(start, behind - start));
    start = at = behind;
  }
  keep(paragraph.substr(start));
  return sentences;
}

std::vector<fs::path> corpus_files(const fs::path& path,
                                   const std::vector<fs::path>& left_out) try {
  if (!fs::exists(path)) throw no_input("corpus " + path.string() + " does not exist");
  if (!fs::is_directory(path)) return {path};
  std::vector<fs::path> files;
  for (auto it = fs::recursive_directory_iterator(path); it != fs::recursive_directory_iterator();
       ++it) {
    if (is_hidden(it->path())) {
      if (it->is_directory()) it.disable_recursion_pending();
    } else if (it->is_regular_file() && !is_among(it->path(), left_out)) {
      files.push_back(it->path());
    }
  }
  if (files.empty()) throw no_input("corpus folder " + path.string() + " holds no files");
  std::sort(files.begin(), files.end());
  return files;
} catch (const fs::filesystem_error& failed) {
  throw io_error("listing corpus " + path.string() + ": " + failed.code().message());
}

void read_documents(const fs::path& file, const std::function<void(TextDocument)>& take) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw no_input("corpus file " + file.string() + " cannot be opened");
  refuse_no_text(in, file);
  DocumentAssembler assembler(take);
  for (std::string line; std::getline(in, line);) assembler.add(line);
  if (in.bad()) throw io_error("reading corpus file " + file.string() + " failed");
  if (assembler.in_doc()) {
    throw bad_data("corpus file " + file.string() + " ends inside a <doc>", "</doc> at the end",
                   "the file is cut off: extract it again");
  }
  assembler.end_document();
}

}  // namespace scalemark::data
