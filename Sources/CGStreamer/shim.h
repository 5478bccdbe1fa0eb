#pragma once
#define GST_USE_UNSTABLE_API
#include <gst/app/app.h>
#include <gst/gst.h>
#include <gst/sdp/sdp.h>
#include <gst/video/video.h>
#include <gst/webrtc/webrtc.h>

// Macros and variadic functions cannot be imported into Swift; each wrapper below is one call.
