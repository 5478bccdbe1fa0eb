#include "original.h"
#include <dlfcn.h>
#include <stddef.h>

// Plugins of GStreamer load the libraries, so that they are not among those that RTLD_NEXT searches.
void *callrunner_original(const char *name, const char *library) {
    void *handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    if (!handle) return NULL;
    void *function = dlsym(handle, name);
    dlclose(handle);
    return function;
}
