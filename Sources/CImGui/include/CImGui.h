#pragma once

// A plain C interface to the part of Dear ImGui that CallWindow uses: fonts, a draw list per frame, and a single-line
// text field. Lengths are in pixels, and y points down. A color has red in its lowest byte and opacity in its highest
// byte. Use the interface on one thread, with only one context between `cig_frame_begin` and `cig_frame_end`.

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

/// Functions that read and write the clipboard.
typedef struct {
    char *(*get)(void);
    int (*set)(const char *text);
    /// Frees the text that `get` returned.
    void (*release)(void *text);
} cig_clipboard;

cig_context *cig_create(cig_clipboard clipboard);
void cig_destroy(cig_context *context);

// Fonts. Call these functions between two frames, in this order: forget, add, build, set the texture.

void cig_fonts_forget(cig_context *context);
/// Adds a copy of a TrueType or OpenType font; false if the data is unusable.
bool cig_fonts_add(cig_context *context, const void *bytes, size_t count, float pixels);
/// Adds the built-in font, which has Latin letters only.
void cig_fonts_add_builtin(cig_context *context, float pixels);
/// Renders all glyphs into one image with 8 bits of opacity per pixel; null if a font cannot be read.
const uint8_t *cig_fonts_build(cig_context *context, int *width, int *height);
/// Sets the texture that holds the image of the glyphs, and frees the image.
void cig_fonts_set_texture(cig_context *context, void *texture);
/// Scales all text by `factor`, relative to the size at which the glyphs were built.
void cig_fonts_enlarge(cig_context *context, float factor);
cig_size cig_text_size(cig_context *context, int font, const char *text, size_t count);

// User input, reported before the frame that it affects.

enum {
    CIG_KEY_LEFT, CIG_KEY_RIGHT, CIG_KEY_HOME, CIG_KEY_END, CIG_KEY_DELETE, CIG_KEY_BACKSPACE,
    CIG_KEY_A, CIG_KEY_C, CIG_KEY_V, CIG_KEY_X, CIG_KEY_Y, CIG_KEY_Z, CIG_KEY_COUNT
};

void cig_mouse(cig_context *context, float x, float y, bool is_down);
void cig_key(cig_context *context, int key, bool is_down, bool ctrl, bool shift);
void cig_letters(cig_context *context, const char *text);

// Drawing a frame.

void cig_frame_begin(cig_context *context, float width, float height, float seconds);
void cig_frame_end(cig_context *context);

void cig_fill(cig_context *context, cig_rect rect, uint32_t color);
/// Draws the part `uv` of a texture; coordinates run from 0 to 1.
void cig_image(cig_context *context, void *texture, cig_rect rect, cig_rect uv, uint32_t color);
/// Draws an arc of a circle's outline; angles are in radians, clockwise from the right.
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
    /// Whether the field gets the keyboard focus, with all of its text selected, or loses it.
    bool takes_focus, gives_up_focus;
    uint32_t color, hint_color, selection_color;
} cig_field;

/// Shows a text field in which the user edits `text`, null-terminated within `capacity` bytes; true if the field has
/// the focus.
bool cig_edit(cig_context *context, const cig_field *field, char *text, size_t capacity);
/// Whether the mouse pointer is over a text field of this frame.
bool cig_wants_text_cursor(cig_context *context);

// The output of the last frame, valid until the next frame begins.

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

/// Copies the draw command at `index`; false if there is none.
bool cig_command_at(cig_context *context, int index, cig_command *command);
/// A digest of the last frame; frames that look the same have the same digest.
uint64_t cig_frame_digest(cig_context *context);

#ifdef __cplusplus
}
#endif
