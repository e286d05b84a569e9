// Records of TensorBoard's event files: Event, Summary, HistogramProto and the plugin data of
// hparams in protobuf's wire form, each framed with its length and masked CRC32C. Pure; knows
// neither files nor reports, but for the list of their tags (tag_list.inc).
//
// It is encoded here and not by libprotobuf, since libtorch_cpu exports symbols of
// google::protobuf: a second copy of another version in one process would resolve to it. The
// messages are five, and their wire form is frozen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "core/live/tensorboard/histogram.h"

namespace scalemark::tensorboard {

// TensorBoard keeps all events in memory: a tag of one run has at most so many.
inline constexpr std::size_t kMostEvents = 10'000;

// A tag that runs and reports write. Words of `name` in capitals stand for names.
struct Tag {
  const char *name, *step, *meaning;  // the latter two in Markdown
  bool is_live;                       // only a run writes it, while it lasts
};
std::span<const Tag> tags();

// A run in the table of hparams: TensorBoard averages the sessions of one group.
struct Session {
  std::string group;
  double started = 0;  // seconds since 1970, as every time here
  std::map<std::string, std::variant<bool, double, std::string>> parameters;
};

// Texts that are not UTF-8, which protobuf refuses, are repaired. The first value of each of tags()
// has its meaning, which TensorBoard shows.
class Events {
 public:
  // The first record of a file: its version.
  void begin(double time);
  // `value` is a float32 in the file.
  void scalar(std::string_view tag, std::int64_t step, double time, double value);
  void histogram(std::string_view tag, std::int64_t step, double time, const Histogram& values);
  void begin_session(const Session& session);
  void end_session(bool succeeded, double time);

  const std::string& bytes() const { return bytes_; }
  std::string take();  // the records so far, which are forgotten

 private:
  std::string described(std::string value, std::string_view tag, std::string_view plugin);

  std::string bytes_;
  std::set<std::string, std::less<>> described_;  // tags whose meaning stands there
};

// "events.out.tfevents.1767323045.scalemark": TensorBoard reads the files of a folder in the order
// of their names.
std::string event_file_name(double started);

// Whether a file of this name is one of ours.
bool is_event_file(std::string_view name);

}  // namespace scalemark::tensorboard
