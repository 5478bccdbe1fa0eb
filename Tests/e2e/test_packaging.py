"""Installed files: man pages, completions, desktop entry, the Debian package, and the container with that package."""

import json
import os
import pty
import re
import runpy
import select
import shutil
import signal
import subprocess
import time
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pytest
from peers.runner import BINARY, REPOSITORY, Runner

PACKAGING = REPOSITORY / "packaging"
SECTIONS = ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "ENVIRONMENT", "FILES", "EXIT STATUS", "EXAMPLES", "SEE ALSO")
BASH_COMPLETION = Path("/usr/share/bash-completion/bash_completion")
# A minimal Debian, which debootstrap makes once and which is copied for each test.
MINIMAL_DEBIAN = Path("/var/cache/callrunner/bookworm-minbase")


def needs(*programs: str):
    missing = [program for program in programs if not shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin")]
    return pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}")


def run(*command, **keywords) -> str:
    """Runs a command that succeeds; returns its output."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **keywords)
    assert done.returncode == 0, f"$ {' '.join(map(str, command))}\n{done.stdout}{done.stderr}"
    return done.stdout


@cache
def commands() -> dict[str, dict]:
    """The commands of the program that people use, by name, from the machine-readable help."""
    root = json.loads(run(BINARY, "--experimental-dump-help"))["command"]
    return {command["commandName"]: command for command in root["subcommands"] if command["shouldDisplay"]}


def flags(command: dict) -> set[str]:
    """The long flags in the help of a command, or in that of its default subcommand if it has one."""
    nested = {one["commandName"]: one for one in command.get("subcommands", [])}
    arguments = nested.get(command.get("defaultSubcommand"), command)["arguments"]
    names = [name for one in arguments if one["shouldDisplay"] for name in one.get("names", [])]
    return {f"--{name['name']}" for name in names if name["kind"] == "long"}


def generated(script: str, folder: Path) -> Path:
    run(PACKAGING / script, folder, env={**os.environ, "CALLRUNNER_BINARY": str(BINARY)})
    return folder


@pytest.fixture(scope="module")
def man_pages(tmp_path_factory):
    return generated("man-pages", tmp_path_factory.mktemp("man"))


@pytest.fixture(scope="module")
def completions(tmp_path_factory):
    return generated("completions", tmp_path_factory.mktemp("share"))


# Man pages


@needs("mandoc")
def test_mandoc_reports_no_errors_in_the_man_pages(man_pages):
    assert run("mandoc", "-T", "lint", "-W", "warning", *man_pages.iterdir()) == ""


def test_each_command_has_a_man_page_with_all_sections(man_pages):
    expected = {"callrunner.1", *(f"callrunner-{name}.1" for name in commands() if name != "help")}
    assert {page.name for page in man_pages.iterdir()} == expected
    for page in man_pages.iterdir():
        found = re.findall(r"^\.Sh (.+)$", page.read_text(), re.MULTILINE)
        assert [section for section in found if section in SECTIONS] == list(SECTIONS), page.name


def test_the_man_page_of_a_command_lists_every_flag_of_its_help(man_pages):
    for name, command in commands().items():
        if name != "help":
            text = (man_pages / f"callrunner-{name}.1").read_text()
            listed = re.findall(r"^\.It (?:Fl h , )?Fl (\S+)", text, re.MULTILINE)
            nested = [] if "defaultSubcommand" in command else command.get("subcommands", [])
            expected = flags(command).union(*map(flags, nested))
            assert {"-" + flag.replace("\\-", "-") for flag in listed} == expected, name


@needs("man")
def test_man_pages_fit_80_columns(man_pages):
    environment = {**os.environ, "MANWIDTH": "80", "LC_ALL": "C.UTF-8"}
    for page in man_pages.iterdir():
        lines = run("man", "--local-file", page, env=environment).splitlines()
        assert [line for line in lines if len(line) > 80] == [], page.name


# Completions

FILES = {"film.mp4", "room.key", "sub"}
SOURCES = {"auto", "test", "camera", "camera:", "screen", "pattern", "none"}
# The completions at the end of each line in a folder that contains FILES, of which `sub` is a folder.
OFFERED = {
    "callrunner --ro": {"--room"},
    "callrunner se": {"serve"},
    "callrunner help d": {"demo", "devices", "doctor"},
    "callrunner call --ro": {"--room"},
    "callrunner serve --re": {"--redis", "--redis-cacert", "--refresh-ttl", "--reply-delay"},
    "callrunner --room 1 --cal": {"--caller", "--calls"},
    "callrunner config ": {"show"},
    "callrunner config --js": {"--json"},
    "callrunner --source ": SOURCES | FILES,
    "callrunner --source=fi": {"film.mp4"},
    "callrunner --source camera:/dev/nul": {"camera:/dev/null"},
    "callrunner demo --source non": set(),
    "callrunner app --media ": {"audio", "video", "both"},
    "callrunner --codec ": {"H264", "VP8", "VP9", "OPUS", "PCMU", "PCMA"},
    "callrunner --codec VP9,PC": {"VP9,PCMU", "VP9,PCMA"},
    "callrunner --room ": set(),
    "callrunner --record f": {"film.mp4"},
    "callrunner --control ": {"-"} | FILES,
    "callrunner demo --out ": {"sub"},
    "callrunner recover ": FILES,
    "callrunner serve --chaos no-": {"no-answers", "no-candidates"},
    "callrunner serve --log-format=": {"text", "json"},
    "callrunner serve --auth jwt:r": {"jwt:room.key"},
    "callrunner serve --stun ": set(),
    "callrunner doctor --stun ": {"default"},
    "callrunner token --role ": {"caller", "callee"},
}


class Shell:
    """A shell in a pseudo-terminal that inserts all completions into the line when `key` is pressed."""

    def __init__(self, command: list[str], setup: str, key: str, folder: Path, environment: dict[str, str]):
        self._key, self._read = key, b""
        self._terminal, theirs = pty.openpty()
        self._process = subprocess.Popen(
            command, stdin=theirs, stdout=theirs, stderr=theirs, cwd=folder, env=environment, start_new_session=True
        )
        os.close(theirs)
        self._type(f"{setup}; printf '<%s>\\n' end\r")

    def completions(self, line: str) -> set[str]:
        # Ctrl-A and Ctrl-E turn the line into the arguments of printf.
        words = self._type(f"{line}{self._key}\x01printf '<%s>\\n' \x05 end\r")
        whole = len(line.split()) - (not line.endswith(" "))
        return {word for word in words[whole:] if word != line.split()[-1]}

    def close(self) -> None:
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._terminal)

    def _type(self, keys: str) -> list[str]:
        """Types a line that prints words in angle brackets, the last one `end`; returns the words before `end`."""
        os.write(self._terminal, keys.encode())
        self._read, deadline = b"", time.monotonic() + 20
        while not re.search(rb"<end>\r\n", self._read):
            ready, _, _ = select.select([self._terminal], [], [], max(0, deadline - time.monotonic()))
            assert ready, f"not within 20 s: {self._read!r}"
            self._read += os.read(self._terminal, 65536)
        return [word.decode() for word in re.findall(rb"<([^<>\r\n]*)>\r\n", self._read)][:-1]


ZSH = """fpath=({share}/zsh/site-functions $fpath); autoload -Uz compinit; compinit -u -D; bindkey -e; PS1= RPS1= \
zle -C all-matches complete-word _generic; bindkey '^Xa' all-matches; unsetopt prompt_cr; \
zstyle ':completion:all-matches:*' completer _all_matches _complete; zstyle ':completion:all-matches:*' insert true"""


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completions_offer_the_expected_words(shell, completions, tmp_path, stack):
    if not shutil.which(shell) or (shell == "bash" and not BASH_COMPLETION.exists()):
        pytest.skip(f"{shell} or bash-completion is not installed")
    home, programs, folder = tmp_path / "home", tmp_path / "bin", tmp_path / "folder"
    for path in (home, programs, folder / "sub"):
        path.mkdir(parents=True)
    (programs / "callrunner").symlink_to(BINARY)
    for name in ("film.mp4", "room.key"):
        (folder / name).touch()
    environment = {
        "PATH": f"{programs}:/usr/bin:/bin", "HOME": str(home), "TERM": "xterm", "LANG": "C.UTF-8", "PS1": "",
        "XDG_DATA_DIRS": f"{completions}:/usr/share", "INPUTRC": "/dev/null",
    }  # fmt: skip
    if shell == "fish":

        def offered(line: str) -> set[str]:
            lines = run("fish", "-c", "complete -C $argv[1]", line, cwd=folder, env=environment).splitlines()
            return {line.split("\t")[0] for line in lines}
    else:
        command, setup, key = {
            "bash": (["bash", "--norc", "--noprofile", "-i"], f". {BASH_COMPLETION}", "\x1b*"),
            "zsh": (["zsh", "-f", "-i"], ZSH.format(share=completions), "\x18a"),
        }[shell]
        started = Shell(command, setup, key, folder, environment)
        stack.callback(started.close)
        offered = started.completions

    def plain(word: str) -> str:
        """The word without the character that a shell appends to flags and folders, and without the flag before it."""
        return re.sub(r"^--[a-z-]+=(?=.)", "", word).rstrip("=/")

    every = {"callrunner ": set(commands()), **OFFERED}
    assert {line: {plain(word) for word in offered(line)} for line in every} == every


def test_completions_offer_fixed_values_only_for_flags_that_exist():
    for key in runpy.run_path(str(PACKAGING / "completions"))["VALUES"]:
        *name, flag = key.split()
        assert any(flag in flags(commands()[one]) for one in name or commands()), key


def test_completions_offer_exactly_the_fault_profiles_of_the_program():
    done = subprocess.run([BINARY, "serve", "--chaos", "list"], capture_output=True, text=True)
    profiles = re.search(r"are (.+)", done.stderr)[1].split(", ")
    offered = runpy.run_path(str(PACKAGING / "completions"))["VALUES"]["--chaos"].split()
    assert offered == [*profiles, "list"]


# The desktop entry, `make install`


@needs("desktop-file-validate")
def test_the_desktop_entry_is_valid():
    assert run("desktop-file-validate", PACKAGING / "callrunner.desktop") == ""
    (command,) = re.findall(r"^Exec=callrunner (\w+)$", (PACKAGING / "callrunner.desktop").read_text(), re.MULTILINE)
    assert command in commands()
    assert ElementTree.parse(PACKAGING / "callrunner.svg").getroot().attrib["viewBox"] == "0 0 128 128"


@needs("appstreamcli")
def test_the_appstream_metainfo_is_valid():
    description = PACKAGING / "callrunner.metainfo.xml"
    assert "Validation was successful" in run("appstreamcli", "validate", "--no-net", description)
    assert ElementTree.parse(description).find("launchable").text == "callrunner.desktop"


def test_uninstall_removes_everything_that_install_copies(tmp_path):
    for target in ("install", "uninstall"):
        run("make", "--directory", REPOSITORY, target, f"binary={BINARY}", f"DESTDIR={tmp_path}", "PREFIX=/usr")
        files = {path.relative_to(tmp_path / "usr") for path in tmp_path.rglob("*") if not path.is_dir()}
        if target == "install":
            pages = {f"share/man/man1/callrunner-{name}.1" for name in commands() if name != "help"}
            fish = "share/fish/vendor_completions.d/callrunner.fish"
            assert {"bin/callrunner", fish, *pages} <= {str(path) for path in files}
    assert files == set()


# The Debian package and the container


class Debian:
    """A minimal Debian in a folder. Its processes see only the files in that folder."""

    def __init__(self, root: Path):
        self.root = root
        if not MINIMAL_DEBIAN.exists():
            new = MINIMAL_DEBIAN.with_name(f"{MINIMAL_DEBIAN.name}.{os.getpid()}")
            new.parent.mkdir(parents=True, exist_ok=True)
            path = f"{os.environ['PATH']}:/usr/sbin:/sbin"
            run("debootstrap", "--variant=minbase", "bookworm", new, mirror(), env={**os.environ, "PATH": path})
            new.rename(MINIMAL_DEBIAN)
        run("cp", "--archive", MINIMAL_DEBIAN, root)
        # Packages must not start services.
        (root / "usr/sbin/policy-rc.d").write_text("#!/bin/sh\nexit 101\n")
        (root / "usr/sbin/policy-rc.d").chmod(0o755)

    def command(self, *command: str, network=(), user: str = "root", environment: dict | None = None) -> list[str]:
        """Returns the command line that runs `command` in this Debian; `network` may enter a network namespace."""
        inside = 'mount -t proc proc "$0/proc" && exec chroot --userspec="$1" "$0" env --ignore-environment "${@:2}"'
        variables = {
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C.UTF-8",
            "DEBIAN_FRONTEND": "noninteractive", **(environment or {}),
        }  # fmt: skip
        assignments = [f"{name}={value}" for name, value in variables.items()]
        prefix = [*network] or ["unshare", "--mount"]
        return [*prefix, "bash", "-c", inside, str(self.root), user, *assignments, *command]

    def run(self, *command: str, **keywords) -> str:
        return run(*self.command(*command, **keywords), stdin=subprocess.DEVNULL)


def mirror() -> str:
    """Returns the Debian mirror that the host uses."""
    known = run("apt-get", "indextargets", "--format", "$(REPO_URI)", "Codename: bookworm").split()
    return known[0] if known else "http://deb.debian.org/debian"


class Container:
    """A Containerfile whose steps are run in a minimal Debian instead of an image."""

    def __init__(self, file: Path, context: Path, debian: Debian):
        self.debian = debian
        lines = re.sub(r"^\s*#.*\n", "", file.read_text(), flags=re.MULTILINE).replace("\\\n", " ").splitlines()
        self.steps = [tuple(line.split(maxsplit=1)) for line in lines if line.strip()]
        self.user, self.environment = "root", {}
        for instruction, text in self.steps:
            if instruction == "COPY":
                source, target = text.split()
                for found in context.glob(source):
                    shutil.copy(found, debian.root / target.lstrip("/"))
            elif instruction == "RUN":
                debian.run("sh", "-c", text)
            elif instruction == "ENV":
                self.environment |= dict(part.split("=") for part in text.split())
            elif instruction == "USER":
                self.user = text
            else:
                assert instruction in {"FROM", "EXPOSE", "STOPSIGNAL", "HEALTHCHECK", "CMD"}, instruction

    def __getitem__(self, instruction: str) -> str:
        (text,) = [text for name, text in self.steps if name == instruction]
        return text

    def command(self, *command: str, network: list[str]) -> list[str]:
        return self.debian.command(*command, network=network, user=self.user, environment=self.environment)


@pytest.mark.long
@pytest.mark.timeout(1200)
@needs("debootstrap", "dpkg-shlibdeps", "unshare")
def test_the_package_works_in_a_minimal_debian_and_as_a_container(loopback_machine, tmp_path, stack):
    run(PACKAGING / "deb", BINARY, tmp_path)
    debian = Debian(tmp_path / "debian")
    stack.callback(shutil.rmtree, debian.root)  # it is a gigabyte
    container = Container(REPOSITORY / "Containerfile", tmp_path, debian)
    network = loopback_machine.prefix

    assert debian.run("sh", "-c", "command -v swift || echo none") == "none\n"
    assert list(debian.root.rglob("libswift*")) == []
    version = debian.run("callrunner", "--version")
    assert version == run(BINARY, "--version")
    assert f" {debian.run('dpkg-query', '--show', '--showformat=${Version}', 'callrunner')} " in version
    assert "FAIL" not in debian.run("callrunner", "doctor", network=network)
    assert "✔ the call works" in run(*debian.command("sh", "-c", "callrunner demo 2>&1", network=network))

    expect_container_that_serves(container, network)

    files = debian.run("dpkg", "--listfiles", "callrunner").split()
    files = [debian.root / file.lstrip("/") for file in files]
    assert sum(file.is_file() for file in files) > 100
    debian.run("apt-get", "purge", "--yes", "callrunner")
    assert [file for file in files if not file.is_dir() and os.path.lexists(file)] == []
    left = debian.run("find", "/", "-xdev", "-name", "*callrunner*", "-not", "-path", "/tmp/*")
    assert left == ""


def expect_container_that_serves(container: Container, network: list[str]) -> None:
    assert container["FROM"] == "debian:12-slim" and container["EXPOSE"] == "3000"
    assert container.user != "root"
    check = container["HEALTHCHECK"].split(" CMD ")[1]
    is_healthy = container.command("sh", "-c", check, network=network)
    with Runner(container.command(*json.loads(container["CMD"]), network=network)) as server:
        deadline = time.monotonic() + 20
        while subprocess.run(is_healthy, capture_output=True).returncode != 0:
            assert server.process.poll() is None and time.monotonic() < deadline, server.story
            time.sleep(0.2)
        (user,) = re.findall(r"^Uid:\t(\d+)", Path(f"/proc/{server.pid}/status").read_text(), re.MULTILINE)
        assert user != "0"
        server.signal(signal.Signals[container["STOPSIGNAL"]])
        assert server.finish() == 143
    assert subprocess.run(is_healthy, capture_output=True).returncode != 0
