#pragma once

// Finds the function of a loaded library that one of the executable takes the place of; NULL if there is none.
void *callrunner_original(const char *name, const char *library);
