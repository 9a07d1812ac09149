"""The dashboard's web server: waitress in threads of this process.

One process, since the match lives in its memory and a camera has one owner. waitress gives every
request a thread, and a stream keeps its thread: with as many streams as threads the whole site would
stand still. So there are always ``SPARE`` threads more than streams.
"""

from __future__ import annotations

import socket
import threading
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from waitress.server import create_server

from webui.app import MAX_STREAMS

if TYPE_CHECKING:
    from flask import Flask

SPARE = 16  #: threads for all requests that are not streams
LONGEST_BODY = 1 << 26  #: bytes of a request that are taken in before the application can refuse it
CONNECTIONS_A_PAGE = 6  #: what browsers open to one host, and keep open


class CannotListen(OSError):
    """The address cannot be used; the message says which and why, in one line."""


class Server:
    """A running web server. Use it as a context manager, or call :meth:`close`."""

    def __init__(self, waitress: Any, loop: threading.Thread, host: str, port: int) -> None:
        self._waitress = waitress
        self._loop = loop
        self.host = host
        self.port = port

    @property
    def url(self) -> str:
        """The address of the live page, as seen from this machine."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)
        return f"http://[{host}]:{self.port}/" if ":" in host else f"http://{host}:{self.port}/"

    def close(self) -> None:
        """Hang up all connections and end all threads; may be called twice.

        Streams end at once if the feed is already closing, else within a second.
        """
        if self._loop.is_alive():
            # Sockets may only be touched by the loop's thread, and the trigger, by which workers wake
            # that thread, must outlive the workers.
            self._waitress.trigger.pull_trigger(self._hang_up)
            self._waitress.task_dispatcher.shutdown()
            self._waitress.trigger.pull_trigger(self._waitress.trigger.close)
            self._loop.join()

    def _hang_up(self) -> None:
        self._waitress.del_channel()
        self._waitress.socket.close()
        for channel in tuple(self._waitress.active_channels.values()):
            channel.handle_close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def serve(app: Flask, host: str = "127.0.0.1", port: int = 8000, *, max_streams: int = MAX_STREAMS) -> Server:
    """Serve ``app`` in the background.

    Args:
        app: the dashboard, made with the same ``max_streams``.
        host: address or name to listen on.
        port: 0 takes a free one; :attr:`Server.port` says which.

    Raises:
        CannotListen: the address is not this machine's, or the port is taken or not allowed.
    """
    listener = _listen(host, port)
    waitress = create_server(
        app,
        sockets=[listener],
        threads=max_streams + SPARE,
        connection_limit=(max_streams + SPARE) * CONNECTIONS_A_PAGE,
        asyncore_use_poll=True,  # select() fails from file number 1024 on
        max_request_body_size=LONGEST_BODY,
        channel_request_lookahead=1,  # lets a stream see that its reader has gone
        outbuf_high_watermark=1 << 18,  # a slow reader waits here and then gets the latest state only
        ident=None,
    )
    loop = threading.Thread(target=waitress.run, name="web", daemon=True)
    loop.start()
    return Server(waitress, loop, host, listener.getsockname()[1])


def try_to_listen(host: str, port: int) -> None:
    """Raise :class:`CannotListen` where :func:`serve` would."""
    _listen(host, port).close()


def _listen(host: str, port: int) -> socket.socket:
    if not 0 <= port <= 65535:
        raise CannotListen(f"cannot listen on {host} port {port}: ports go from 0 to 65535")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        why = str(error.strerror or error).partition(" (while")[0]  # Python repeats the address there
        raise CannotListen(f"cannot listen on {host} port {port}: {why}") from error
