// Where the ranks meet and under which id, from options and what the launcher said.
#include "core/launching/launchers.h"
#include "core/launching/meeting_point.h"
#include "core/launching/parse.h"

namespace scalemark::launching {
namespace {

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

std::optional<std::string> told_run_id(FieldReader& reader, const Request& request,
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
  const auto run_id = told_run_id(reader, request, hints);
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
  if (hints.agent_store) meeting.store_id = meeting.run_id;
  if (!hints.attempt.empty()) meeting.run_id += ".attempt" + hints.attempt;
  return meeting;
}

}  // namespace scalemark::launching
