// A minimal peer on GStreamer's webrtcbin, for bench/call: sends an MP4 file with H.264 and Opus without re-encoding,
// and writes the received streams to a Matroska file without decoding.
//
// It uses the same settings as callrunner, so that both send and receive the same packets: bundling, NACK for video,
// transport-wide feedback, RTCP interval, packet size and jitter buffer latency.
//
// Usage: bare-peer caller|callee FILE RECORDING INBOX OUTBOX
//
// INBOX and OUTBOX are FIFOs through which two peers exchange session descriptions and candidates, one per line. Events
// are written to standard output as JSON Lines, with the same names as callrunner's events.

#define GST_USE_UNSTABLE_API
#include <fcntl.h>
#include <gst/gst.h>
#include <gst/webrtc/webrtc.h>
#include <stdio.h>
#include <string.h>

#define TRANSPORT_CC "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
#define FEEDBACK ",extmap-3=(string)" TRANSPORT_CC ",rtcp-fb-transport-cc=(boolean)true"

static GstElement *pipeline, *peer;
static FILE *outbox;
static gint64 start;
static guint frames;

static double elapsed(void) { return (g_get_monotonic_time() - start) / 1e6; }

static void report(const char *event) {
    printf("{\"event\":\"%s\",\"elapsed\":%.6f}\n", event, elapsed());
    fflush(stdout);
}

static void fail(const char *what) {
    fprintf(stderr, "bare-peer: %s\n", what);
    exit(1);
}

// MARK: Signaling

static void send_description(const char *type, GstWebRTCSessionDescription *description) {
    char *text = gst_sdp_message_as_text(description->sdp), *line = g_strescape(text, NULL);
    fprintf(outbox, "%s %s\n", type, line);
    fflush(outbox);
    g_free(text);
    g_free(line);
}

static void send_candidate(GstElement *element, guint index, char *candidate, gpointer data) {
    fprintf(outbox, "candidate %u %s\n", index, candidate);
    fflush(outbox);
}

static void described(GstPromise *promise, gpointer type) {
    GstWebRTCSessionDescription *description = NULL;
    const GstStructure *reply = gst_promise_get_reply(promise);
    if (!reply || !gst_structure_get(reply, type, GST_TYPE_WEBRTC_SESSION_DESCRIPTION, &description, NULL))
        fail("webrtcbin makes no description");
    g_signal_emit_by_name(peer, "set-local-description", description, NULL);
    send_description(type, description);
    gst_webrtc_session_description_free(description);
    gst_promise_unref(promise);
}

static void create_offer(void) {
    report("call.started");
    g_signal_emit_by_name(peer, "create-offer", NULL, gst_promise_new_with_change_func(described, "offer", NULL));
}

static void set_remote(GstWebRTCSDPType type, const char *line) {
    GstSDPMessage *message;
    char *text = g_strcompress(line);
    if (gst_sdp_message_new_from_text(text, &message) != GST_SDP_OK) fail("the description cannot be read");
    GstWebRTCSessionDescription *description = gst_webrtc_session_description_new(type, message);
    GstPromise *promise = gst_promise_new();
    g_signal_emit_by_name(peer, "set-remote-description", description, promise);
    gst_promise_wait(promise);
    gst_promise_unref(promise);
    gst_webrtc_session_description_free(description);
    g_free(text);
    if (type == GST_WEBRTC_SDP_TYPE_OFFER)
        g_signal_emit_by_name(peer, "create-answer", NULL, gst_promise_new_with_change_func(described, "answer", NULL));
}

static gboolean read_line(GIOChannel *inbox, GIOCondition condition, gpointer data) {
    char *line = NULL, candidate[1024];
    guint index;
    if (g_io_channel_read_line(inbox, &line, NULL, NULL, NULL) != G_IO_STATUS_NORMAL) return G_SOURCE_CONTINUE;
    g_strchomp(line);
    if (sscanf(line, "candidate %u %1023[^\n]", &index, candidate) == 2)
        g_signal_emit_by_name(peer, "add-ice-candidate", index, candidate);
    else if (g_str_has_prefix(line, "answer "))
        set_remote(GST_WEBRTC_SDP_TYPE_ANSWER, line + strlen("answer "));
    else if (g_str_has_prefix(line, "offer ")) {
        report("call.started");
        set_remote(GST_WEBRTC_SDP_TYPE_OFFER, line + strlen("offer "));
    }
    g_free(line);
    return G_SOURCE_CONTINUE;
}

// MARK: Media

static void set_up_session(GstBin *bin, GstBin *inner, GstElement *element, gpointer data) {
    GstElementFactory *factory = gst_element_get_factory(element);
    if (!factory || !g_str_equal(GST_OBJECT_NAME(factory), "rtpsession")) return;
    GObject *session;
    g_object_set(element, "rtcp-min-interval", 500 * GST_MSECOND, "bandwidth", 4000000.0, NULL);
    g_object_get(element, "internal-session", &session, NULL);
    g_object_set(session, "twcc-feedback-interval", 250 * GST_MSECOND, NULL);
    g_object_unref(session);
}

static GstPadProbeReturn count_frame(GstPad *pad, GstPadProbeInfo *info, gpointer data) {
    if (frames++ == 0) {
        printf("{\"event\":\"media.first_frame\",\"kind\":\"video\",\"elapsed\":%.6f}\n", elapsed());
        fflush(stdout);
    }
    return GST_PAD_PROBE_OK;
}

