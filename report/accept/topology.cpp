#include "report/accept/topology.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "core/base/characters.h"
#include "core/base/error.h"
#include "core/base/host_name.h"
#include "core/base/text.h"
#include "core/launch/slurm_lists.h"

namespace scalemark::acceptance {
namespace {

constexpr std::size_t kMostBytes = 64 << 20;
constexpr std::size_t kMostEnds = 1 << 20;  // nodes times their adapters
constexpr std::size_t kLongestName = 200;
constexpr const char* kFormsRead =
    "Slurm's topology.conf, or what `scontrol show topology` or `ibnetdiscover` prints";

// A text with its name, for errors.
struct Source {
  std::string_view text;
  const std::string& name;

  Error refused(std::size_t line, const std::string& what, const std::string& expected) const {
    return bad_data("'" + name + "', line " + std::to_string(line) + ": " + what, expected);
  }
};

std::string_view trimmed(std::string_view text) {
  constexpr const char* kBlanks = " \t\r";
  const auto begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

std::vector<std::string_view> words_of_line(std::string_view line) {
  std::vector<std::string_view> words;
  while (!(line = trimmed(line)).empty()) {
    const auto end = std::min(line.find_first_of(" \t"), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return words;
}

void refuse_odd_characters(const Source& source) {
  std::size_t number = 0;
  for (const std::string_view line : lines_of(source.text)) {
    ++number;
    if (!is_utf8(line)) throw source.refused(number, "bytes that are no UTF-8", "text in UTF-8");
    std::string_view rest = line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
    while (!rest.empty()) {
      if (rest.front() != '\t' && acting_length(rest) > 0) {
        throw source.refused(number, "a control character", "names without any");
      }
      rest.remove_prefix(utf8_length(rest));
    }
  }
}

// Adds leaves to nodes, as many as a program can hold.
class LeavesOfNodes {
 public:
  explicit LeavesOfNodes(const Source& source) : source_(source) {}

  void add(const std::string& node, const std::string& leaf) {
    if (++ends_ > kMostEnds) {
      throw bad_data("'" + source_.name + "' holds more than " + std::to_string(kMostEnds) +
                         " nodes and adapters",
                     "the part of this fleet");
    }
    topology_.leaves[node].push_back(leaf);
  }

  Topology all() && {
    if (topology_.leaves.empty()) {
      throw bad_data("'" + source_.name + "' names no node behind a switch", kFormsRead);
    }
    return std::move(topology_);
  }

 private:
  const Source& source_;
  Topology topology_;
  std::size_t ends_ = 0;
};

// --- Slurm: SwitchName=leaf1 Nodes=n[001-032]

constexpr std::string_view kSwitchName = "switchname=";

bool is_switch_of_slurm(std::string_view line) {
  const std::string_view word = trimmed(line).substr(0, kSwitchName.size());
  return lower_case(word) == kSwitchName;
}

// The line has these keys, in small letters; absent: a word is no KEY=VALUE.
std::optional<std::map<std::string, std::string>> keys_of_line(std::string_view line) {
  std::map<std::string, std::string> keys;
  for (const std::string_view word : words_of_line(line)) {
    const auto sign = word.find('=');
    if (sign == std::string_view::npos) return std::nullopt;
    const std::string_view value = word.substr(sign + 1);
    keys[lower_case(word.substr(0, sign))] = value == "(null)" ? "" : value;
  }
  return keys;
}

void add_switch_of_slurm(const Source& source, std::size_t number, const std::string& line,
                         LeavesOfNodes& leaves) {
  const auto keys = is_switch_of_slurm(line) ? keys_of_line(line) : std::nullopt;
  const auto value_of = [&](const std::string& key) {
    const auto found = keys->find(key);
    return found == keys->end() ? std::string() : found->second;
  };
  if (!keys || value_of("switchname").empty() || value_of("switchname").size() > kLongestName) {
    throw source.refused(number, "'" + line.substr(0, kLongestName) + "' is no switch",
                         "SwitchName=NAME Nodes=LIST or SwitchName=NAME Switches=LIST");
  }
  if (!value_of("switches").empty() || value_of("nodes").empty()) return;
  const auto nodes = launching::expand_nodelist(value_of("nodes"));
  if (!nodes || !std::ranges::all_of(*nodes, is_host_name)) {
    throw source.refused(
        number, "Nodes=" + value_of("nodes").substr(0, kLongestName) + " is no list of host names",
        "n[001-064],gpu7");
  }
  for (const std::string& node : *nodes) leaves.add(node, value_of("switchname"));
}

Topology topology_of_slurm(const Source& source) {
  LeavesOfNodes leaves(source);
  std::size_t number = 0;
  std::string whole;  // a backslash at its end continues a line
  const auto end_line = [&] {
    if (!trimmed(whole).empty())
      add_switch_of_slurm(source, number, std::string(trimmed(whole)), leaves);
    whole.clear();
  };
  for (const std::string_view line : lines_of(source.text)) {
    ++number;
    whole += trimmed(line.substr(0, line.find('#')));
    if (whole.ends_with('\\')) {
      whole.back() = ' ';
    } else {
      end_line();
    }
  }
  end_line();
  return std::move(leaves).all();
}

// --- ibnetdiscover: a switch with its ports, of which each names the adapter that it leads to.
//
//     Switch  40 "S-0002c90300000010"         # "leaf1" enhanced port 0 lid 4 lmc 0
//     [1]     "H-0002c90300000100"[1](2c90300000101)          # "n001 mlx5_0" lid 5 4xHDR

// Takes the text between the next two quotes from `line`.
std::optional<std::string_view> take_quoted(std::string_view& line) {
  const auto open = line.find('"');
  const auto close = open == std::string_view::npos ? open : line.find('"', open + 1);
  if (close == std::string_view::npos) return std::nullopt;
  const std::string_view text = line.substr(open + 1, close - open - 1);
  line.remove_prefix(close + 1);
  return text;
}

// A port or a switch has an id and a description.
struct IdAndText {
  std::string_view id, text;
  std::string_view after_id;  // "[1](2c90300000101) ..."
};

std::optional<IdAndText> id_and_text_of(std::string_view line) {
  const auto id = take_quoted(line);
  const std::string_view after_id = line;
  const auto text = take_quoted(line);
  if (!id || !text || text->size() > kLongestName || id->size() > kLongestName) return std::nullopt;
  return IdAndText{*id, *text, after_id};
}

bool is_switch_of_fabric(std::string_view line) {
  return (line.starts_with("Switch\t") || line.starts_with("Switch ")) &&
         line.find("\"S-") != std::string_view::npos;
}

// The adapters of a node, in the order of their names: a shorter one first, for mlx5_2 is before
// mlx5_10. Each has the number of its port, and the switch.
using Adapter = std::tuple<std::size_t, std::string, std::string>;

struct Fabric {
  std::vector<std::pair<std::string, std::string>> switches;  // id, description
  std::map<std::string, std::size_t> alike;                   // how many have a description
  std::map<std::string, std::map<Adapter, std::size_t>> switch_of;

  // Several switches may have the description of their model.
  std::string name_of(std::size_t number) const {
    const auto& [id, text] = switches[number];
    if (text.empty()) return id;
    return alike.at(text) > 1 ? text + " (" + id + ")" : text;
  }

  void add_switch(const IdAndText& one) {
    switches.emplace_back(one.id, one.text);
    ++alike[switches.back().second];
  }

  void add_port(const IdAndText& port) {
    if (!port.id.starts_with("H-")) return;
    const auto words = words_of_line(port.text);
    if (words.empty() || !is_host_name(words.front())) return;
    const std::string adapter(words.size() > 1 ? words[1] : port.id);
    const auto end = std::min(port.after_id.find(']'), port.after_id.size());
    switch_of[std::string(words.front())][{
        adapter.size(), adapter, std::string(port.after_id.substr(0, end))}] = switches.size() - 1;
  }
};

Topology topology_of_fabric(const Source& source) {
  Fabric fabric;
  std::size_t number = 0;
  bool in_switch = false;
  for (const std::string_view line : lines_of(source.text)) {
    ++number;
    const bool is_port = in_switch && line.starts_with('[');
    in_switch = is_port || is_switch_of_fabric(line);
    if (!in_switch) continue;
    const auto read = id_and_text_of(line);
    if (!read) {
      throw source.refused(number, "'" + std::string(line.substr(0, kLongestName)) + "' is cut off",
                           "\"ID\" and # \"DESCRIPTION\", as ibnetdiscover prints them");
    }
    if (is_port) {
      fabric.add_port(*read);
    } else {
      fabric.add_switch(*read);
    }
  }
  LeavesOfNodes leaves(source);
  std::map<std::size_t, std::string> names;
  for (const auto& [node, adapters] : fabric.switch_of) {
    for (const auto& [adapter, of] : adapters) {
      const auto [known, is_new] = names.try_emplace(of);
      if (is_new) known->second = fabric.name_of(of);
      leaves.add(node, known->second);
    }
  }
  return std::move(leaves).all();
}

}  // namespace

const std::vector<std::string>* Topology::leaves_of(const Part& node) const {
  const std::string bare = node.host.substr(0, node.host.find('.'));
  for (const std::string& name : {node.host, bare, node.scheduler_node}) {
    if (const auto found = leaves.find(name); found != leaves.end()) return &found->second;
  }
  return nullptr;
}

Topology parse_topology(std::string_view text, const std::string& name) {
  const Source source{text, name};
  if (text.size() > kMostBytes) throw bad_data("'" + name + "' is larger than 64 MiB", kFormsRead);
  refuse_wide_text(text, "'" + name + "'");
  const auto lines = lines_of(text);
  if (std::ranges::any_of(lines, is_switch_of_fabric)) {
    refuse_odd_characters(source);
    return topology_of_fabric(source);
  }
  if (std::ranges::any_of(lines, is_switch_of_slurm)) {
    refuse_odd_characters(source);
    return topology_of_slurm(source);
  }
  throw bad_data("'" + name + "' is no topology of a form that is read", kFormsRead);
}

}  // namespace scalemark::acceptance
