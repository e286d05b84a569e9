// Replaces the paths in a report, wherever they occur in text. Private to redact.cpp.
#pragma once

#include <map>
#include <set>
#include <string>

#include "core/reporting/redact/names.h"

namespace scalemark::reporting {

inline constexpr const char* kCoveredPath = "<path>";

// Options, settings and fields whose value is a path or address, even without a slash in it.
bool is_place(const std::string& name);

class KnownPaths {
 public:
  void add(const std::string& path);
  void add_data(const std::string& path);  // --data: the same new name each time

  // The replacement of a field that is a path and nothing else: "<path>", or "data-1".
  std::string instead_of(const std::string& path) const;
  // Free text. Where a path ends is unknown when it may hold blanks and colons: then what follows
  // is covered as well, up to the last ": ", or all of it.
  std::string covered(std::string text) const;
  // Redacts a line as typed into a shell: word by word.
  std::string command_line(const std::string& line) const;

 private:
  std::string shell_word(const std::string& word) const;
  std::string value_of(const std::string& option, const std::string& value) const;

  std::set<std::string, LongestFirst> literals_;  // replaced wherever they occur
  std::set<std::string, LongestFirst> words_;     // replaced where they are words of their own
  std::map<std::string, std::string> data_;
};

}  // namespace scalemark::reporting
