"""A hostile signaling server that sends without a pause, which must neither fill memory nor hold up the program."""

import contextlib
import signal
import time

import pytest
from peers import usage
from peers.flooding_server import KINDS


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", KINDS)
def test_a_server_that_sends_without_a_pause_takes_little_memory_and_time(loopback_machine, kind):
    server = loopback_machine.peer("flooding_server", kind)
    url = server.wait_for("listening")["url"]
    ours = loopback_machine.callrunner("--room", "1", "--name", "Ann", "--server", url, "--headless", "--source", "none")
    server.wait_for("flooding")
    for _ in range(200):
        with contextlib.suppress(RuntimeError, OSError):  # it has ended
            assert usage.resident_megabytes(ours.pid) < 200
        time.sleep(0.02)
    ours.signal(signal.SIGINT)
    ours.finish(within=10)
