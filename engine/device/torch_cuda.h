// Loads torch's CUDA libraries before anything asks torch whether there is CUDA: torch keeps its
// first answer until the process ends (at::detail::getCUDAHooks), and without these libraries that
// answer is no. at::manual_seed, at::hasCUDA, pinned memory and the search for an accelerator all
// ask.
#pragma once

#include <string>

namespace scalemark::device {

// Loads them from the wheel in `torch_folder`, so that a moved bundle finds this torch. They load
// without a driver too. A second call changes nothing. Throws system_error() (71) when one does not
// load, bug() (70) when something has asked torch already.
void load_torch_cuda(const std::string& torch_folder);

}  // namespace scalemark::device
