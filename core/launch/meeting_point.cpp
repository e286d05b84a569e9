#include "core/launch/meeting_point.h"

#include <sys/random.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <span>

#include "core/base/characters.h"
#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/launch/launchers.h"
#include "core/launch/variables.h"

namespace scalemark::launching {
namespace {

std::optional<Rendezvous> at_file(std::string_view path) {
  if (path.empty()) return {};
  Rendezvous rendezvous;
  rendezvous.kind = Rendezvous::Kind::kFile;
  rendezvous.file = path;
  return rendezvous;
}

std::optional<Rendezvous> at_address(std::string_view host, std::optional<std::string_view> port) {
  if (host.empty() || host.find_first_of(" \t/[]") != std::string_view::npos) return {};
  Rendezvous rendezvous;
  rendezvous.kind = Rendezvous::Kind::kTcp;
  rendezvous.host = host;
  if (port) {
    const auto number = parse_whole<std::uint16_t>(*port);
    if (!number || *number == 0) return {};
    rendezvous.port = *number;
  }
  return rendezvous;
}

}  // namespace

std::optional<Rendezvous> parse_rendezvous(std::string_view text) {
  if (text.starts_with("file:")) return at_file(text.substr(5));
  if (text.starts_with('[')) {
    const auto close = text.find(']');
    if (close == std::string_view::npos) return {};
    const auto host = text.substr(1, close - 1);
    const auto rest = text.substr(close + 1);
    if (rest.empty()) return at_address(host, {});
    return rest.starts_with(':') ? at_address(host, rest.substr(1)) : std::nullopt;
  }
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return at_address(text, {});
  if (text.find(':', colon + 1) != std::string_view::npos) return at_address(text, {});  // IPv6
  return at_address(text.substr(0, colon), text.substr(colon + 1));
}

std::string hashed_run_id(const Rendezvous& rendezvous, std::string_view job) {
  const bool file = rendezvous.kind == Rendezvous::Kind::kFile;
  auto key = file ? "file:" + rendezvous.file
                  : lower_case(rendezvous.host) + ":" + std::to_string(rendezvous.port);
  if (!job.empty()) key.append(" ").append(job);
  return fnv1a_hex(key);
}

std::uint16_t derived_port(std::string_view run_id) {
  return static_cast<std::uint16_t>(20000 + fnv1a(run_id) % 12000);
}

bool is_loopback(std::string_view host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

namespace {

// The meeting point and its id come from options and from the launcher's variables (launchers.h).

Rendezvous from_option(FieldReader& reader, const std::string& text) {
  const auto parsed = parse_rendezvous(text);
  if (!parsed) {
    reader.refuse("--rendezvous " + text, "HOST:PORT with a port from 1 to 65535, or file:PATH");
  }
  reader.derived("rendezvous", "--rendezvous");
  return parsed.value_or(Rendezvous{});
}

std::uint16_t port_of(FieldReader& reader, const Hints& hints) {
  if (!hints.port) return 0;
  const auto port = parse_whole<std::uint16_t>(*hints.port);
  if (!port || *port == 0) {
    reader.refuse(hints.port_from + "=" + *hints.port, "a port from 1 to 65535");
    return 0;
  }
  return *port;
}

Rendezvous from_hints(FieldReader& reader, const Hints& hints) {
  Rendezvous rendezvous;
  if (hints.host.empty()) return rendezvous;
  rendezvous.kind = Rendezvous::Kind::kTcp;
  rendezvous.host = hints.host;
  rendezvous.port = port_of(reader, hints);
  rendezvous.agent_store = hints.agent_store;
  reader.derived("rendezvous", rendezvous.port == 0 || hints.port_from == hints.host_from
                                   ? hints.host_from
                                   : hints.host_from + ", " + hints.port_from);
  return rendezvous;
}

std::optional<std::string> declared_run_id(FieldReader& reader, const Request& request,
                                           const Hints& hints) {
  if (!request.launch.run_id.empty()) {
    reader.derived("run_id", "--run-id");
    return request.launch.run_id;
  }
  if (hints.run_id) reader.derived("run_id", hints.run_id_from);
  return hints.run_id;
}

// Without an id of its own a job must not share the derived port with another one on the host.
void fill_port(FieldReader& reader, const std::optional<std::string>& run_id, Rendezvous& meeting) {
  if (meeting.kind != Rendezvous::Kind::kTcp || meeting.port != 0) return;
  if (run_id) {
    meeting.port = derived_port(*run_id);
    reader.derived("port", "run id");
    return;
  }
  reader.refuse_usage("no port for the rendezvous at " + meeting.host, "HOST:PORT or a run id",
                      "give --rendezvous " + meeting.host + ":PORT, or --run-id");
}

// Gives two jobs at one address different ids, if some value differs between them and is equal on
// all ranks of a job.
std::string job_of(const FieldReader& reader, const Request& request) {
  const std::string job = reader.text("SLURM_JOB_ID").value_or("");
  return request.user.empty() && job.empty() ? "" : request.user + "/" + job;
}

}  // namespace

Rendezvous find_meeting_point(FieldReader& reader, const Request& request, const Hints& hints,
                              int ranks) {
  const bool told = !request.launch.rendezvous.empty();
  Rendezvous meeting =
      told ? from_option(reader, request.launch.rendezvous) : from_hints(reader, hints);
  const auto run_id = declared_run_id(reader, request, hints);
  if (ranks <= 1) meeting = Rendezvous{};
  if (ranks > 1 && meeting.kind == Rendezvous::Kind::kNone && !told) {
    reader.refuse_usage("no address where the ranks meet", "every rank needs the same one",
                        "give --rendezvous HOST:PORT (HOST is where rank 0 runs), or "
                        "--rendezvous file:PATH on a shared file system");
    return meeting;
  }
  fill_port(reader, run_id, meeting);
  if (run_id) {
    meeting.run_id = *run_id;
  } else if (meeting.kind != Rendezvous::Kind::kNone) {
    const std::string job = job_of(reader, request);
    meeting.run_id = hashed_run_id(meeting, job);
    reader.derived(
        "run_id",
        std::string(meeting.kind == Rendezvous::Kind::kFile ? "path" : "address and port") +
            (job.empty() ? "" : ", user and job"));
  }
  if (!hints.attempt.empty()) {
    // A file keeps the keys of the attempt before.
    if (meeting.kind != Rendezvous::Kind::kFile) meeting.store_id = meeting.run_id;
    meeting.run_id += ".attempt" + hints.attempt;
  }
  return meeting;
}

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
  return hexadecimal(std::as_bytes(std::span(bytes)));
}

}  // namespace scalemark::launching
