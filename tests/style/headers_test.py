"""Each header compiles alone.

Most are the first include of some .cpp, whose build proves that everything of ours that the header needs is there. Builds
have precompiled headers of the standard library, so that a forgotten <string> would not be seen: names of the standard
library are looked up here. So does a header that another one includes before anything of ours or of a third party, but for
what it includes itself: it is compiled as if it were alone.

Headers that no .cpp includes so are compiled here, several in a file, since each file costs half a second: each with what it
includes of ours in a namespace of its own, where it finds no name that it does not include. Other headers stand before the
namespaces, and a file's headers are in an order in which each includes all of them that those before it do. Those
that include torch, whose headers take seconds each time, share one file over the build's precompiled headers of torch, so that one
of torch's that is forgotten is seen with SCALEMARK_SOAK=full only.

In unity groups only the first file of a group proves that: with SCALEMARK_SOAK=full every header is compiled alone, but for those that
include torch, which are included one after the other, and none over a precompiled header.
"""

import functools
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from program import check

SOURCE = Path(os.environ["SCALEMARK_SOURCE_DIR"])
BINARY = Path(os.environ["SCALEMARK_BINARY_DIR"])
TORCH = os.environ.get("SCALEMARK_TORCH_INCLUDES", "")  # empty: the build has no torch
TOPS = ("core", "report", "claims", "data", "apps", "kernels", "workloads", "engine", "tools")
# A header of the standard library, and names that only it promises.
STANDARD = {
    "algorithm": r"std::(?:min|max|clamp|sort|find|find_if|copy|fill|transform|any_of|all_of|none_of|ranges::\w+)\(",
    "array": r"std::(?:array|to_array)\b",
    "atomic": r"std::atomic",
    "chrono": r"std::chrono",
    "cmath": r"std::(?:isnan|isinf|isfinite|sqrt|exp|log|log2|pow|fabs|floor|ceil|round|lround|hypot)\(",
    "compare": r"std::(?:strong|weak|partial)_ordering\b",
    "concepts": r"std::(?:same_as|derived_from|convertible_to|integral|floating_point|invocable)\b",
    "condition_variable": r"std::condition_variable",
    "cstddef": r"std::(?:byte|nullptr_t|max_align_t)\b",
    "cstdint": r"std::u?int(?:8|16|32|64|ptr)_t",
    "cstdlib": r"std::(?:getenv|strtol|strtod|atoi|abort|exit)\(",
    "cstring": r"std::(?:memcpy|memset|memcmp|strlen|strcmp|strerror)\(",
    "exception": r"std::(?:exception_ptr|current_exception|uncaught_exceptions)\b",
    "filesystem": r"std::filesystem",
    "functional": r"std::(?:function|hash)\b",
    "initializer_list": r"std::initializer_list\b",
    "iosfwd": r"std::[io]?f?stream\b|std::streambuf\b",
    "limits": r"std::numeric_limits\b",
    "map": r"std::(?:multi)?map\b",
    "memory": r"std::(?:unique_ptr|shared_ptr|weak_ptr|make_unique|make_shared)\b",
    "mutex": r"std::(?:mutex|lock_guard|unique_lock|scoped_lock|once_flag)\b",
    "numeric": r"std::(?:accumulate|iota|inner_product|partial_sum|gcd|lcm)\(",
    "optional": r"std::(?:optional|nullopt)",
    "set": r"std::(?:multi)?set\b",
    "span": r"std::span\b",
    "sstream": r"std::[io]?stringstream",
    "stdexcept": r"std::runtime_error",
    "string": r"std::(?:string|to_string)\b",
    "string_view": r"std::string_view\b",
    "thread": r"std::(?:thread|jthread)\b",
    "tuple": r"std::(?:tuple|tie|make_tuple|apply|ignore)\b",
    "type_traits": r"std::(?:is_\w+_v|decay_t|remove_cvref_t|remove_reference_t|conditional_t|enable_if_t|invoke_result_t|underlying_type_t|void_t)\b",
    "unordered_map": r"std::unordered_(?:multi)?map\b",
    "utility": r"std::(?:pair|move|forward|exchange|swap|in_range)\b",
    "variant": r"std::(?:variant|monostate|visit|holds_alternative)\b",
    "vector": r"std::vector\b",
}
# The standard or every implementation brings these along.
BRINGS = {"string": {"string_view"}, "map": {"utility"}, "algorithm": {"utility"}, "functional": {"utility"}, "memory": {"utility"},
          "optional": {"utility"}, "variant": {"utility"}, "vector": {"utility"}, "mutex": {"chrono", "utility"}, "array": {"utility"},
          "thread": {"chrono"}, "condition_variable": {"mutex"}, "filesystem": {"string"}, "sstream": {"string", "iosfwd"},
          "ostream": {"iosfwd"}, "istream": {"iosfwd"}, "iostream": {"iosfwd"}, "fstream": {"iosfwd"}}
INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)', re.M)


def without_comments(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)


@functools.cache
def text_of(name):
    return without_comments((SOURCE / name).read_text())


@functools.cache
def reached(name):
    """Standard headers and other third parties that `name` includes, itself or through headers of ours."""
    found = set()
    for ours, other in INCLUDE.findall(text_of(name)):
        if ours and (SOURCE / ours).exists():
            found |= reached(ours)
        elif other:
            found |= {other} | BRINGS.get(other, set())
    return found


def missing_in(header):
    text = text_of(header)
    has = reached(header)
    foreign = any("/" in name for name in has)  # torch's headers bring most of the standard library along
    if foreign:
        return []
    return [name for name, use in STANDARD.items() if name not in has and re.search(use, text)]


