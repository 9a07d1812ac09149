-- The store: matches and their events. Times are UTC, ISO 8601.

CREATE TABLE matches (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    created  TEXT NOT NULL,
    finished TEXT,              -- NULL while the match can be resumed
    rules    TEXT,              -- the rule set, JSON (in old stores the name of a preset); NULL: told by the board
    length   INTEGER NOT NULL,  -- points to win, 0 for unlimited play
    white    TEXT NOT NULL,
    black    TEXT NOT NULL,
    camera   TEXT NOT NULL,     -- as on the command line
    corners  TEXT               -- JSON [[x, y], ...] if given by hand
) STRICT;

-- Ids are never used twice, so that a page which reconnects can ask for all after the last it saw.
CREATE TABLE events (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    match    INTEGER NOT NULL REFERENCES matches (id),
    stored   TEXT NOT NULL,
    json     TEXT NOT NULL,     -- the event, as engine/events.py writes it
    sentence TEXT NOT NULL,     -- its commentary
    alert    TEXT NOT NULL CHECK (alert IN ('none', 'fault', 'illegal', 'doubt', 'desync'))
) STRICT;

CREATE INDEX events_of_a_match ON events (match, id);
