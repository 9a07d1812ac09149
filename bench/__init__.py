"""Measures every figure that the README gives: ``python -m bench --help``."""
