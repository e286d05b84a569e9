#include "core/launching/meeting_point.h"

#include "core/base/characters.h"
#include "core/base/digest.h"
#include "core/launching/parse.h"

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

}  // namespace scalemark::launching
