"""In what encoding a file is."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.formats import decode


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (b"", "utf-8"),
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (b"", "utf-16-le"),
        (b"", "utf-16-be"),
        (b"", "cp1252"),
        (b"", "latin-1"),
    ],
)
def test_encodings(mark: bytes, encoding: str) -> None:
    text = " 5 point match\r\n\r\n Game 1\n José : 0   Zoë : 0\n"
    assert decode(mark + text.encode(encoding)) == text


def test_lines_in_different_encodings() -> None:
    data = "José\n".encode() + "Zoë – é\n".encode("cp1252") + b"\x81\xe9\n"
    assert decode(data) == "José\nZoë – é\n\x81é\n"


@given(st.binary(max_size=500))
def test_any_bytes_have_a_text(data: bytes) -> None:
    assert len(decode(data)) <= len(data)
