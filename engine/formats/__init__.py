"""Readers and writers of the forms in which games are written down, as twins."""
