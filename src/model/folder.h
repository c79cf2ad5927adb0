/*
 * folder.h: whether a folder is a Hugging Face model, and what to give instead when it only holds model files of other formats.
 *
 *     if (!folder_has_config(path, err)) ...   // "... it holds stories260K.bin; give that file"
 */
#ifndef MODEL_FOLDER_H
#define MODEL_FOLDER_H

#include "base/err.h"

/* Whether config.json is there; else an input error that names the folder and the model files in it. */
bool folder_has_config(const char *folder, struct err *err);

#endif
