#!/usr/bin/env bash
# Makes flags.png, the flags of all regions that libphonenumber knows, and flags.json, where they are in it.
#
# The flags are those of Noto Color Emoji (SIL Open Font License 1.1), in cells of 48 × 36 pixels, row by row in the
# order of the regions' letters. A flag leaves one pixel at the edges of its cell transparent, so that no neighbour
# shows beside it when a graphics device enlarges it. Regions that have no flag in the font are left out and named.
#
# Usage: assets/make-flags.sh [FOLDER]       FONTS=DIR: where NotoColorEmoji.ttf is, if it is not installed
# needs: fonts-noto-color-emoji, g++, libpango1.0-dev, libphonenumber-dev, pkg-config, zopfli
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-$here}
fonts=${FONTS:-/usr/share/fonts/truetype/noto}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

if [[ ! -f $fonts/NotoColorEmoji.ttf ]]; then
    echo "$fonts has no NotoColorEmoji.ttf: install fonts-noto-color-emoji" >&2
    exit 1
fi

# With this font alone, the result does not depend on the others that are installed.
mkdir "$scratch/fonts"
cp "$fonts/NotoColorEmoji.ttf" "$scratch/fonts"
cat > "$scratch/fonts.conf" <<CONFIGURATION
<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>$scratch/fonts</dir><cachedir>$scratch/cache</cachedir></fontconfig>
CONFIGURATION

cat > "$scratch/flags.cpp" <<'PROGRAM'
#include <pango/pangocairo.h>
#include <phonenumbers/phonenumberutil.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <set>
#include <string>
#include <vector>

namespace {

constexpr int columns = 16, cellWidth = 48, cellHeight = 36, margin = 1;
// The font's pictures have 136 × 128 pixels, which it is drawn in at this size.
constexpr int side = 192, fontPixels = 109;

struct Flag {
    std::string region;
    cairo_surface_t *surface;
    int left, top, right, bottom;
};

// The region's two letters as regional indicators, U+1F1E6 to U+1F1FF.
std::string emoji(const std::string &region) {
    std::string text;
    for (char letter : region) text += std::string("\xF0\x9F\x87") + static_cast<char>(0xA6 + (letter - 'A'));
    return text;
}

// Draws the flag and finds its edges; false if the font has none, but shows the two letters.
bool draw(const std::string &region, PangoFontDescription *font, Flag &flag) {
    flag = {region, cairo_image_surface_create(CAIRO_FORMAT_ARGB32, side, side), side, side, 0, 0};
    cairo_t *context = cairo_create(flag.surface);
    PangoLayout *layout = pango_cairo_create_layout(context);
    pango_layout_set_font_description(layout, font);
    pango_layout_set_text(layout, emoji(region).c_str(), -1);
    PangoRectangle extents;
    pango_layout_get_pixel_extents(layout, nullptr, &extents);
    const bool isFlag = pango_layout_get_unknown_glyphs_count(layout) == 0 && extents.width < side;
    cairo_move_to(context, 16, 16);
    pango_cairo_show_layout(context, layout);
    g_object_unref(layout);
    cairo_destroy(context);
    cairo_surface_flush(flag.surface);
    const unsigned char *bytes = cairo_image_surface_get_data(flag.surface);
    const int stride = cairo_image_surface_get_stride(flag.surface);
    for (int y = 0; y < side; ++y)
        for (int x = 0; x < side; ++x) {
            if (reinterpret_cast<const uint32_t *>(bytes + y * stride)[x] >> 24 < 128) continue;
            flag.left = std::min(flag.left, x), flag.right = std::max(flag.right, x + 1);
            flag.top = std::min(flag.top, y), flag.bottom = std::max(flag.bottom, y + 1);
        }
    return isFlag && flag.right > flag.left;
}

// Draws the flag in the middle of its cell, as large as it fits.
void place(const Flag &flag, cairo_t *atlas, int index) {
    const double width = flag.right - flag.left, height = flag.bottom - flag.top;
    const double scale = std::min((cellWidth - 2 * margin) / width, (cellHeight - 2 * margin) / height);
    cairo_save(atlas);
    cairo_translate(atlas, index % columns * cellWidth, index / columns * cellHeight);
    cairo_rectangle(atlas, margin, margin, cellWidth - 2 * margin, cellHeight - 2 * margin);
    cairo_clip(atlas);
    cairo_translate(atlas, cellWidth / 2.0, cellHeight / 2.0);
    cairo_scale(atlas, scale, scale);
    cairo_set_source_surface(atlas, flag.surface, -flag.left - width / 2, -flag.top - height / 2);
    cairo_pattern_set_filter(cairo_get_source(atlas), CAIRO_FILTER_BEST);
    cairo_paint(atlas);
    cairo_restore(atlas);
}

// Rounds the colors to 6 bits: no eye sees it, and the file becomes smaller by a fifth.
void round(cairo_surface_t *atlas) {
    cairo_surface_flush(atlas);
    unsigned char *bytes = cairo_image_surface_get_data(atlas);
    const int rows = cairo_image_surface_get_height(atlas), width = cairo_image_surface_get_width(atlas);
    for (int y = 0; y < rows; ++y, bytes += cairo_image_surface_get_stride(atlas))
        for (int x = 0; x < width; ++x) {
            uint32_t &pixel = reinterpret_cast<uint32_t *>(bytes)[x];
            // The colors of nearly transparent pixels, divided by their opacity, would be speckles.
            if (pixel >> 24 < 16) pixel = 0;
            // The colors of other pixels are multiplied by their opacity, and may not exceed it.
            if (pixel >> 24 < 255) continue;
            uint32_t rounded = 0xFF000000;
            for (int shift : {16, 8, 0})
                rounded |= std::min(255u, ((pixel >> shift & 0xFF) + 2) / 4 * 4) << shift;
            pixel = rounded;
        }
    cairo_surface_mark_dirty(atlas);
}

}  // namespace

