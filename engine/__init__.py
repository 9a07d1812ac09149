"""The game itself: positions, legal plays, the referee, the tracker, match records and commentary.

Nothing here touches a camera, a clock, a file or the network: every function is given what it
needs and returns values, so the whole room can be tested without hardware.
"""
