#pragma once
#include <SDL2/SDL.h>

// Macros and variadic functions cannot be imported into Swift; each wrapper below is one call.

// As SDL_syswm.h declares it, which brings all the names of X along. It fills up to 72 bytes: the version that is asked
// for, from the fourth on what the display is (2 for X11), from the eighth on X11's `Display *` and `Window`.
struct SDL_SysWMinfo;
extern DECLSPEC SDL_bool SDLCALL SDL_GetWindowWMInfo(SDL_Window *window, struct SDL_SysWMinfo *info);

static inline int callrunner_window_position_centered(void) { return SDL_WINDOWPOS_CENTERED; }
