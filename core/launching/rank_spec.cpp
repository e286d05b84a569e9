#include "core/launching/rank_spec.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/error.h"

namespace scalemark::launching {
namespace {

using Json = nlohmann::json;

constexpr int kVersion = 1;

// nlohmann converts -1 and 32.7 silently.
template <typename Integer>
Integer whole(const Json& object, const char* key) {
  const auto& value = object.at(key);
  if (!value.is_number_integer()) throw configuration(std::string(key) + " is not a whole number");
  const auto number = value.get<long long>();
  if (number < 0 || number > std::numeric_limits<Integer>::max()) {
    throw configuration(std::string(key) + " is " + std::to_string(number));
  }
  return static_cast<Integer>(number);
}

const char* kind_name(Rendezvous::Kind kind) {
  switch (kind) {
    case Rendezvous::Kind::kNone:
      return "none";
    case Rendezvous::Kind::kTcp:
      return "tcp";
    case Rendezvous::Kind::kFile:
      return "file";
  }
  return "none";
}

Rendezvous::Kind kind_of(const std::string& name) {
  if (name == "none") return Rendezvous::Kind::kNone;
  if (name == "tcp") return Rendezvous::Kind::kTcp;
  if (name == "file") return Rendezvous::Kind::kFile;
  throw configuration("rendezvous kind is \"" + name + "\"");
}

RankSpec from(const Json& json) {
  if (whole<int>(json, "version") != kVersion) throw configuration("version is not 1");
  RankSpec spec;
  spec.world.rank = whole<int>(json, "rank");
  spec.world.world_size = whole<int>(json, "world_size");
  spec.world.local_rank = whole<int>(json, "local_rank");
  spec.world.local_world_size = whole<int>(json, "local_world_size");
  spec.world.node = whole<int>(json, "node");
  spec.world.nodes = whole<int>(json, "nodes");
  json.at("launcher").get_to(spec.world.launcher);
  json.at("detected_from").get_to(spec.world.detected_from);
  const auto& meeting = json.at("rendezvous");
  spec.rendezvous.kind = kind_of(meeting.at("kind").get<std::string>());
  meeting.at("host").get_to(spec.rendezvous.host);
  spec.rendezvous.port = whole<std::uint16_t>(meeting, "port");
  meeting.at("file").get_to(spec.rendezvous.file);
  if (meeting.contains("listen_fd")) spec.rendezvous.listen_fd = whole<int>(meeting, "listen_fd");
  meeting.at("run_id").get_to(spec.rendezvous.run_id);
  meeting.at("secret").get_to(spec.rendezvous.secret);
  json.at("error_file").get_to(spec.error_file);
  json.at("terminal").get_to(spec.terminal);
  return spec;
}

}  // namespace

std::string to_json(const RankSpec& spec) {
  Json meeting = {{"kind", kind_name(spec.rendezvous.kind)},
                  {"host", spec.rendezvous.host},
                  {"port", spec.rendezvous.port},
                  {"file", spec.rendezvous.file},
                  {"run_id", spec.rendezvous.run_id},
                  {"secret", spec.rendezvous.secret}};
  if (spec.rendezvous.listen_fd) meeting["listen_fd"] = *spec.rendezvous.listen_fd;
  const Json json = {{"version", kVersion},
                     {"rank", spec.world.rank},
                     {"world_size", spec.world.world_size},
                     {"local_rank", spec.world.local_rank},
                     {"local_world_size", spec.world.local_world_size},
                     {"node", spec.world.node},
                     {"nodes", spec.world.nodes},
                     {"launcher", spec.world.launcher},
                     {"detected_from", spec.world.detected_from},
                     {"rendezvous", meeting},
                     {"error_file", spec.error_file},
                     {"terminal", spec.terminal}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

RankSpec parse_rank_spec(std::string_view json) {
  try {
    return from(Json::parse(json));
  } catch (const Json::exception& error) {
    throw configuration(std::string(kRankSpecVariable) + " is malformed: " + error.what(),
                        "only the built-in launcher sets it", "unset it");
  } catch (const Error& error) {
    throw configuration(std::string(kRankSpecVariable) + ": " + error.record().what,
                        "only the built-in launcher sets it", "unset it");
  }
}

}  // namespace scalemark::launching
