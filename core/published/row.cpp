#include "core/published/row.h"

#include <nlohmann/json.hpp>
#include <set>
#include <type_traits>

#include "core/base/error.h"
#include "core/base/json_depth.h"

namespace scalemark::published {
namespace {

using Json = nlohmann::json;

// Fetches fields by name and remembers which: the remaining ones are unknown.
class RowReader {
 public:
  RowReader(const Json& json, std::string where) : json_(json), where_(std::move(where)) {
    if (!json.is_object()) throw bad_data(where_ + " is no JSON object");
  }

  template <class T>
  void required(const char* key, T& value) {
    if (!json_.contains(key)) throw bad_data(where_ + " has no '" + key + "'");
    read(key, value);
  }

  template <class T>
  void optional(const char* key, std::optional<T>& value) {
    known_.insert(key);
    if (json_.contains(key)) read(key, value.emplace());
  }

  void refuse_unknown() const {
    for (const auto& [key, value] : json_.items()) {
      if (!known_.contains(key)) throw bad_data(where_ + " has an unknown field '" + key + "'");
    }
  }

  template <class T>
  void refuse_unless_positive(const char* key, const std::optional<T>& value) const {
    if (value && !(*value > 0)) {
      throw bad_data(where_ + ": " + key + " is " + json_[key].dump(), "a number above 0");
    }
  }

 private:
  template <class T>
  void read(const char* key, T& value) {
    known_.insert(key);
    const Json& found = json_[key];
    bool fits = false;
    if constexpr (std::is_same_v<T, std::string>) {
      fits = found.is_string();
    } else if constexpr (std::is_integral_v<T>) {
      fits = found.is_number_integer() &&
             (!found.is_number_unsigned() || found.get<std::uint64_t>() <= INT64_MAX);
    } else {
      fits = found.is_number();
    }
    if (!fits) throw bad_data(where_ + ": '" + key + "' is " + found.dump());
    value = found.get<T>();
  }

  const Json& json_;
  std::string where_;
  std::set<std::string, std::less<>> known_;
};

Row read_row(const Json& json, const std::string& where) {
  RowReader reader(json, where);
  Row row;
  reader.required("id", row.id);
  reader.required("group", row.group);
  reader.required("repo", row.repo);
  reader.optional("commit", row.commit);
  reader.required("path", row.path);
  reader.optional("line", row.line);
  reader.required("framework", row.framework);
  reader.required("system", row.system);
  reader.required("workload", row.workload);
  reader.required("precision", row.precision);
  reader.optional("phase", row.phase);
  reader.optional("data", row.data);
  reader.optional("seq_len", row.sequence_length);
  reader.required("gpus", row.gpus);
  reader.optional("nodes", row.nodes);
  reader.optional("batch_per_gpu", row.batch_per_gpu);
  reader.optional("accum", row.gradient_accumulation_steps);
  reader.optional("global_batch", row.global_batch_size);
  reader.optional("throughput", row.throughput);
  reader.required("unit", row.unit);
  reader.optional("speedup_published", row.published_speedup);
  reader.optional("time_to_train_min", row.time_to_train_min);
  reader.optional("scaling_label", row.scaling_label);
  reader.optional("note", row.note);
  reader.refuse_unknown();
  reader.refuse_unless_positive("gpus", std::optional(row.gpus));
  reader.refuse_unless_positive("nodes", row.nodes);
  reader.refuse_unless_positive("throughput", row.throughput);
  return row;
}

}  // namespace

std::vector<Row> parse_rows(std::string_view text, std::string_view origin) {
  std::vector<Row> rows;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::string where = std::string(origin) + ", line " + std::to_string(number);
    if (nests_too_deep(line)) throw bad_data(where + " nests deeper than any row");
    const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (json.is_discarded()) throw bad_data(where + " is not JSON");
    rows.push_back(read_row(json, where));
  }
  return rows;
}

}  // namespace scalemark::published
