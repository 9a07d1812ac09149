"""The outside world: cameras and the simulated table."""

from __future__ import annotations

from pathlib import Path

from hardware.camera import Camera, CameraError, UnreadableInput

__all__ = ["CAMERAS", "open_camera"]

#: How a camera is named on the command line.
CAMERAS = """\
picamera2              the Raspberry Pi's own camera (picamera2:1 for a second one)
usb:0 or /dev/video0   a USB camera
sim:backgammon?seed=1  a simulated table (or sim:long-nardy; also &style=felt, &faults=1)
game.mp4               a recording
pictures/              a folder of pictures
"""


def open_camera(spec: str, fps: float | None = None) -> Camera:
    """The camera that a specification of :data:`CAMERAS` names, not yet started.

    ``fps`` is the wished rate of frames. Raises ``CameraError`` if the specification makes no
    sense, ``UnreadableInput`` for a path that does not exist. The modules are imported here, so that
    only what is used need be installed.
    """
    kind, _, rest = spec.partition(":")
    if kind == "picamera2":
        from hardware.picamera2 import Picamera2Camera

        return Picamera2Camera(_number(spec, rest or "0"), fps=fps or 30.0)
    if kind == "usb":
        from hardware.v4l2 import V4l2Camera

        return V4l2Camera(_number(spec, rest), fps=fps or 30.0)
    if kind == "sim":
        from hardware.running_table import simulated

        return simulated(spec, fps)
    if spec.startswith("/dev/"):
        from hardware.v4l2 import V4l2Camera

        return V4l2Camera(spec, fps=fps or 30.0)
    path = Path(spec)
    if not spec or not path.exists():
        raise UnreadableInput(f"{spec or 'camera'}: no such file or camera")
    if path.is_dir():
        from hardware.pictures import Pictures

        return Pictures(path, fps or 10.0)
    from hardware.video import VideoFile

    return VideoFile(path)


def _number(spec: str, text: str) -> int:
    if not text.isdecimal():
        raise CameraError(f"{spec}: expected a number after the colon, as in {spec.partition(':')[0]}:0")
    return int(text)
