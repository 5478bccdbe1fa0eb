#include "context.hpp"

#include <cstring>

#include <imgui/imgui_freetype.h>

// The glyph ranges: Latin with accents, Greek, Cyrillic, typographic punctuation, the euro sign, №, arrows, the minus
// sign, and U+FFFD, which replaces characters that a font lacks.
static const ImWchar ranges[] = {
    0x20, 0x7E, 0xA0, 0x17F, 0x370, 0x3FF, 0x400, 0x4FF, 0x2010, 0x2027, 0x2030, 0x203A, 0x20AC, 0x20AC, 0x2116, 0x2116,
    0x2190, 0x2193, 0x2212, 0x2212, 0xFFFD, 0xFFFD, 0,
};

void cig_fonts_forget(cig_context *context) {
    auto &atlas = *context->io().Fonts;
    atlas.Clear();
    // The width and the height of the atlas are powers of two, so that texture coordinates are exact. Otherwise a
    // renderer that truncates fractions would lose rows of pixels of the glyphs.
    atlas.Flags |= ImFontAtlasFlags_NoMouseCursors;
    atlas.FontBuilderIO = ImGuiFreeType::GetBuilderForFreeType();
    atlas.FontBuilderFlags = ImGuiFreeTypeBuilderFlags_LightHinting;
}

bool cig_fonts_add(cig_context *context, const void *bytes, size_t count, float pixels) {
    if (count < 12 || count > size_t(1) << 30) return false;
    auto &atlas = *context->io().Fonts;
    void *copy = IM_ALLOC(count);
    if (!copy) return false;
    std::memcpy(copy, bytes, count);
    ImFontConfig config;
    config.PixelSnapH = true;
    // The atlas frees the copy.
    return atlas.AddFontFromMemoryTTF(copy, int(count), pixels, &config, ranges) != nullptr;
}

void cig_fonts_add_builtin(cig_context *context, float pixels) {
    ImFontConfig config;
    config.SizePixels = pixels;
    config.PixelSnapH = true;
    context->io().Fonts->AddFontDefault(&config);
}

const uint8_t *cig_fonts_build(cig_context *context, int *width, int *height) {
    auto &atlas = *context->io().Fonts;
    unsigned char *pixels = nullptr;
    if (!atlas.Build()) return nullptr;
    atlas.GetTexDataAsAlpha8(&pixels, width, height);
    return pixels;
}

void cig_fonts_set_texture(cig_context *context, void *texture) {
    auto &atlas = *context->io().Fonts;
    atlas.SetTexID(texture);
    atlas.ClearTexData();
    atlas.ClearInputData();
}

void cig_fonts_enlarge(cig_context *context, float factor) {
    for (auto font : context->io().Fonts->Fonts) font->Scale = factor;
}

cig_size cig_text_size(cig_context *context, int font, const char *text, size_t count) {
    auto chosen = context->font(font);
    auto size = chosen->CalcTextSizeA(chosen->FontSize * chosen->Scale, 1e9f, 0, text, text + count);
    return {size.x, size.y};
}
