"""The pages of the site, and where the links of a page lead in it."""

import os
import re
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^```.*\n(?:.*\n)*?```$", re.MULTILINE)
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
HEADING = re.compile(r"^(#+) +(.*)$", re.MULTILINE)
ROW = re.compile(r"^\| \[([^\]]+)\]\(([^)]+)\) \|")


def page_id(page):
    """Returns Doxygen's name of a page, which is a path below the root of the project."""
    if page == "README.md":
        return "index"
    return re.sub(r"\W", "_", PurePosixPath(page).with_suffix("").as_posix()).lower()


def anchor(heading):
    """Returns the anchor that GitHub gives to a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def section_id(page, name):
    """Returns Doxygen's name of a section, given GitHub's anchor."""
    return f"{page_id(page)}__{name.replace('-', '_')}"


def resolve(page, path):
    """Returns the file of the project that a relative link of a page names."""
    return os.path.normpath(PurePosixPath(page).parent / path)


def source_page(path):
    """Returns the address in the site of a source file or a folder of the project."""
    return f"sources/{path}/index.html" if (ROOT / path).is_dir() else f"sources/{path}.html"


def is_page(path):
    return path in all_pages()


def outside_fences(text, change):
    """Applies a function to the parts of a page that are not blocks of code."""
    parts, at = [], 0
    for fence in FENCE.finditer(text):
        parts += [change(text[at:fence.start()]), fence.group()]
        at = fence.end()
    return "".join(parts + [change(text[at:])])


def linked_sources(page):
    """Yields the files and folders, other than pages, that a page links to."""
    text = FENCE.sub("", (ROOT / page).read_text())
    for _, target in LINK.findall(text):
        path = target.partition("#")[0]
        if path and not re.match(r"[a-z]+:", path) and not is_page(path):
            yield resolve(page, path)


def all_pages():
    pages = [path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "doc").rglob("*.md"))]
    return ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", *pages]


def index():
    """Yields the sections of doc/README.md, each with the titles and paths of its pages."""
    heading, rows = None, []
    for line in (ROOT / "doc/README.md").read_text().splitlines():
        if line.startswith("## "):
            if rows:
                yield heading, rows
            heading, rows = line[3:], []
        elif row := ROW.match(line):
            rows.append((row[1], resolve("doc/README.md", row[2])))
    if rows:
        yield heading, rows
