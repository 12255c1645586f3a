"""The normal and Student's distribution, checked against SciPy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special as scipy_special  # type: ignore[import-untyped]

from tournament.statistics import special

FREEDOM = (1, 1.5, 2, 3, 7.3, 10, 50, 99, 101, 333, 1e3, 1e4, 1e5, 1e6)


def test_normal_distribution() -> None:
    x = np.concatenate([np.linspace(-30.0, 30.0, 3001), [2.999999, 3.0, 3.000001, 1e3, 1e6]])
    np.testing.assert_allclose(
        special.mills(x), math.sqrt(math.pi / 2) * scipy_special.erfcx(x / math.sqrt(2)), rtol=1e-12
    )
    np.testing.assert_allclose(special.log_ndtr(x), scipy_special.log_ndtr(x), rtol=1e-12, atol=1e-190)
    assert special.mills(-1e9) == math.inf
    for p in (*np.linspace(0.001, 0.999, 500), *10.0 ** -np.arange(3, 300)):
        assert special.ndtri(float(p)) == pytest.approx(float(scipy_special.ndtri(p)), rel=1e-12, abs=1e-15)
    assert (special.ndtri(0.0), special.ndtri(1.0)) == (-math.inf, math.inf)


@pytest.mark.parametrize("freedom", FREEDOM)
def test_students_distribution(freedom: float) -> None:
    t = np.concatenate([np.linspace(-12.0, 12.0, 401), [-1e3, 1e3, -np.inf, np.inf, np.nan]])
    np.testing.assert_allclose(special.stdtr(freedom, t), scipy_special.stdtr(freedom, t), rtol=2e-9, atol=1e-300)
    p = np.array([0.5, 0.6, 0.8, 0.9, 0.95, 0.975, 0.99, 0.995, 0.9995, 0.025, 0.1, 1e-6, np.nan])
    np.testing.assert_allclose(special.stdtrit(freedom, p), scipy_special.stdtrit(freedom, p), rtol=1e-8, atol=1e-15)


def test_students_distribution_takes_arrays_of_degrees_of_freedom() -> None:
    freedom = np.array(FREEDOM)
    np.testing.assert_allclose(special.stdtrit(freedom, 0.975), scipy_special.stdtrit(freedom, 0.975), rtol=1e-9)
    many = special.stdtr(np.array([1e8, np.inf]), 1.0)
    np.testing.assert_allclose(many, scipy_special.ndtr(1.0), rtol=1e-7)
