#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// libphonenumber behind a C interface.
//
// Regions are two capital letters of ISO 3166-1. `digits` are the national digits of a number, after its calling
// code and without a trunk prefix. Texts are written with a final zero byte; functions that write one return its
// length, or -1 if there is none or it does not fit. Any text is accepted; all functions may be called on any thread.

// The size of a buffer that holds every text.
static const size_t callrunner_phone_size = 96;

// Calls `visit` with each region that has a calling code, in no particular order.
void callrunner_phone_regions(void *context, void (*visit)(void *context, const char *region, int32_t code));

// The region that a calling code stands for in the first place; -1 for an unknown code.
long callrunner_phone_main_region(int32_t code, char *buffer, size_t size);

// The region to which the digits after a calling code belong, even if the number is incomplete. If they leave it
// open, it is `hint`, provided that it has this code, else the main region.
long callrunner_phone_region(int32_t code, const char *digits, const char *hint, char *buffer, size_t size);

// Formats what was typed so far. `cursor` is the number of digits before the cursor, and is replaced by the cursor's
// place in the text.
long callrunner_phone_mask(int32_t code, const char *digits, size_t *cursor, char *buffer, size_t size);

// The national digits of an example of a mobile number, or of another one if a region has none.
long callrunner_phone_example(const char *region, char *buffer, size_t size);

// Whether a number may exist by its length.
bool callrunner_phone_is_possible(int32_t code, const char *digits);

// Whether a number has more digits than any with this calling code.
bool callrunner_phone_is_too_long(int32_t code, const char *digits);

// Reads a number as people write it, also with letters around it; a number without a calling code is one of
// `region`. Writes the national digits, and sets the calling code.
long callrunner_phone_read(const char *text, const char *region, int32_t *code, char *buffer, size_t size);

// Formats a number in E.164 for people, such as "+380 50 123 4567".
long callrunner_phone_format(const char *number, char *buffer, size_t size);

#ifdef __cplusplus
}
#endif
