#include "report/record/report_json.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/characters.h"
#include "core/base/host_name.h"
#include "core/base/number_words.h"
#include "core/base/record_json.h"
#include "core/base/strict_json.h"
#include "core/base/text.h"
#include "report/record/report_fields.h"

namespace scalemark::reporting {
namespace {

using Links = std::vector<LinkRecord>;
using Telemetry = std::vector<TelemetryRecord>;

// Writes the report itself field by field and row by row into one text, equal to a dump of
// JsonWriter's tree with an indent of 2. A sweep writes all its rows after each run; building and
// freeing trees of all of them each time would fragment the heap.
class ReportText : public FieldWriter<ReportText> {
 public:
  using FieldWriter::operator();

  template <class T>
  void operator()(const char* key, const T& value, const About& about) {
    if constexpr (IsVector<T>::value) {
      begin(key);
      text_ += '[';
      for (std::size_t i = 0; i < value.size(); ++i) {
        text_ += i == 0 ? "\n    " : ",\n    ";
        append(as_json(value[i], (std::string("report.") + key + "[]").c_str()), "    ");
      }
      text_ += value.empty() ? "]" : "\n  ]";
    } else {
      FieldJson field;
      JsonWriter(field, "report")(key, value, about);
      begin(key);
      append(field[key], "  ");
    }
  }

  std::string whole() && { return std::move(text_) + "\n}\n"; }

 private:
  void begin(const char* key) {
    text_ += text_.empty() ? "{\n  " : ",\n  ";
    text_ += '"' + std::string(key) + "\": ";
  }
  void append(const FieldJson& json, const char* margin) {
    const std::string text = dumped(json, 2);
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
      text_.append(text, begin, end - begin);
      if (text[end - 1] == '\n') text_ += margin;  // a line's end within a string is escaped
      begin = end;
    }
  }

  std::string text_;
};

void refuse_other_schema(const FieldJson& json) {
  if (!json.is_object() || !json.contains("schema") || !json["schema"].is_string()) {
    throw bad_data("it has no schema", std::string(kSchema) + " is expected",
                   "is it a report.json of scalemark?");
  }
  const auto schema = json["schema"].get<std::string>();
  if (schema != kSchema) {
    throw bad_data("its schema is '" + schema + "'", std::string(kSchema) + " is expected",
                   schema.starts_with("scalemark.report/")
                       ? "read it with the version of scalemark that wrote it"
                       : "is it a report.json of scalemark?");
  }
}

// Lists of numbers are steps, which may be long.
bool holds_numbers(const FieldJson& json) {
  return json.is_array() && !json.empty() && json.front().is_number();
}

// Returns the result of `use`, and adds `origin` to what it throws.
template <class Use>
auto of_origin(std::string_view origin, Use use) {
  try {
    return use();
  } catch (const nlohmann::json::exception& error) {
    throw bad_data(
        std::string(origin) + " is not JSON: " + without_library_name(error.what()), {},
        "a log or a table is read by: scalemark judge " + shell_word(std::string(origin)));
  } catch (const Error& error) {
    ErrorRecord record = error.record();
    record.what = std::string(origin) + ": " + record.what;
    throw Error(record);
  }
}

// Whether a value of this key is the name of a machine, in any record.
bool names_machine(const std::string& key, const std::string& name) {
  if (key == "host" || key == "hostname" || key == "scheduler_node") return true;
  if (key != "a" && key != "b") return false;
  constexpr std::string_view kRank = "rank ";  // the ends of a link within a machine are ranks
  return !name.starts_with(kRank) || !whole_number(name.substr(kRank.size()));
}

// Scripts and commands are made of these names, so each must be nothing but a name. Throws
// bad_data().
void refuse_damaged_names(const FieldJson& json) {
  for (const auto& [key, value] : json.items()) {
    if (value.is_structured()) {
      if (!holds_numbers(value)) refuse_damaged_names(value);
      continue;
    }
    if (!json.is_object() || !value.is_string()) continue;
    const auto name = value.get<std::string>();
    if (name.empty() || !names_machine(key, name) || is_host_name(name)) continue;
    throw bad_data("'" + name + "' (field '" + key + "') is no name of a machine", kHostNameForm,
                   "is the file damaged, or has somebody changed it?");
  }
}

// Parses the JSON in `text`, and returns what `use` makes of it.
template <class Use>
auto read(std::string_view text, std::string_view origin, Use use) {
  refuse_wide_text(text, std::string(origin));
  if (nests_too_deep(text)) {
    throw bad_data(std::string(origin) + " nests deeper than any report",
                   std::to_string(kDeepestJson) + " levels at most");
  }
  return of_origin(origin, [&] {
    FieldJson json = FieldJson::parse(text);
    refuse_damaged_names(json);
    return use(std::move(json));
  });
}

Report report_in(const FieldJson& json) {
  refuse_other_schema(json);
  return record_in<Report>(json, "report");
}

// Lists whose entries have JSON lines of their own, and the word in `record` for an entry. Other
// lists are in the report's own line.
struct LineList {
  std::string_view list, record;
};
constexpr std::array<LineList, 20> kLineLists = {{{"points", "point"},
                                                  {"groups", "group"},
                                                  {"scaling", "scaling"},
                                                  {"stragglers", "straggler"},
                                                  {"data_gaps", "data_gap"},
                                                  {"sessions", "session"},
                                                  {"effects", "effect"},
                                                  {"tuning", "tuning"},
                                                  {"communication_limits", "communication_limit"},
                                                  {"devices", "device"},
                                                  {"predictions", "prediction"},
                                                  {"findings", "finding"},
                                                  {"telemetry", "telemetry"},
                                                  {"health", "health"},
                                                  {"collectives", "collective"},
                                                  {"collective_groups", "collective_group"},
                                                  {"collective_winners", "collective_winners"},
                                                  {"collective_fits", "collective_fit"},
                                                  {"links", "link"},
                                                  {"errors", "error"}}};

// The lines of a report that is read line by line.
struct Lines {
  FieldJson whole;  // the first line, to which the lists are added
  std::size_t first = 0, last = 0, entries = 0;

