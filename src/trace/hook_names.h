/*
 * hook_names.h: what TransformerLens calls a tensor of a trace.
 *
 *     char name[HOOK_NAME_SIZE];
 *     if (hook_name(name, trace, "layers.0.attn.weights")) ...   // "blocks.0.attn.hook_pattern"
 *
 * Source: hook points of transformer_lens/HookedTransformer.py and components/ of github.com/TransformerLensOrg/TransformerLens.
 */
#ifndef TRACE_HOOK_NAMES_H
#define TRACE_HOOK_NAMES_H

#include <stdbool.h>

#include "trace/trace.h"

#define HOOK_NAME_SIZE 64

/* Writes the hook point's name, or for tokens and logits the name of what the model takes and gives; false, and "", where TransformerLens has
 * no such tensor. */
bool hook_name(char name[HOOK_NAME_SIZE], const struct trace *trace, const char *value);

#endif
