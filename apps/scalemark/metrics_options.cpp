#include "apps/scalemark/metrics_options.h"

#include <utility>

#include "core/base/file_kind.h"
#include "core/launch/meeting_point.h"
#include "core/live/endpoint.h"
#include "core/settings/option.h"

namespace scalemark::cli {
namespace {

constexpr const char* kPort = "metrics_port";
constexpr const char* kToken = "metrics_token";
constexpr const char* kHere = "127.0.0.1";

// PORT, HOST:PORT or auto; absent for anything else.
std::optional<process::MetricsAddress> parsed(const std::string& text) {
  if (text == "auto") return {{.host = kHere, .port = 0, .token = {}}};
  const bool is_port = text.find_first_not_of("0123456789") == std::string::npos;
  const auto place = launching::parse_rendezvous(is_port ? kHere + (":" + text) : text);
  if (!place || place->kind != launching::Rendezvous::Kind::kTcp || place->port == 0) return {};
  return {{.host = place->host, .port = place->port, .token = {}}};
}

}  // namespace

std::optional<process::MetricsAddress> metrics_address(const settings::RawSettings& raw,
                                                       std::vector<settings::Problem>& problems) {
  const auto refuse = [&](const char* option, std::string allowed, std::string hint = {}) {
    problems.push_back(settings::problem_of(raw, option, std::move(allowed), std::move(hint)));
  };
  if (!raw.contains(kPort)) {
    if (raw.contains(kToken)) {
      refuse(kToken, "without --metrics-port no page is served", "add --metrics-port");
    }
    return std::nullopt;
  }
  auto address = parsed(raw.find(kPort)->second.text);
  if (!address) {
    refuse(kPort, "a PORT from 1 to 65535, HOST:PORT or auto (any free port) is allowed");
  } else if (!live::is_loopback(address->host) && !raw.contains(kToken)) {
    refuse(kPort,
           "an address that others reach needs --metrics-token FILE, which keeps them from reading",
           "PORT alone listens on this machine only: ssh -L reaches it");
  }
  return address;
}

void prepare_metrics(const settings::RawSettings& raw, ResolvedCommand& base,
                     std::vector<std::string>& notes) {
  if (!base.metrics || !holds_rank_0(base.detection) || base.settings.general.dry_run) return;
  process::MetricsAddress& metrics = *base.metrics;
  if (const auto file = raw.find(kToken); file != raw.end()) {
    refuse_read_once("--metrics-token", file->second.text);
    launching::Secret token = launching::read_metrics_token(file->second.text);
    metrics.token = std::move(token.text);
    if (!token.note.empty()) notes.push_back(std::move(token.note));
  }
  if (!base.detection.error_file.empty()) return;  // the launcher has checked the port
  live::Endpoint::Options options;
  options.host = metrics.host;
  options.port = metrics.port;
  const live::Endpoint probe(std::move(options));  // throws where it cannot listen
}

}  // namespace scalemark::cli
