# Was /remind sagt.

title = Erinnerungen
title-one = Erinnerung
no-text = Eine Erinnerung braucht Text, und dieser enthält nichts Lesbares.
console = Erinnerungen kommen nur auf Discord an, daher wurde von hier keine gespeichert.
added = Erinnerung { $id }, { $ahead } ({ $at }): { $text }
full = Du hast so viele Erinnerungen, wie es geht, daher kam keine dazu. `/remind list` zeigt die von hier, und `/remind remove` schafft Platz.
none = Du hast hier keine Erinnerungen. `/remind add` fügt eine hinzu.
later = … und { $n } spätere
waiting = { $n } ausstehend
removed = Erinnerung { $id } entfernt.
unknown = Du hast hier keine Erinnerung { $id }. `/remind list` zeigt deine.
late = Das war { $ahead } fällig, aber ich war nicht online.
no-duration = { $typed } ist keine Dauer. Schreib sie wie `90m`, `2h30m` oder `3d`.
no-time = { $typed } ist kein Zeitpunkt. Schreib ihn wie `2027-01-31T18:00Z`.
say-when = Sag, wann: entweder `in: 2h` oder `at: 2027-01-31T18:00Z`.
too-far = Eine Erinnerung liegt höchstens ein Jahr voraus.
past = Dieser Zeitpunkt ist schon vorbei.
