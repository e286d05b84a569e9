"""A terminal of a test's own, on which all stands that a program writes."""

import fcntl
import os
import pty
import struct
import subprocess
import termios


def drawn(command, columns, environment):
    """Returns the exit code, and all that was drawn on a terminal of so many columns."""
    reader, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    with subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=terminal, stderr=terminal) as process:
        os.close(terminal)
        text = b""
        while True:
            try:
                text += os.read(reader, 1 << 16)
            except OSError:  # its other end is closed
                break
    os.close(reader)
    return process.returncode, text.decode()
