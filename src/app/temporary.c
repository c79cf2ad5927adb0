#include "app/temporary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

bool temporary_make(char folder[TEMPORARY_SIZE], struct err *err)
{
	const char *base = getenv("TMPDIR");
	if (base == NULL || base[0] == '\0')
		base = "/tmp";
	if (strlen(base) > TEMPORARY_SIZE - 32)
		return err_system(err, base, ENAMETOOLONG, "the folder for temporary files has too long a name");
	snprintf(folder, TEMPORARY_SIZE, "%s/rowscope-XXXXXX", base);
	if (mkdtemp(folder) != NULL)
		return true;
	return err_system(err, base, errno, "no temporary folder can be made here; set TMPDIR to a folder that can be written");
}

void temporary_remove(const char *folder)
{
	file_remove_folder(folder);
}
