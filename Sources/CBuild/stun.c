#include "stun.h"

unsigned callrunner_stun_number(const uint8_t *bytes) { return (unsigned)bytes[0] << 8 | bytes[1]; }

// Returns whether there is a whole attribute at a place, and sets `size` to the size of its value.
static int has_attribute(const uint8_t *message, size_t length, size_t place, size_t *size) {
    if (place + STUN_ATTRIBUTE_HEADER > length) return 0;
    *size = callrunner_stun_number(message + place + 2);
    return *size <= length - place - STUN_ATTRIBUTE_HEADER;
}

static size_t place_after(size_t place, size_t size) { return place + STUN_ATTRIBUTE_HEADER + (size + 3) / 4 * 4; }

const uint8_t *callrunner_stun_value(
    const uint8_t *message, size_t length, unsigned type, size_t longest, size_t *size
) {
    for (size_t place = STUN_HEADER; has_attribute(message, length, place, size); place = place_after(place, *size))
        if (callrunner_stun_number(message + place) == type && *size <= longest)
            return message + place + STUN_ATTRIBUTE_HEADER;
    return NULL;
}

int callrunner_stun_has_size(
    const uint8_t *message, size_t length, unsigned type, size_t shortest, size_t longest
) {
    size_t size;
    for (size_t place = STUN_HEADER; has_attribute(message, length, place, &size); place = place_after(place, size))
        if (callrunner_stun_number(message + place) == type && (size < shortest || size > longest)) return 0;
    return 1;
}
