"""The choice of the encoder of a call, and the handling of encoders that fail."""

import json
import shutil

import expect
import pytest
from peers.runner import REPOSITORY

CODECS = ["H264", "VP8", "VP9", "OPUS", "PCMU", "PCMA"]
FAILING = """
appsrc name=source format=time ! decodebin ! videoconvert ! identity error-after=1
    ! x264enc name=encoder tune=zerolatency ! appsink name=output sync=false async=false
"""
# A second H.264 encoder element, used in place of a hardware encoder.
WORKING = """
appsrc name=source format=time is-live=true ! decodebin ! videoconvert ! video/x-raw,format=I420
    ! openh264enc name=encoder bitrate={bps} complexity=low ! video/x-h264,profile=constrained-baseline
    ! h264parse config-interval=-1 ! video/x-h264,stream-format=byte-stream,alignment=au
    ! appsink name=output sync=false async=false
"""


@pytest.fixture
def pipelines(tmp_path):
    """A copy of the pipeline templates, with a failing encoder added to the hardware encoders."""
    folder = tmp_path / "pipelines"
    shutil.copytree(REPOSITORY / "pipelines", folder)
    (folder / "encoders/hardware/h264-a-failing.pipeline").write_text(FAILING)
    return folder


def codecs(machine, *flags):
    process = machine.callrunner("codecs", *flags)
    process.succeed()
    return {event["codec"]: event for event in process.all("codec")}


def test_every_codec_has_an_encoder_and_a_decoder(machine):
    told = codecs(machine)
    assert list(told) == CODECS
    for name, codec in told.items():
        assert codec["encoder"] and codec["decoder"], codec
        assert codec["kind"] == ("video" if name in ("H264", "VP8", "VP9") else "audio")
    absent = [encoder for encoder in told["H264"]["encoders"] if encoder["hardware"] and not encoder["works"]]
    assert all("reason" in encoder for encoder in absent)


def test_a_failing_encoder_is_listed_with_the_reason(machine, pipelines):
    encoders = codecs(machine, "--pipelines", pipelines)["H264"]["encoders"]
    failing = next(encoder for encoder in encoders if encoder["name"] == "hardware/h264-a-failing")
    assert failing["hardware"] and not failing["works"] and failing["reason"], json.dumps(failing)
    assert encoders[-1]["element"] == "x264enc" and encoders[-1]["works"]


@pytest.mark.sample(1)
@pytest.mark.parametrize(("works", "element"), [(False, "x264enc"), (True, "openh264enc")])
def test_a_call_skips_a_failing_encoder_and_uses_a_working_one(machine, pipelines, works, element):
    if works:
        (pipelines / "encoders/hardware/h264-b-working.pipeline").write_text(WORKING)
    server = machine.server()
    flags = ["--room", "2", "--server", server, "--codec", "H264", "--media", "video"]
    callee = machine.callrunner(*flags, "--name", "Ann", "--recvonly")
    callee.wait_for("room.joined")
    caller = machine.callrunner(
        *flags, "--name", "Bob", "--caller", "--duration", "4", "--source", "pattern", "--pipelines", pipelines)
    caller.succeed()
    callee.succeed()
    warnings = [event["message"] for event in caller.all("warning")]
    assert len([text for text in warnings if "hardware/h264-a-failing is not used" in text]) == 1, warnings
    assert caller.all("stats")[-1]["video"]["out"]["encoder"] == element
    assert expect.a_call_that_ended(callee, reason="peer-left")["received"]["video"] >= 20
