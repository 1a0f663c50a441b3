# Was /memory sagt.

title = Deine Erinnerungen
kind = { $kind ->
    [journal] Tagebuch
    [preference] Vorliebe
    [task] Aufgabe
   *[fact] Tatsache
}
nothing-readable = Das enthält nichts Lesbares, daher wurde nichts gespeichert.
saved = Erinnerung gespeichert: { $memory }
full = Du hast hier { $max } Erinnerungen, mehr geht nicht, daher wurde nichts gespeichert. `/memory list` zeigt ihre Nummern, und `/memory forget` schafft Platz.
told = das Sprachmodell erfährt sie hier
not-told = das Sprachmodell erfährt sie hier nicht
count = { $n ->
    [one] 1 Erinnerung
   *[other] { $n } Erinnerungen
}
none = Über dich ist hier nichts gespeichert.
none-of-kind = Über dich ist hier nichts von der Art { $kind } gespeichert.
choose-kind = Nur eine Art
unknown = Du hast hier keine Erinnerung { $id }. `/memory list` zeigt sie.
forgot = Erinnerung { $id } ({ $kind }) vergessen. Ihre Worte werden auch aus deinen Belegen und aus den Protokollen deiner Chat-Antworten entfernt; `/clear` vergisst ein Gespräch.
private-place = Hier erfährt das Sprachmodell deine Erinnerungen: Niemand sonst liest seine Antworten.
shared = Auf diesem Server erfährt das Sprachmodell jetzt deine Erinnerungen. Andere können seine Antworten lesen.
not-shared = Auf diesem Server erfährt das Sprachmodell keine deiner Erinnerungen.
