// Known names in free text, and what else looks as if it named a place. Private to redact.cpp.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace scalemark::reporting {

inline constexpr const char *kSomePath = "<path>", *kSomeHost = "<host>",
                            *kSomeAddress = "<address>", *kSomeDevice = "<device>",
                            *kSomeValue = "<value>", *kLeftOut = "<left out>";

// Small letters, as names are known.
std::string small(std::string_view text);

// The parts of `text` between any of `separators`, without empty ones.
std::vector<std::string_view> parts_of(std::string_view text, std::string_view separators);

// Whether `text` holds nothing but words by which options and findings are described, numbers, and
// single letters with their numbers. A folder of such a name tells nothing, and "samples/s" is no
// path.
bool is_uninformative(std::string_view text);
// Whether one of those words begins with `text`: "resnet" would be in "resnet50", too.
bool begins_word_of_ours(std::string_view text);

// Names, each with what stands in its place. They are words of their own wherever they stand, in
// small or capital letters.
class Names {
 public:
  void add(std::string_view name, const std::string& instead);

  std::string replaced(const std::string& text) const { return replaced(text, nullptr); }
  // The same, with `left_out` for each line that still looks as if it held a path or an address.
  std::string cleaned(const std::string& text, const char* left_out = kLeftOut) const;

 private:
  using Entry = std::pair<const std::string, std::string>;
  std::string replaced(const std::string& text, std::string* probe) const;
  const Entry* name_at(const std::string& key, std::size_t at) const;

  std::map<std::string, std::string, std::less<>> all_;
};

}  // namespace scalemark::reporting
