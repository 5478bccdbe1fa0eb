#pragma once
#include <gio/gio.h>
#include <glib-object.h>
#include <glib.h>
#include <linux/rtnetlink.h>

// Macros and variadic functions cannot be imported into Swift; each wrapper below is one call.

static inline GType callrunner_type_of(gpointer instance) { return G_OBJECT_TYPE(instance); }
