"""The simulated table: a camera that paints whole matches and knows the truth about them."""

from hardware.table.camera import SimulatedTable, record, write_pictures, write_truth
from hardware.table.choices import PLAY_FAULTS
from hardware.table.conditions import CONDITIONS
from hardware.table.landing import MANNER_FAULTS, THROW_FAULTS
from hardware.table.styles import STYLES

__all__ = [
    "CONDITIONS",
    "MANNER_FAULTS",
    "PLAY_FAULTS",
    "STYLES",
    "THROW_FAULTS",
    "SimulatedTable",
    "record",
    "write_pictures",
    "write_truth",
]
