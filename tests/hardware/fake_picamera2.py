"""A stand-in for the ``picamera2`` module, with the habits of the real one that cost people days.

It adjusts the size and, if told to, the format that was asked for; it pads rows to an alignment;
it refuses controls that are not advertised; it stalls when requests are not released; a wait that
times out raises ``TimeoutError``. Picamera2 0.3.38 on libcamera's virtual camera was the model.
"""

from __future__ import annotations

import contextlib
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

BGR = (40, 90, 150)  #: the colour that the fake camera sees
BUFFERS = 4


class Settings:
    """What the fake hardware does; a test changes these."""

    def __init__(self) -> None:
        self.cameras = 1
        self.format: str | None = None  #: what the camera makes of the format that was asked for
        self.align = 32
        self.controls: dict[str, Any] = {"FrameDurationLimits": (1, 10**6, None)}
        self.frames: int | None = None  #: after so many the camera gives nothing more
        self.unplugged = False
        self.opened = 0
        self.held = 0


def module(settings: Settings) -> types.ModuleType:
    """A module object to be put into ``sys.modules["picamera2"]``."""

    class Picamera2:
        @staticmethod
        def global_camera_info() -> list[dict[str, Any]]:
            return [{"Model": "fake", "Num": i} for i in range(settings.cameras)]

        def __init__(self, index: int = 0) -> None:
            if settings.unplugged:
                raise RuntimeError("Failed to acquire camera: Device or resource busy")
            if settings.opened:
                raise RuntimeError("Camera __init__ sequence did not complete.")
            settings.opened += 1
            self._config: dict[str, Any] = {}
            self._running = False
            self._count = 0
            self.camera_controls = settings.controls

        def create_video_configuration(self, main: dict[str, Any]) -> dict[str, Any]:
            return {"main": dict(main), "buffer_count": BUFFERS}

        def configure(self, config: dict[str, Any]) -> None:
            width, height = config["main"]["size"]
            name = settings.format or config["main"]["format"]
            width -= width % 2
            per_pixel = {"RGB888": 3, "BGR888": 3, "XRGB8888": 4, "XBGR8888": 4}.get(name, 1)
            stride = -(-width * per_pixel // settings.align) * settings.align
            self._config = {"main": {"size": (width, height), "format": name, "stride": stride}}

        def camera_configuration(self) -> dict[str, Any]:
            return self._config

        def set_controls(self, controls: dict[str, Any]) -> None:
            for name in controls:
                if name not in settings.controls:
                    raise RuntimeError(f"Control {name} is not advertised by libcamera")

        def start(self) -> None:
            self._running = True

        @contextlib.contextmanager
        def captured_request(self, wait: float | None = None, flush: Any = None) -> Iterator[Request]:
            if settings.unplugged:
                raise RuntimeError("Camera in incorrect state")
            finished = settings.frames is not None and self._count >= settings.frames
            if not self._running or finished or settings.held >= BUFFERS:
                raise TimeoutError
            self._count += 1
            settings.held += 1
            request = Request(self._config["main"], self._count)
            yield request
            settings.held -= 1

        def stop(self) -> None:
            self._running = False
            if settings.unplugged:
                raise RuntimeError("Failed to stop camera")

        def close(self) -> None:
            settings.opened -= 1

    made = types.ModuleType("picamera2")
    made.Picamera2 = Picamera2  # type: ignore[attr-defined]
    return made


class Request:
    def __init__(self, main: dict[str, Any], count: int) -> None:
        self._main, self._count = main, count

    def get_metadata(self) -> dict[str, Any]:
        return {"SensorTimestamp": 5_000_000_000 + self._count * 33_333_000}

    def make_array(self, name: str) -> np.ndarray[Any, Any]:
        assert name == "main"
        width, height = self._main["size"]
        kind, stride = self._main["format"], self._main["stride"]
        blue, green, red = BGR
        pixels = {
            "RGB888": (blue, green, red),
            "BGR888": (red, green, blue),
            "XRGB8888": (blue, green, red, 255),
            "XBGR8888": (red, green, blue, 255),
        }
        if kind in pixels:  # Picamera2 removes the padding of these itself
            return np.full((height, width, len(pixels[kind])), pixels[kind], np.uint8)
        luma = round(16 + (65.738 * red + 129.057 * green + 25.064 * blue) / 256)
        cb = round(128 + (-37.945 * red - 74.494 * green + 112.439 * blue) / 256)
        cr = round(128 + (112.439 * red - 94.154 * green - 18.285 * blue) / 256)
        buffer = np.zeros((height * 3 // 2, stride), np.uint8)  # zeros: padding, which would show as green
        buffer[:height, :width] = luma
        if kind == "NV12":
            buffer[height:, :width:2], buffer[height:, 1:width:2] = cb, cr
        elif kind == "YUV420":
            chroma = buffer[height:].reshape(height, stride // 2)
            chroma[: height // 2, : width // 2], chroma[height // 2 :, : width // 2] = cb, cr
        return buffer