  std::string where(std::string_view origin) const {
    return std::string(origin) + ", lines " + std::to_string(first) + " to " + std::to_string(last);
  }
};

// A report.json opens with a brace alone, or is one line whose first field is not `record`.
bool has_lines(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  std::string_view first = text.substr(0, text.find('\n'));
  const bool more = !std::ranges::all_of(text.substr(first.size()), is_space);
  while (!first.empty() && is_space(first.back())) first.remove_suffix(1);
  constexpr std::size_t kByteOrderMark = 3;
  if (first.find('{') > kByteOrderMark || !first.ends_with('}')) return false;
  const std::size_t key = first.find('"');
  return more || (key < first.size() && first.substr(key).starts_with("\"record\""));
}

constexpr const char* kOfOurs = "is it of `scalemark report --format jsonl`?";

// Returns a text that ties a line to its report. Throws bad_data() for a line without it.
std::string word_in(const FieldJson& line, const char* key) {
  if (!line.is_object()) {
    throw bad_data("it is " + std::string(line.type_name()), "an object on each line", kOfOurs);
  }
  const auto found = line.find(key);
  if (found == line.end())
    throw bad_data(std::string("it has no field '") + key + "'", {}, kOfOurs);
  if (!found->is_string()) {
    throw bad_data(std::string("its field '") + key + "' is " + found->type_name(), "text",
                   kOfOurs);
  }
  return found->get<std::string>();
}

void add_line(std::vector<Lines>& reports, FieldJson line, std::size_t number) {
  const std::string record = word_in(line, "record"), run_id = word_in(line, "run_id");
  if (record == "report") {
    for (const LineList& one : kLineLists) {
      line.emplace(std::string(one.list), FieldJson::array());
    }
    reports.push_back({std::move(line), number, number});
    return;
  }
  if (reports.empty()) {
    throw bad_data("its record is '" + record + "'", "'report' is expected of the first line",
                   kOfOurs);
  }
  Lines& report = reports.back();
  if (run_id != word_in(report.whole, "run_id")) {
    throw bad_data("it is of run '" + run_id + "'", "the report of line " +
                                                        std::to_string(report.first) + " is of '" +
                                                        word_in(report.whole, "run_id") + "'");
  }
  report.last = number;
  ++report.entries;
  const auto list = std::ranges::find(kLineLists, record, &LineList::record);
  // A later version may write kinds of lines that are unknown here.
  if (list == kLineLists.end()) return;
  report.whole[std::string(list->list)].push_back(std::move(line));
}

// Earlier versions did not write how many lines follow.
Report whole_report(const Lines& report) {
  const auto said = report.whole.find("lines");
  if (said != report.whole.end() && !said->is_number_unsigned()) {
    throw bad_data("the field 'lines' of the first is " +
                       (said->is_number() ? said->dump() : std::string(said->type_name())),
                   "the number of lines that follow it", kOfOurs);
  }
  if (said != report.whole.end() && *said != report.entries) {
    throw bad_data("the first counts " + said->dump() + " more, and " +
                       std::to_string(report.entries) + " are there",
                   {}, "is it cut off?");
  }
  return report_in(report.whole);
}

}  // namespace

