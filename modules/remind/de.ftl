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
understood = Das ist { $day }, { $at }, in deiner Zeitzone { $zone }.
understood-here = Das ist { $day }, { $at }, in der Zeitzone { $zone }. `/remind zone` setzt deine.
weekday = { $day ->
    [Mon] Montag
    [Tue] Dienstag
    [Wed] Mittwoch
    [Thu] Donnerstag
    [Fri] Freitag
    [Sat] Samstag
   *[Sun] Sonntag
}
zone-set = Die Zeiten, die du schreibst, gelten jetzt in { $zone }. Dort ist es { $time }.
zone-here = Du hast jetzt keine eigene Zeitzone. Zeiten, die du hier schreibst, gelten in { $zone }.
zone-unknown = Es gibt keine Zeitzone { $typed }. Schreib sie wie `Europe/Berlin`.
zone-near = Es gibt keine Zeitzone { $typed }. Meintest du { $near }?
no-duration = { $typed } ist keine Dauer. Schreib sie wie `90m`, `2h30m`, `2 Wochen` oder `1 Monat`, oder einen Zeitpunkt wie `18:00` oder `morgen 9 Uhr`.
no-time = { $typed } ist kein Zeitpunkt. Schreib ihn wie `18:00`, `morgen 9 Uhr`, `nächsten Freitag`, `2 Wochen` oder `2027-01-31 18:00`.
capital-m = { $typed } ist keine Dauer: `M` kann Minuten oder Monate heißen. Schreib `m` für Minuten, etwa `30m`, oder `mo` für Monate, etwa `1mo`.
say-when = Sag, wann: entweder `in: 2h` oder `at: morgen 9 Uhr`.
too-far = Eine Erinnerung liegt höchstens ein Jahr voraus.
past = Dieser Zeitpunkt ist schon vorbei.
not-delivered = Discord hat es abgelehnt; ich versuche es noch einmal und schicke es dir dann direkt
