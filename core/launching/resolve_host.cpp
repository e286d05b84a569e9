#include "core/launching/resolve_host.h"

#include <netdb.h>
#include <sys/socket.h>

#include <future>
#include <memory>
#include <thread>

namespace scalemark::launching {
namespace {

int lookup(const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int status = getaddrinfo(host.c_str(), nullptr, &hints, &found);
  if (status == 0) freeaddrinfo(found);
  return status;
}

ErrorRecord cannot_resolve(const std::string& host, const std::string& why) {
  ErrorRecord record;
  record.code = "E_CANNOT_RESOLVE";
  record.exit_code = ExitCode::kPeerLost;
  record.domain = ErrorDomain::kNetwork;
  record.what = "host name " + host + " does not resolve: " + why;
  record.hint = "add it to /etc/hosts, or give --rendezvous with an IP address";
  return record;
}

}  // namespace

std::optional<ErrorRecord> resolve_or_explain(const std::string& host,
                                              std::chrono::milliseconds deadline) {
  auto answer = std::make_shared<std::promise<int>>();
  auto status = answer->get_future();
  std::thread([answer, host] { answer->set_value(lookup(host)); }).detach();
  if (status.wait_for(deadline) != std::future_status::ready) {
    return cannot_resolve(host, "no answer within " + std::to_string(deadline.count()) + " ms");
  }
  const int code = status.get();
  if (code == 0) return {};
  return cannot_resolve(host, gai_strerror(code));
}

}  // namespace scalemark::launching
