"""The outside world: cameras and the simulated table."""
