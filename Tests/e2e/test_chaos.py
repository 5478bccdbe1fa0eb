"""Calls through a signaling server with injected faults, which must connect or end with an expected reason."""

import json
import os
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest
from expect import expect_refusal
from peers.runner import NotHeard, Runner
from test_serve import fetch, measure

# Fault profiles with which calls connect after at most a few attempts.
POSSIBLE = ("lossy", "duplicating", "slow", "reordering", "garbling", "flaky", "silent", "storm")
# Fault profiles with which no call connects, each with the possible reasons at the caller and at the callee.
IMPOSSIBLE = {
    "no-answers": ({"no-answer"}, {"peer-left", "no-offer"}),
    "no-candidates": ({"no-media", "ice-failed"}, {"no-media", "ice-failed", "peer-left", "no-offer"}),
    "deaf": ({"no-answer"}, {"no-offer", "no-peer"}),
}
AT_ONCE = 3
CRASHES = ("Fatal error", "Stack dump", "Segmentation", "Trace/BPT")
SEED = int(os.environ.get("CHAOS_SEED", "4001"))


@dataclass
class SetUp:
    """The result of setting up a call, successful or not."""

    profile: str
    seed: int
    room: int
    ann: Runner
    bob: Runner
    stuck: str = ""

    @property
    def connected(self) -> bool:
        return all(process.all("media.connected") for process in (self.ann, self.bob))

    @property
    def seconds(self) -> float:
        """The seconds that the slower process took from its start until its media was connected."""
        return max(process.all("media.connected")[0]["elapsed"] for process in (self.ann, self.bob))

    @property
    def attempts(self) -> int:
        return max((event["attempt"] for event in self.ann.all("call.started")), default=0)

    @staticmethod
    def ending(process: Runner) -> tuple[int | None, str]:
        """Returns the exit code, and the code of the error, or the reason in `call.ended` if there was no error."""
        errors, ended = process.all("error"), process.all("call.ended")
        word = errors[-1]["code"] if errors else ended[-1]["reason"] if ended else "nothing"
        return process.process.poll(), word

    @property
    def is_as_expected(self) -> bool:
        endings = [self.ending(process) for process in (self.ann, self.bob)]
        if self.stuck or any(trap in process.stderr for process in (self.ann, self.bob) for trap in CRASHES):
            return False
        if self.profile in POSSIBLE:
            return self.connected and all(code == 0 for code, _ in endings)
        return not self.connected and all(
            code in (2, 3) and word in words
            for (code, word), words in zip(endings, IMPOSSIBLE[self.profile], strict=True)
        )

    def __str__(self) -> str:
        took = f"{self.seconds:.1f} s" if self.connected else "not connected"
        told = ", ".join(f"{name} {self.ending(process)}" for name, process in (("caller", self.ann), ("callee", self.bob)))
        how = f"--chaos {self.profile} --seed {self.seed}, room {self.room}"
        return f"{how}: {took}, {self.attempts} attempts, {told} {self.stuck}"

    def story(self) -> str:
        """Returns the output of both processes, for debugging."""
        lines = [str(self)]
        for name, process in (("caller", self.ann), ("callee", self.bob)):
            lines += [f"  {name}: {json.dumps(event)[:200]}" for event in process.events if event["event"] != "stats"]
            lines += [f"  {name} on standard error: {line}" for line in process.stderr.splitlines()]
        return "\n".join(lines)


def set_up(machine, server: str, profile: str, seed: int, room: int) -> SetUp:
    """Runs a caller and a callee to their end. In odd rooms the caller starts first."""
    flags = ["--room", room, "--server", server, "--headless", "--source", "test", "--duration", "1"]
    flags += ["--peer-timeout", "25"]
    if profile in IMPOSSIBLE:
        flags += ["--retries", "1", "--peer-timeout", "14"]
        # Shorter than the four seconds until the caller gives up, so that the callee requests another offer earlier.
        flags += ["--connect-timeout", "3"] if profile == "no-candidates" else []
    else:
        flags += ["--retries", "7"]
    started = {}
    for name in ("Ann", "Bob") if room % 2 else ("Bob", "Ann"):
        role = ["--caller"] if name == "Ann" else []
        started[name] = machine.callrunner("--name", name, *role, *flags)
    result = SetUp(profile, seed, room, started["Ann"], started["Bob"])
    for process in started.values():
        try:
            process.finish(within=100)
        except NotHeard:
            result.stuck += f"{process.command[-1]} runs on"
            process.process.kill()
    return result


