#include "stun.h"

unsigned callrunner_stun_number(const uint8_t *bytes) { return (unsigned)bytes[0] << 8 | bytes[1]; }

const uint8_t *callrunner_stun_value(
    const uint8_t *message, size_t length, unsigned type, size_t longest, size_t *size
) {
    for (size_t place = STUN_HEADER; place + STUN_ATTRIBUTE_HEADER <= length;) {
        *size = callrunner_stun_number(message + place + 2);
        if (*size > length - place - STUN_ATTRIBUTE_HEADER) return NULL;
        if (callrunner_stun_number(message + place) == type && *size <= longest)
            return message + place + STUN_ATTRIBUTE_HEADER;
        place += STUN_ATTRIBUTE_HEADER + (*size + 3) / 4 * 4;
    }
    return NULL;
}
