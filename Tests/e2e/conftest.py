"""What every end-to-end test stands on: a network of its own and processes that never outlive it."""

import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Playwright, sync_playwright

pytest.register_assert_rewrite("clusters", "expect", "peers.probe", "peers.runner")

from peers import chromium, network, runner  # noqa: E402  (after the line above, or its assertions stay mute)
from peers.display import Display  # noqa: E402

# A shell that runs us in the background ignores Ctrl-C, and so would all that we start.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Neither a desktop's display and sound nor a person's settings reach the programs under test.
CLEAN = {"DISPLAY": "", "WAYLAND_DISPLAY": "", "PULSE_SERVER": "", "XDG_RUNTIME_DIR": "", "NO_COLOR": "1"}


class Machine:
    """One network with processes on it; all of them end with the test."""

    def __init__(self, namespace: network.Namespace, home: Path, stack: ExitStack):
        self.namespace = namespace
        self._stack = stack
        self._environment = {**CLEAN, "XDG_CONFIG_HOME": str(home / "config"), "TMPDIR": str(home)}

    @property
    def prefix(self) -> list[str]:
        return self.namespace.prefix

    def callrunner(self, *arguments, environment: dict[str, str] | None = None, **keywords) -> runner.Runner:
        started = runner.callrunner(
            *arguments, prefix=self.prefix, environment={**self._environment, **(environment or {})}, **keywords
        )
        return self._stack.enter_context(started)

    def peer(self, module: str, *arguments) -> runner.Runner:
        return self._stack.enter_context(
            runner.peer(module, *arguments, prefix=self.prefix, environment={"TMPDIR": "/tmp"})
        )

    def server(self, *arguments) -> str:
        """Starts `callrunner serve`; its address."""
        served = self.callrunner("serve", "--port", "0", *arguments)
        return served.wait_for("server.listening")["url"]

    def fetch(self, url: str) -> str:
        """What is at this address, as seen from the machine."""
        read = "import sys, urllib.request as r; sys.stdout.write(r.urlopen(sys.argv[1], timeout=10).read().decode())"
        command = [*self.prefix, runner.PYTHON, "-c", read, url]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def seed_server(self, *arguments) -> str:
        """Starts the python-socketio server that speaks the seed's protocol; its address."""
        page = runner.REPOSITORY / "assets/web"
        return self.peer("seed_server", "--port", "0", "--page", page, *arguments).wait_for("server.listening")["url"]

    def hostile_server(self, mode: str) -> str:
        return self.peer("hostile_server", mode).wait_for("server.listening")["url"]


def pytest_configure() -> None:
    if not runner.BINARY.exists():
        pytest.exit(f"{runner.BINARY} is missing: run `make build` first", returncode=1)
    for tool in ("ip", "ffmpeg", "ffprobe"):
        if not shutil.which(tool):
            pytest.exit(f"{tool} is missing: run `make setup` first", returncode=1)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--alone", choices=("only", "never"), help="run only, or never, the tests that are marked alone")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    wanted = config.getoption("--alone")
    if wanted is None:
        return
    left_out = [item for item in items if (item.get_closest_marker("alone") is None) == (wanted == "only")]
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=left_out)


@pytest.fixture(scope="session", autouse=True)
def namespaces_are_possible() -> None:
    if reason := network.unavailable():
        pytest.skip(reason)


@contextmanager
def new_machine(home: Path, lonely: bool = False) -> Iterator[Machine]:
    with ExitStack() as stack:
        namespace = stack.enter_context(network.Namespace(lonely))
        yield Machine(namespace, home, stack)


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    """What a test enters here ends with it."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture(scope="module")
def module_stack() -> Iterator[ExitStack]:
    """What a file's tests share and enter here ends with the last of them."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    with new_machine(tmp_path) as machine:
        yield machine


@pytest.fixture
def lonely_machine(tmp_path: Path) -> Iterator[Machine]:
    """A machine with nothing but loopback."""
    with new_machine(tmp_path, lonely=True) as machine:
        yield machine


@pytest.fixture(scope="module")
def shared_machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """One machine for all tests of a file that only look at what has happened on it."""
    with new_machine(tmp_path_factory.mktemp("shared")) as machine:
        yield machine


@pytest.fixture
def artefact() -> Callable[[str], Path]:
    """Where a test leaves what a person may want to look at: `out/` in the repository."""
    folder = Path(os.environ.get("CALLRUNNER_ARTEFACTS", runner.REPOSITORY / "out"))
    folder.mkdir(parents=True, exist_ok=True)
    return lambda name: folder / name


@pytest.fixture
def display() -> Iterator[Display]:
    with Display() as display:
        yield display


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as playwright:
        yield playwright


class Desk:
    """A machine with a browser on it, for all tests of a file: starting them takes longer than most calls."""

    def __init__(self, namespace: network.Namespace, playwright: Playwright, folder: Path, stack: ExitStack):
        self.namespace = namespace
        self._playwright, self._folder, self._stack = playwright, folder, stack
        self._browsers: dict[str, Browser] = {}

    def browser(self, flags: list[str]) -> Browser:
        """The one with these flags, started where it is the first time."""
        key = " ".join(flags)
        if key not in self._browsers:
            started = chromium.chromium(self._playwright, self.namespace.prefix, self._folder, flags)
            self._browsers[key] = self._stack.enter_context(started)
        return self._browsers[key]


@pytest.fixture(scope="module")
def desk(playwright: Playwright, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with ExitStack() as stack:
        namespace = stack.enter_context(network.Namespace())
        yield Desk(namespace, playwright, tmp_path_factory.mktemp("desk"), stack)


@pytest.fixture
def desk_machine(desk: Desk, tmp_path: Path) -> Iterator[Machine]:
    """The desk's machine with no process of another test left on it."""
    with ExitStack() as stack:
        yield Machine(desk.namespace, tmp_path, stack)


@pytest.fixture
def pages(desk: Desk) -> Iterator[Callable[..., chromium.Pages]]:
    """Visitors of the page of a server on the desk's machine."""
    with ExitStack() as stack:

        def start(server: str, flags: list[str] = chromium.FAKE_DEVICES):
            visitors = chromium.Pages(desk.browser(flags), server)
            return stack.enter_context(closing(visitors))

        yield start
