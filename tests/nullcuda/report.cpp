// Writes what was counted, when the process ends.
#include <cxxabi.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <span>
#include <sstream>
#include <string>

#include "call.h"
#include "captures.h"
#include "events.h"
#include "journal.h"
#include "memory.h"
#include "profiler.h"
#include "settings.h"
#include "streams.h"
#include "violations.h"
#include "windows.h"

namespace nullcuda {
namespace {

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c < ' ' ? ' ' : c;
  }
  return result + '"';
}

std::string readable(const std::string& name) {
  int status = 0;
  char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  const std::string result = status == 0 ? text : name;
  std::free(text);
  return result;
}

struct Tally {
  std::uint64_t count = 0, bytes = 0;
};
using Tallies = std::map<std::string, Tally>;

// Per kind, by name; waits of the host by "thread|function".
std::array<Tallies, kKinds> tally(std::span<const Entry> counted) {
  std::array<Tallies, kKinds> result;
  for (const Entry& entry : counted) {
    std::string name = names()[entry.name];
    if (entry.kind == Kind::kSync) name = thread_names()[entry.thread] + "|" + name;
    Tally& tally = result[static_cast<std::size_t>(entry.kind)][name];
    ++tally.count;
    tally.bytes += entry.bytes;
  }
  return result;
}

void write_counts(std::ostream& out, std::span<const Entry> counted) {
  const auto tallies = tally(counted);
  for (int kind = 0; kind < kKinds; ++kind) {
    out << (kind > 0 ? ", " : "") << quoted(to_string(static_cast<Kind>(kind))) << ": {";
    const char* comma = "";
    for (const auto& [name, tally] : tallies[static_cast<std::size_t>(kind)]) {
      const bool kernel = static_cast<Kind>(kind) == Kind::kLaunch;
      out << comma << quoted(kernel ? readable(name) : name) << ": {\"count\": " << tally.count
          << ", \"bytes\": " << tally.bytes << "}";
      comma = ", ";
    }
    out << "}";
  }
}

// Counts the journal's entries [begin, end).
void write_counts(std::ostream& out, std::size_t begin, std::size_t end) {
  write_counts(out, std::span(entries()).subspan(begin, end - begin));
}

// [kind, name, stream, event, bytes] of what was put into streams. Waits of the host are not.
void write_timeline(std::ostream& out, std::size_t begin, std::size_t end) {
  const char* comma = "";
  for (std::size_t i = begin; i < end; ++i) {
    const Entry& entry = entries()[i];
    if (entry.stream == 0) continue;
    const bool kernel = entry.kind == Kind::kLaunch;  // whose names are long
    out << comma << "[" << quoted(to_string(entry.kind)) << ", "
        << (kernel ? "\"\"" : quoted(names()[entry.name])) << ", " << entry.stream << ", "
        << entry.event << ", " << entry.bytes << "]";
    comma = ", ";
  }
}

void write_alive(std::ostream& out, const Alive& alive) {
  out << "{\"events\": " << alive.events << ", \"streams\": " << alive.streams
      << ", \"device_bytes\": " << alive.device_bytes
      << ", \"pinned_bytes\": " << alive.pinned_bytes << "}";
}

void write_windows(std::ostream& out) {
  const char* comma = "";
  for (const Window& window : windows()) {
    out << comma << "\n    {\"marks\": " << window.marks << ", \"seconds\": " << window.seconds
        << ", \"alive_at_begin\": ";
    write_alive(out, window.alive_at_begin);
    out << ", \"journal\": [" << window.journal_begin << ", " << window.journal_end << "], ";
    write_counts(out, window.journal_begin, window.journal_end);
    if (settings().timeline) {
      out << ", \"timeline\": [";
      write_timeline(out, window.journal_begin, window.journal_end);
      out << "]";
    }
    out << "}";
    comma = ",";
  }
}

void write_profiler_ranges(std::ostream& out) {
  const char* comma = "";
  for (const ProfilerRange& range : profiler_ranges()) {
    const std::size_t end = range.journal_end.value_or(entries().size());
    out << comma << "\n    {\"stopped\": " << (range.journal_end ? "true" : "false")
        << ", \"journal\": [" << range.journal_begin << ", " << end << "], \"nvtx\": {";
    const char* between = "";
    for (const auto& [path, count] : range.nvtx) {
      out << between << quoted(path) << ": " << count;
      between = ", ";
    }
    out << "}, \"before\": {";
    write_counts(out, 0, range.journal_begin);
    out << "}, ";
    write_counts(out, range.journal_begin, end);
    out << "}";
    comma = ",";
  }
}

void write_graphs(std::ostream& out) {
  const char* comma = "";
  for (const GraphCounts* graph : graphs()) {
    std::vector<Entry> counted;
    for (const Node& node : graph->nodes) counted.push_back(node.entry);
    out << comma << "\n    {\"destroyed\": " << (graph->destroyed ? "true" : "false")
        << ", \"launched\": " << graph->launches << ", \"captured_streams\": " << graph->streams
        << ", ";
    write_counts(out, counted);
    out << "}";
    comma = ",";
  }
}

void write_violations(std::ostream& out) {
  const char* comma = "";
  for (const auto& [what, count] : violations()) {
    out << comma << quoted(what) << ": " << count;
    comma = ", ";
  }
}

std::string as_json() {
  const MemoryInUse& memory = memory_in_use();
  std::ostringstream out;
  out << "{\"pid\": " << getpid() << ", \"rank\": " << quoted(settings().rank) << ",\n \"now\": ";
  write_alive(
      out, {events_in_use().now, streams_in_use().now, memory.device_bytes, memory.pinned_bytes});
  out << ",\n \"peak\": ";
  write_alive(
      out, {events_in_use().peak, streams_in_use().peak, memory.device_peak, memory.pinned_peak});
  out << ",\n \"violations\": {";
  write_violations(out);
  out << "},\n \"total\": {";
  write_counts(out, 0, entries().size());
  out << "},\n \"windows\": [";
  write_windows(out);
  out << "],\n \"profiler_ranges\": [";
  write_profiler_ranges(out);
  out << "],\n \"graphs\": [";
  write_graphs(out);
  out << "]}\n";
  return out.str();
}

std::string file_name() {
  std::string name = settings().counts_file;
  const auto at = name.find("%p");
  if (at != name.npos) name.replace(at, 2, std::to_string(getpid()));
  return name;
}

// A process that never used a device, as the launcher, has nothing to report.
void write_once() {
  static bool written = false;
  const Guard guard(lock());
  if (written || settings().counts_file.empty() || entries().empty()) return;
  written = true;
  const std::string name = file_name(), unfinished = name + ".part";
  std::ofstream(unfinished) << as_json();
  std::rename(unfinished.c_str(), name.c_str());
}

struct AtExit {
  AtExit() { settings(); }
  ~AtExit() { write_once(); }
} at_exit;

[[noreturn]] void end_at_once(int status) {
  write_once();
  syscall(SYS_exit_group, status);
  __builtin_unreachable();
}

}  // namespace
}  // namespace nullcuda

// A program that ends without its destructors is counted too.
NULLCUDA_API [[noreturn]] void _exit(int status) { nullcuda::end_at_once(status); }
NULLCUDA_API [[noreturn]] void _Exit(int status) { nullcuda::end_at_once(status); }
