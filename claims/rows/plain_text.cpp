// Takes out of a text what a reader does not see: markup, comments, code blocks, and signs that
// mean plain ones.

#include <algorithm>
#include <array>
#include <string>

#include "claims/rows/text_tables.h"
#include "core/base/characters.h"
#include "core/base/text.h"

namespace scalemark::tables {
namespace {

constexpr std::size_t kLongestMarkup = 500;  // bytes; a longer text keeps its markup

// Signs that tables use instead of plain ones.
struct Sign {
  char32_t first, last;
  const char* plain;
};
constexpr auto kSigns = std::to_array<Sign>({
    {0xA0, 0xA0, " "},      {0xB1, 0xB1, "+-"},    {0xB2, 0xB2, "^2"},    {0xB3, 0xB3, "^3"},
    {0xB5, 0xB5, "u"},      {0xB7, 0xB7, "*"},     {0xB9, 0xB9, "^1"},    {0xD7, 0xD7, "x"},
    {0x3BC, 0x3BC, "u"},    {0x2BC, 0x2BC, "'"},   {0x2000, 0x200A, " "}, {0x200B, 0x200F, ""},
    {0x2010, 0x2015, "-"},  {0x2018, 0x2019, "'"}, {0x2020, 0x2022, ""},  {0x202F, 0x202F, " "},
    {0x2032, 0x2032, "'"},  {0x205F, 0x205F, " "}, {0x2060, 0x2060, ""},  {0x2070, 0x2070, "^0"},
    {0x207B, 0x207B, "^-"}, {0x2212, 0x2212, "-"}, {0x223C, 0x223C, "~"}, {0x2248, 0x2248, "~"},
    {0x2264, 0x2264, "<"},  {0x2265, 0x2265, ">"}, {0x2190, 0x23FF, ""},  {0x2600, 0x2BFF, ""},
    {0x3000, 0x3000, " "},  {0xFE0E, 0xFE0F, ""},  {0xFEFF, 0xFEFF, ""},  {0x1F000, 0x1FAFF, ""},
});

void append_plain(char32_t code, std::string& out) {
  if (code >= 0x2715 && code <= 0x2716) {
    out += 'x';
    return;
  }
  const auto sign = std::ranges::find_if(
      kSigns, [&](const Sign& one) { return code >= one.first && code <= one.last; });
  std::string plain;
  if (sign != kSigns.end()) {
    plain = sign->plain;
  } else if (code >= 0x2074 && code <= 0x2079) {
    plain = {'^', static_cast<char>('0' + (code - 0x2070))};
  } else if (code >= 0xFF01 && code <= 0xFF5E) {
    plain = static_cast<char>(code - 0xFEE0);  // full width
  } else {
    append_utf8(code, plain);
  }
  // Several raised digits are one power.
  const bool raised = plain.size() == 2 && plain[0] == '^' && out.size() > 1 &&
                      (out[out.size() - 2] == '^' || out.ends_with("^-"));
  out += raised ? plain.substr(1) : plain;
}

// Whether a run of three or more of one of these signs opens or closes a code block.
std::size_t fence_of(std::string_view line, char sign) {
  const std::size_t begin = line.find_first_not_of(' ');
  if (begin == std::string_view::npos || begin > 3 || line[begin] != sign) return 0;
  const std::size_t end = std::min(line.find_first_not_of(sign, begin), line.size());
  return end - begin >= 3 ? end - begin : 0;
}

class Markup {
 public:
  explicit Markup(std::string_view text)
      : text_(text),
        formula_(std::ranges::count(text, '$') % 2 == 0 && text.find('$') != text.npos) {}

  std::string plain() {
    while (at_ < text_.size()) take();
    return finished();
  }

 private:
  std::string_view left() const { return text_.substr(at_); }

  void take() {
    const char c = text_[at_];
    if (c == '<') {
      take_tag();
    } else if (c == '&') {
      const auto [sign, length] = entity_at(left());
      take_characters(sign);
      at_ += length;
    } else if (left().starts_with("~~")) {
      const std::size_t end = text_.find("~~", at_ + 2);
      at_ = end == std::string_view::npos ? at_ + 2 : end + 2;
    } else if (left().starts_with("**") || left().starts_with("__")) {
      at_ += 2;
    } else if (c == '`' || (formula_ && (c == '$' || c == '{' || c == '}'))) {
      at_++;
    } else if (c == '[' || left().starts_with("![")) {
      take_bracket();
    } else if (c == ']' && links_ > 0) {
      end_link();
    } else if (c == '\\') {
      take_command();
    } else {
      const std::size_t length = std::max<std::size_t>(1, utf8_length(left()));
      take_characters(left().substr(0, length));
      at_ += length;
    }
  }

  // Appends characters of UTF-8; a byte that is none stays.
  void take_characters(std::string_view text) {
    while (!text.empty()) {
      const std::size_t length = utf8_length(text);
      if (length < 2) {
        out_ += text[0];
      } else {
        char32_t code = static_cast<unsigned char>(text[0]) & (0x7FU >> length);
        for (std::size_t i = 1; i < length; ++i)
          code = (code << 6) | (static_cast<unsigned char>(text[i]) & 0x3F);
        append_plain(code, out_);
      }
      text.remove_prefix(std::max<std::size_t>(1, length));
    }
  }

