#pragma once
#include <libsecret/secret.h>

// Swift can import neither these C constants nor variadic functions.

// The schema with which our secrets are stored in the user's keyring.
static inline const SecretSchema *callrunner_secret_schema(void)
{
    static const SecretSchema schema = {
        "org.callrunner.Secret",
        SECRET_SCHEMA_NONE,
        { { "name", SECRET_SCHEMA_ATTRIBUTE_STRING }, { NULL, SECRET_SCHEMA_ATTRIBUTE_STRING } },
    };
    return &schema;
}

// Returns attributes (transfer full), which must be released with g_hash_table_unref.
static inline GHashTable *callrunner_secret_attributes(const char *name)
{
    return secret_attributes_build(callrunner_secret_schema(), "name", name, NULL);
}
