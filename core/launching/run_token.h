// The secret that keeps other processes from a run's keys: read from a file on every node, or made
// by a launcher that starts all ranks. Only the digest of a token is kept. Also reads the secret
// that a run's HTTP endpoint asks for.
#pragma once

#include <string>

namespace scalemark::launching {

struct RunToken {
  std::string secret;  // for Rendezvous::secret
  std::string note;    // a warning when others may read the file; else empty
};

// Blanks at the end of the file do not count. Throws E_NO_INPUT (66) when it is not there,
// E_PERMISSION (77) when it may not be read, E_BAD_DATA (65) when it holds fewer than 16 characters
// or more than 4 KiB.
RunToken read_run_token(const std::string& path);

struct Secret {
  std::string text;  // without blanks at its end
  std::string note;  // as above
};

// The token of --metrics-token, as it is. Throws as read_run_token() does, and E_BAD_DATA (65) for
// one that no HTTP header takes.
Secret read_metrics_token(const std::string& path);

// 32 hexadecimal digits that nobody can guess. Throws Error (71).
std::string random_secret();

}  // namespace scalemark::launching