std::string to_json(const Report& report) {
  ReportText text;
  fields(text, all_members_of(report));
  return std::move(text).whole();
}

Report report_from_json(std::string_view text, std::string_view origin) {
  return read(text, origin, report_in);
}

std::string to_json_lines(const Report& report) {
  const auto line_of = [&](std::string_view record) {
    FieldJson line = {{"record", record}, {"run_id", report.run_id}};
    return line;
  };
  FieldJson whole = as_json(report, "report"), head = line_of("report");
  std::size_t count = 0;
  std::string entries;
  for (auto& [key, value] : whole.items()) {
    const auto list = std::ranges::find(kLineLists, key, &LineList::list);
    if (list == kLineLists.end()) {
      head[key] = std::move(value);
      continue;
    }
    count += value.size();
    for (FieldJson& entry : value) {
      FieldJson line = line_of(list->record);
      line.update(entry);
      entries += dumped(line) + "\n";
    }
  }
  head["lines"] = count;
  return dumped(head) + "\n" + entries;
}

std::vector<Report> reports_from(std::string_view text, std::string_view origin) {
  std::vector<Report> reports;
  if (!has_lines(text)) {
    reports.push_back(report_from_json(text, origin));
    return reports;
  }
  std::vector<Lines> found;
  std::size_t number = 0;
  for (const std::string_view line : lines_of(text)) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    read(line, std::string(origin) + ", line " + std::to_string(number),
         [&](FieldJson json) { add_line(found, std::move(json), number); });
  }
  for (const Lines& one : found) {
    reports.push_back(of_origin(one.where(origin), [&] { return whole_report(one); }));
  }
  return reports;
}

template <class T>
T from_json_line(std::string_view text, const char* name, std::string_view origin) {
  return read(text, origin, [&](const FieldJson& json) {
    if constexpr (IsVector<T>::value) {
      T all;
      for (const FieldJson& one : json) all.push_back(record_in<typename T::value_type>(one, name));
      return all;
    } else {
      return record_in<T>(json, name);
    }
  });
}
template PointRecord from_json_line(std::string_view, const char*, std::string_view);
template CollectiveRecord from_json_line(std::string_view, const char*, std::string_view);
template Finding from_json_line(std::string_view, const char*, std::string_view);
template Links from_json_line(std::string_view, const char*, std::string_view);
template Telemetry from_json_line(std::string_view, const char*, std::string_view);

template <class T>
std::string to_json_line(const T& value, const char* name) {
  if constexpr (IsVector<T>::value) {
    FieldJson all = FieldJson::array();
    for (const auto& one : value) all.push_back(as_json(one, name));
    return dumped(all);
  } else {
    return dumped(as_json(value, name));
  }
}
template std::string to_json_line(const PointRecord&, const char*);
template std::string to_json_line(const CollectiveRecord&, const char*);
template std::string to_json_line(const Finding&, const char*);
template std::string to_json_line(const ErrorRecord&, const char*);
template std::string to_json_line(const Links&, const char*);
template std::string to_json_line(const Telemetry&, const char*);

std::string to_json_line(std::string_view text) { return dumped(FieldJson(text)); }

}  // namespace scalemark::reporting