int main(int, char **arguments) {
    std::set<std::string> regions;
    i18n::phonenumbers::PhoneNumberUtil::GetInstance()->GetSupportedRegions(&regions);
    PangoFontDescription *font = pango_font_description_from_string("Noto Color Emoji");
    pango_font_description_set_absolute_size(font, fontPixels * PANGO_SCALE);

    std::vector<Flag> flags;
    for (const std::string &region : regions) {
        Flag flag;
        if (draw(region, font, flag)) flags.push_back(flag);
        else std::cerr << "no flag of " << region << "\n";
    }
    const int count = static_cast<int>(flags.size()), rows = (count + columns - 1) / columns;
    cairo_surface_t *atlas =
        cairo_image_surface_create(CAIRO_FORMAT_ARGB32, columns * cellWidth, rows * cellHeight);
    cairo_t *context = cairo_create(atlas);
    for (int index = 0; index < count; ++index) place(flags[index], context, index);
    cairo_destroy(context);
    round(atlas);
    if (cairo_surface_write_to_png(atlas, arguments[1]) != CAIRO_STATUS_SUCCESS) return 1;

    std::ofstream index(arguments[2]);
    index << "{\n    \"width\": " << cellWidth << ",\n    \"height\": " << cellHeight << ",\n    \"columns\": "
          << columns << ",\n    \"regions\": [";
    for (int number = 0; number < count; ++number)
        index << (number ? "," : "") << (number % columns ? " " : "\n        ") << '"' << flags[number].region << '"';
    index << "\n    ]\n}\n";
    return index.flush() ? 0 : 1;
}
PROGRAM

flags=$(pkg-config --cflags --libs pangocairo)
# shellcheck disable=SC2086 # the compiler's flags are separate words
g++ -std=c++17 -O1 -w -o "$scratch/flags" "$scratch/flags.cpp" -lphonenumber $flags
FONTCONFIG_FILE=$scratch/fonts.conf "$scratch/flags" "$scratch/flags.png" "$scratch/flags.json"
zopflipng -y --iterations=15 "$scratch/flags.png" "$scratch/small.png" > "$scratch/zopfli.log"

install -m 644 "$scratch/small.png" "$folder/flags.png"
install -m 644 "$scratch/flags.json" "$folder/flags.json"
echo "$folder/flags.png: $(stat -c %s "$folder/flags.png") bytes"