  void take_tag() {
    const auto tag = tag_at(left());
    if (!tag) {
      out_ += text_[at_++];
      return;
    }
    at_ += tag->length;
    if (tag->name == "br") out_ += '\n';
    if (tag->name == "sup") out_ += '^';
    if (is_struck_out(tag->name)) {
      const std::size_t end = lower_case(left()).find("</" + tag->name);
      if (end == std::string::npos) return;
      at_ = std::min(text_.find('>', at_ + end), text_.size() - 1) + 1;
    }
  }

  // "[3100](log)" is 3100; "[1]" behind something is a foot mark.
  void take_bracket() {
    const bool image = text_[at_] == '!';
    const std::size_t close = text_.find(']', at_);
    const std::string_view after = close == std::string_view::npos ? "" : text_.substr(close + 1);
    if (after.starts_with('(') || after.starts_with('[')) {
      links_++;
      at_ += image ? 2 : 1;
    } else if (close != std::string_view::npos && close - at_ <= 4 && !image && !out_.empty()) {
      at_ = close + 1;
    } else {
      out_ += text_[at_++];
    }
  }

  void end_link() {
    links_--;
    const char end = left().size() > 1 && text_[at_ + 1] == '[' ? ']' : ')';
    const std::size_t close = text_.find(end, at_ + 1);
    at_ = close == std::string_view::npos ? text_.size() : close + 1;
  }

  // Commands of TeX: "\times", "\,", "\mathbf{...}"; a sign behind a backslash is itself.
  void take_command() {
    std::size_t end = ++at_;
    while (end < text_.size() && std::isalpha(static_cast<unsigned char>(text_[end]))) ++end;
    const std::string_view name = text_.substr(at_, end - at_);
    static constexpr std::pair<std::string_view, const char*> kNames[] = {
        {"times", "x"}, {"cdot", "*"}, {"pm", "+-"}, {"approx", "~"}, {"sim", "~"},
        {"geq", ">"},   {"ge", ">"},   {"leq", "<"}, {"le", "<"},     {"percent", "%"}};
    for (const auto& [known, sign] : kNames) {
      if (name == known) out_ += sign;
    }
    if (!name.empty() || at_ >= text_.size()) {
      at_ = end;
      return;
    }
    const char sign = text_[at_++];
    out_ += sign == ',' || sign == ';' || sign == ' ' ? ' ' : sign;
  }

  // One blank stands for several, and emphasis by single stars is dropped.
  std::string finished() const {
    std::string all;
    for (const char c : out_) {
      const bool blank = c == ' ' || c == '\t' || c == '\r';
      if (blank && (all.empty() || all.back() == ' ' || all.back() == '\n')) continue;
      if (c == '\n' && all.ends_with(' ')) all.pop_back();
      all += blank ? ' ' : c;
    }
    all = trimmed(all);
    while (all.starts_with('*') || all.starts_with('_')) all.erase(0, 1);
    while (all.ends_with('*') || all.ends_with('_')) all.pop_back();
    return trimmed(all);
  }

  std::string_view text_;
  bool formula_;
  std::string out_;
  std::size_t at_ = 0;
  int links_ = 0;
};

}  // namespace

std::string with_plain_ends(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool end = text[i] == '\r';
    if (!end || !text.substr(i + 1).starts_with('\n')) plain += end ? '\n' : text[i];
  }
  return plain;
}

std::string judged_text(std::string_view text) {
  const std::string plain = with_plain_ends(text);
  std::string all;
  char fence = 0;
  std::size_t length = 0;
  bool comment = false;
  for (std::string_view line : lines_of(plain)) {
    std::size_t quote = line.find_first_not_of(' ');
    // A ">" alone may end a tag of HTML.
    while (quote < line.size() && line[quote] == '>' &&
           line.find_first_of(" |>", quote + 1) == quote + 1) {
      line.remove_prefix(quote + 1);
      quote = line.find_first_not_of(' ');
    }
    bool hidden = fence != 0;
    for (const char sign : {'`', '~'}) {
      const std::size_t here = comment ? 0 : fence_of(line, sign);
      if (here == 0 || (fence != 0 && (sign != fence || here < length))) continue;
      hidden = true;
      fence = fence == 0 ? sign : '\0';
      length = here;
      break;
    }
    while (!hidden && !line.empty()) {
      const std::string_view mark = comment ? "-->" : "<!--";
      const std::size_t at = line.find(mark);
      if (!comment) all += line.substr(0, at);
      if (at == std::string_view::npos) break;
      comment = !comment;
      line.remove_prefix(at + mark.size());
    }
    all += '\n';
  }
  return all;
}

bool is_struck_out(std::string_view tag) { return tag == "del" || tag == "s" || tag == "strike"; }

std::string plain_text(std::string_view cell) {
  return cell.size() > kLongestMarkup ? trimmed(cell) : Markup(cell).plain();
}

}  // namespace scalemark::tables
