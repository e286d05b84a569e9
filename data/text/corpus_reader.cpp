#include "data/text/corpus_reader.h"

#include <algorithm>

#include "data/text/json_lines.h"
#include "data/text/token_corpus.h"
#include "data/text/utf8.h"
#include "data/text/white_space.h"

namespace scalemark::data {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLineEnds = "\r\n";  // each, or both as one, as Python reads text
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kHeadBytes = std::size_t{1} << 20, kReadAtOnce = std::size_t{1} << 16;

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

bool begins_doc(std::string_view line) {
  return line == "<doc>" || (line.starts_with("<doc ") && line.ends_with(">"));
}

// Files that were put together have a mark within, too.
std::string_view without_mark(std::string_view line) {
  if (line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  return stripped(line);
}

}  // namespace

// Puts lines together to documents.
class DocumentAssembler {
 public:
  explicit DocumentAssembler(const std::function<void(TextDocument)>& take) : take_(take) {}

  // Returns whether it may stand there.
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
  look_at_head();
}

// With all of the first line, if that may be JSON, which is told by it.
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

// The first one that is not blank.
std::string_view TextFile::first_line() const {
  std::string_view rest = std::string_view(head_).substr(at_);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find_first_of(kLineEnds), rest.size());
    if (const auto line = stripped(rest.substr(0, end)); !line.empty()) return line;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return rest;
}

void TextFile::look_at_head() {
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

}  // namespace scalemark::data
