#pragma once
#include <SDL2/SDL.h>

// Macros and variadic functions cannot be imported into Swift; each wrapper below is one call.

static inline int callrunner_window_position_centered(void) { return SDL_WINDOWPOS_CENTERED; }
