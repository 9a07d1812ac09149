from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.webui.fake_feed import FakeFeed


@pytest.fixture
def feed() -> Iterator[FakeFeed]:
    feed = FakeFeed()
    yield feed
    feed.close()
