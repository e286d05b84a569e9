// Replaces known names in free text, and finds what else looks like the name of a place. Private to
// redact.cpp.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace scalemark::reporting {

inline constexpr const char *kSomePath = "<path>", *kSomeHost = "<host>",
                            *kSomeAddress = "<address>", *kSomeDevice = "<device>",
                            *kSomeValue = "<value>", *kSomeText = "<left out>";

// Returns small letters, as names are stored.
std::string small(std::string_view text);

// Splits `text` at any of `separators`, and drops empty parts.
std::vector<std::string_view> parts_of(std::string_view text, std::string_view separators);

// Whether `text` holds only words by which options and findings are described, numbers, and single
// letters with their numbers. A folder of such a name reveals nothing, and "samples/s" is no path.
bool is_uninformative(std::string_view text);
// Whether one of those words begins with `text`, as "resnet50" begins with "resnet".
bool begins_word_of_ours(std::string_view text);

// Names and what replaces each of them. A name is found where it is a word of its own, in small or
// capital letters.
class Names {
 public:
  void add(std::string_view name, const std::string& instead);

  std::string replaced(const std::string& text) const { return replaced(text, nullptr); }
  // Like replaced(), with `left_out` in place of each line that still seems to hold a path or an
  // address.
  std::string cleaned(const std::string& text, const char* left_out = kSomeText) const;

 private:
  using Entry = std::pair<const std::string, std::string>;
  std::string replaced(const std::string& text, std::string* probe) const;
  const Entry* name_at(const std::string& key, std::size_t at) const;

  std::map<std::string, std::string, std::less<>> all_;
};

}  // namespace scalemark::reporting
