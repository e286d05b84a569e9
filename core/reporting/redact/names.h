// The names in a report that are replaced: machines, people, devices. Private to redact.cpp.
#pragma once

#include <map>
#include <set>
#include <string>

namespace scalemark::reporting {

// Orders names and paths, since one may be the beginning of another.
struct LongestFirst {
  bool operator()(const std::string& a, const std::string& b) const {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  }
};

class KnownNames {
 public:
  // A machine: it gets the same new name each time, with and without its domain.
  void add_host(const std::string& name);
  void add_device(const std::string& secret);  // serial number, UUID, PCI address
  // Learns domains that `text` gives to known machines, and users by their home folder.
  void learn_from(const std::string& text);

  // `text` with "host-1", "<host>" (another machine of a known domain), "<device>", "<user>" and
  // "<address>" in their place.
  std::string covered(const std::string& text) const;

 private:
  std::string host_of(const std::string& word, bool before_list) const;

  std::map<std::string, std::string, LongestFirst> literals_;  // as written
  std::map<std::string, std::string, LongestFirst> hosts_;     // in small letters
  std::set<std::string, LongestFirst> domains_;                // in small letters
  std::set<std::string> stems_;  // "node" of node7: lists of machines shorten names
  int count_ = 0;
};

// Replaces `name` by `instead` where it is a word of its own.
std::string with_word(std::string text, const std::string& name, const std::string& instead);

}  // namespace scalemark::reporting