static gboolean report_frames(gpointer data) {
    printf("{\"event\":\"stats\",\"elapsed\":%.6f,\"video\":{\"in\":{\"frames\":%u}}}\n", elapsed(), frames);
    fflush(stdout);
    return G_SOURCE_CONTINUE;
}

static void record(GstElement *element, GstPad *pad, gpointer data) {
    if (GST_PAD_IS_SINK(pad)) return;
    GstCaps *caps = gst_pad_get_current_caps(pad);
    const char *kind = gst_structure_get_string(gst_caps_get_structure(caps, 0), "media");
    GstElement *depayloader = gst_bin_get_by_name(GST_BIN(pipeline), kind);
    GstPad *sink = gst_element_get_static_pad(depayloader, "sink");
    if (gst_pad_link(pad, sink) != GST_PAD_LINK_OK) fail("a received stream cannot be recorded");
    gst_object_unref(sink);
    gst_object_unref(depayloader);
    gst_caps_unref(caps);
}

static gboolean on_message(GstBus *bus, GstMessage *message, gpointer data) {
    GError *error = NULL;
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_LATENCY) gst_bin_recalculate_latency(GST_BIN(pipeline));
    if (GST_MESSAGE_TYPE(message) != GST_MESSAGE_ERROR) return G_SOURCE_CONTINUE;
    gst_message_parse_error(message, &error, NULL);
    fail(error->message);
    return G_SOURCE_REMOVE;
}

static void build(const char *file, const char *recording) {
    GError *error = NULL;
    GstPad *pad;
    GstWebRTCRTPTransceiver *transceiver;
    pipeline = gst_parse_launch(
        "webrtcbin name=peer bundle-policy=max-bundle latency=20 "
        "filesrc name=file ! qtdemux name=demuxer "
        "demuxer.video_0 ! queue ! h264parse config-interval=-1 "
        "! video/x-h264,stream-format=byte-stream,alignment=au ! clocksync "
        "! rtph264pay mtu=1200 config-interval=0 aggregate-mode=zero-latency "
        "! application/x-rtp,media=video,encoding-name=H264,clock-rate=90000,payload=96" FEEDBACK
        ",rtcp-fb-nack-pli=(boolean)true,rtcp-fb-ccm-fir=(boolean)true ! peer.sink_0 "
        "demuxer.audio_0 ! queue ! opusparse ! clocksync ! rtpopuspay "
        "! application/x-rtp,media=audio,encoding-name=OPUS,clock-rate=48000,payload=110" FEEDBACK " ! peer.sink_1 "
        "matroskamux name=muxer min-cluster-duration=500000000 "
        "! filesink name=recording sync=false async=false "
        "rtph264depay name=video wait-for-keyframe=true request-keyframe=true ! h264parse ! muxer.video_0 "
        "rtpopusdepay name=audio ! opusparse ! muxer.audio_0",
        &error
    );
    if (error) fail(error->message);
    g_object_set(gst_bin_get_by_name(GST_BIN(pipeline), "file"), "location", file, NULL);
    g_object_set(gst_bin_get_by_name(GST_BIN(pipeline), "recording"), "location", recording, NULL);
    peer = gst_bin_get_by_name(GST_BIN(pipeline), "peer");
    pad = gst_element_get_static_pad(peer, "sink_0");
    g_object_get(pad, "transceiver", &transceiver, NULL);
    g_object_set(transceiver, "do-nack", TRUE, NULL);
    g_signal_connect(peer, "deep-element-added", G_CALLBACK(set_up_session), NULL);
    g_signal_connect(peer, "on-ice-candidate", G_CALLBACK(send_candidate), NULL);
    g_signal_connect(peer, "pad-added", G_CALLBACK(record), NULL);
    pad = gst_element_get_static_pad(gst_bin_get_by_name(GST_BIN(pipeline), "video"), "src");
    gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, count_frame, NULL, NULL);
    gst_bus_add_watch(gst_element_get_bus(pipeline), on_message, NULL);
}

int main(int count, char **arguments) {
    start = g_get_monotonic_time();
    if (count != 6) fail("usage: bare-peer caller|callee FILE RECORDING INBOX OUTBOX");
    gst_init(NULL, NULL);
    // A FIFO that is opened for reading and writing does not wait for the other process and never ends.
    int in = open(arguments[4], O_RDWR), out = open(arguments[5], O_RDWR);
    if (in < 0 || out < 0) fail("the FIFOs cannot be opened");
    outbox = fdopen(out, "w");
    build(arguments[2], arguments[3]);
    // Creates GStreamer's RSA key for DTLS before the call, as callrunner does with its key.
    gst_object_unref(gst_object_ref_sink(gst_element_factory_make("dtlsdec", NULL)));
    gst_element_set_state(pipeline, GST_STATE_PLAYING);
    g_io_add_watch(g_io_channel_unix_new(in), G_IO_IN, read_line, NULL);
    g_timeout_add_seconds(1, report_frames, NULL);
    report("room.joined");
    if (g_str_equal(arguments[1], "caller")) create_offer();
    g_main_loop_run(g_main_loop_new(NULL, FALSE));
}
