# Shared by quickstart, test, bundle, wheel and soak: installs what the machine lacks, and builds.
# Sourced with the repository root as working directory.

set -euo pipefail

# Every script's head says what it does and takes.
case ${1:-} in -h|--help) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "scripts/${0##*/}"; exit 0 ;; esac

# Ends what runs in the background, whatever ends the script.
end_jobs() {
  local job
  for job in $(jobs -p); do kill $(cat "/proc/$job/task/$job/children" 2>/dev/null) "$job" 2>/dev/null || true; done
}
trap end_jobs EXIT

# Debian packages, each with its reason in docs/internals/DEPENDENCIES.md.
build_packages=(
  g++ cmake ninja-build ccache mold git pkg-config python3 python3-venv
  libcli11-dev nlohmann-json3-dev libboost-dev libboost-math-dev libgloo-dev
  libjpeg62-turbo-dev libpng-dev libwebp-dev libutf8proc-dev libxxhash-dev libgtest-dev libjs-chart.js
  libopencv-core-dev libopencv-imgproc-dev
  libopenmpi-dev libmpich-dev
)
test_packages=(
  clang-format universal-ctags patchelf iproute2 procps openmpi-bin mpich chromium prometheus
  slurmctld slurmd slurm-client munge hwloc-nox gnuplot-nox librsvg2-bin groff-base strace
)

# say WORDS: the stage that begins, with the time, the minutes since the start and the machine's load.
say() {
  printf '\n== %s, minute %d, load %s: %s\n' "$(date +%H:%M:%S)" $((SECONDS / 60)) "$(cut -d' ' -f1 /proc/loadavg)" "$*" >&2
}

took=
lap_begin=0
# lap WORDS: the stage that has ended, for the clock in `took`: "packages 0:31, build 7:02".
lap() {
  took+=$(printf '%s%s %d:%02d' "${took:+, }" "$1" $(((SECONDS - lap_begin) / 60)) $(((SECONDS - lap_begin) % 60)))
  lap_begin=$SECONDS
}

is_installed() { dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q 'install ok installed'; }

missing_packages() {
  local package
  for package in "$@"; do is_installed "$package" || printf '%s ' "$package"; done
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; elif command -v sudo >/dev/null; then sudo "$@"; else return 1; fi
}

# ensure_without_apt PACKAGES: says what to install by hand. It continues where there is what builds: CMake names the next library that it
# does not find, and a test says what it is skipped for.
ensure_without_apt() {
  local package command missing=
  say "this machine has no apt: install by hand what Debian calls $* (docs/internals/DEPENDENCIES.md says what for)"
  for package in "$@"; do
    case $package in
      g++) command=c++ ;;
      ninja-build) command=ninja ;;
      cmake|git|pkg-config|python3) command=$package ;;
      *) continue ;;
    esac
    command -v "$command" >/dev/null || missing+=" $command"
  done
  [ -z "$missing" ] || { echo "${0##*/}: cannot go on without$missing" >&2; exit 71; }
}

ensure_packages() {
  local missing
  command -v apt-get >/dev/null && command -v dpkg-query >/dev/null || { ensure_without_apt "$@"; return; }
  missing=$(missing_packages "$@")
  [ -z "$missing" ] && return 0
  say "installing Debian packages: $missing"
  export DEBIAN_FRONTEND=noninteractive
  # shellcheck disable=SC2086
  if ! { as_root apt-get update -qq && as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null; }; then
    say "could not install: $missing
   Without root, ask an administrator for:  apt-get install $missing
   Going on with what is there."
  fi
}

# ensure_packages_and_torch PACKAGES: at once, since each waits for the network while the other unpacks.
ensure_packages_and_torch() {
  local torch
  ! command -v apt-get >/dev/null || ensure_packages python3 python3-venv
  ensure_venv requirements.txt &
  torch=$!
  ensure_packages "$@"
  wait $torch
}

# The torch that requirements.txt names, in .venv, built in build/PRESET; use_torch takes another.
venv=.venv
build_suffix=

# torch_row VERSION: its row of cmake/torch_versions.txt, torch, torchvision, CUDA and NCCL.
torch_row() { grep "^${1//./\\.} " cmake/torch_versions.txt; }
torch_versions() { sed -n 's/^\([0-9][0-9.]*\) .*/\1/p' cmake/torch_versions.txt; }
torch_of_requirements() { sed -n 's/^torch==//p' requirements.txt; }