@functools.cache
def ours_in(name):
    """Headers of ours that `name` includes, itself or through others."""
    found = [ours for ours, _ in INCLUDE.findall(text_of(name)) if ours and (SOURCE / ours).exists()]
    return frozenset(found).union(*map(ours_in, found))


def foreign_in(name):
    return {other for other in reached(name) if other not in STANDARD}


def walk(name, before, foreign, alone):
    """Adds to `alone` what is included behind nothing that it does not include itself; `before` and `foreign`: what was, ours and not."""
    for ours, other in INCLUDE.findall(text_of(name)):
        beside = os.path.join(os.path.dirname(name), ours)  # a test's own
        ours = next((file for file in (ours, beside) if ours and (SOURCE / file).exists()), None)
        if not ours:
            foreign |= {other} - STANDARD.keys()  # a generated one is ""
        elif ours not in before:
            if before <= ours_in(ours) and foreign <= foreign_in(ours):
                alone.add(ours)
            walk(ours, before, foreign, alone)
            before.add(ours)


def compiled_as_if_alone():
    alone = set()
    for top in (*TOPS, "tests"):
        for file in [p for ending in ("cpp", "cu") for p in (SOURCE / top).rglob("*." + ending)]:
            walk(file.relative_to(SOURCE).as_posix(), set(), set(), alone)
    return alone


def compiled(*words):
    """The compiler's errors; empty: it compiles."""
    command = [os.environ.get("CXX", "c++"), "-std=c++20", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True).stderr


def precompiled_by_the_build(name):
    """Words that take the build's precompiled header, with the flags without which a compiler takes its text; none: there is none."""
    header, commands = BINARY / f"CMakeFiles/scalemark_precompiled_{name}.dir/cmake_pch.hxx", BINARY / "compile_commands.json"
    for entry in json.loads(commands.read_text()) if commands.exists() and header.exists() else []:
        words = shlex.split(entry["command"])
        if "c++-header" in words and str(header) in words:
            return [*(word for word in words if word.startswith(("-D", "-O", "-f", "-g", "-m"))), "-include", header]
    return []


def inlined(name, seen):
    """The lines of a header with those of ours that it includes in their places, each once, and without includes of others."""
    seen.add(name)
    lines = [f'#line 1 "{name}"']
    for number, line in enumerate((SOURCE / name).read_text().split("\n"), 1):
        ours, other = (INCLUDE.findall(line) or [("", "")])[0]
        if ours.endswith(".h"):
            lines += [*(inlined(ours, seen) if ours not in seen and (SOURCE / ours).exists() else []), f'#line {number + 1} "{name}"']
        else:
            lines.append("" if other or line.startswith("#pragma once") else line.replace('extern "C" ', ""))  # one name would be of two types
    return lines


def in_a_namespace(number, name):
    ours = {name} | ours_in(name)
    others = {other or generated for one in ours for generated, other in INCLUDE.findall(text_of(one))
              if other or not (SOURCE / generated).exists()}
    includes = [f"#include <{other}>" for other in sorted(others)]
    return "\n".join([*includes, f"namespace alone_{number} {{", *inlined(name, set()), "}", ""])


def files_of(headers):
    """Lists of headers that can share a file: those before one include nothing of others' that it does not include."""
    files = []
    for header in sorted(headers, key=lambda name: (len(foreign_in(name)), name)):
        shared = next((file for file in files if foreign_in(file[-1]) <= foreign_in(header)), None)
        shared.append(header) if shared else files.append([header])
    return files


def compiler_says(headers, *words, apart=False):
    """The compiler's errors for a file of `headers`; apart: each in a namespace."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "one.cpp"
        source.write_text("".join(in_a_namespace(*one) if apart else f'#include "{one[1]}"\n' for one in enumerate(headers)))
        includes = [f"-I{SOURCE}", f"-I{BINARY}/generated", *(f"-isystem{path}" for path in TORCH.split(":") if path)]
        return compiled("-fsyntax-only", *words, *includes, source)


def needs(header, *libraries):
    return any(name.startswith(libraries) for name in reached(header))


headers = sorted(p.relative_to(SOURCE).as_posix() for top in TOPS for p in (SOURCE / top).rglob("*.h"))
check(len(headers) > 250, len(headers))
lacking = {header: names for header in headers if (names := missing_in(header))}
for header, names in lacking.items():
    print(f"{header} uses names of {', '.join(f'<{n}>' for n in names)} and does not include it", file=sys.stderr)
check(not lacking, "headers that lack an include")

every = os.environ.get("SCALEMARK_SOAK") == "full"
proved = set() if every else compiled_as_if_alone()
others = [h for h in headers if h not in proved and not needs(h, "cuda", "mpi.h")]
with_torch = [h for h in others if needs(h, "ATen/", "c10/", "torch/")]
without = [h for h in others if h not in with_torch]
files = ([[h] for h in without] if every else files_of(without)) + ([with_torch] if TORCH and with_torch else [])
torch = [] if every else precompiled_by_the_build("torch")
with ThreadPoolExecutor(2) as pool:
    answers = pool.map(lambda file: compiler_says(file, *(torch if file is with_torch else []), apart=not every), files)
    for included, said in zip(files, answers):
        check(not said, f"{', '.join(included)}:\n{said}")
print(f"{len(headers)} headers name what they need; {sum(map(len, files))} that no .cpp compiles as if alone compile, in {len(files)} files")
