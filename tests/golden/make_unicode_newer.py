#!/usr/bin/env python3
"""Write src/text/unicode_newer.c and newer_classes.h: where the tables of Hugging Face tokenizers are of another year than ours.

    pip install tokenizers==0.23.3 unicodedata2==18.0.0
    python3 tests/golden/make_unicode_newer.py

Its normal forms and accents follow Unicode 9 (2016). A character given a combining class, a decomposition or the category of a mark since then
is, to it, a character like any other. Its own punctuation is that of Unicode 8, its own numbers and words are those of Unicode 16 or 17, its
regular expressions have Unicode 16;
PCRE2 10.42 has Unicode 14, as Python 3.11 has.
"""
import pathlib
import unicodedata

import tokenizers
import unicodedata2
from tokenizers import Regex, normalizers, pre_tokenizers

assert unicodedata.unidata_version == "14.0.0"
OUT = pathlib.Path(__file__).resolve().parents[2] / "src/text/unicode_newer.c"
HEADER = OUT.with_name("newer_classes.h")
ALL = [chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000]
strip, nfkd, nfd, lower = normalizers.StripAccents(), normalizers.NFKD(), normalizers.NFD(), normalizers.Lowercase()

off = dict(clean_text=False, handle_chinese_chars=False, strip_accents=False, lowercase=False)
bert_accents = normalizers.BertNormalizer(**{**off, "strip_accents": True})
bert_clean = normalizers.BertNormalizer(**{**off, "clean_text": True})


def reorders(c):
    """Whether a mark of another class changes places with it."""
    return any(nfd.normalize_str("a" + "".join(pair)) != "a" + "".join(pair) for p in "\u0334\u0345\u0301" for pair in ((p, c), (c, p)))


def is_newer(c):
    unknown = strip.normalize_str("x" + c) != "x"
    mark = unicodedata2.category(c)[0] == "M" and unknown
    if unicodedata2.combining(c):
        assert mark == (not reorders(c)), hex(ord(c))
    form = unicodedata2.normalize("NFKD", c)
    decomposed = form != c and nfkd.normalize_str(c) == c
    assert decomposed or nfkd.normalize_str(c) == form, hex(ord(c))
    return mark or decomposed


def ranges(points):
    found = []
    for c in points:
        if found and found[-1][1] == c - 1:
            found[-1][1] = c
        else:
            found.append([c, c])
    return found


def small_letters():
    """[first, last, how far on the small letter is] of the capitals since Unicode 15."""
    found = []
    for c, small in ((ord(c), lower.normalize_str(c)) for c in ALL if lower.normalize_str(c) != c.lower()):
        assert len(small) == 1
        distance = ord(small) - c
        if found and found[-1][1:] == [c - 1, distance]:
            found[-1][1] = c
        else:
            found.append([c, c, distance])
    return "\n".join(f"\t{{0x{first:x}, 0x{last:x}, {distance}}}," for first, last, distance in found)


def pieces(pre, c):
    return [text for text, _ in pre.pre_tokenize_str("a" + c + "a")]


def classes():
    """Ranges to add to a class of PCRE2's, or to take from it, as Hugging Face's own class has them."""
    digits, words, punctuation = pre_tokenizers.Digits(True), pre_tokenizers.Whitespace(), pre_tokenizers.Punctuation()
    numbers = [c for c in ALL if len(pieces(digits, c)) == 3 and unicodedata.category(c)[0] != "N"]
    letters = [c for c in ALL if len(pieces(words, c)) == 1 and unicodedata.category(c) == "Cn"]
    marks = [c for c in ALL if unicodedata2.category(c)[0] == "P" and len(pieces(punctuation, c)) == 1]
    found = {"NUMBERS": numbers, "WORDS": letters, "PUNCTUATION": marks}
    for category in "LMNPS":
        split = pre_tokenizers.Split(Regex(rf"\p{{{category}}}"), "removed")
        found[category] = [c for c in ALL if not split.pre_tokenize_str(c) and unicodedata.category(c)[0] != category]
    return found


