#include "core/reporting/record/report_json.h"

#include <algorithm>

#include "core/base/encoding.h"
#include "core/base/json_depth.h"
#include "core/base/json_reader.h"
#include "core/base/json_writer.h"
#include "core/reporting/record/report_fields.h"

namespace scalemark::reporting {
namespace {

using Links = std::vector<LinkRecord>;
using Telemetry = std::vector<TelemetryRecord>;

std::string dumped(const FieldJson& json, int indent) {
  return json.dump(indent, ' ', false, FieldJson::error_handler_t::replace);
}

// As JsonWriter, for the report itself: writes field by field and row by row into one text, equal
// to a dump of one tree with an indent of 2. A sweep writes all its rows after each run; building
// and freeing trees of all of them each time would fragment the heap.
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

// "[json.exception.parse_error.101] parse error at line 1, ..." without the bracket.
std::string without_library_name(const std::string& text) {
  const std::size_t end = text.starts_with("[json.exception") ? text.find("] ") : std::string::npos;
  return end == std::string::npos ? text : text.substr(end + 2);
}

// Returns what `use` makes of the JSON in `text`.
template <class Use>
auto read(std::string_view text, std::string_view origin, Use use) {
  refuse_wide_text(text, std::string(origin));
  if (nests_too_deep(text)) {
    throw bad_data(std::string(origin) + " nests deeper than any report",
                   std::to_string(kDeepestJson) + " levels at most");
  }
  try {
    return use(FieldJson::parse(text));
  } catch (const nlohmann::json::exception& error) {
    throw bad_data(std::string(origin) + " is not JSON: " + without_library_name(error.what()));
  } catch (const Error& error) {
    ErrorRecord record = error.record();
    record.what = std::string(origin) + ": " + record.what;
    throw Error(record);
  }
}

}  // namespace

std::string to_json(const Report& report) {
  ReportText text;
  fields(text, all_members_of(report));
  return std::move(text).whole();
}

Report report_from_json(std::string_view text, std::string_view origin) {
  return read(text, origin, [](const FieldJson& json) {
    refuse_other_schema(json);
    return record_in<Report>(json, "report");
  });
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
    return dumped(all, -1);
  } else {
    return dumped(as_json(value, name), -1);
  }
}
template std::string to_json_line(const PointRecord&, const char*);
template std::string to_json_line(const CollectiveRecord&, const char*);
template std::string to_json_line(const Finding&, const char*);
template std::string to_json_line(const ErrorRecord&, const char*);
template std::string to_json_line(const Links&, const char*);
template std::string to_json_line(const Telemetry&, const char*);

std::string to_json_line(std::string_view text) { return dumped(FieldJson(text), -1); }

}  // namespace scalemark::reporting
