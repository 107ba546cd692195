"""The rules of tools/layers.txt: who may include whom, and which library's headers may appear where."""

import os
import re

LAYERS_FILE = "tools/layers.txt"


class Layers:
    def __init__(self):
        self.folders = {}  # folder -> what it may include: folders or headers, relative to forebay/
        self.externals = []  # (prefix of a header, places that may include it)
        self.problems = []


def read_layers(text):
    rules = Layers()
    for number, line in enumerate(text.splitlines(), 1):
        line = line.split("#")[0].strip()
        match = re.fullmatch(r"(folder|external) (\S+):(.*)", line)
        if match and match.group(1) == "folder":
            rules.folders[match.group(2)] = match.group(3).split()
        elif match:
            rules.externals.append((match.group(2), match.group(3).split()))
        elif line:
            rules.problems.append((LAYERS_FILE, number, "layers", f"cannot read '{line}'"))
    for folder in rules.folders:
        cycle = find_cycle(rules, folder)
        if cycle:
            told = " -> ".join(cycle)
            rules.problems.append((LAYERS_FILE, 1, "layers", f"a cycle: {told}; remove an arrow"))
    return rules


def find_cycle(rules, start):
    waiting = [[start]]
    visited = set()
    while waiting:
        path = waiting.pop()
        for target in rules.folders.get(path[-1], []):
            folder = target if target in rules.folders else longest_folder(rules, target)
            if folder == start:
                return [*path, folder]
            if folder and folder not in visited:
                visited.add(folder)
                waiting.append([*path, folder])
    return None


def longest_folder(rules, name):
    """The folder that a path below forebay/ belongs to, or None."""
    folder = os.path.dirname(name)
    while folder:
        if folder in rules.folders:
            return folder
        folder = os.path.dirname(folder)
    return None


def home_of(path):
    """Where a header of include/forebay would stand beside its source; other files are at home where they lie."""
    if not path.startswith("include/forebay/"):
        return path
    name = path.removeprefix("include/forebay/").removeprefix("detail/")
    return f"src/forebay/{name}" if "/" in name else f"src/forebay/public/{name}"


def place_of(path):
    """How layers.txt names a file: relative to src/forebay, or as public/<file>."""
    return home_of(path).removeprefix("src/forebay/")


def folder_of(rules, path):
    """The folder, in the words of layers.txt, that a file of the repository belongs to, or None."""
    return longest_folder(rules, place_of(path))


def may_include_external(places, path):
    place = place_of(path)
    for allowed in places:
        if allowed == "*.cpp" and path.endswith(".cpp"):
            return True
        if place == allowed or place.startswith(allowed + "/"):
            return True
    return False


def check_layers(rules, source, all_sources):
    """Violations of one file of the product."""
    folder = folder_of(rules, source.path)
    if folder is None:
        yield source.path, 1, "layers", f"give its folder a line in {LAYERS_FILE}"
        return
    for header, is_system, line in source.includes:
        if is_system:
            problem = external_problem(rules, source.path, header)
        else:
            problem = project_problem(rules, folder, header, all_sources)
        if problem:
            yield source.path, line, "layers", problem


def external_problem(rules, path, header):
    if re.fullmatch(r"[a-z_0-9]+", header):
        return None  # the standard library
    for prefix, places in rules.externals:
        if header.startswith(prefix):
            if may_include_external(places, path):
                return None
            return f"<{header}> belongs to {', '.join(places)}; put an interface in between"
    return f"<{header}> is not listed; if it is needed, say in {LAYERS_FILE} who may include it"


def project_problem(rules, folder, header, all_sources):
    if not header.startswith("forebay/"):
        return f'"{header}": include by the full path, "forebay/folder/file.hpp"'
    path = next((f"{root}/{header}" for root in ("src", "include") if f"{root}/{header}" in all_sources), None)
    if path is None:
        return f'"{header}" does not exist'
    target, place = folder_of(rules, path), place_of(path)
    if target == folder or target in rules.folders[folder] or place in rules.folders[folder]:
        return None
    allowed = ", ".join(rules.folders[folder]) or "nothing"
    return f'{folder} may not include "{header}"; it may include {allowed}'


def check_cmake(rules, text):
    """The link lines may not allow what the layers forbid."""
    pattern = (r"^\s*forebay_library\((\w+)(?:\s+FOLDER\s+([\w/]+))?(?:\s+ROOMS\s+[\w ]+?)?"
               r"(?:\s+DEPENDS\s+([^)]*?))?(?:\s+EXTERNAL[^)]*)?\)")
    found = list(re.finditer(pattern, text, re.MULTILINE))
    folders = {match.group(1): match.group(2) or match.group(1) for match in found}
    for match in found:
        folder, line = folders[match.group(1)], text[: match.start()].count("\n") + 1
        if folder not in rules.folders:
            yield "CMakeLists.txt", line, "layers", f"give {folder} a line in {LAYERS_FILE}"
            continue
        for name in (match.group(3) or "").split():
            target = folders.get(name)
            allowed = [a if a in rules.folders else longest_folder(rules, a) for a in rules.folders[folder]]
            if target not in allowed:
                yield "CMakeLists.txt", line, "layers", f"{folder} may not link {name}; the layers have no such arrow"
