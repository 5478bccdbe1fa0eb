#pragma once
#include <gio/gio.h>
#include <gio/gunixinputstream.h>
#include <gio/gunixoutputstream.h>
#include <glib-object.h>
#include <glib.h>
#include <linux/inet_diag.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <sys/epoll.h>

// Of glibc, which declares them only with _GNU_SOURCE. Headers with their constants conflict with Swift's Glibc.
int renameat2(int, const char *, int, const char *, unsigned int);
int memfd_create(const char *, unsigned int);
int pipe2(int *, int);

// Macros and variadic functions cannot be imported into Swift; each wrapper below is one call.

// Swift 6 refuses access to g_timeout_funcs, a mutable global.
static inline GSource *callrunner_find_timeout(GMainContext *context, gpointer data)
{
    return g_main_context_find_source_by_funcs_user_data(context, &g_timeout_funcs, data);
}

// Renames a file unless one with the new name exists.
static inline int callrunner_rename_without_replacing(const char *path, const char *other)
{
    const int current_folder = -100;            // AT_FDCWD
    const unsigned int without_replacing = 1u;  // RENAME_NOREPLACE
    return renameat2(current_folder, path, current_folder, other, without_replacing);
}

static inline GType callrunner_type_of(gpointer instance) { return G_OBJECT_TYPE(instance); }