# use_torch VERSION: what follows installs that torch in an environment of its own, and builds in a folder of its own.
use_torch() {
  torch_row "$1" >/dev/null || {
    echo "${0##*/}: torch '$1' is not in cmake/torch_versions.txt; allowed: $(torch_versions | paste -sd, | sed 's/,/, /g')" >&2
    exit 64
  }
  venv=.venv build_suffix=
  [ "$1" = "$(torch_of_requirements)" ] || { venv=.venv-$1 build_suffix=-$1; }
}

# pinned FILE: a copy of the requirements with the versions that belong to the chosen torch, beside copies of those that it includes.
pinned() {
  local torch torchvision cuda file
  [ -n "$build_suffix" ] || { echo "$1"; return; }
  read -r torch torchvision cuda _ < <(torch_row "${build_suffix#-}")
  for file in requirements*.txt; do
    sed -e "s/^torch==[^ ]*/torch==$torch/; s/^torchvision==[^ ]*/torchvision==$torchvision/; s/^\(nvidia-[a-z-]*\)==[^ ]*/\1==$cuda.*/" \
      "$file" >"$venv/$file"
  done
  echo "$venv/$1"
}

# make_venv: the environment, unless it is there. One that was interrupted while it was made has no pip.
make_venv() {
  "$venv/bin/python" -m pip --version >/dev/null 2>&1 || { say "making $venv"; python3 -m venv "$venv"; }
}

# ensure_venv FILE [pip options]: the environment holds what FILE names. A stamp makes the second call free. Nothing is compiled ahead:
# of torch's and the oracles' 15,000 Python files a few hundred are ever imported.
ensure_venv() {
  local requirements=$1 stamp size=' (torch with its CUDA libraries: about 3.0 GB on first download)'
  shift
  [ $# -eq 0 ] && ! compgen -G "$venv/lib/python3*/site-packages/torch" >/dev/null || size=
  stamp=$venv/.$(basename "$requirements").$(cat requirements*.txt cmake/torch_versions.txt | sha256sum | cut -c1-16)
  [ -f "$stamp" ] && return 0
  make_venv
  say "installing $requirements into $venv$size"
  # One at a time: test installs its oracles in the background.
  flock --no-fork "$venv/.installing" "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-compile "$@" \
    -r "$(pinned "$requirements")"
  touch "$stamp"
}

# ensure_cuda_compiler: nvcc of the machine where it is of torch's CUDA version, else the one that NVIDIA publishes on PyPI.
ensure_cuda_compiler() {
  local nvcc wanted
  wanted=$("$venv/bin/python" -c 'import importlib.util as u; print(u.find_spec("torch").submodule_search_locations[0])' 2>/dev/null)
  wanted=$(sed -n "s/^cuda.*= '\([0-9.]*\)'.*/\1/p" "$wanted/version.py")
  for nvcc in nvcc /usr/local/cuda/bin/nvcc; do
    case $("$nvcc" --version 2>/dev/null) in *"release $wanted,"*) return 0 ;; esac
  done
  ensure_venv requirements-cuda.txt
}

# build PRESET TARGET [cmake -D options]: configures when needed, then builds. TARGET: scalemark (the program and what
# it loads) or all (the tests as well).
build() {
  local preset=$1 target=$2 folder=build/$1$build_suffix
  shift 2
  say "configuring (preset $preset${build_suffix:+, torch ${build_suffix#-}})"
  local log
  log=$(cmake --preset "$preset" -B "$folder" ${build_suffix:+"-DSCALEMARK_PYTHON=$PWD/$venv/bin/python"} "$@" 2>&1) ||
    { printf '%s\n' "$log" >&2; return 1; }
  say "building $target"
  cmake --build "$folder" --target "$target" 2>&1 | python3 scripts/lib/build_progress.py
}

# build_for_all_gpus TARGET: into folders of their own, since build/release holds GPU code for this machine only: TARGET with the torch
# of requirements.txt, the engine with each other one. Makes dist.
build_for_all_gpus() {
  local torch
  ensure_packages "${build_packages[@]}" patchelf
  for torch in $(torch_versions); do
    use_torch "$torch"
    ensure_venv requirements.txt
    ensure_cuda_compiler
    if [ -z "$build_suffix" ]; then build bundle "$1"; else build bundle engine -DSCALEMARK_BUILD_TESTS=OFF; fi
  done
  use_torch "$(torch_of_requirements)"
  ctest --test-dir build/bundle --output-on-failure --no-tests=error -R '^cuda_gpu_code$'
  mkdir -p dist
}
