"""Prints the table of tests/test_stream.c: the random stream of a row, written out a second time from the contract.

    python3 tests/golden/streams.py

Philox 4x32-10 (Salmon et al., 2011), key = seed, counter = (position of the new token, 0, FNV-1a 64 of the row's ID);
u = (first word >> 8) * 2^-24.
"""
M = 0xFFFFFFFF


def philox(key, c):
    k0, k1 = key & M, key >> 32
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(b >> 32) ^ c[1] ^ k0, b & M, (a >> 32) ^ c[3] ^ k1, a & M]
        k0, k1 = (k0 + 0x9E3779B9) & M, (k1 + 0xBB67AE85) & M
    return c


def fnv(data):
    h = 0xCBF29CE484222325
    for byte in data:
        h = ((h ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return h


for row, seed, position in [("A", 0, 1), ("A", 7, 1), ("A", 7, 2), ("B", 7, 1), ("行", 7, 1), ("row 12", 1 << 40, 4096),
                            ("C", 2**53 - 1, 3)]:
    h = fnv(row.encode())
    word = philox(seed, [position, 0, h & M, h >> 32])[0]
    print(f'\t{{"{row}", UINT64_C({seed}), {position}, 0x{word:08x}, 0x{word >> 8:x}p-24f}},')
