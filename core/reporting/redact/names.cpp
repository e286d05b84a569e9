#include "core/reporting/redact/names.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cctype>
#include <regex>

namespace scalemark::reporting {
namespace {

constexpr std::size_t kShortestSecret = 4;  // shorter ones occur in other words

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' ||
         (static_cast<unsigned char>(c) & 0x80);
}

bool is_of_name(char c) { return is_word(c) || c == '.'; }

std::string small(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

std::string without_digits(const std::string& name) {
  const std::size_t last = name.find_last_not_of("0123456789");
  return last == std::string::npos ? "" : name.substr(0, last + 1);
}

// Without a digit it may be a name of C++, as in "a::b".
bool is_long_address(const std::string& word) {
  in6_addr ignored{};
  return word.find_first_of("0123456789") != std::string::npos &&
         inet_pton(AF_INET6, word.c_str(), &ignored) == 1;
}

// IPv6 addresses, with their zone ("fe80::1%eth0").
std::string without_long_addresses(const std::string& text) {
  constexpr const char* kSigns = "0123456789abcdefABCDEF:.";
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = std::min(text.find_first_of(kSigns, at), text.size());
    const std::size_t end = std::min(text.find_first_not_of(kSigns, begin), text.size());
    std::string word = text.substr(begin, end - begin);
    std::string after;  // the end of a sentence
    if (word.ends_with('.') || (word.ends_with(':') && !word.ends_with("::"))) {
      after = word.back();
      word.pop_back();
    }
    const bool whole =
        (begin == 0 || !is_word(text[begin - 1])) && (end == text.size() || !is_word(text[end]));
    result.append(text, at, begin - at);
    at = end;
    if (!whole || !is_long_address(word)) {
      result += word + after;
      continue;
    }
    result += "<address>" + after;
    if (at < text.size() && text[at] == '%' && after.empty()) {
      do ++at;
      while (at < text.size() && is_word(text[at]));
    }
  }
  return result;
}

std::string without_addresses(const std::string& text) {
  static const std::regex kAddress(R"(\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b)");
  static const std::regex kLogin(R"([\w.-]+@[\w.-]+)");
  const std::string without_logins = std::regex_replace(text, kLogin, "<user>");
  return std::regex_replace(without_long_addresses(without_logins), kAddress, "<address>");
}

// `change(word, next)` for each run of letters, digits, '-', '_' and '.'; `next` follows it.
template <class Change>
std::string with_each_name(const std::string& text, Change change) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_of_name(text[end])) ++end;
    if (end == at) {
      result += text[at++];
      continue;
    }
    std::size_t last = end;
    while (last > at && text[last - 1] == '.') --last;  // the end of a sentence
    result += change(text.substr(at, last - at), end < text.size() ? text[end] : '\0');
    result.append(text, last, end - last);
    at = end;
  }
  return result;
}

}  // namespace

std::string with_word(std::string text, const std::string& name, const std::string& instead) {
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos;) {
    const std::size_t end = at + name.size();
    const bool whole =
        (at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]));
    if (whole) text.replace(at, name.size(), instead);
    at += whole ? instead.size() : 1;
  }
  return text;
}

void KnownNames::add_host(const std::string& name) {
  const std::string key = small(name);
  if (name.empty() || hosts_.contains(key)) return;
  const std::size_t dot = std::min(key.find('.'), key.size());
  const std::string first = key.substr(0, dot);
  const auto known = hosts_.find(first);
  const std::string instead =
      known != hosts_.end() ? known->second : "host-" + std::to_string(++count_);
  hosts_.emplace(key, instead);
  if (!std::ranges::all_of(name, is_of_name)) literals_.emplace(name, instead);
  if (dot < key.size() && first.find_first_not_of("0123456789") != std::string::npos) {
    if (first.size() > 2) hosts_.emplace(first, instead);
    domains_.insert(key.substr(dot + 1));  // 10.1.2.3 has none
  }
  const std::string stem = without_digits(first);
  if (stem.size() >= kShortestSecret && stem != first) stems_.insert(stem);
}

void KnownNames::add_device(const std::string& secret) {
  if (secret.size() >= kShortestSecret) literals_.emplace(secret, "<device>");
}

void KnownNames::learn_from(const std::string& text) {
  with_each_name(text, [&](const std::string& word, char) {
    const std::string key = small(word);
    for (const auto& [host, instead] : hosts_) {
      if (!key.starts_with(host + ".")) continue;
      const std::string domain = key.substr(host.size() + 1);
      if (domain.find('.') != std::string::npos) domains_.insert(domain);  // else "n7.json"
      break;
    }
    return word;
  });
  static const std::regex kHome(R"(/(?:home|users|Users)/([^/\s"',:;]+))");
  for (auto it = std::sregex_iterator(text.begin(), text.end(), kHome);
       it != std::sregex_iterator(); ++it) {
    if ((*it)[1].length() >= static_cast<std::ptrdiff_t>(kShortestSecret)) {
      literals_.emplace((*it)[1].str(), "<user>");
    }
  }
}

std::string KnownNames::host_of(const std::string& word, bool before_list) const {
  const std::string key = small(word);
  if (const auto exact = hosts_.find(key); exact != hosts_.end()) return exact->second;
  for (const auto& [host, instead] : hosts_) {
    if (key.starts_with(host + ".")) return instead;
  }
  for (const auto& domain : domains_) {
    if (key == domain || key.ends_with("." + domain)) return "<host>";
  }
  const std::string stem = without_digits(key.substr(0, key.find('.')));
  const bool numbered = stem.size() < key.size() || before_list;
  return numbered && stems_.contains(stem) ? "<host>" : word;
}

std::string KnownNames::covered(const std::string& text) const {
  std::string covered = text;
  for (const auto& [name, instead] : literals_) {
    covered = with_word(std::move(covered), name, instead);
  }
  covered = with_each_name(
      covered, [this](const std::string& word, char next) { return host_of(word, next == '['); });
  return without_addresses(covered);
}

}  // namespace scalemark::reporting
