#include "data/text/corpus_reader.h"

#include <algorithm>
#include <system_error>

#include "core/base/error.h"
#include "core/base/file_kind.h"
#include "data/text/json_lines.h"
#include "data/text/token_corpus.h"
#include "data/text/utf8.h"

namespace scalemark::data {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLineEnds = "\r\n";  // each, or both as one, as in Python
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kHeadBytes = std::size_t{1} << 20, kReadAtOnce = std::size_t{1} << 16;

// Returns how many bytes of closing quotes and brackets `rest` starts with.
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

bool begins_doc(std::string_view line) {
  return line == "<doc>" || (line.starts_with("<doc ") && line.ends_with(">"));
}

// Removes a byte order mark, which concatenated files have in their middle, too.
std::string_view without_mark(std::string_view line) {
  if (line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  return stripped(line);
}

}  // namespace

// Assembles lines into documents.
class DocumentAssembler {
 public:
  explicit DocumentAssembler(const std::function<void(TextDocument)>& take) : take_(take) {}

  // Returns whether the line is allowed there.
  bool add(std::string_view line) {
    line = stripped(line);
    if (const auto rest = without_mark(line); !in_doc_ && begins_doc(rest)) line = rest;
    if (!in_doc_ && begins_doc(line)) {
      end_document();
      in_doc_ = true;
    } else if (in_doc_ && line.starts_with(kDocEnd)) {
      end_document();
      in_doc_ = false;
      if (line != kDocEnd) return add(line.substr(kDocEnd.size()));
    } else if (in_doc_ && begins_doc(line)) {
      return false;
    } else if (in_doc_) {
      add_paragraph(line);
    } else if (line.empty()) {
      end_document();
    } else {
      document_.sentences.emplace_back(line);
    }
    return true;
  }

  void add_whole(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find_first_of(kLineEnds, at), text.size());
      add_paragraph(stripped(text.substr(at, end - at)));
      at = end + 1;
    }
    end_document();
  }

  void end_document() {
    if (document_.sentences.empty()) return;
    take_(std::move(document_));
    document_ = {};
  }

  bool in_doc() const { return in_doc_; }

 private:
  static constexpr std::string_view kDocEnd = "</doc>";

  void add_paragraph(std::string_view line) {
    for (const auto sentence : cut_sentences(line)) document_.sentences.emplace_back(sentence);
  }

  const std::function<void(TextDocument)>& take_;
  TextDocument document_;
  bool in_doc_ = false;
};

std::vector<std::string_view> cut_sentences(std::string_view paragraph) {
  std::vector<std::string_view> sentences;
  const auto keep = [&](std::string_view text) {
    if (const auto sentence = stripped(text); !sentence.empty()) sentences.push_back(sentence);
  };
  std::size_t start = 0;
  for (std::size_t at = 0; at < paragraph.size();) {
    const std::size_t mark = paragraph.find_first_of(".!?", at);
    if (mark == std::string_view::npos) break;
    const std::size_t behind = mark + 1 + closing(paragraph.substr(mark + 1));
    at = mark + 1;
    if (behind < paragraph.size() && first_space(paragraph.substr(behind)) == 0) continue;
    keep(paragraph.substr(start, behind - start));
    start = at = behind;
  }
  keep(paragraph.substr(start));
  return sentences;
}

TextFile::TextFile(const fs::path& path) : path_(path), in_(path, std::ios::binary) {
  if (!in_) throw no_input("corpus file " + path.string() + " cannot be opened");
  read_head();
  inspect_head();
}

// Reads the first line completely if it may be JSON, since only the whole line shows that.
void TextFile::read_head() {
  const auto grow = [&] {
    const std::size_t before = head_.size();
    head_.resize(before + kReadAtOnce);
    in_.read(head_.data() + before, kReadAtOnce);
    head_.resize(before + static_cast<std::size_t>(in_.gcount()));
  };
  while (in_ && head_.size() < kHeadBytes) grow();
  if (head_.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
  if (!first_line().starts_with('{')) return;
  auto looked_at = static_cast<std::size_t>(first_line().data() - head_.data());
  while (in_ && head_.find_first_of(kLineEnds, looked_at) == std::string::npos) {
    looked_at = head_.size();
    grow();
  }
}

// Returns the first line that is not blank.
std::string_view TextFile::first_line() const {
  std::string_view rest = std::string_view(head_).substr(at_);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find_first_of(kLineEnds), rest.size());
    if (const auto line = stripped(rest.substr(0, end)); !line.empty()) return line;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return rest;
}

void TextFile::inspect_head() {
  if (head_.starts_with(std::string_view(TokenHeader{}.magic, sizeof TokenHeader::magic))) {
    throw bad_data(path_.string() + " is a token file", "text",
                   "name the token file itself instead of its folder");
  }
  no_text_ = no_text_of(head_);
  if (no_text_) return;
  const FirstLine form = form_of_first(first_line());
  is_json_ = form == FirstLine::kJsonLine;
  if (form == FirstLine::kOtherJson) {
    no_text_ = NoText{"JSON without a \"text\" in each line",
                      {},
                      "write one object a line, with the document as its \"text\""};
  }
}

