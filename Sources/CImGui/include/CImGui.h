#pragma once

// The part of Dear ImGui that CallWindow draws with, as plain C: fonts, a list of shapes for each frame, and a field
// for a line of text. Lengths are pixels, y downwards; colours have red in their lowest byte and opacity in the
// highest. One thread, and between `cig_frame_begin` and `cig_frame_end` one context.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cig_context cig_context;

typedef struct {
    float left, top, right, bottom;
} cig_rect;

typedef struct {
    float width, height;
} cig_size;

/// What gets text from other programs and gives it to them.
typedef struct {
    char *(*get)(void);
    int (*set)(const char *text);
    /// Frees what `get` returned.
    void (*release)(void *text);
} cig_clipboard;

cig_context *cig_create(cig_clipboard clipboard);
void cig_destroy(cig_context *context);

// Fonts. Between frames: forget, add, build, and tell where the texture is.

void cig_fonts_forget(cig_context *context);
/// Adds a copy of a font of TrueType or OpenType; false where there is nothing in it.
bool cig_fonts_add(cig_context *context, const void *bytes, size_t count, float pixels);
/// Adds the font that is built in, which has Latin letters only.
void cig_fonts_add_builtin(cig_context *context, float pixels);
/// Draws all letters into one picture of opacities; null where a font cannot be read.
const uint8_t *cig_fonts_build(cig_context *context, int *width, int *height);
/// Says which texture holds that picture, and frees it.
void cig_fonts_set_texture(cig_context *context, void *texture);
/// Draws all letters so many times as large as they were built.
void cig_fonts_enlarge(cig_context *context, float factor);
cig_size cig_text_size(cig_context *context, int font, const char *text, size_t count);

// What the user does, before the frame that shall know of it.

enum {
    CIG_KEY_LEFT, CIG_KEY_RIGHT, CIG_KEY_HOME, CIG_KEY_END, CIG_KEY_DELETE, CIG_KEY_BACKSPACE,
    CIG_KEY_A, CIG_KEY_C, CIG_KEY_V, CIG_KEY_X, CIG_KEY_Y, CIG_KEY_Z, CIG_KEY_COUNT
};

void cig_mouse(cig_context *context, float x, float y, bool is_down);
void cig_key(cig_context *context, int key, bool is_down, bool ctrl, bool shift);
void cig_letters(cig_context *context, const char *text);

// A frame.

void cig_frame_begin(cig_context *context, float width, float height, float seconds);
void cig_frame_end(cig_context *context);

void cig_fill(cig_context *context, cig_rect rect, uint32_t color);
/// The part `uv` of a texture, whole from 0 to 1.
void cig_image(cig_context *context, void *texture, cig_rect rect, cig_rect uv, uint32_t color);
/// A part of a circle's outline; angles in radians, clockwise from the right.
void cig_arc(
    cig_context *context, float x, float y, float radius, float from, float to, float thickness, uint32_t color
);
void cig_text(
    cig_context *context, int font, float x, float y, const char *text, size_t count, uint32_t color
);
void cig_clip_push(cig_context *context, cig_rect rect);
void cig_clip_pop(cig_context *context);

typedef struct {
    uint32_t id;
    cig_rect rect;
    int font;
    float padding;
    const char *hint;
    bool is_password, is_digits;
    /// Whether it shall take the keyboard, with all of its text selected, or give it up.
    bool takes_focus, gives_up_focus;
    uint32_t color, hint_color, selection_color;
} cig_field;

/// Lets the user edit the text, which ends in zero within `capacity` bytes; true if the field has the keyboard.
bool cig_edit(cig_context *context, const cig_field *field, char *text, size_t capacity);
/// Whether the pointer is over a field of this frame.
bool cig_wants_text_cursor(cig_context *context);

// What the last frame came to; valid until the next begins.

typedef struct {
    float x, y, u, v;
    uint32_t color;
} cig_vertex;

typedef struct {
    cig_rect clip;
    void *texture;
    const cig_vertex *vertices;
    int vertex_count;
    const uint16_t *indices;
    int index_count;
} cig_command;

/// Hands over one drawing after the other; false after the last.
bool cig_command_at(cig_context *context, int index, cig_command *command);
/// The same for frames that look the same.
uint64_t cig_frame_digest(cig_context *context);

#ifdef __cplusplus
}
#endif
