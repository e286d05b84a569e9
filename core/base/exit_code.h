// The exit codes of the program (docs/FAULTS.md). Frozen: scripts and schedulers depend on them.
#pragma once

namespace scalemark {

enum class ExitCode : int {
  kPass = 0,
  kFail = 1,    // a rule is violated, or a finding of severity error
  kUnsure = 2,  // incomplete or unsure
  kUsage = 64,  // unknown option or command, missing argument
  kBadData = 65,
  kNoInput = 66,
  kPeerLost = 69,  // peer or rendezvous lost
  kBug = 70,
  kSystem = 71,  // OS limit, torch missing or of another version, driver or device too old
  kCannotCreateOutput = 73,
  kIo = 74,
  kPreempted = 75,  // SIGTERM or SIGUSR1, all flushed
  kRanksDisagree = 76,
  kPermission = 77,
  kConfiguration = 78,  // bad value, unknown workload, unparsable file, unknown or duplicate key
  kOutOfMemory = 80,
  kHang = 81,
  kNumerics = 82,
  kSilentCorruption = 83,
  kGpuFault = 84,
  kInterrupted = 130,  // Ctrl-C
};

}  // namespace scalemark
