#pragma once
#include <SDL2/SDL.h>

// Macros and variadic functions cannot be imported into Swift; each wrapper below is one call.

// Declared as in SDL_syswm.h, which would also import all names of X11. The call fills up to 72 bytes: the requested
// version, then at byte 4 the window system (2 is X11), and at byte 8 X11's `Display *` and `Window`.
struct SDL_SysWMinfo;
extern DECLSPEC SDL_bool SDLCALL SDL_GetWindowWMInfo(SDL_Window *window, struct SDL_SysWMinfo *info);

static inline int callrunner_window_position_centered(void) { return SDL_WINDOWPOS_CENTERED; }
