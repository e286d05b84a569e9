#include "core/launching/run_token.h"

#include <sys/random.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "core/base/digest.h"
#include "core/base/error.h"

namespace scalemark::launching {
namespace {

constexpr std::size_t kLeast = 16, kMost = 4096;

// An option that names the file of a secret, and who needs a copy of it.
struct SecretOption {
  const char* flag;
  const char* holders;
};
constexpr SecretOption kRunToken{"--run-token", "every node"};
constexpr SecretOption kMetricsToken{"--metrics-token", "whoever reads the page"};

std::string recipe(const SecretOption& option) {
  return std::string(
             "make one with `head -c 32 /dev/urandom | base64 > FILE; chmod 600 FILE` and copy it "
             "to ") +
         option.holders;
}

Error cannot_read(const SecretOption& option, const std::string& path, int reason) {
  const std::string what =
      std::string(option.flag) + " " + path + " cannot be read: " + std::strerror(reason);
  if (reason == EACCES || reason == EPERM) {
    return make_error("E_PERMISSION", ExitCode::kPermission, ErrorDomain::kLaunch, what,
                      "a file that this user may read");
  }
  return no_input(what, "a file with the run's token", recipe(option));
}

std::string content_of(const SecretOption& option, const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw cannot_read(option, path, errno);
  std::string text(kMost + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad() || (file.gcount() == 0 && errno == EISDIR)) throw cannot_read(option, path, errno);
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

std::string without_trailing_blanks(std::string text) {
  text.erase(text.find_last_not_of(" \t\r\n") + 1);
  return text;
}

std::string note_on(const SecretOption& option, const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0 || !(status.st_mode & (S_IRGRP | S_IROTH))) return {};
  return std::string(option.flag) + " " + path +
         " may be read by other users: `chmod 600` keeps them out";
}

Secret secret_of(const SecretOption& option, const std::string& path) {
  const std::string content = content_of(option, path);
  const std::string text = without_trailing_blanks(content);
  if (text.size() < kLeast || content.size() > kMost) {
    throw bad_data(std::string(option.flag) + " " + path + " holds " +
                       (content.size() > kMost ? "more than 4 KiB"
                                               : std::to_string(text.size()) + " characters"),
                   "a token of 16 characters to 4 KiB", recipe(option));
  }
  return {.text = text, .note = note_on(option, path)};
}

}  // namespace

RunToken read_run_token(const std::string& path) {
  const Secret token = secret_of(kRunToken, path);
  return {.secret = sha256_hex("scalemark run token " + token.text), .note = token.note};
}

Secret read_metrics_token(const std::string& path) {
  Secret token = secret_of(kMetricsToken, path);
  if (!std::ranges::all_of(token.text, [](char c) { return c > ' ' && c < '\x7f'; })) {
    throw bad_data(std::string(kMetricsToken.flag) + " " + path + " holds blanks or other bytes",
                   "letters, digits and signs on one line: an HTTP header takes no other",
                   recipe(kMetricsToken));
  }
  return token;
}

std::string random_secret() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw system_error("the system gave no random bytes");
  }
  std::string digits;
  for (const unsigned char byte : bytes) {
    digits += "0123456789abcdef"[byte >> 4];
    digits += "0123456789abcdef"[byte & 15];
  }
  return digits;
}

}  // namespace scalemark::launching