def set_ups(machine, numbers: dict[str, int], seed: int) -> list[SetUp]:
    """Sets up the given number of calls through a server with each profile, a few calls at a time."""
    jobs = []
    for index, (profile, number) in enumerate(numbers.items()):
        # On a slow host, setting up a call takes seconds. Injected faults then close a socket twice, and the second
        # pause exceeds the default grace period, which would end calls that are expected to connect.
        serve = ["serve", "--port", "0", "--grace", "6s"]
        served = machine.callrunner(*serve, "--chaos", profile, "--seed", seed + index)
        listening = served.wait_for("server.listening")
        assert (listening["chaos"], listening["seed"]) == (profile, seed + index)
        jobs += [(listening["url"], profile, seed + index, room) for room in range(1, number + 1)]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(lambda job: set_up(machine, *job), jobs))


def table(results: list[SetUp]) -> str:
    """Returns a table of the results with one line for each profile."""
    groups = defaultdict(list)
    for result in results:
        groups[result.profile].append(result)
    lines = [f"{'profile':<14} {'n':>3} connected  expected end  unexpected  slowest  attempts at most"]
    for profile, group in groups.items():
        connected = [result for result in group if result.connected]
        slowest = f"{max(result.seconds for result in connected):.1f} s" if connected else "-"
        expected = sum(result.is_as_expected for result in group)
        attempts = max(result.attempts for result in group)
        lines.append(
            f"{profile:<14} {len(group):>3} {len(connected):>9}  {expected:>12}  {len(group) - expected:>10}"
            f"  {slowest:>7}  {attempts:>16}"
        )
    return "\n".join(lines)


def expect_all(results: list[SetUp]) -> None:
    print("\n" + table(results))
    unexpected = [result for result in results if not result.is_as_expected]
    for result in unexpected:
        print(result.story())
    assert not unexpected, "\n".join(str(result) for result in unexpected)
    criticals = [line for result in results for line in result.story().splitlines() if "CRITICAL **" in line]
    assert not criticals, criticals


def test_a_call_connects_despite_faults_or_ends_with_an_expected_reason(machine):
    expect_all(set_ups(machine, dict.fromkeys([*POSSIBLE, *IMPOSSIBLE], 1), SEED))


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_two_hundred_calls_with_faults_connect_or_end_with_an_expected_reason(machine, artefact):
    numbers = {**dict.fromkeys(POSSIBLE, 22), **dict.fromkeys(IMPOSSIBLE, 8)}
    results = set_ups(machine, numbers, SEED + 100)
    lines = [table(results), "", *map(str, results)]
    lines += ["", *(result.story() for result in results if not result.is_as_expected)]
    artefact("chaos.txt").write_text("\n".join(lines) + "\n")
    expect_all(results)


def test_injected_faults_are_logged_and_counted(machine):
    served = machine.callrunner("serve", "--port", "0", "--chaos", "no-answers", "--seed", "7", "--log-format", "json")
    server = served.wait_for("server.listening")["url"]
    result = set_up(machine, server, "no-answers", 7, 1)
    assert result.is_as_expected, result.story()
    entries = [json.loads(line) for line in served.stderr.splitlines()]
    faults = [entry for entry in entries if entry["message"] == "chaos"]
    assert len(faults) == 2
    assert {"deed": "drop", "event": "answer", "from": "callee", "room": "1"}.items() <= faults[0].items()
    assert measure(machine, server, 'callrunner_chaos_total{deed="drop"}') == len(faults)


def test_a_server_without_chaos_has_no_fault_metrics(machine):
    assert "chaos" not in fetch(machine, f"{machine.server()}/metrics")


def test_a_server_without_a_seed_flag_reports_its_random_seed(machine):
    served = machine.callrunner("serve", "--port", "0", "--chaos", "lossy:0.5")
    listening = served.wait_for("server.listening")
    assert listening["chaos"] == "lossy:0.5" and isinstance(listening["seed"], int)
    served.wait_for_words(f"--chaos lossy:0.5 --seed {listening['seed']}")


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--chaos", "list"], [*POSSIBLE, *IMPOSSIBLE]),
        (["--chaos", "polite"], ["polite", *POSSIBLE, *IMPOSSIBLE]),
        (["--chaos", "lossy:2"], ["2", "0 to 1"]),
        (["--seed", "1"], ["--chaos"]),
        (["--chaos", "lossy", "--seed", "many"], ["--seed"]),
    ],
)
def test_invalid_fault_profiles_and_seeds_are_refused(machine, flags, words):
    expect_refusal(machine.callrunner("serve", "--port", "0", *flags), 64, *words)
