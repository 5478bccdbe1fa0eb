#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct {
    void *buffer;
    size_t size;
} Vector;  // GInputVector and GOutputVector

// Remembers the path of the message, or part of a stream, that this thread has received; `address` is that of its
// sender, NULL for a stream.
void callrunner_note_received(void *socket, void *address, const uint8_t *bytes, size_t count);
