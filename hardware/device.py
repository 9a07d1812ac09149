"""What all cameras share: the context manager and the check that they were started."""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self

from hardware.camera import CameraError, Frame


class Device(ABC):
    """Base of the cameras: ``with camera:`` starts and stops it."""

    name: str
    live: bool
    length: int | None = None

    @abstractmethod
    def start(self) -> None:
        """See :meth:`hardware.camera.Camera.start`."""

    @abstractmethod
    def read(self, timeout: float = 1.0) -> Frame | None:
        """See :meth:`hardware.camera.Camera.read`."""

    @abstractmethod
    def stop(self) -> None:
        """See :meth:`hardware.camera.Camera.stop`."""

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    def not_started(self) -> CameraError:
        """The error of a ``read`` before ``start``."""
        return CameraError(f"{self.name}: read before the camera was started")
