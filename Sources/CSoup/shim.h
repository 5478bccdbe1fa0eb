#pragma once
#include <libsoup/soup.h>

// Macros and variadic functions cannot be imported into Swift; each wrapper below is one call.
