#include "kernels/instruction_set.h"

namespace scalemark::kernels {
namespace {

#if defined(__x86_64__)
bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#else
bool has_avx2() { return false; }
bool has_avx512() { return false; }
#endif

}  // namespace

bool runs(InstructionSet set) {
  switch (set) {
    case InstructionSet::kAvx2:
      return has_avx2();
    case InstructionSet::kAvx512:
      return has_avx512();
    case InstructionSet::kPortable:
      break;
  }
  return true;
}

InstructionSet widest() {
  static const InstructionSet found = has_avx512() ? InstructionSet::kAvx512
                                      : has_avx2() ? InstructionSet::kAvx2
                                                   : InstructionSet::kPortable;
  return found;
}

const char* name_of(InstructionSet set) {
  switch (set) {
    case InstructionSet::kAvx2:
      return "avx2";
    case InstructionSet::kAvx512:
      return "avx512";
    case InstructionSet::kPortable:
      break;
  }
  return "portable";
}

}  // namespace scalemark::kernels
