# Was /files sagt.

title = Dateien
title-in = Dateien in `{ $folder }`
more = … und { $n } weitere.
not-whole = Es gibt mehr, als gezeigt wird: Links, Namen, die sich nicht tippen lassen, oder zu viele Einträge.
none = Hier gibt es keine Dateien. `/files write` legt eine an, `/files put` nimmt eine an, die du anhängst.
created = Datei `{ $path }` mit { $size } angelegt.
replaced = Inhalt der Datei `{ $path }` durch { $size } ersetzt.
edited = Die Datei `{ $path }` ist geändert und hat jetzt { $size }.
not-found = Das steht nicht in `{ $path }`, also wurde nichts geändert. Es muss genau so lauten wie in der Datei, mit Großschreibung, Leerzeichen und Zeilenenden.
found-often = Das steht { $n }-mal in `{ $path }`, also wurde nichts geändert. Gib mehr von dem an, was darum steht.
missing = Hier gibt es keine Datei `{ $path }`.
button-remove = Datei löschen
question = Das löscht die Datei `{ $path }` mit { $size } für alle hier. Das lässt sich nicht rückgängig machen. Wo es keine Schaltfläche gibt, tut es `/files remove path: { $path } confirm: true`.
removed = Datei `{ $path }` mit { $size } gelöscht.
empty = Die Datei ist leer.
attached = Die Datei ist unverändert angehängt.
no-text = `{ $path }` ist kein Text in UTF-8 und wird hier nicht gezeigt.
no-text-attached = Die Datei ist kein Text in UTF-8. Sie ist angehängt.
backticks = Backticks der Datei werden als ˋ gezeigt.
invisible = Unsichtbare Zeichen der Datei sind weggelassen.
