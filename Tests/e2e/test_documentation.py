"""The pages of the documentation: their examples print the documented output, and link targets exist."""

import json
import os
import re
from functools import cache
from pathlib import Path

import pytest
from conftest import CLEAN
from peers import examples
from peers.runner import BINARY, REPOSITORY

PAGES = sorted([*REPOSITORY.glob("*.md"), *REPOSITORY.glob("docs/**/*.md"), *REPOSITORY.glob("packaging/**/*.md")])
WITH_EXAMPLES = [page for page in PAGES if any(example.is_run for example in examples.examples(page))]
EMBEDDING = REPOSITORY / "Tests/Embedding"


def named(page: Path) -> str:
    return str(page.relative_to(REPOSITORY))


@pytest.mark.sample(7)
@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=named)
def test_the_output_of_examples_matches_the_page(machine, tmp_path, stack, page):
    programs, folder = tmp_path / "bin", tmp_path / "folder"
    programs.mkdir()
    folder.mkdir()
    (programs / "callrunner").symlink_to(BINARY)
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("CALLRUNNER_")},
        **CLEAN,
        "PATH": f"{programs}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "TMPDIR": "/tmp",  # as in the pages
        "TERM": "xterm-256color",
    }
    terminals = []
    for example in filter(lambda example: example.is_run, examples.examples(page)):
        terminal = examples.Terminal(example, machine.prefix, environment, folder)
        stack.callback(terminal.close)
        if example.terminal:
            terminal.wait_for_first_line(within=20)
            terminals.append(terminal)
        else:
            terminal.finish(within=60)
    for terminal in reversed(terminals):
        terminal.interrupt(within=20)


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_example_is_in_a_fenced_block(page):
    """Only fenced examples are run; indented blocks would be ignored."""
    inside = False
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if line.lstrip().startswith("```"):
            inside = not inside
            assert not re.match(r" *```(sh|bash|shell)", line), f"{page}:{number}: a `console` block is run"
        elif not inside:
            assert not re.match(r"    +(\$ |callrunner |make )", line), f"{page}:{number}: this example is not fenced"


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_link_targets_exist(page):
    for text, target in re.findall(r"\[([^\]]*)\]\(([^)\s]+)\)", page.read_text()):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        path = (page.parent / name).resolve() if name else page
        assert path.exists(), f"{named(page)}: [{text}]({target})"
        if anchor:
            assert anchor in anchors(path), f"{named(page)}: [{text}]({target}); there are {anchors(path)}"


def anchors(page: Path) -> set[str]:
    """Returns the anchors that GitHub generates for the headings of a page."""
    headings = re.findall(r"^#+ +(.+)$", page.read_text(), re.MULTILINE)
    plain = (re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading) for heading in headings)
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in plain}


def test_every_page_is_at_most_two_clicks_from_the_readme():
    def links(page: Path) -> set[Path]:
        found = re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text())
        return {(page.parent / target).resolve() for target in found if not re.match(r"[a-z]+:", target)}

    first = links(REPOSITORY / "README.md")
    reached = first.union(*(links(page) for page in first if page.suffix == ".md"))
    assert [named(page) for page in PAGES if page.name != "README.md" and page not in reached] == []


def test_the_tests_named_in_the_page_about_reliability_exist():
    page = (REPOSITORY / "docs" / "RELIABILITY.md").read_text()
    named = set(re.findall(r"`(an?_[a-z0-9_]{12,})`", page))
    written = "".join(path.read_text() for path in (REPOSITORY / "Tests" / "e2e").glob("test_*.py"))
    assert len(named) > 10
    assert named - set(re.findall(r"^def test_(\w+)", written, re.MULTILINE)) == set()


def test_the_readme_has_at_most_150_lines():
    assert len((REPOSITORY / "README.md").read_text().splitlines()) <= 150


@cache
def names_in_the_code() -> set[str]:
    files = [path for folder in ("Sources", "Tests", "bench", "pipelines") for path in (REPOSITORY / folder).rglob("*")]
    files = [path for path in files if path.is_file() and not {".build", "__pycache__"} & set(path.parts)]
    words = (re.findall(r"\w+", path.read_text(errors="ignore")) for path in files)
    return {path.stem for path in files}.union(*words)


@pytest.mark.parametrize("page", [page for page in PAGES if "architecture" in named(page).lower()], ids=named)
def test_types_named_in_the_architecture_pages_exist(page):
    prose = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    names = set(re.findall(r"`([A-Z][a-z]+[A-Z]\w+)(?:[.(][^`]*)?`", prose))
    assert sorted(names - names_in_the_code()) == []


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_json_blocks_are_valid_json(page):
    for number, language, lines, _ in examples.fences(page):
        if language != "json":
            continue
        text = "\n".join(lines)
        try:
            for one in lines if all(line.startswith("{") and line.endswith("}") for line in lines) else [text]:
                json.loads(one)
        except ValueError as error:
            pytest.fail(f"{named(page)}:{number}: {error}\n{text}")


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_the_embedding_package_contains_the_swift_examples_of_the_documentation(page):
    sources = [squeezed(path.read_text()) for path in EMBEDDING.rglob("*.swift") if ".build" not in path.parts]
    for number, language, lines, above in examples.fences(page):
        if language != "swift" or above == "<!-- not compiled: another client -->":
            continue
        code = [line for line in lines if not re.match(r"\s*(//|(@testable )?import )", line)]
        assert any(squeezed("\n".join(code)) in source for source in sources), f"{named(page)}:{number}"


def squeezed(code: str) -> str:
    """Returns the code without white space, which may differ in formatted code."""
    return re.sub(r"\s+", "", code)
