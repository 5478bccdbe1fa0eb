#pragma once

// Finds the function of a library that one of the executable takes the place of, for the library that called it from this
// address; NULL if there is none.
void *callrunner_original(const char *name, const void *caller);
