# Was /status sagt.

title = Status
title-range = Status, { $range }
range-hour = letzte Stunde
range-day = letzte 24 Stunden
range-week = letzte 7 Tage
no-metrics = Die Datei enthält keine Messwerte.
more = { $n } weitere passen nicht: Frag mit dem Namen nach einem davon.
more-lines = und { $n } weitere
console = `live` geht nur auf Discord: Am Terminal wird nichts aktuell gehalten.
list-or = oder

## Namen von Messwerten

unknown = `{ $path }` hat keinen Messwert `{ $name }`.
near = Meintest du { $near }?
has-none = Die Datei hat gar keine.
has = Vorhanden: { $names }.
has-more = Vorhanden: { $names } und { $n } weitere.

## Wie alt die Werte sind

fresh = aktuell · { $age }
fresh-by-file = aktuell · { $age } nach der Zeit der Datei selbst
stale = veraltet seit { $since } · { $age }
missing = fehlt seit { $since }, { $ago } (gezeigt werden die letzten guten Werte von { $at }, { $age })
invalid = unbrauchbar seit { $since }, { $ago } (gezeigt werden die letzten guten Werte von { $at }, { $age })
clock = Uhrenproblem: geschrieben um { $at }, der Uhr dieses Rechners { $ahead } voraus
fresh-lasting = Stand: { $at }.
fresh-by-file-lasting = Stand: { $at }, nach der Zeit der Datei selbst.
stale-lasting = Veraltet seit { $since }.
missing-lasting = Fehlt seit { $since }. Die letzten guten Werte sind von { $at }.
invalid-lasting = Unbrauchbar seit { $since }. Die letzten guten Werte sind von { $at }.
clock-lasting = Uhrenproblem: geschrieben { $at }, der Uhr dieses Rechners { $ahead } voraus.
unusable = Die Datei ist in diesem Zustand nicht brauchbar: { $problem }.
gone = Die Datei fehlt jetzt.
no-time = Was die Datei als `{ $key }` angibt, ist kein Zeitpunkt, deshalb gilt das Alter der Datei.
no-file = Keine Daten: Es gibt keine Datei `{ $path }` (fehlt seit { $since }, { $age }). Lass ein Programm dort ein JSON-Objekt schreiben, oder setz `enabled = true` in `[host_metrics]` der `config.toml`, um die Werte dieses Rechners zu haben.
never-usable = Keine Daten: `{ $path }` ist seit { $since }, { $age }, nicht brauchbar: { $problem }. Vorher wurde nichts Brauchbares daraus gelesen. Das Programm, das sie schreibt, muss ein ganzes JSON-Objekt schreiben.
not-read-yet = Noch keine Daten: `{ $path }` wurde noch nicht gelesen. Versuch es gleich noch einmal.

refresh = Aktualisieren

## Werte

yes = ja
no = nein
no-value = kein Wert
empty = (leer)
entries = { $n ->
    [one] 1 Eintrag
   *[other] { $n } Einträge
}
days = { $n ->
    [one] 1 Tag
   *[other] { $n } Tage
}
part = { $part } von { $whole }

## Diagramme

no-samples = Noch keine Messungen ({ $range }): Es gibt nichts zu zeichnen. Frag später noch einmal.
one-sample = Bisher gibt es eine Messung, und eine Kurve braucht zwei. Frag später noch einmal.
summary = min { $low } · max { $high } · zuletzt { $last }
stretch = { $from } bis { $until }
stale-at = Veraltet: { $stretches }.
stale-more = Veraltet: { $stretches }, und davor { $n }-mal.
since = Gemessen seit { $from }.
unchanged = Unverändert: { $names }.
unchanged-more = Unverändert: { $names } und { $n } weitere.
not-drawn = Nicht gezeichnet; frag mit dem Namen nach einem davon: { $names }.
not-drawn-more = Nicht gezeichnet; frag mit dem Namen nach einem davon: { $names } und { $n } weitere.

## Namen der eigenen Messwerte des Bots

name-cores = Kerne
name-cpu = CPU
name-disk = Festplatte
name-fifteen = Fünfzehn
name-five = Fünf
name-load = Last
name-memory = Speicher
name-network = Netzwerk
name-one = Eins
name-received = Empfangen
name-receiving = Empfang
name-sending = Versand
name-sent = Gesendet
name-total = Gesamt
name-uptime = Laufzeit
name-usage = Auslastung
name-used = Belegt
