#!/usr/bin/env python3
"""The coefficients of erf's outer half in src/tensor/real_core.h. Needs mpmath.

erfc(x) * exp(x^2) for 1 <= x <= 10.5 as a polynomial in t, which runs from 1 to -1 as
u = 1 / (x + 3) runs from 1/4 to 1/13.5; Chebyshev interpolation with 14 coefficients.
"""
from mpmath import mp, mpf, erfc, exp, chebyfit, nstr

mp.prec = 200
U0, U1 = 1 / mpf("13.5"), 1 / mpf(4)
MIDDLE, HALF = (U0 + U1) / 2, (U1 - U0) / 2


def scaled_erfc(t):
    x = 1 / (MIDDLE + HALF * t) - 3
    return erfc(x) * exp(x * x)


coefficients, error = chebyfit(scaled_erfc, [-1, 1], 14, error=True)
print("largest error", nstr(error, 3))
print("t = a / (x + 3) - b with a =", float(1 / HALF).hex(), "b =", float(MIDDLE / HALF).hex())
for c in coefficients:
    print(float(c).hex())
