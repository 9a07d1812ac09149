"""The server: its own threads, its own port, an orderly end."""

from __future__ import annotations

import http.client
import socket
import threading
import time

import pytest

from tests.webui.fake_feed import FakeFeed
from webui.app import create_app
from webui.server import CannotListen, Server, serve


def get(server: Server, path: str) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)
    connection.request("GET", path)
    return connection, connection.getresponse()


def status(server: Server, path: str) -> int:
    connection, response = get(server, path)
    connection.close()
    response.close()
    return response.status


def test_a_free_port_an_answer_and_no_thread_left(feed: FakeFeed) -> None:
    before = set(threading.enumerate())
    server = serve(create_app(feed, max_streams=2), port=0, max_streams=2)
    assert server.url == f"http://127.0.0.1:{server.port}/"
    assert status(server, "/healthz") == 200
    connection, stream = get(server, "/stream")
    assert b"retry" in stream.readline()
    feed.close()
    server.close()
    server.close()
    connection.close()
    stream.close()
    deadline = time.monotonic() + 3
    while set(threading.enumerate()) - before and time.monotonic() < deadline:
        time.sleep(0.02)
    assert set(threading.enumerate()) - before == set()
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", server.port), timeout=1)


def test_a_taken_port_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(CannotListen, match=f"cannot listen on 127.0.0.1 port {port}: .*in use"):
            serve(create_app(FakeFeed()), port=port)
    with pytest.raises(CannotListen, match="port 99999"):
        serve(create_app(FakeFeed()), port=99999)
    with pytest.raises(CannotListen, match="cannot listen on no-such-host"):
        serve(create_app(FakeFeed()), host="no-such-host.invalid", port=0)


def test_the_site_answers_when_all_streams_are_taken(feed: FakeFeed) -> None:
    with serve(create_app(feed, max_streams=3), port=0, max_streams=3) as server:
        streams = [get(server, "/stream") for _ in range(3)]
        assert [response.status for _, response in streams] == [200] * 3
        assert [status(server, "/stream") for _ in range(20)] == [503] * 20
        assert [status(server, "/api/state") for _ in range(20)] == [200] * 20
        for connection, response in streams:
            connection.close()
            response.close()


def test_a_reader_that_left_frees_its_stream(feed: FakeFeed) -> None:
    with serve(create_app(feed, max_streams=1), port=0, max_streams=1) as server:
        connection, stream = get(server, "/stream")
        assert status(server, "/stream") == 503
        connection.close()
        stream.close()
        deadline = time.monotonic() + 5
        while (answer := status(server, "/stream")) == 503 and time.monotonic() < deadline:
            time.sleep(0.1)
        assert answer == 200
