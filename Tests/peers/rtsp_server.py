"""An RTSP server with moving video and a tone, based on Debian's GStreamer bindings.

The server runs in Debian's own Python, which has the bindings. This module only starts it and forwards its output.
"""

import argparse
import os
import sys

PICTURES = "videotestsrc is-live=true ! video/x-raw,format=I420,width=320,height=240,framerate=30/1 ! {encoder} name=pay0 pt=96"
ENCODERS = {
    "h264": "x264enc tune=zerolatency speed-preset=ultrafast key-int-max=30 ! video/x-h264,profile=constrained-baseline ! rtph264pay",
    "jpeg": "jpegenc ! rtpjpegpay",
}
SOUND = "audiotestsrc is-live=true ! opusenc ! rtpopuspay name=pay1 pt=97"


def serve(port: int, codec: str) -> None:
    import gi

    gi.require_version("Gst", "1.0")
    gi.require_version("GstRtspServer", "1.0")
    from gi.repository import GLib, Gst, GstRtspServer

    Gst.init(None)
    server = GstRtspServer.RTSPServer()
    server.set_address("127.0.0.1")
    server.set_service(str(port))
    factory = GstRtspServer.RTSPMediaFactory()
    factory.set_launch(f"( {PICTURES.format(encoder=ENCODERS[codec])} {SOUND} )")
    factory.set_shared(True)
    server.get_mount_points().add_factory("/camera", factory)
    server.attach(None)
    print('{"event":"server.listening","url":"rtsp://127.0.0.1:%d/camera"}' % server.get_bound_port(), flush=True)
    GLib.MainLoop().run()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--codec", choices=ENCODERS, default="h264")
    arguments = parser.parse_args()
    if sys.prefix != sys.base_prefix:
        os.execv("/usr/bin/python3", ["/usr/bin/python3", __file__, *sys.argv[1:]])
    serve(arguments.port, arguments.codec)
