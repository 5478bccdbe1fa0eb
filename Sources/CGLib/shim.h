#pragma once
#include <gio/gio.h>
#include <gio/gunixinputstream.h>
#include <glib-object.h>
#include <glib.h>
#include <linux/rtnetlink.h>

// Macros and variadic functions cannot be imported into Swift; each wrapper below is one call.

// Swift 6 refuses access to g_timeout_funcs, a mutable global.
static inline GSource *callrunner_find_timeout(GMainContext *context, gpointer data)
{
    return g_main_context_find_source_by_funcs_user_data(context, &g_timeout_funcs, data);
}

static inline GType callrunner_type_of(gpointer instance) { return G_OBJECT_TYPE(instance); }
