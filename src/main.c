#include <stdio.h>

int main(void)
{
	puts("rowscope " ROWSCOPE_VERSION);
	return 0;
}
