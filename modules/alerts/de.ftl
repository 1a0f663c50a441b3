# Was /alerts sagt.

title = Meldungen
guild-only = Gemeldet wird in Kanälen eines Servers, daher kam von hier keine Meldung dazu.
no-metrics = Es gibt keine aktuellen Messwerte, daher kam keine Meldung dazu. `/status` sagt, warum.
no-metric = Unter den Messwerten ist keine Zahl `{ $name }`, daher kam keine Meldung dazu.
near = Meintest du { $near }?
no-line = Die Grenze muss eine Zahl sein, die ein Messwert haben kann.
no-duration = `{ $typed }` verstehe ich nicht als Dauer. Schreib 5m, 1h oder 90s; höchstens einen Tag.
capital-m = `{ $typed }` ist keine Dauer: `M` kann Minuten oder Monate heißen. Schreib `m` für Minuten, etwa 5m.
full = Dieser Server hat { $max } Meldungen, mehr gehen nicht. `/alerts remove` schafft Platz.
set = Meldung { $id }, in <#{ $channel }>: { $what }. Jetzt sind es { $value }.
none = Dieser Server hat keine Meldungen. `/alerts set` fügt eine hinzu.
count = { $n } von { $max }
above = { $name } über { $line }
below = { $name } unter { $line }
lasting = { $what }, { $lasts } lang
now = jetzt { $value }
unknown-now = kein aktueller Wert
on = **gemeldet**, und noch nicht vorbei
no-longer-sent = **in diesen Kanal darf ich nicht mehr schreiben**
unknown = Dieser Server hat keine Meldung { $id }. `/alerts list` zeigt sie.
removed = Meldung { $id } entfernt: { $what }.
began = ⚠ { $what }
over = ✓ Nicht mehr: { $what }
value = Jetzt sind es { $value }.
gone = Dieser Server hat keine Meldungen mehr.
looked = Meldungen angesehen: { $n }; geändert: { $changed }.
