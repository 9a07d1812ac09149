"""The simulated table: a camera that paints whole matches and knows the truth about them."""

from hardware.table.camera import SimulatedTable, record, write_pictures, write_truth
from hardware.table.choices import PLAY_FAULTS
from hardware.table.landing import THROW_FAULTS
from hardware.table.styles import STYLES

__all__ = [
    "PLAY_FAULTS",
    "STYLES",
    "THROW_FAULTS",
    "SimulatedTable",
    "record",
    "write_pictures",
    "write_truth",
]
