// Who stands in a report: machines, people, devices. Private to redact.cpp.
#pragma once

#include <map>
#include <set>
#include <string>

namespace scalemark::reporting {

class KnownNames {
 public:
  // A machine: the same new name each time, with and without its domain.
  void add_host(const std::string& name);
  void add_device(const std::string& secret);  // serial number, UUID, PCI address
  // Domains that `text` gives to machines that are known, and users by their folder at home.
  void learn_from(const std::string& text);

  // `text` with "host-1", "<host>" (another machine of a known domain), "<device>", "<user>" and
  // "<address>" in their place.
  std::string covered(const std::string& text) const;

 private:
  // Longest first: one name may be the beginning of another.
  struct LongestFirst {
    bool operator()(const std::string& a, const std::string& b) const {
      return a.size() != b.size() ? a.size() > b.size() : a < b;
    }
  };
  std::string host_of(const std::string& word, bool before_list) const;

  std::map<std::string, std::string, LongestFirst> literals_;  // as they stand
  std::map<std::string, std::string, LongestFirst> hosts_;     // in small letters
  std::set<std::string, LongestFirst> domains_;                // in small letters
  std::set<std::string> stems_;  // "node" of node7: lists of machines shorten names
  int count_ = 0;
};

// `name` where it stands as a word of its own becomes `instead`.
std::string with_word(std::string text, const std::string& name, const std::string& instead);

}  // namespace scalemark::reporting