def macro(name, characters):
    parts = [f"\\x{{{a:X}}}" if a == b else f"\\x{{{a:X}}}-\\x{{{b:X}}}" for a, b in ranges([ord(c) for c in characters])]
    lines = [""]
    for part in (part.replace("\\", "\\\\") for part in parts):
        if len(lines[-1]) + len(part) > 110:
            lines.append("")
        lines[-1] += part
    return f"#define NEWER_{name} \\\n" + " \\\n".join(f'\t"{line}"' for line in lines) + "\n"


def table(characters):
    pairs = [f"{{0x{first:x}, 0x{last:x}}}," for first, last in ranges([ord(c) for c in characters])]
    return "\n".join("\t" + " ".join(pairs[i:i + 6]) for i in range(0, len(pairs), 6))


def main():
    found = classes()
    HEADER.write_text(f"""/*
 * newer_classes.h: characters of classes that Hugging Face tokenizers knows from tables of another year than PCRE2's, for use within [].
 * Written by tests/golden/make_unicode_newer.py: tokenizers {tokenizers.__version__} beside PCRE2 10.42.
 *
 *     "[\\\\p{{N}}" NEWER_NUMBERS "]"
 */
#ifndef TEXT_NEWER_CLASSES_H
#define TEXT_NEWER_CLASSES_H

/* Of the stages Digits and Whitespace, since Unicode 15; of Punctuation, since Unicode 9, and these are none to it; of regular expressions,
 * by category, since Unicode 15. */
""" + "".join(macro(name, part) for name, part in found.items()) + "\n#endif\n", encoding="utf-8")
    OUT.write_text(f"""/* Written by tests/golden/make_unicode_newer.py: Hugging Face tokenizers {tokenizers.__version__} beside Unicode {unicodedata2.unidata_version}. */
#include "text/unicode.h"

struct range {{
	uint32_t first, last;
}};

static const struct range newer[] = {{
{table(c for c in ALL if is_newer(c))}
}};

static const struct range words[] = {{
{table(found["WORDS"])}
}};

static const struct range plain[] = {{
{table(c for c in ALL if unicodedata2.category(c) == "Mn" and not is_newer(c) and bert_accents.normalize_str("x" + c) != "x")}
}};

static const struct range unseen[] = {{
{table(c for c in ALL if bert_clean.normalize_str("x" + c) == "x" and c != " ")}
}};

static const struct shift {{
	uint32_t first, last;
	int32_t distance;
}} small[] = {{
{small_letters()}
}};

static bool is_in(const struct range *ranges, size_t count, uint32_t c)
{{
	size_t low = 0, high = count;
	while (low < high) {{
		size_t middle = low + (high - low) / 2;
		if (ranges[middle].last < c)
			low = middle + 1;
		else
			high = middle;
	}}
	return low < count && ranges[low].first <= c;
}}

bool unicode_is_newer(uint32_t c)
{{
	return is_in(newer, sizeof newer / sizeof newer[0], c);
}}

bool unicode_is_newer_word(uint32_t c)
{{
	return is_in(words, sizeof words / sizeof words[0], c);
}}

bool unicode_is_plain(uint32_t c)
{{
	return is_in(plain, sizeof plain / sizeof plain[0], c);
}}

bool unicode_is_unseen(uint32_t c)
{{
	return is_in(unseen, sizeof unseen / sizeof unseen[0], c);
}}

uint32_t unicode_newer_lower(uint32_t c)
{{
	for (size_t i = 0; i < sizeof small / sizeof small[0]; i++) {{
		if (c >= small[i].first && c <= small[i].last)
			return (uint32_t)((int32_t)c + small[i].distance);
	}}
	return c;
}}
""", encoding="utf-8")


if __name__ == "__main__":
    main()
