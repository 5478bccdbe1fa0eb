#pragma once
#include <stddef.h>
#include <stdint.h>

// The sizes of the header of a message and of an attribute (RFC 8489 §5, §14).
enum { STUN_HEADER = 20, STUN_ATTRIBUTE_HEADER = 4 };

// Reads a number of two bytes, in network byte order.
unsigned callrunner_stun_number(const uint8_t *bytes);

// Returns whether the values of all attributes of a type have `shortest` to `longest` bytes; attributes behind one that
// exceeds the message are not read.
int callrunner_stun_has_size(
    const uint8_t *message, size_t length, unsigned type, size_t shortest, size_t longest
);

// Finds the first attribute of a type whose value has at most `longest` bytes, and sets `size` to the size of its value;
// NULL if there is none, or if an attribute before it exceeds the message, which is at least as long as its header.
const uint8_t *callrunner_stun_value(
    const uint8_t *message, size_t length, unsigned type, size_t longest, size_t *size
);
