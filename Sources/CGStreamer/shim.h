#pragma once
#define GST_USE_UNSTABLE_API
#include <gst/app/app.h>
#include <gst/audio/gstaudiosink.h>
#include <gst/base/gstcollectpads.h>
#include <gst/gst.h>
#include <gst/rtp/gstrtpbuffer.h>
#include <gst/sdp/sdp.h>
#include <gst/video/video.h>
#include <gst/webrtc/webrtc.h>

// Macros and variadic functions cannot be imported into Swift; each wrapper below is one call.

// webrtcbin's action signals (variadic g_signal_emit_by_name).
static inline void callrunner_webrtcbin_create_offer(GstElement *bin, GstPromise *promise) {
    g_signal_emit_by_name(bin, "create-offer", NULL, promise);
}
static inline void callrunner_webrtcbin_create_answer(GstElement *bin, GstPromise *promise) {
    g_signal_emit_by_name(bin, "create-answer", NULL, promise);
}
static inline void callrunner_webrtcbin_set_description(
    GstElement *bin, gboolean local, GstWebRTCSessionDescription *description, GstPromise *promise) {
    g_signal_emit_by_name(
        bin, local ? "set-local-description" : "set-remote-description", description, promise);
}
static inline void callrunner_webrtcbin_add_ice_candidate(
    GstElement *bin, guint mline, const gchar *candidate) {
    g_signal_emit_by_name(bin, "add-ice-candidate", mline, candidate);
}
static inline void callrunner_webrtcbin_get_stats(GstElement *bin, GstPromise *promise) {
    g_signal_emit_by_name(bin, "get-stats", NULL, promise);
}
static inline void callrunner_probe_set_flow(GstPadProbeInfo *info, GstFlowReturn flow) {
    GST_PAD_PROBE_INFO_FLOW_RETURN(info) = flow;
}
static inline gboolean callrunner_webrtcbin_add_turn_server(GstElement *bin, const gchar *uri) {
    gboolean added = FALSE;
    g_signal_emit_by_name(bin, "add-turn-server", uri, &added);
    return added;
}
static inline gboolean callrunner_ice_add_local_address(GObject *agent, const gchar *address) {
    gboolean added = FALSE;
    g_signal_emit_by_name(agent, "add-local-ip-address", address, &added);
    return added;
}

// Type macros.
static inline GType callrunner_type_int_range(void) { return GST_TYPE_INT_RANGE; }
static inline GType callrunner_type_fraction(void) { return GST_TYPE_FRACTION; }
static inline GType callrunner_type_fraction_range(void) { return GST_TYPE_FRACTION_RANGE; }
static inline GType callrunner_type_list(void) { return GST_TYPE_LIST; }
static inline GType callrunner_type_structure(void) { return GST_TYPE_STRUCTURE; }
static inline GType callrunner_type_session_description(void) {
    return GST_TYPE_WEBRTC_SESSION_DESCRIPTION;
}
static inline gboolean callrunner_value_holds(const GValue *value, GType type) {
    return G_VALUE_HOLDS(value, type);
}

static inline void callrunner_object_lock(GstObject *object) { GST_OBJECT_LOCK(object); }
static inline void callrunner_object_unlock(GstObject *object) { GST_OBJECT_UNLOCK(object); }

// Variadic functions, and GST_CLOCK_TIME_NONE, which is a macro.
static inline void callrunner_structure_mark(GstStructure *structure, const char *field) {
    gst_structure_set(structure, field, G_TYPE_BOOLEAN, TRUE, NULL);
}
static inline GstCaps *callrunner_request_caps(GstElement *element, guint payload_type) {
    GstCaps *caps = NULL;
    g_signal_emit_by_name(element, "request-pt-map", payload_type, &caps);
    return caps;
}
static inline GstEvent *callrunner_event_force_key_unit(gboolean with_headers) {
    return gst_video_event_new_upstream_force_key_unit(GST_CLOCK_TIME_NONE, with_headers, 0);
}
