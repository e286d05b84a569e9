#!/bin/sh
# with_devices.sh N COMMAND...: runs COMMAND where /dev shows N NVIDIA GPUs, in a mount namespace that the caller has
# made (unshare -m). Real ones are hidden, as are consoles and disks, which nobody here needs.
set -e
count=$1
shift
new=$(mktemp -d)
mount -t tmpfs -o mode=755 none "$new"
for entry in /dev/*; do
  name=${entry##*/}
  case $name in nvidia* | tty[0-9]* | vcs* | loop*) continue ;; esac
  if [ -L "$entry" ]; then
    cp -P "$entry" "$new/$name"
  elif [ -d "$entry" ]; then
    mkdir "$new/$name"
    mount --rbind "$entry" "$new/$name"
  else
    : >"$new/$name"
    mount --bind "$entry" "$new/$name"
  fi
done
i=0
while [ "$i" -lt "$count" ]; do
  : >"$new/nvidia$i"
  i=$((i + 1))
done
mount --rbind "$new" /dev
umount -l "$new"
rmdir "$new"
exec "$@"