Error TextFile::refusal(const NoText& no_text) const {
  return bad_data("corpus file " + path_.string() + " is " + no_text.what + no_text.detail,
                  "plain text, or WikiExtractor's files, is expected", no_text.hint);
}

bool TextFile::next_line(std::string& line) {
  if (at_ >= head_.size()) return static_cast<bool>(std::getline(in_, line));
  const std::size_t end = head_.find('\n', at_);
  if (end != std::string::npos) {
    line.assign(head_, at_, end - at_);
    at_ = end + 1;
    return true;
  }
  line.assign(head_, at_);
  at_ = head_.size();
  if (std::string rest; std::getline(in_, rest)) line += rest;
  return true;
}

std::int64_t TextFile::read(const std::function<void(TextDocument)>& take) {
  DocumentAssembler assembler(take);
  std::int64_t number = 0, broken = 0, bytes = 0;
  for (std::string lines; next_line(lines);) {
    broken += broken_bytes(lines);
    bytes += static_cast<std::int64_t>(lines.size()) + 1;
    std::string_view rest = lines;
    if (rest.ends_with('\r')) rest.remove_suffix(1);
    for (std::size_t end = 0; end != std::string_view::npos;) {
      end = rest.find('\r');
      add_line(rest.substr(0, end), ++number, assembler);
      if (end != std::string_view::npos) rest.remove_prefix(end + 1);
    }
  }
  if (in_.bad()) throw io_error("reading corpus file " + path_.string() + " failed");
  if (const auto no_text = no_utf8_of(broken, bytes)) throw refusal(*no_text);
  if (assembler.in_doc()) {
    throw bad_data("corpus file " + path_.string() + " ends inside a <doc>", "</doc> at the end",
                   "the file is cut off: extract it again");
  }
  assembler.end_document();
  return broken;
}

void TextFile::add_line(std::string_view line, std::int64_t number, DocumentAssembler& assembler) {
  const auto refused = [&](const std::string& why, const std::string& expected) {
    return bad_data("line " + std::to_string(number) + " of corpus file " + path_.string() + why,
                    expected, "mend the line, or write the file again if it was cut off");
  };
  if (is_json_) {
    const std::string_view object = without_mark(stripped(line));
    if (object.empty()) return;
    const auto text = text_of_json(object);
    if (!text) throw refused(" is no JSON with a \"text\"", "lines as the first one");
    assembler.add_whole(*text);
  } else if (!assembler.add(line)) {
    throw refused(" begins a <doc> inside another", "</doc> before it");
  }
}

namespace {

// --- The files of a corpus: their places, not their contents.

bool is_among(const fs::path& path, const std::vector<fs::path>& files) {
  return std::any_of(files.begin(), files.end(), [&path](const fs::path& file) {
    std::error_code ignored;
    return !file.empty() && fs::equivalent(path, file, ignored);
  });
}

// Walks a folder and the targets of its links.
class TextFinder {
 public:
  TextFinder(const std::vector<fs::path>& excluded, CorpusFiles& found)
      : excluded_(excluded), found_(found) {}

  void walk(const fs::path& folder) {
    above_.push_back(folder);
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (!is_hidden(entry.path())) add(entry);
    }
    above_.pop_back();
  }

 private:
  void add(const fs::directory_entry& entry) {
    const fs::path& path = entry.path();
    std::error_code nowhere;
    if (entry.is_directory(nowhere)) {
      if (!is_among(path, above_)) return walk(path);
      leave_out(path, "a link to a folder above it");
    } else if (is_among(path, excluded_)) {
      return;
    } else if (entry.is_regular_file(nowhere)) {
      found_.files.push_back(path);
    } else {
      const std::string special = special_kind(path);
      leave_out(path, special.empty() ? "a link that leads nowhere" : special);
    }
  }

  void leave_out(const fs::path& path, std::string what) {
    found_.left_out.push_back({path, {std::move(what), {}, "give --data the text alone"}});
  }

  const std::vector<fs::path>& excluded_;
  CorpusFiles& found_;
  std::vector<fs::path> above_;
};

}  // namespace

CorpusFiles corpus_files(const fs::path& path, const std::vector<fs::path>& excluded) try {
  if (!fs::exists(path)) throw no_input("corpus " + path.string() + " does not exist");
  if (!fs::is_directory(path)) return {.files = {path}, .left_out = {}};
  CorpusFiles found;
  TextFinder(excluded, found).walk(path);
  if (found.files.empty() && found.left_out.empty()) {
    throw no_input("corpus folder " + path.string() + " holds no files");
  }
  std::sort(found.files.begin(), found.files.end());
  std::sort(found.left_out.begin(), found.left_out.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  return found;
} catch (const fs::filesystem_error& failed) {
  throw unreadable_path(failed);
}

}  // namespace scalemark::data
