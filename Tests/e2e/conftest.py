"""The fixtures of all end-to-end tests. Each test has a network of its own, and its processes end with the test."""

import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest
import samples
from playwright.sync_api import Browser, Playwright, sync_playwright

pytest.register_assert_rewrite("clusters", "expect", "peers.probe", "peers.runner")

from peers import chromium, network, runner  # noqa: E402  (after the line above, so that pytest explains failures)
from peers.display import Display  # noqa: E402

# A shell that runs pytest in the background ignores SIGINT, and all processes started here would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

# The programs under test use neither the display and audio of a desktop nor the user's settings.
CLEAN = {"DISPLAY": "", "WAYLAND_DISPLAY": "", "PULSE_SERVER": "", "XDG_RUNTIME_DIR": "", "NO_COLOR": "1"}


class Machine:
    """A network namespace and its processes, all of which end with the test."""

    def __init__(self, namespace: network.Namespace, home: Path, stack: ExitStack):
        self.namespace = namespace
        self._stack = stack
        self._environment = {**CLEAN, "XDG_CONFIG_HOME": str(home / "config"), "XDG_DATA_HOME": str(home / "data"), "TMPDIR": str(home)}

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
        """Starts `callrunner serve`; returns its URL."""
        served = self.callrunner("serve", "--port", "0", *arguments)
        return served.wait_for("server.listening")["url"]

    def fetch(self, url: str) -> str:
        """Requests this URL from inside the network namespace; returns the content."""
        read = "import sys, urllib.request as r; sys.stdout.write(r.urlopen(sys.argv[1], timeout=10).read().decode())"
        command = [*self.prefix, runner.PYTHON, "-c", read, url]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def seed_server(self, *arguments) -> str:
        """Starts a python-socketio server with the protocol of the original Node.js server; returns its URL."""
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
    parser.addoption("--store-costs", action="store_true", help="write costs.json, by which slow tests are drawn")


COSTS = samples.Costs()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    COSTS.add(report)


def pytest_sessionfinish(session: pytest.Session) -> None:
    is_worker = hasattr(session.config, "workerinput")
    if session.config.getoption("--store-costs") and not is_worker:
        COSTS.store()


def pytest_report_header() -> str:
    return f"CALLRUNNER_SAMPLE={samples.seed()}"


# Before pytest selects tests by their marks.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    samples.leave_others_to_long(items, samples.seed())
    samples.leave_slow_ones_to_long(items, samples.seed())
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
def new_machine(home: Path, loopback_only: bool = False) -> Iterator[Machine]:
    with ExitStack() as stack:
        namespace = stack.enter_context(network.Namespace(loopback_only))
        yield Machine(namespace, home, stack)


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    """A stack of context managers that end with the test."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture(scope="module")
def module_stack() -> Iterator[ExitStack]:
    """A stack of context managers that end with the last test of the file."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    with new_machine(tmp_path) as machine:
        yield machine


@pytest.fixture
def loopback_machine(tmp_path: Path) -> Iterator[Machine]:
    """A machine whose only interface is loopback."""
    with new_machine(tmp_path, loopback_only=True) as machine:
        yield machine


@pytest.fixture(scope="module")
def shared_machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """A machine that the tests of a file share, because they only read the results of one call."""
    with new_machine(tmp_path_factory.mktemp("shared")) as machine:
        yield machine


@pytest.fixture
def artefact() -> Callable[[str], Path]:
    """Returns the path of an image or a report that a test saves, by default in `out/` of the repository."""
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
    """A network namespace with browsers that the tests of a file share, because starting them is slow."""

    def __init__(self, namespace: network.Namespace, playwright: Playwright, folder: Path, stack: ExitStack):
        self.namespace = namespace
        self._playwright, self._folder, self._stack = playwright, folder, stack
        self._browsers: dict[str, Browser] = {}

    def browser(self, flags: list[str]) -> Browser:
        """Returns the browser with these flags, which is started on first use."""
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
    """The desk's network namespace, without processes of earlier tests."""
    with ExitStack() as stack:
        yield Machine(desk.namespace, tmp_path, stack)


@pytest.fixture
def pages(desk: Desk) -> Iterator[Callable[..., chromium.Pages]]:
    """Opens the web page of a server in a browser of the desk, once for each visitor."""
    with ExitStack() as stack:

        def start(server: str, flags: list[str] = chromium.FAKE_DEVICES):
            visitors = chromium.Pages(desk.browser(flags), server)
            return stack.enter_context(closing(visitors))

        yield start
