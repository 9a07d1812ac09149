"""The Raspberry Pi's own camera, through Picamera2."""

from __future__ import annotations

import logging
from typing import Any

import cv2
import numpy as np

from hardware.camera import CameraError, Frame, Image
from hardware.device import Device

log = logging.getLogger(__name__)

INSTALL = (
    "Picamera2 is not installed: run `sudo apt install python3-picamera2 --no-install-recommends` "
    "and make the virtual environment with --system-site-packages"
)


class Picamera2Camera(Device):
    """A camera of the Raspberry Pi.

    ``size`` and ``fps`` are wishes; libcamera adjusts both, and pictures come in the size that it
    settled on. ``t`` is the sensor's own timestamp (CLOCK_BOOTTIME) in seconds.
    """

    live = True

    def __init__(self, index: int = 0, size: tuple[int, int] = (1280, 720), fps: float = 30.0) -> None:
        self.name = "picamera2" if index == 0 else f"picamera2:{index}"
        self.index, self.size, self.fps = index, size, fps
        self.length: int | None = None
        self._device: Any = None
        self._format = ""
        self._actual_size = size
        self._seq = 0

    def start(self) -> None:
        self.stop()
        try:
            # Only here: the package exists on Raspberry Pi OS alone, and probes hardware on import.
            from picamera2 import Picamera2
        except ImportError as error:
            raise CameraError(f"{self.name}: {INSTALL} ({error})") from error
        if len(Picamera2.global_camera_info()) <= self.index:
            raise CameraError(
                f"{self.name}: no camera is connected; `rpicam-hello --list-cameras` shows them"
            )
        try:
            device = Picamera2(self.index)
        except (RuntimeError, IndexError, OSError) as error:
            raise CameraError(f"{self.name}: cannot be opened: {error}") from error
        try:
            self._set_up(device)
        except (RuntimeError, OSError) as error:
            device.close()
            raise CameraError(f"{self.name}: cannot be started: {error}") from error
        except CameraError:
            device.close()
            raise
        self._device, self._seq = device, 0

    def _set_up(self, device: Any) -> None:
        # libcamera names pixels little-endian: its "RGB888" is B, G, R in memory, as OpenCV wants.
        device.configure(device.create_video_configuration(main={"size": self.size, "format": "RGB888"}))
        main = device.camera_configuration()["main"]
        self._format, self._actual_size = main["format"], tuple(main["size"])
        if self._format not in _TO_BGR:
            raise CameraError(f"{self.name}: gives pictures as {self._format}, which is not supported")
        if "FrameDurationLimits" in device.camera_controls:  # an unknown control is a RuntimeError
            period = round(1e6 / self.fps)
            device.set_controls({"FrameDurationLimits": (period, period)})
        device.start()

    def read(self, timeout: float = 1.0) -> Frame | None:
        if self._device is None:
            raise self.not_started()
        try:
            # One request gives picture and metadata of one moment; unless released, the camera stalls.
            with self._device.captured_request(wait=timeout) as request:
                pixels = request.make_array("main")
                nanoseconds = request.get_metadata()["SensorTimestamp"]
        except TimeoutError as error:
            # The abandoned wait still owns the next request, so the device must be opened anew.
            self.stop()
            raise CameraError(f"{self.name}: no picture for {timeout:g} seconds") from error
        except (RuntimeError, OSError) as error:
            self.stop()
            raise CameraError(f"{self.name}: the camera has stopped: {error}") from error
        seq = self._seq
        self._seq += 1
        return Frame(_to_bgr(pixels, self._format, self._actual_size), nanoseconds / 1e9, seq)

    def stop(self) -> None:
        device, self._device = self._device, None
        if device is None:
            return
        try:
            device.stop()
        except (RuntimeError, OSError) as error:  # a camera that is gone cannot be stopped
            log.warning("%s: %s", self.name, error)
        finally:
            device.close()  # else the device stays busy and cannot be opened again


#: OpenCV's conversion to BGR for each format of libcamera, ``None`` where there is nothing to do.
_TO_BGR: dict[str, int | None] = {
    "RGB888": None,
    "BGR888": cv2.COLOR_RGB2BGR,
    "XRGB8888": cv2.COLOR_BGRA2BGR,
    "XBGR8888": cv2.COLOR_RGBA2BGR,
    "NV12": cv2.COLOR_YUV2BGR_NV12,
    "YUV420": cv2.COLOR_YUV2BGR_I420,
}


def _to_bgr(pixels: np.ndarray[Any, Any], name: str, size: tuple[int, int]) -> Image:
    """A contiguous BGR picture of ``size`` (width, height) from a buffer whose rows may be padded."""
    width, height = size
    code = _TO_BGR[name]
    if name == "NV12":
        pixels = pixels[: height * 3 // 2, :width]
    elif name == "YUV420":
        pixels = _planes(pixels, width, height)
    else:
        pixels = pixels[:height, :width]
    converted = pixels if code is None else cv2.cvtColor(np.ascontiguousarray(pixels), code)
    return np.ascontiguousarray(converted, dtype=np.uint8)


def _planes(pixels: np.ndarray[Any, Any], width: int, height: int) -> np.ndarray[Any, Any]:
    """Padded I420 of shape (height * 3/2, stride) without its padding.

    The chroma planes have half the stride: each row of the buffer holds two of their rows.
    """
    stride = pixels.shape[1]
    luma = pixels[:height, :width]
    chroma = pixels[height : height * 3 // 2].reshape(height, stride // 2)[:, : width // 2]
    return np.vstack([luma, chroma.reshape(height // 2, width)])
