// Slurm's two short notations: host lists and task counts. Pure; knows nothing of ranks.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace scalemark::launching {

// "n[1-3,7],gpu-a[001-002]" -> n1 n2 n3 n7 gpu-a001 gpu-a002. Several brackets in one name
// multiply, the last one runs fastest. Absent when the text is not a host list, or names more than
// 65,536 hosts.
std::optional<std::vector<std::string>> expand_nodelist(std::string_view list);

// The other way: n001 n002 n003 n7 -> "n7,n[001-003]". Names are sorted, each is
// listed once. The last number of a name is what goes into brackets.
std::string compressed_nodelist(const std::vector<std::string>& names);

// "2(x3),1" -> tasks of node 0, 1, 2 are 2, of node 3 is 1. Absent when the text is malformed or
// the node is not in it.
std::optional<int> tasks_on_node(std::string_view tasks_per_node, int node);

}  // namespace scalemark::launching
